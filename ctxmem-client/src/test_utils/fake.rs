//! The service, as far as an agent sees it, in memory.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use ctxmem_types::{
    Context, DeleteResponse, Extra, Grant, GrantRequest, Health, RevokeResponse, Scope,
    UpdateResponse, UserId,
};

use super::FakeFact;
use super::grants::AGENT_ID;
use super::state::{Begun, State};
use crate::{Error, Injected, Interaction, InvalidCall, Memory, time};

/// How long a client waits, unless it is told otherwise.
const INJECT_TIME: Duration = Duration::from_millis(800);
const UPDATE_TIME: Duration = Duration::from_mins(1);
const OTHER_TIME: Duration = Duration::from_secs(10);

/// A [`Memory`] for the tests of agents: it behaves like the service, in memory.
///
/// Clones share what is remembered, so that a test keeps one and hands another to the agent.
/// Methods that begin with `with_` and [`on_update`](Self::on_update) set up; the others
/// can be called at any time.
///
/// What it does not imitate: it extracts nothing by itself, so that it neither filters
/// small talk nor keeps secrets out (an update that stored nothing taught `nothing_new`); each
/// name holds one value; it does not shorten long prompts; it knows one agent.
/// What an agent sees of grants, scopes, deletions, quotas and idempotency keys is the
/// service's.
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
    state: Arc<Mutex<State>>,
    session: Option<UserId>,
}

impl FakeMemory {
    /// The id of the agent as which the fake knows its caller: a grant for another is
    /// refused.
    pub const AGENT_ID: &'static str = AGENT_ID;

    /// A memory that remembers nothing and learns nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers a fact, whatever the user granted.
    #[must_use]
    pub fn with_fact(self, user_id: &UserId, fact: FakeFact) -> Self {
        self.state().put(user_id, fact);
        self
    }

    /// What the agent's key allows, and so what its first call is granted: all scopes,
    /// unless set.
    #[must_use]
    pub fn with_key_scopes(self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        self.state().key_scopes = scopes.into_iter().collect();
        self
    }

    /// How many updates the agent has a month: any number, unless set. Every update counts
    /// that is not sent again.
    #[must_use]
    pub fn with_monthly_quota(self, updates: u32) -> Self {
        self.state().monthly_quota = Some(updates);
        self
    }

    /// Shows demo facts until the first fact is stored, as the service does to a new
    /// developer.
    #[must_use]
    pub fn with_demo(self) -> Self {
        self.state().demo = true;
        self
    }

    /// What interactions teach, whatever the scopes: nothing, unless set. What the agent
    /// is not granted is dropped afterwards, and the answer says so.
    #[must_use]
    pub fn on_update<F>(self, extractor: F) -> Self
    where
        F: Fn(&Interaction) -> Vec<FakeFact> + Send + Sync + 'static,
    {
        self.state().script.extractor = Some(Arc::new(extractor));
        self
    }

    /// The same memory with the session of a signed-in user, as
    /// [`Client::with_session_cookie`](crate::Client::with_session_cookie) makes it: it
    /// grants and revokes in the user's name.
    #[must_use]
    pub fn signed_in_as(&self, user_id: &UserId) -> Self {
        Self {
            state: Arc::clone(&self.state),
            session: Some(user_id.clone()),
        }
    }

    /// Fails the next call, whichever it is. Said again, it fails the call after that, too.
    ///
    /// Take a [`ServiceError`](super::ServiceError), a
    /// [`TransportError`](crate::TransportError) or any [`Error`]. It is what is left after
    /// the retries of a client: the fake makes none.
    pub fn fail_next(&self, error: impl Into<Error>) {
        self.state().script.fail_next(error.into());
    }

    /// Fails every call from now on.
    pub fn fail_always<E: Into<Error>>(&self, error: impl Fn() -> E + Send + Sync + 'static) {
        self.state().script.fail_always(move || error().into());
    }

    /// Makes every call take this long from now on. One that a client would give up by
    /// default (an inject after 800 ms, an update after a minute, others after ten seconds)
    /// times out then, and is not carried out.
    pub fn slow_by(&self, wait: Duration) {
        self.state().script.slow_by(wait);
    }

    /// Ends the failures and the slowness that were asked for.
    pub fn recover(&self) {
        self.state().script.recover();
    }

    /// Revokes what the user granted, as the user would. It stays so, even before the
    /// agent's first call, until the user grants again: see
    /// [`signed_in_as`](Self::signed_in_as).
    pub fn revoke_all(&self, user_id: &UserId) {
        self.state().revoke_all(user_id);
    }

    /// Lets time pass for the fake: grants expire, months begin.
    pub fn advance(&self, by: Duration) {
        let mut state = self.state();
        let by = TimeDelta::from_std(by).unwrap_or(TimeDelta::MAX);
        state.ahead = state.ahead.checked_add(&by).unwrap_or(TimeDelta::MAX);
    }

    /// The interactions that were answered, in their order: not those that failed, and those
    /// that were sent again once.
    pub fn interactions(&self) -> Vec<Interaction> {
        self.state().interactions.clone()
    }

    /// What is remembered of a user in all scopes, in the order of learning.
    pub fn facts(&self, user_id: &UserId) -> Vec<FakeFact> {
        self.state().facts(user_id)
    }

    /// How often a prompt was asked for, those that failed included.
    pub fn injects(&self) -> usize {
        self.state().injects
    }

    /// A test that panics while it holds the state has said enough.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits and fails as the script says.
    async fn called(&self, patience: Duration) -> Result<(), Error> {
        let fate = self.state().script.fate(patience);
        if !fate.wait.is_zero() {
            time::sleep(fate.wait).await;
        }
        fate.failure().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl Memory for FakeMemory {
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error> {
        self.state().injects += 1;
        self.called(INJECT_TIME).await?;
        let response = self.state().inject(user_id, base_prompt);
        Ok(Injected::answered(base_prompt, response))
    }

    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        self.called(UPDATE_TIME).await?;
        let begun = self.state().begin(interaction)?;
        let deletions = match begun {
            Begun::Answered(answer) => return Ok(*answer),
            Begun::Learning { deletions } => deletions,
        };
        let extractor = self.state().script.extractor.clone();
        // Unlocked: it may call the fake.
        let facts = extractor.map_or_else(Vec::new, |extract| extract(interaction));
        self.state().learn(interaction, deletions, facts)
    }

    async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        self.called(OTHER_TIME).await?;
        self.state().context(user_id)
    }

    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        self.called(OTHER_TIME).await?;
        self.state().delete_context(user_id)?;
        Ok(DeleteResponse {
            deleted: true,
            extra: Extra::new(),
        })
    }

    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        self.called(OTHER_TIME).await?;
        self.state().create_grant(request, self.session.as_ref())
    }

    async fn revoke_grant(&self, grant_id: &str) -> Result<RevokeResponse, Error> {
        if matches!(grant_id, "" | "." | "..") {
            return Err(InvalidCall::InvalidGrantId.into());
        }
        let session = self.session.as_ref();
        let user_id = session.ok_or(InvalidCall::MissingSessionCookie)?;
        self.called(OTHER_TIME).await?;
        self.state().revoke_grant(user_id, grant_id)?;
        Ok(RevokeResponse {
            revoked: true,
            extra: Extra::new(),
        })
    }

    async fn health(&self) -> Result<Health, Error> {
        self.called(OTHER_TIME).await?;
        let ok = || "ok".to_owned();
        Ok(Health {
            status: Some(ok()),
            checks: Some([("database".to_owned(), ok())].into_iter().collect()),
            timestamp: Some(self.state().now()),
            ..Health::default()
        })
    }
}

/// `Debug` counts, and shows nothing of anybody.
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
