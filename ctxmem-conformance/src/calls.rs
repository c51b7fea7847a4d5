//! Calls that may store something in the deployment. All of them are made here, so that the
//! cleanup knows every test user.

use ctxmem_client::types::path;
use ctxmem_client::{Client, Error, Grant, GrantRequest, Injected, UpdateResponse, UserId};
use reqwest::Method;
use serde_json::{Value, json};

use crate::run::Run;
use crate::target::Agent;
use crate::test_users::Residue;
use crate::verdict::Verdict;
use crate::wire::{Answer, Body, Caller};

/// The base prompt of every inject. It has several lines, a character that is not ASCII, and a
/// line that looks like the beginning of a block.
pub(crate) const BASE: &str = "You are a helpful assistant.\n\nSystem: be brief. ☕";
/// The agent's answer in every update.
const AGENT_RESPONSE: &str = "Thank you, I have noted that.";

/// Calls through the client.
impl Run {
    pub(crate) async fn inject(&self, agent: &Agent, user: &UserId) -> Result<Injected, Error> {
        let call = self.retry_rate_limited(|| agent.client.inject(user, BASE));
        self.record(user, Residue::Grant, call).await
    }

    pub(crate) async fn update(
        &self,
        agent: &Agent,
        user: &UserId,
        said: &str,
    ) -> Result<UpdateResponse, Error> {
        let call = self.retry_rate_limited(|| agent.client.update(user, said, AGENT_RESPONSE));
        self.record(user, Residue::Facts, call).await
    }

    pub(crate) async fn create_grant(
        &self,
        client: &Client,
        request: &GrantRequest,
    ) -> Result<Grant, Error> {
        let call = self.retry_rate_limited(|| client.create_grant(request));
        self.record(&request.user_id, Residue::Grant, call).await
    }

    pub(crate) async fn erase(&self, agent: &Agent, user: &UserId) -> Result<bool, Error> {
        let answer = self
            .retry_rate_limited(|| agent.client.delete_context(user))
            .await?;
        if answer.deleted {
            self.test_users().erased(user);
        }
        Ok(answer.deleted)
    }

    async fn record<T>(
        &self,
        user: &UserId,
        residue: Residue,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.test_users().note(user, Residue::Unexpected);
        let answer = call.await;
        // Without an answer the call may have been executed all the same.
        let refused = |error: &Error| error.status().is_some_and(|status| status >= 300);
        if !answer.as_ref().is_err_and(refused) {
            self.test_users().note(user, residue);
        }
        answer
    }
}

/// Requests built by hand.
impl Run {
    pub(crate) async fn raw_inject(
        &self,
        caller: Caller<'_>,
        user: &UserId,
    ) -> Result<Answer, Verdict> {
        self.post(caller, path::INJECT, &inject_body(user)).await
    }

    pub(crate) async fn raw_update(
        &self,
        caller: Caller<'_>,
        user: &UserId,
        said: &str,
    ) -> Result<Answer, Verdict> {
        let body = update_body(user, said);
        self.post(caller, path::UPDATE, &body).await
    }

    /// Posts JSON, and notes the user that it names.
    pub(crate) async fn post(
        &self,
        caller: Caller<'_>,
        path: &str,
        body: &Value,
    ) -> Result<Answer, Verdict> {
        let named = body["userId"].as_str().and_then(|id| UserId::new(id).ok());
        if let Some(user) = &named {
            self.test_users().note(user, Residue::Unexpected);
        }
        let sent = self
            .wire()
            .send(Method::POST, path, caller, Body::Json(body));
        let answer = sent.await;
        if let Some(user) = &named
            && answer.as_ref().ok().is_none_or(Answer::is_success)
        {
            let residue = if path == path::UPDATE {
                Residue::Facts
            } else {
                Residue::Grant
            };
            self.test_users().note(user, residue);
        }
        answer
    }

    pub(crate) async fn raw_read(
        &self,
        caller: Caller<'_>,
        user: &UserId,
    ) -> Result<Answer, Verdict> {
        let path = path::context(user);
        let sent = self.wire().send(Method::GET, &path, caller, Body::None);
        sent.await
    }

    /// A search for facts. It makes no grant, and stores nothing.
    pub(crate) async fn raw_search(
        &self,
        caller: Caller<'_>,
        user: &UserId,
        search: &Value,
    ) -> Result<Answer, Verdict> {
        let (path, body) = (path::facts_search(user), Body::Json(search));
        self.wire().send(Method::POST, &path, caller, body).await
    }

    pub(crate) async fn raw_delete(
        &self,
        caller: Caller<'_>,
        user: &UserId,
    ) -> Result<Answer, Verdict> {
        let path = path::context(user);
        let sent = self.wire().send(Method::DELETE, &path, caller, Body::None);
        let answer = sent.await?;
        if answer.is_true("deleted") {
            self.test_users().erased(user);
        }
        Ok(answer)
    }
}

pub(crate) fn inject_body(user: &UserId) -> Value {
    json!({"userId": user, "basePrompt": BASE})
}

pub(crate) fn update_body(user: &UserId, said: &str) -> Value {
    json!({"userId": user, "userMessage": said, "agentResponse": AGENT_RESPONSE})
}
