//! Grants: who may make, narrow, renew and revoke them.
//!
//! [`decide`] decides, as a pure function; everything else here reads and writes rows. An agent and
//! a user have at most one current grant. What the user grants replaces it. A key changes it in place:
//! whatever an agent does, the id that its user sees is that of the access which it has.

use std::sync::Arc;

use ctxmem_types::{Grant, GrantRequest, ScopeSet, Timestamp, UserId};
use uuid::Uuid;

use super::first_grant::Beginning;
use super::{Caller, Error, Grants, NewsKind, unit};
use crate::store::{
    Action, Actor, AgentAccess, AuditDetails, AuditEvent, GrantChange, GrantRow, GrantTerms,
    GrantedBy, Tx,
};

const NO_GRANT_TO_REVOKE: Error = Error::NotFound("There is no such grant.");

/// The state of a grant at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can be used.
    Active,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
}

impl State {
    /// The text for exports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// The access of an agent as it is now.
pub struct AccessNow {
    /// The newest grant, and whose it is.
    pub access: AgentAccess,
    /// Its state.
    pub state: State,
    /// What the agent's keys allow, those that work. It can use only what the grant allows as well.
    pub reach: ScopeSet,
}

impl AccessNow {
    /// What the agent can read and write.
    pub fn effective(&self) -> ScopeSet {
        let is_usable = self.state == State::Active && !self.access.agent_deleted;
        let scopes = is_usable.then(|| self.access.grant.scopes.intersection(self.reach));
        scopes.unwrap_or_default()
    }
}

impl GrantTerms {
    /// The state at an instant (milliseconds since 1970). Revocation is final, so it comes
    /// before expiry, and what was once noted as expired stays so.
    pub fn state(&self, now: i64) -> State {
        if self.revoked_at.is_some() {
            State::Revoked
        } else if self.expired_at.is_some() || self.expires_at.is_some_and(|end| end <= now) {
            State::Expired
        } else {
            State::Active
        }
    }

    /// The scopes that an agent can use by this grant with a key that allows `key_scopes`;
    /// `None` unless the grant is active.
    pub fn effective(&self, key_scopes: ScopeSet, now: i64) -> Option<ScopeSet> {
        (self.state(now) == State::Active).then(|| self.scopes.intersection(key_scopes))
    }
}

impl GrantRow {
    /// The state at an instant (milliseconds since 1970).
    pub fn state(&self, now: i64) -> State {
        self.terms().state(now)
    }

    /// The grant that is asked for, as a user would give it.
    pub(super) fn asked_for(request: &GrantRequest, now: i64) -> Result<Self, Error> {
        let scopes = known_scopes(request)?;
        let expires_at = request.expires_at.as_ref().map(Timestamp::unix_millis);
        if expires_at.is_some_and(|end| end <= now) {
            return Err(Error::BadRequest(
                "expiresAt: expected a time in the future".to_owned(),
            ));
        }
        Ok(Self {
            expires_at,
            expires_text: request.expires_at.as_ref().map(ToString::to_string),
            ..Self::new(&request.agent_id, scopes, GrantedBy::User, now)
        })
    }

    /// See [`GrantTerms::effective`].
    pub fn effective(&self, key_scopes: ScopeSet, now: i64) -> Option<ScopeSet> {
        self.terms().effective(key_scopes, now)
    }

    /// The audit entry about making this grant, or changing it, now.
    pub(super) fn made_event(&self, actor: Actor, change: GrantChange, now: i64) -> AuditEvent {
        AuditEvent::new(Action::Grant, actor, now)
            .agent(&self.agent_id)
            .scopes(self.scopes)
            .details(AuditDetails {
                change: Some(change),
                until: self.expires_at,
                ..AuditDetails::default()
            })
    }

    /// How this grant came about, given the newest one before it.
    fn change_from(&self, newest: Option<&Self>, actor: Actor, now: i64) -> GrantChange {
        let active = newest.filter(|grant| grant.state(now) == State::Active);
        match (actor, newest, active) {
            (Actor::Agent, None, _) => GrantChange::First,
            (Actor::Agent, Some(_), None) => GrantChange::Renewed,
            (Actor::Agent, _, Some(_)) => GrantChange::Narrowed,
            (_, _, None) if self.scopes.is_empty() => GrantChange::Paused,
            (_, _, None) => GrantChange::Given,
            (_, _, Some(before)) => match (before.scopes.is_empty(), self.scopes.is_empty()) {
                (false, true) => GrantChange::Paused,
                (true, false) => GrantChange::Resumed,
                _ => GrantChange::Changed,
            },
        }
    }

    /// Since when the agent has had access without a break, once this grant is made now. A pause, an
    /// end and a revocation are breaks.
    fn since(&self, newest: Option<&Self>, now: i64) -> i64 {
        let goes_on = newest.filter(|before| {
            before.state(now) == State::Active && before.scopes.is_empty() == self.scopes.is_empty()
        });
        goes_on.map_or(self.since, |before| before.since)
    }

    /// The grant in its wire form.
    pub fn to_wire(&self, user_id: UserId) -> Grant {
        let expiry = self.expires_text.as_deref();
        let scopes = self.scopes.names();
        let mut grant = Grant::new(&self.id, user_id, &self.agent_id, scopes);
        grant.expires_at = expiry.and_then(|text| text.parse().ok());
        grant.revoked = self.revoked_at.is_some();
        grant
    }
}

/// Decides whether an agent's key may make a grant with these scopes and expiry, given the newest
/// grant. Answers who counts as its maker. Where the user has to be asked before the agent gets
/// access, `must_ask` names the page; what it has already, it may narrow all the same.
fn decide(
    newest: Option<&GrantRow>,
    allowed: ScopeSet,
    scopes: ScopeSet,
    expires_at: Option<i64>,
    must_ask: Option<String>,
    now: i64,
) -> Result<GrantedBy, Error> {
    if !scopes.is_subset(allowed) {
        return Err(Error::Forbidden(
            "scopes: an API key can't grant scopes that it does not have itself.",
        ));
    }
    let may_begin = must_ask.map_or(Ok(GrantedBy::Agent), |page| Err(Error::MustAsk(page)));
    let Some(newest) = newest else {
        return may_begin;
    };
    match (newest.state(now), newest.made_by) {
        (State::Active, made_by) => {
            if !scopes.is_subset(newest.scopes) {
                return Err(Error::Forbidden(
                    "scopes: an API key can only narrow a grant. The user can widen it, signed in.",
                ));
            }
            let outlives = newest
                .expires_at
                .is_some_and(|end| expires_at.is_none_or(|asked| asked > end));
            if outlives {
                return Err(Error::Forbidden(
                    "expiresAt: an API key can't extend a grant; expected an instant no later \
                     than the current grant's.",
                ));
            }
            Ok(made_by)
        }
        (State::Expired, GrantedBy::Agent) => may_begin,
        (State::Expired, GrantedBy::User) => Err(Error::Forbidden(
            "The user's grant has expired. Only the user can renew it, signed in.",
        )),
        (State::Revoked, _) => Err(Error::Forbidden(
            "The grant was revoked. Only the user can grant access again, signed in.",
        )),
    }
}

impl Grants {
    /// Creates a grant. One of the user replaces the current one, and a key changes the current one.
    pub async fn create_grant(
        &self,
        granter: Caller,
        request: GrantRequest,
    ) -> Result<Grant, Error> {
        self.catch_up_with_clock().await?;
        let (now, grant_now) = (self.clock.millis(), self.grant_clock.now());
        let grant = GrantRow::asked_for(&request, now)?;
        granter.check_user(&request.user_id)?;
        let asking = match &granter {
            Caller::Key(key) => {
                key.check_agent(Some(&request.agent_id))?;
                Some(Arc::clone(&key.agent_id))
            }
            Caller::User(_) => None,
        };
        let user_id = request.user_id;
        let user_key = self.db.user_key(&user_id);
        let first_grant = self.settings.first_grant;
        let consent_url = self.consent_url(&grant.agent_id);
        let made = self
            .db
            .write(move |tx| {
                let (granter, user_id) = (granter.clone(), user_id.clone());
                let (mut grant, consent_url) = (grant.clone(), consent_url.clone());
                Box::pin(async move {
                    // A text that is no UUID can't be the id of an agent.
                    let known = Uuid::parse_str(&grant.agent_id).is_ok()
                        && tx.agent(&grant.agent_id).await?.is_some();
                    if !known {
                        return Err(Error::NotFound("agentId: there is no such agent."));
                    }
                    let Caller::Key(key) = &granter else {
                        let grant = give(tx, &user_id, grant, now, grant_now).await?;
                        return Ok((grant.to_wire(user_id), false));
                    };
                    let Beginning { automatic, newest } =
                        first_grant.lock(tx, key, &user_id, grant_now).await?;
                    let change = grant.change_from(newest.as_ref(), Actor::Agent, grant_now);
                    grant.since = grant.since(newest.as_ref(), grant_now);
                    grant.made_by = decide(
                        newest.as_ref(),
                        key.scopes,
                        grant.scopes,
                        grant.expires_at,
                        (!automatic).then_some(consent_url),
                        grant_now,
                    )?;
                    if let Some(current) = newest {
                        let is_renewed = current.state(grant_now) == State::Expired;
                        grant.id = current.id;
                        grant.created_at = current.created_at;
                        tx.change_grant(&user_id, &grant, is_renewed).await?;
                    } else {
                        tx.put_grant(&user_id, &grant).await?;
                    }
                    tx.drop_consent_request(&grant.agent_id, &user_id).await?;
                    let event = grant.made_event(Actor::Agent, change, now);
                    tx.audit(Some(&user_id), &event).await?;
                    Ok((grant.to_wire(user_id), change == GrantChange::First))
                })
            })
            .await;
        // What was refused decides nothing, and an agent that waits goes on waiting.
        let (grant, begins) = made?;
        self.waiting.forget(&user_key);
        if let (Some(agent_id), true) = (asking, begins) {
            self.tell(NewsKind::AgentBegan, &grant.user_id, &agent_id);
        }
        Ok(grant)
    }

    /// Revokes a grant of the user who is signed in. One that the user has replaced since is revoked
    /// already, and what replaced it stays.
    pub async fn revoke_grant(&self, user_id: UserId, grant_id: String) -> Result<(), Error> {
        let (now, given) = (self.clock.millis(), (user_id, grant_id));
        unit::write(&self.db, async move |tx| {
            let (user_id, grant_id) = &given;
            tx.lock_user(user_id).await?;
            let grant = tx.grant(user_id, grant_id).await?;
            end(tx, user_id, grant.ok_or(NO_GRANT_TO_REVOKE)?, now).await
        })
        .await
    }

    /// Ends the access that an agent has now, for the user who is signed in, whatever the page showed
    /// when it was opened.
    pub async fn revoke_agent(&self, user_id: UserId, agent_id: String) -> Result<(), Error> {
        if Uuid::parse_str(&agent_id).is_err() {
            return Err(NO_GRANT_TO_REVOKE);
        }
        let (now, given) = (self.clock.millis(), (user_id, agent_id));
        unit::write(&self.db, async move |tx| {
            let (user_id, agent_id) = &given;
            tx.lock_user(user_id).await?;
            let grant = tx.latest_grant(agent_id, user_id).await?;
            end(tx, user_id, grant.ok_or(NO_GRANT_TO_REVOKE)?, now).await
        })
        .await
    }

    /// The newest grant of every agent that ever had one from this user, with all that the user gets to see of it.
    pub async fn access(&self, user_id: &UserId) -> Result<Vec<AccessNow>, Error> {
        let now = self.grant_clock.now();
        unit::read(&self.db, async |tx| {
            let mut reaches = tx.reaches(user_id, now).await?;
            let access = tx.grants(user_id).await?.into_iter();
            let access = access.map(|access| AccessNow {
                state: access.grant.state(now),
                reach: reaches.remove(&access.grant.agent_id).unwrap_or_default(),
                access,
            });
            Ok::<_, Error>(access.collect())
        })
        .await
    }
}

/// Stores a grant that the user gives, in place of the current one.
pub(super) async fn give(
    tx: &mut Tx,
    user_id: &UserId,
    mut grant: GrantRow,
    now: i64,
    grant_now: i64,
) -> Result<GrantRow, Error> {
    tx.lock_or_add_user(user_id).await?;
    let newest = tx.latest_grant(&grant.agent_id, user_id).await?;
    let change = grant.change_from(newest.as_ref(), Actor::User, grant_now);
    grant.since = grant.since(newest.as_ref(), grant_now);
    tx.put_grant(user_id, &grant).await?;
    tx.drop_consent_request(&grant.agent_id, user_id).await?;
    let event = grant.made_event(Actor::User, change, now);
    tx.audit(Some(user_id), &event).await?;
    Ok(grant)
}

/// Revokes this grant, with the user locked. If it was revoked before, this changes nothing.
async fn end(tx: &mut Tx, user_id: &UserId, grant: GrantRow, now: i64) -> Result<(), Error> {
    if grant.revoked_at.is_none() {
        tx.revoke_grant(user_id, &grant.id, now).await?;
        let event = AuditEvent::new(Action::Revoke, Actor::User, now)
            .agent(grant.agent_id)
            .scopes(grant.scopes);
        tx.audit(Some(user_id), &event).await?;
    }
    Ok(())
}

fn known_scopes(request: &GrantRequest) -> Result<ScopeSet, Error> {
    let mut scopes = ScopeSet::EMPTY;
    for (n, name) in request.scopes.iter().enumerate() {
        let Some(scope) = name.scope() else {
            // The name is the caller's own and no secret: without it the error is of no use.
            let name: String = name.as_str().chars().take(64).collect();
            return Err(Error::BadRequest(format!(
                "scopes[{n}]: unknown scope {name:?}, expected any of {}",
                ScopeSet::ALL
            )));
        };
        scopes = scopes.with(scope);
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use ctxmem_types::Scope;

    use super::*;

    const NOW: i64 = 1_000;

    fn scopes(scopes: &[Scope]) -> ScopeSet {
        scopes.iter().copied().collect()
    }

    fn grant(made_by: GrantedBy, expires_at: Option<i64>, revoked_at: Option<i64>) -> GrantRow {
        GrantRow {
            expires_at,
            revoked_at,
            ..GrantRow::new("", scopes(&[Scope::General, Scope::Goals]), made_by, 0)
        }
    }

    #[test]
    fn where_the_user_is_asked_a_key_only_narrows() {
        let must_ask = |newest: Option<&GrantRow>| {
            let asked = scopes(&[Scope::Goals]);
            let page = Some("/consent/1".to_owned());
            let decided = decide(newest, ScopeSet::ALL, asked, None, page, NOW);
            matches!(decided, Err(Error::MustAsk(page)) if page == "/consent/1")
        };
        assert!(must_ask(None));
        assert!(must_ask(Some(&grant(GrantedBy::Agent, Some(NOW), None))));
        assert!(!must_ask(Some(&grant(GrantedBy::Agent, None, None))));
    }

    /// Where there is no grant, a key makes the first one within its own scopes. It narrows one that is active, keeps
    /// who made it, and does not let it last longer; it renews only what a key made, and never undoes a revocation.
    #[test]
    fn what_a_key_may_grant_is_one_table() {
        use GrantedBy::{Agent, User};
        use Scope::{General, Goals, History, Knowledge};
        let key = ScopeSet::ALL.without(History);
        let (before, later) = (Some(NOW - 1), Some(NOW + 10));
        let own = |by, end| Some(grant(by, end, None));
        let revoked = |by, end| Some(grant(by, end, Some(NOW - 2)));
        for (newest, asked, expires_at, expected) in [
            (None, &[General][..], None, Some(Agent)),
            (None, &[], None, Some(Agent)),
            (None, &[History], None, None),
            (own(Agent, None), &[Goals], None, Some(Agent)),
            (own(User, None), &[Goals], None, Some(User)),
            (own(Agent, None), &[Knowledge], None, None),
            (own(User, None), &[Knowledge], None, None),
            (own(Agent, later), &[Goals], later, Some(Agent)),
            (own(Agent, later), &[Goals], Some(NOW + 11), None),
            (own(Agent, later), &[Goals], None, None),
            (own(Agent, Some(NOW)), &[Knowledge], None, Some(Agent)),
            (own(User, Some(NOW)), &[Goals], None, None),
            (revoked(Agent, None), &[], None, None),
            (revoked(Agent, before), &[], None, None),
            (revoked(User, None), &[], None, None),
            (revoked(User, before), &[], None, None),
        ] {
            let decided = decide(newest.as_ref(), key, scopes(asked), expires_at, None, NOW);
            assert_eq!(
                decided.ok(),
                expected,
                "{newest:?} {asked:?} {expires_at:?}"
            );
        }
    }

    #[test]
    fn what_was_noted_as_expired_is_expired_at_any_time() {
        let mut grant = grant(GrantedBy::User, Some(NOW), None);
        grant.expired_at = Some(NOW);
        assert_eq!(grant.state(NOW - 1), State::Expired);
        grant.revoked_at = Some(NOW);
        assert_eq!(grant.state(NOW - 1), State::Revoked);
    }

    #[test]
    fn expiry_holds_from_that_instant_on() {
        let grant = grant(GrantedBy::User, Some(NOW), None);
        assert_eq!(grant.state(NOW - 1), State::Active);
        assert_eq!(grant.state(NOW), State::Expired);
        assert_eq!(grant.effective(ScopeSet::ALL, NOW), None);
    }
}
