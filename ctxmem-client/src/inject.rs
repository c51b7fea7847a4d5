//! A base prompt in, a system prompt with what is remembered out.

use std::sync::Arc;

use ctxmem_types::{CacheHint, InjectReason, InjectRequest, InjectResponse, UserId, path};

use crate::client::{Auth, Call, Kind};
use crate::time::{Instant, SystemTime};
use crate::{Client, Degraded, Error, Fallback};

impl Client {
    /// Asks for a system prompt: the base prompt, preceded by what the agent may know of
    /// the user.
    ///
    /// The agent's first call for a user creates the grant. With nothing to add the base
    /// prompt comes back unchanged, and [`Injected::reason`] says why.
    ///
    /// It ends within [`ClientBuilder::inject_timeout`](crate::ClientBuilder::inject_timeout),
    /// 800 ms unless set, retries included. [`inject_or_base`](Self::inject_or_base) is the
    /// form that never fails.
    pub async fn inject(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Result<Injected, Error> {
        let mut request = InjectRequest::new(user_id.clone(), base_prompt);
        request.agent_id = self.agent_id();
        let call = Call::post(path::INJECT, Auth::Key, &request)?.kind(Kind::Inject);
        let response: InjectResponse = self.send(call).await?.json()?;
        Ok(Injected::answered(&request.base_prompt, response))
    }

    /// [`inject`](Self::inject) that always has a prompt: when the service is slow, down,
    /// limited or broken, or refuses, that is the base prompt, and [`Injected::fallback`]
    /// says why.
    ///
    /// After five outages in a row the service is left alone for five seconds, so that an
    /// agent does not wait at every turn. Nothing is ever reused of an earlier answer: what
    /// a user has revoked since is not in the prompt.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Fallback, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) {
    /// let system = client.inject_or_base(&user, "You are a helpful assistant.").await;
    /// match system.fallback() {
    ///     None => {}
    ///     Some(Fallback::Degraded(why)) => eprintln!("without memory for now: {why}"),
    ///     Some(refused) => eprintln!("this needs somebody: {refused}"),
    /// }
    /// # let prompt = system.prompt();
    /// # }
    /// ```
    pub async fn inject_or_base(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Injected {
        let base_prompt = base_prompt.into();
        if let Some(left) = self.pause().left(Instant::now()) {
            let retry_at = SystemTime::now() + left;
            return Injected::base(base_prompt, Degraded::Paused { retry_at }.into());
        }
        let outcome = self.inject(user_id, base_prompt.as_str()).await;
        let injected = Injected::or_base(base_prompt, outcome);
        match injected.fallback() {
            Some(fallback) if fallback.is_degraded() => {
                let asked = fallback.error().and_then(Error::retry_after);
                self.pause().failed(asked, Instant::now());
            }
            _ => self.pause().succeeded(),
        }
        injected
    }
}

/// A system prompt to use, and what is known about it.
#[derive(Clone, Debug)]
pub struct Injected {
    response: InjectResponse,
    is_enriched: bool,
    fallback: Option<Arc<Fallback>>,
}

impl Injected {
    /// The service's answer to an inject of this base prompt; for services and fakes of
    /// your own behind [`Memory`](crate::Memory).
    pub fn answered(base_prompt: &str, response: InjectResponse) -> Self {
        Self {
            is_enriched: response.is_enriched(base_prompt),
            response,
            fallback: None,
        }
    }

    /// The base prompt, because there was no answer.
    pub fn base(base_prompt: impl Into<String>, fallback: Fallback) -> Self {
        Self {
            response: InjectResponse::unchanged(base_prompt),
            is_enriched: false,
            fallback: Some(Arc::new(fallback)),
        }
    }

    /// What an inject came to, with the base prompt for an error. An answer in which the
    /// base prompt is missing counts as broken: the agent would forget what it is.
    pub(crate) fn or_base(base_prompt: impl Into<String>, outcome: Result<Self, Error>) -> Self {
        let base_prompt = base_prompt.into();
        match outcome {
            Ok(injected) if injected.prompt().contains(&base_prompt) => injected,
            Ok(_) => Self::base(base_prompt, Degraded::Incomplete.into()),
            Err(error) => Self::base(base_prompt, error.into()),
        }
    }

    /// Why this is the base prompt without an answer of the service; `None` when the service
    /// answered, whatever its answer was.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_deref()
    }

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
