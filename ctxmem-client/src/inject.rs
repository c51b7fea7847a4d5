//! Inject: turns a base prompt into a system prompt that includes what is remembered.

mod lenient;

use std::sync::Arc;

use ctxmem_types::{CacheHint, InjectReason, InjectRequest, InjectResponse, UserId, path};

use crate::cache_hints::CacheKey;
use crate::client::{ApiRequest, Auth, Operation};
use crate::error::DecodeProblem;
use crate::time::{Instant, SystemTime};
use crate::{Client, Error, Fallback, Outage, parts, relevant};

impl Client {
    /// Asks for a system prompt: what the agent may know about the user, followed by the base
    /// prompt.
    ///
    /// The agent's first call for a user creates the grant, unless the user has to be asked: then
    /// [`Injected::consent_url`] names the page where they can allow the agent. If there is nothing to
    /// add, the base prompt comes back unchanged, and [`Injected::reason`] says why.
    ///
    /// The call ends within
    /// [`ClientBuilder::inject_timeout`](crate::ClientBuilder::inject_timeout), 800 ms by
    /// default, including retries. [`inject_or_base`](Self::inject_or_base) is the form that
    /// never fails.
    ///
    /// # Errors
    ///
    /// Any [`Error`] if the call fails, also if the answer does not contain the base prompt. A
    /// missing grant is not an error but an [`InjectReason`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// println!("{}", system.prompt());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn inject(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Result<Injected, Error> {
        let request = InjectRequest::new(user_id.clone(), base_prompt);
        self.inject_with(request).await
    }

    /// [`inject`](Self::inject) for the user's current message. Where the prompt has no room for all
    /// that the agent may know, [`Injected::relevant`] then has what bears on the message. The
    /// prompt is the same to the byte, whatever the message.
    ///
    /// The service reads the first 16 KiB of the message, and neither stores nor logs it. This is an
    /// addition of our server's; other deployments ignore it.
    ///
    /// # Errors
    ///
    /// As for [`inject`](Self::inject).
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let said = "Where do I find my notes on bees?";
    /// let system = client.inject_for(&user, "You are a helpful assistant.", said).await?;
    /// let body = serde_json::json!({
    ///     "model": "gpt-5.4",
    ///     "messages": [
    ///         {"role": "system", "content": system.prompt()},
    ///         {"role": "user", "content": system.user_message(said)},
    ///     ],
    /// });
    /// # Ok(())
    /// # }
    /// ```
    pub async fn inject_for(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
        message: impl Into<String>,
    ) -> Result<Injected, Error> {
        let mut request = InjectRequest::new(user_id.clone(), base_prompt);
        request.message = relevant::to_send(message.into());
        self.inject_with(request).await
    }

    async fn inject_with(&self, mut request: InjectRequest) -> Result<Injected, Error> {
        request.agent_id = self.agent_id();
        let api_request =
            ApiRequest::post(path::INJECT, Auth::Own, &request)?.operation(Operation::Inject);
        let result = self.injected(&request.base_prompt, api_request).await;
        if let Err(error) = &result {
            self.log_problem(path::INJECT, Operation::Inject, error);
        }
        let injected = result?;
        Ok(match self.cache_key(&request.user_id) {
            Some(key) => injected.with_cache_key(key),
            None => injected,
        })
    }

    async fn injected(&self, base_prompt: &str, request: ApiRequest) -> Result<Injected, Error> {
        let response = self.send(request).await?;
        let answer = match response.json() {
            Ok(answer) => answer,
            Err(error) => lenient::read(&error, response.body()).ok_or(error)?,
        };
        if !contains_base(&answer, base_prompt) {
            return Err(response.problem(DecodeProblem::MissingBasePrompt));
        }
        let injected = Injected::answered(base_prompt, answer);
        Ok(if self.with_demo() {
            injected
        } else {
            injected.without_demo(base_prompt)
        })
    }

    /// [`inject`](Self::inject) that always returns a prompt. If the service is slow, down,
    /// rate limiting or broken, or rejects the call, that is the base prompt, and
    /// [`Injected::fallback`] says why.
    ///
    /// After five outages in a row the client calls nobody for five seconds, so that the agent
    /// does not wait for a timeout in every turn. It never reuses an earlier answer, so what a
    /// user has revoked since can't be in the prompt.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Fallback, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) {
    /// let system = client.inject_or_base(&user, "You are a helpful assistant.").await;
    /// match system.fallback() {
    ///     None => {}
    ///     Some(Fallback::Outage(outage)) => eprintln!("no memory for now: {outage}"),
    ///     Some(rejected) => eprintln!("please fix this: {rejected}"),
    /// }
    /// # let prompt = system.prompt();
    /// # }
    /// ```
    pub async fn inject_or_base(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Injected {
        let request = InjectRequest::new(user_id.clone(), base_prompt);
        self.inject_with_or_base(request).await
    }

    /// [`inject_for`](Self::inject_for) that always returns a prompt, as
    /// [`inject_or_base`](Self::inject_or_base) does.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) {
    /// let said = "Where do I find my notes on bees?";
    /// let system = client.inject_for_or_base(&user, "You are a helpful assistant.", said).await;
    /// let (prompt, message) = (system.prompt(), system.user_message(said));
    /// # }
    /// ```
    pub async fn inject_for_or_base(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
        message: impl Into<String>,
    ) -> Injected {
        let mut request = InjectRequest::new(user_id.clone(), base_prompt);
        request.message = relevant::to_send(message.into());
        self.inject_with_or_base(request).await
    }

    async fn inject_with_or_base(&self, request: InjectRequest) -> Injected {
        let base_prompt = request.base_prompt.clone();
        let breaker = self.circuit_breaker();
        if let Some((open_for, cause)) = breaker.open_for(Instant::now()) {
            let retry_at = SystemTime::now() + open_for;
            let open = Outage::CircuitOpen { retry_at, cause };
            return Injected::base(base_prompt, open.into());
        }
        let result = self.inject_with(request).await;
        let injected = Injected::or_base(base_prompt, result);
        match &injected.fallback {
            Some(fallback) if fallback.is_outage() => {
                let retry_after = fallback.error().and_then(Error::retry_after);
                breaker.record_failure(retry_after, Arc::clone(fallback), Instant::now());
            }
            _ => breaker.record_success(),
        }
        injected
    }
}

/// Whether the agent's own instructions are in the prompt.
fn contains_base(answer: &InjectResponse, base_prompt: &str) -> bool {
    let prompt = &answer.injected_prompt;
    // In the form of our server it is at the end, where it is found at once.
    prompt.ends_with(base_prompt) || prompt.contains(base_prompt)
}

/// The system prompt to use, and where it comes from.
#[derive(Clone, Debug)]
pub struct Injected {
    response: InjectResponse,
    is_enriched: bool,
    fallback: Option<Arc<Fallback>>,
    /// Where the base prompt begins, if the prompt ends with it.
    base_at: Option<usize>,
    cache_key: Option<CacheKey>,
}

impl Injected {
    /// The service's answer to an inject of this base prompt. It is public for your own
    /// implementations of [`Memory`](crate::Memory).
    pub fn answered(base_prompt: &str, response: InjectResponse) -> Self {
        Self {
            is_enriched: response.is_enriched(base_prompt),
            base_at: parts::base_at(&response.injected_prompt, base_prompt),
            response,
            fallback: None,
            cache_key: None,
        }
    }

    /// The base prompt, because the service gave no usable answer.
    pub fn base(base_prompt: impl Into<String>, fallback: Fallback) -> Self {
        Self {
            response: InjectResponse::unchanged(base_prompt),
            is_enriched: false,
            fallback: Some(Arc::new(fallback)),
            base_at: Some(0),
            cache_key: None,
        }
    }

    /// The same answer with the key for the user's calls of the model provider. A
    /// [`Client`] has set it; it is public for your own implementations of
    /// [`Memory`](crate::Memory).
    #[must_use]
    pub fn with_cache_key(mut self, key: CacheKey) -> Self {
        self.cache_key = Some(key);
        self
    }

    /// The result of an inject, or the base prompt if it failed. An answer without the base
    /// prompt counts as an outage, because the agent would lose its instructions.
    pub(crate) fn or_base(base_prompt: impl Into<String>, result: Result<Self, Error>) -> Self {
        let base_prompt = base_prompt.into();
        match result {
            Ok(injected) if contains_base(&injected.response, &base_prompt) => injected,
            Ok(_) => Self::base(base_prompt, Outage::Incomplete.into()),
            Err(error) => Self::base(base_prompt, error.into()),
        }
    }

    /// The base prompt in place of demo facts: nothing is stored about this user.
    fn without_demo(self, base_prompt: &str) -> Self {
        if !self.is_seeded() {
            return self;
        }
        let mut response = self.response;
        base_prompt.clone_into(&mut response.injected_prompt);
        response.reason = Some(InjectReason::Empty);
        response.seeded = None;
        response.notice = None;
        response.relevant = None;
        Self::answered(base_prompt, response)
    }

    /// Why this is the base prompt without an answer from the service; `None` if the service
    /// answered, whatever it answered.
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

    /// Whether stored context was merged into the prompt. Demo facts don't count as stored.
    pub fn is_enriched(&self) -> bool {
        self.is_enriched
    }

    /// Whether demo facts were merged. The service shows them until the agent's developer has
    /// stored a first fact.
    pub fn is_seeded(&self) -> bool {
        self.response.seeded == Some(true) || self.response.reason == Some(InjectReason::SeededDemo)
    }

    /// Why no stored context was merged; `None` if it was, and for older deployments, which
    /// don't always say.
    pub fn reason(&self) -> Option<&InjectReason> {
        self.response.reason.as_ref()
    }

    /// The reason, written for people.
    pub fn notice(&self) -> Option<&str> {
        self.response.notice.as_deref()
    }

    /// With [`InjectReason::NoGrant`]: the page where the user can allow this agent, if the service
    /// has to ask them first. Show it to the user.
    ///
    /// ```
    /// # fn example(system: ctxmem_client::Injected) {
    /// if let Some(page) = system.consent_url() {
    ///     println!("To let me remember you, visit {page}");
    /// }
    /// # }
    /// ```
    pub fn consent_url(&self) -> Option<&str> {
        self.response.consent_url.as_deref()
    }

    /// What the service recommends for the model provider's prompt cache, unchanged.
    pub fn cache_hint(&self) -> Option<&CacheHint> {
        self.response.cache_hint.as_ref()
    }

    /// The key for the user's calls of the model provider, which doesn't reveal the user. `None`
    /// if the service gave no answer.
    pub fn cache_key(&self) -> Option<&CacheKey> {
        self.cache_key.as_ref()
    }

    pub(crate) fn base_at(&self) -> Option<usize> {
        self.base_at
    }

    /// The service's whole answer.
    pub fn response(&self) -> &InjectResponse {
        &self.response
    }

    /// Takes the whole answer out.
    pub fn into_response(self) -> InjectResponse {
        self.response
    }
}
