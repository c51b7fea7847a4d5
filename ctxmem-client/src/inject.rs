//! A base prompt in, a system prompt with what is remembered out.

use ctxmem_types::{CacheHint, InjectReason, InjectRequest, InjectResponse, UserId, path};

use crate::client::{Auth, Call};
use crate::{Client, Error};

impl Client {
    /// Asks for a system prompt: the base prompt, preceded by what the agent may know of
    /// the user.
    ///
    /// The agent's first call for a user creates the grant. With nothing to add the base
    /// prompt comes back unchanged, and [`Injected::reason`] says why.
    pub async fn inject(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Result<Injected, Error> {
        let mut request = InjectRequest::new(user_id.clone(), base_prompt);
        request.agent_id = self.agent_id();
        let call = Call::post(path::INJECT, Auth::Key, &request)?;
        let response: InjectResponse = self.send(call).await?.json()?;
        Ok(Injected {
            is_enriched: response.is_enriched(&request.base_prompt),
            response,
        })
    }
}

/// A system prompt to use, and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Injected {
    response: InjectResponse,
    is_enriched: bool,
}

impl Injected {
    /// The system prompt to use.
    pub fn prompt(&self) -> &str {
        &self.response.injected_prompt
    }

    /// Takes the system prompt out.
    pub fn into_prompt(self) -> String {
        self.response.injected_prompt
    }

    /// Whether stored context was merged into the prompt. Demo facts are not stored context.
    pub fn is_enriched(&self) -> bool {
        self.is_enriched
    }

    /// Whether demo facts were merged, which happens until the agent's developer has stored
    /// a first fact.
    pub fn is_seeded(&self) -> bool {
        self.response.seeded == Some(true) || self.response.reason == Some(InjectReason::SeededDemo)
    }

    /// Why no stored context was merged; `None` when it was, and where an older deployment
    /// does not say.
    pub fn reason(&self) -> Option<&InjectReason> {
        self.response.reason.as_ref()
    }

    /// The reason in words for people.
    pub fn notice(&self) -> Option<&str> {
        self.response.notice.as_deref()
    }

    /// What the service recommends for the model provider's prompt cache, as it came.
    pub fn cache_hint(&self) -> Option<&CacheHint> {
        self.response.cache_hint.as_ref()
    }

    /// The whole answer of the service.
    pub fn response(&self) -> &InjectResponse {
        &self.response
    }

    /// Takes the whole answer out.
    pub fn into_response(self) -> InjectResponse {
        self.response
    }
}
