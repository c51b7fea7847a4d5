//! A fake of the service that runs in memory.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use ctxmem_types::{
    Context, DeleteResponse, FactRecord, Grant, GrantRequest, Health, InjectResponse,
    RevokeResponse, Scope, UpdateResponse, UserId,
};

use super::grants::{AGENT_ID, CONSENT_URL};
use super::state::{FakeState, UpdateStart};
use super::{FakeFact, search};
use crate::{CacheKey, Error, Injected, Interaction, InvalidCall, Memory, time};

// The default timeouts of a client.
const INJECT_TIMEOUT: Duration = Duration::from_millis(800);
const UPDATE_TIMEOUT: Duration = Duration::from_mins(1);
const MANAGEMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// A [`Memory`] for the tests of agents: it behaves like the service, in memory.
///
/// Clones share their memory, so that a test keeps one and gives another to the agent.
/// Methods that begin with `with_` and [`on_update`](Self::on_update) set the fake up; the
/// others can be called at any time.
///
/// It does not imitate everything. It extracts no facts by itself, so it neither filters small
/// talk nor keeps secrets out (an update that stored nothing has the outcome `nothing_new`);
/// each name has one value; it does not shorten long prompts, so nothing stands beside one unless a
/// test [says what](Self::on_message); where a scope is [full](Self::with_facts_in_scope), the oldest
/// fact makes room; a search finds the facts with most words of the query; it knows one agent. Grants,
/// scopes, deletions, quotas and idempotency keys behave as in the service.
///
/// ```
/// use ctxmem_client::test_utils::{FakeFact, FakeMemory, ServiceError};
/// use ctxmem_client::{InjectReason, Interaction, Memory as _, Scope, UserId};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ada = UserId::new("ada")?;
/// let memory = FakeMemory::new()
///     .on_update(|turn| vec![FakeFact::new(Scope::Goals, &turn.user_message)]);
///
/// memory.update_with(&Interaction::new(ada.clone(), "Ship the beta", "Noted.")).await?;
/// assert!(memory.inject(&ada, "Be brief.").await?.prompt().contains("Ship the beta"));
///
/// memory.fail_next(ServiceError::ModelError);
/// assert!(memory.inject(&ada, "Be brief.").await.is_err());
///
/// memory.revoke_all(&ada);
/// let system = memory.inject(&ada, "Be brief.").await?;
/// assert_eq!(system.reason(), Some(&InjectReason::NoGrant));
/// assert_eq!(system.prompt(), "Be brief.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct FakeMemory {
    state: Arc<Mutex<FakeState>>,
    session: Option<UserId>,
}

impl FakeMemory {
    /// The id of the agent that calls the fake. It rejects a grant for any other.
    pub const AGENT_ID: &'static str = AGENT_ID;

    /// The page where a user would allow that agent.
    pub const CONSENT_URL: &'static str = CONSENT_URL;

    /// An empty memory that learns nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores a fact, whatever the user has granted.
    #[must_use]
    pub fn with_fact(self, user_id: &UserId, fact: FakeFact) -> Self {
        self.state().put(user_id, fact);
        self
    }

    /// The scopes of the agent's key, which its first call is granted. Default: all scopes.
    #[must_use]
    pub fn with_key_scopes(self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        self.state().key_scopes = scopes.into_iter().collect();
        self
    }

    /// Users have to be asked before the agent gets access, as by a service with
    /// `--first-grant ask`: calls name [`CONSENT_URL`](Self::CONSENT_URL) until the user makes a
    /// grant (see [`signed_in_as`](Self::signed_in_as)), or refuses
    /// (see [`revoke_all`](Self::revoke_all)).
    ///
    /// ```
    /// use ctxmem_client::test_utils::FakeMemory;
    /// use ctxmem_client::{GrantRequest, InjectReason, Memory as _, Scope, UserId};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (ada, memory) = (UserId::new("ada")?, FakeMemory::new().with_consent_required());
    /// let system = memory.inject(&ada, "Be brief.").await?;
    /// assert_eq!(system.reason(), Some(&InjectReason::NoGrant));
    /// assert_eq!(system.consent_url(), Some(FakeMemory::CONSENT_URL));
    ///
    /// let request = GrantRequest::new(ada.clone(), FakeMemory::AGENT_ID, Scope::ALL);
    /// memory.signed_in_as(&ada).create_grant(&request).await?;
    /// let system = memory.inject(&ada, "Be brief.").await?;
    /// assert_eq!((system.reason(), system.consent_url()), (Some(&InjectReason::Empty), None));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_consent_required(self) -> Self {
        self.state().asks = true;
        self
    }

    /// How many updates the agent may send in a month. Default: any number. An update that is
    /// sent again does not count again.
    #[must_use]
    pub fn with_monthly_quota(self, updates: u32) -> Self {
        self.state().monthly_quota = Some(updates);
        self
    }

    /// How many facts a scope has room for. Default: any number. In a full scope the oldest make room
    /// for new ones, and the update's answer names them (`evicted`).
    #[must_use]
    pub fn with_facts_in_scope(self, facts: usize) -> Self {
        self.state().facts_in_scope = Some(facts.max(1));
        self
    }

    /// Shows demo facts until the first fact is stored, as the service does for a new
    /// developer.
    #[must_use]
    pub fn with_demo(self) -> Self {
        self.state().demo = true;
        self
    }

    /// Extracts the facts of an interaction, in whatever scope. By default there are none. Facts
    /// in scopes that the agent is not granted are dropped afterwards, and the answer says so.
    #[must_use]
    pub fn on_update<F>(self, extractor: F) -> Self
    where
        F: Fn(&Interaction) -> Vec<FakeFact> + Send + Sync + 'static,
    {
        self.state().script.extractor = Some(Arc::new(extractor));
        self
    }

    /// Says what bears on a user's message, where stored facts are in the prompt:
    /// [`Injected::relevant`]. By default nothing does, because the prompt has everything.
    ///
    /// ```
    /// use ctxmem_client::test_utils::{FakeFact, FakeMemory};
    /// use ctxmem_client::{Memory as _, Scope, UserId};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let ada = UserId::new("ada")?;
    /// let memory = FakeMemory::new()
    ///     .with_fact(&ada, FakeFact::new(Scope::Goals, "Ship the beta"))
    ///     .on_message(|said| said.contains("bees").then(|| "Notes: keeps bees".to_owned()));
    ///
    /// let system = memory.inject_for(&ada, "Be brief.", "How are my bees?").await?;
    /// assert_eq!(system.relevant(), Some("Notes: keeps bees"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_message<F>(self, relevance: F) -> Self
    where
        F: Fn(&str) -> Option<String> + Send + Sync + 'static,
    {
        self.state().script.relevance = Some(Arc::new(relevance));
        self
    }

    /// The same memory with the session of a signed-in user, as
    /// [`Client::with_session_cookie`](crate::Client::with_session_cookie) makes it: grants are
    /// made and revoked in the user's name.
    #[must_use]
    pub fn signed_in_as(&self, user_id: &UserId) -> Self {
        Self {
            state: Arc::clone(&self.state),
            session: Some(user_id.clone()),
        }
    }

    /// Fails the next call, whichever it is. Called twice, it fails the next two calls.
    ///
    /// Take a [`ServiceError`](super::ServiceError), a
    /// [`TransportError`](crate::TransportError) or any [`Error`]. The fake makes no retries, so
    /// this is the error that remains after the retries of a client.
    pub fn fail_next(&self, error: impl Into<Error>) {
        self.state().script.fail_next(error.into());
    }

    /// Fails every call from now on.
    pub fn fail_always<E: Into<Error>>(&self, error: impl Fn() -> E + Send + Sync + 'static) {
        self.state().script.fail_always(move || error().into());
    }

    /// Makes every call take this long from now on. Beyond the default timeout of a client (800
    /// ms for inject, one minute for update, ten seconds for other calls) the call times out
    /// and is not executed.
    pub fn slow_by(&self, wait: Duration) {
        self.state().script.slow_by(wait);
    }

    /// Ends all failures and slowness.
    pub fn recover(&self) {
        self.state().script.recover();
    }

    /// Revokes everything that the user granted, as the user would. It lasts until the user
    /// makes a new grant (see [`signed_in_as`](Self::signed_in_as)), even if the agent has made
    /// no call yet.
    pub fn revoke_all(&self, user_id: &UserId) {
        self.state().revoke_all(user_id);
    }

    /// Moves the fake's clock forward: grants expire, months begin.
    pub fn advance(&self, by: Duration) {
        let mut state = self.state();
        let by = TimeDelta::from_std(by).unwrap_or(TimeDelta::MAX);
        state.ahead = state.ahead.checked_add(&by).unwrap_or(TimeDelta::MAX);
    }

    /// The interactions that were answered, in order. Failed ones are left out, and those that
    /// were sent again are listed once.
    pub fn interactions(&self) -> Vec<Interaction> {
        self.state().interactions.clone()
    }

    /// What is remembered about a user in all scopes, in the order in which it was learned.
    pub fn facts(&self, user_id: &UserId) -> Vec<FakeFact> {
        self.state().facts(user_id)
    }

    /// The messages that came with injects, in order, including failures.
    pub fn messages(&self) -> Vec<String> {
        self.state().messages.clone()
    }

    /// How many times inject was called, including failures.
    pub fn injects(&self) -> usize {
        self.state().injects
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to an inject.
    async fn answer(&self, user_id: &UserId, base_prompt: &str) -> Result<InjectResponse, Error> {
        self.state().injects += 1;
        self.follow_script(INJECT_TIMEOUT).await?;
        Ok(self.state().inject(user_id, base_prompt))
    }

    /// Waits and fails as the script says.
    async fn follow_script(&self, timeout: Duration) -> Result<(), Error> {
        let call = self.state().script.plan_call(timeout);
        if !call.wait.is_zero() {
            time::sleep(call.wait).await;
        }
        call.failure().map_or(Ok(()), Err)
    }
}

fn injected(user_id: &UserId, base_prompt: &str, response: InjectResponse) -> Injected {
    let key = CacheKey::derive(b"the key of the fake's agent", user_id);
    Injected::answered(base_prompt, response).with_cache_key(key)
}

#[async_trait]
impl Memory for FakeMemory {
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error> {
        let response = self.answer(user_id, base_prompt).await?;
        Ok(injected(user_id, base_prompt, response))
    }

    async fn inject_for(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Result<Injected, Error> {
        self.state().messages.push(message.to_owned());
        let mut response = self.answer(user_id, base_prompt).await?;
        let relevance = self.state().script.relevance.clone();
        // The state is not locked here, because the function may call the fake.
        if let Some(relevance) = relevance.filter(|_| response.is_enriched(base_prompt)) {
            response.relevant = relevance(message);
        }
        Ok(injected(user_id, base_prompt, response))
    }

    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        self.follow_script(UPDATE_TIMEOUT).await?;
        let start = self.state().begin(interaction)?;
        let deletions = match start {
            UpdateStart::Answered(answer) => return Ok(*answer),
            UpdateStart::Proceed { deletions } => deletions,
        };
        let extractor = self.state().script.extractor.clone();
        // The state is not locked here, because the extractor may call the fake.
        let facts = extractor.map_or_else(Vec::new, |extract| extract(interaction));
        self.state().learn(interaction, deletions, facts)
    }

    async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        self.state().context(user_id)
    }

    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        self.state().delete_context(user_id)?;
        Ok(DeleteResponse::new(true))
    }

    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        self.state().fact_records(user_id)
    }

    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        let facts = self.state().fact_records(user_id)?;
        search::search(facts, query, limit)
    }

    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<DeleteResponse, Error> {
        if matches!(fact_id, "" | "." | "..") {
            return Err(InvalidCall::InvalidFactId.into());
        }
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        self.state().delete_fact(user_id, fact_id)?;
        Ok(DeleteResponse::new(true))
    }

    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        self.state().create_grant(request, self.session.as_ref())
    }

    async fn revoke_grant(&self, grant_id: &str) -> Result<RevokeResponse, Error> {
        if matches!(grant_id, "" | "." | "..") {
            return Err(InvalidCall::InvalidGrantId.into());
        }
        let session = self.session.as_ref();
        let user_id = session.ok_or(InvalidCall::MissingSessionCookie)?;
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        self.state().revoke_grant(user_id, grant_id)?;
        Ok(RevokeResponse::new(true))
    }

    async fn health(&self) -> Result<Health, Error> {
        self.follow_script(MANAGEMENT_TIMEOUT).await?;
        let ok = || "ok".to_owned();
        let mut health = Health::default();
        health.status = Some(ok());
        health.checks = Some([("database".to_owned(), ok())].into_iter().collect());
        health.timestamp = Some(self.state().now());
        Ok(health)
    }
}

/// `Debug` shows counts only, because it ends up in logs.
impl fmt::Debug for FakeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("FakeMemory")
            .field("users", &state.users())
            .field("injects", &state.injects)
            .field("interactions", &state.interactions.len())
            .field("signed_in", &self.session.is_some())
            .finish_non_exhaustive()
    }
}
