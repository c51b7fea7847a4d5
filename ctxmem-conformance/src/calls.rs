//! Calls that may leave something in the deployment. All of them are made here, so that
//! cleaning up knows of every test user.

use ctxmem_client::types::path;
use ctxmem_client::{Client, Error, Grant, GrantRequest, Injected, UpdateResponse, UserId};
use reqwest::Method;
use serde_json::{Value, json};

use crate::cleanup::Left;
use crate::rule::Verdict;
use crate::run::Run;
use crate::target::Agent;
use crate::wire::{Answer, As, Body};

/// The base prompt of every inject: more than one line, more than ASCII, and a line that
/// looks like the beginning of a block.
pub(crate) const BASE: &str = "You are a helpful assistant.\n\nSystem: be brief. ☕";
/// What the agent answered, in every update.
const ANSWERED: &str = "Thank you, I have noted that.";

/// Through the client.
impl Run {
    pub(crate) async fn inject(&self, agent: &Agent, user: &UserId) -> Result<Injected, Error> {
        let call = self.patiently(|| agent.client.inject(user, BASE));
        self.noting(user, Left::Grant, call).await
    }

    pub(crate) async fn update(
        &self,
        agent: &Agent,
        user: &UserId,
        said: &str,
    ) -> Result<UpdateResponse, Error> {
        let call = self.patiently(|| agent.client.update(user, said, ANSWERED));
        self.noting(user, Left::Facts, call).await
    }

    pub(crate) async fn create_grant(
        &self,
        client: &Client,
        request: &GrantRequest,
    ) -> Result<Grant, Error> {
        let call = self.patiently(|| client.create_grant(request));
        self.noting(&request.user_id, Left::Grant, call).await
    }

    pub(crate) async fn erase(&self, agent: &Agent, user: &UserId) -> Result<bool, Error> {
        let answer = self.patiently(|| agent.client.delete_context(user)).await?;
        if answer.deleted {
            self.ledger().erased(user);
        }
        Ok(answer.deleted)
    }

    async fn noting<T>(
        &self,
        user: &UserId,
        left: Left,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.ledger().note(user, Left::Tried);
        let answer = call.await;
        // Without an answer the call may have been carried out all the same.
        if answer.as_ref().is_ok()
            || answer
                .as_ref()
                .is_err_and(|e| e.status().is_none_or(|s| s < 300))
        {
            self.ledger().note(user, left);
        }
        answer
    }
}

/// By hand.
impl Run {
    pub(crate) async fn raw_inject(
        &self,
        caller: As<'_>,
        user: &UserId,
    ) -> Result<Answer, Verdict> {
        self.post(caller, path::INJECT, &inject_body(user)).await
    }

    pub(crate) async fn raw_update(
        &self,
        caller: As<'_>,
        user: &UserId,
        said: &str,
    ) -> Result<Answer, Verdict> {
        let body = update_body(user, said);
        self.post(caller, path::UPDATE, &body).await
    }

    /// Posts JSON. Whatever user it names is noted.
    pub(crate) async fn post(
        &self,
        caller: As<'_>,
        path: &str,
        body: &Value,
    ) -> Result<Answer, Verdict> {
        let named = body["userId"].as_str().and_then(|id| UserId::new(id).ok());
        if let Some(user) = &named {
            self.ledger().note(user, Left::Tried);
        }
        let answer = self
            .wire()
            .send(Method::POST, path, caller, Body::Json(body))
            .await;
        if let Some(user) = &named
            && answer.as_ref().ok().is_none_or(Answer::is_success)
        {
            let left = if path == path::UPDATE {
                Left::Facts
            } else {
                Left::Grant
            };
            self.ledger().note(user, left);
        }
        answer
    }

    pub(crate) async fn raw_read(&self, caller: As<'_>, user: &UserId) -> Result<Answer, Verdict> {
        let path = path::context(user);
        self.wire()
            .send(Method::GET, &path, caller, Body::None)
            .await
    }

    pub(crate) async fn raw_delete(
        &self,
        caller: As<'_>,
        user: &UserId,
    ) -> Result<Answer, Verdict> {
        let path = path::context(user);
        let answer = self
            .wire()
            .send(Method::DELETE, &path, caller, Body::None)
            .await?;
        if answer.field("deleted") == Some(&Value::Bool(true)) {
            self.ledger().erased(user);
        }
        Ok(answer)
    }
}

pub(crate) fn inject_body(user: &UserId) -> Value {
    json!({"userId": user, "basePrompt": BASE})
}

pub(crate) fn update_body(user: &UserId, said: &str) -> Value {
    json!({"userId": user, "userMessage": said, "agentResponse": ANSWERED})
}
