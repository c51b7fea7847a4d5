//! The grants that a fake holds, and who may make which. Pure: the caller passes in the time.

use ctxmem_types::{Grant, GrantRequest, ScopeName, ScopeSet, Timestamp, UserId};
use uuid::Uuid;

use super::ServiceError;
use crate::Error;

/// The id of the one agent that the fake knows.
pub(super) const AGENT_ID: &str = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
/// The page where the user would allow that agent.
pub(super) const CONSENT_URL: &str =
    "https://memory.example.com/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";

/// A grant of a user to the agent.
pub(super) struct StoredGrant {
    id: String,
    scopes: ScopeSet,
    by_user: bool,
    pub(super) created_at: Timestamp,
    expires_at: Option<Timestamp>,
    revoked: bool,
}

impl StoredGrant {
    /// The grant that the agent's first call makes.
    pub(super) fn at_first_call(scopes: ScopeSet, now: &Timestamp) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            scopes,
            by_user: false,
            created_at: now.clone(),
            expires_at: None,
            revoked: false,
        }
    }

    fn is_expired(&self, now: &Timestamp) -> bool {
        self.expires_at.as_ref().is_some_and(|end| end <= now)
    }

    fn to_wire(&self, user_id: &UserId) -> Grant {
        let mut grant = Grant::new(&self.id, user_id.clone(), AGENT_ID, self.scopes.names());
        grant.expires_at.clone_from(&self.expires_at);
        grant.revoked = self.revoked;
        grant
    }
}

/// All grants that one user has given the agent, the newest last. Only the newest counts.
#[derive(Default)]
pub(super) struct GrantHistory {
    grants: Vec<StoredGrant>,
    /// Whether the user has to be asked before the agent gets access.
    pub(super) asks: bool,
}

impl GrantHistory {
    /// The newest one, whatever its state.
    pub(super) fn newest(&self) -> Option<&StoredGrant> {
        self.grants.last()
    }

    /// The scopes that the agent can access; `None` without an active grant.
    pub(super) fn effective(&self, key: ScopeSet, now: &Timestamp) -> Option<ScopeSet> {
        self.newest()
            .filter(|grant| !grant.revoked && !grant.is_expired(now))
            .map(|grant| grant.scopes.intersection(key))
    }

    /// Makes the grant of the first call, unless the user has to be asked. If there ever was a
    /// grant, this does nothing: a call does not revive access that has ended.
    pub(super) fn at_first_call(&mut self, key: ScopeSet, now: &Timestamp) {
        if self.grants.is_empty() && !self.asks {
            self.grants.push(StoredGrant::at_first_call(key, now));
        }
    }

    /// The page where the user can allow the agent, while they were never asked.
    pub(super) fn consent_url(&self) -> Option<&'static str> {
        (self.asks && self.grants.is_empty()).then_some(CONSENT_URL)
    }

    /// Why the agent may not do something for want of a grant.
    pub(super) fn no_grant(&self) -> Error {
        match self.consent_url() {
            Some(_) => must_ask(),
            None => ServiceError::Forbidden.into(),
        }
    }

    /// Ends what there is, even if that is nothing yet: the agent's first call makes no grant.
    pub(super) fn refuse(&mut self, key: ScopeSet, now: &Timestamp) {
        if self.grants.is_empty() {
            self.grants.push(StoredGrant::at_first_call(key, now));
        }
        self.revoke_all();
    }

    /// Creates a grant. The signed-in user makes it if there is a session, and it replaces the newest
    /// one. Otherwise the agent does, whose key has the scopes `key`: that changes the newest one.
    pub(super) fn create(
        &mut self,
        request: &GrantRequest,
        session: Option<&UserId>,
        key: ScopeSet,
        now: &Timestamp,
    ) -> Result<Grant, Error> {
        let scopes = known_scopes(request)?;
        if request.expires_at.as_ref().is_some_and(|end| end <= now) {
            return Err(ServiceError::BadRequest
                .with_message("expiresAt: expected a time in the future")
                .into());
        }
        if session.is_some_and(|user_id| *user_id != request.user_id) {
            return Err(ServiceError::Forbidden
                .with_message("userId: expected the user who is signed in.")
                .into());
        }
        if request.agent_id != AGENT_ID {
            let rejection = if session.is_some() {
                ServiceError::NotFound.with_message("agentId: there is no such agent.")
            } else {
                ServiceError::Forbidden
                    .with_message("agentId: the API key belongs to another agent.")
            };
            return Err(rejection.into());
        }
        let by_user = session.is_some() || self.decide(request, scopes, key, now)?;
        if session.is_none()
            && let Some(current) = self.grants.last_mut()
        {
            current.scopes = scopes;
            current.expires_at.clone_from(&request.expires_at);
            return Ok(current.to_wire(&request.user_id));
        }
        self.revoke_all();
        let grant = StoredGrant {
            by_user,
            expires_at: request.expires_at.clone(),
            ..StoredGrant::at_first_call(scopes, now)
        };
        let answer = grant.to_wire(&request.user_id);
        self.grants.push(grant);
        Ok(answer)
    }

    /// Checks whether an agent may make this grant: it may narrow the grant that it has and
    /// renew one that it made, but never undo a revocation. Returns whether the new grant
    /// still counts as made by the user.
    fn decide(
        &self,
        request: &GrantRequest,
        scopes: ScopeSet,
        key: ScopeSet,
        now: &Timestamp,
    ) -> Result<bool, Error> {
        let reject = |why: &str| Err(ServiceError::Forbidden.with_message(why).into());
        if !scopes.is_subset(key) {
            return reject("scopes: an API key can't grant scopes that it does not have itself.");
        }
        let Some(newest) = self.newest() else {
            return if self.asks {
                Err(must_ask())
            } else {
                Ok(false)
            };
        };
        if newest.revoked {
            return reject("The grant was revoked. Only the user can grant access again.");
        }
        if newest.is_expired(now) {
            return if newest.by_user {
                reject("The user's grant has expired. Only the user can renew it.")
            } else if self.asks {
                Err(must_ask())
            } else {
                Ok(false)
            };
        }
        if !scopes.is_subset(newest.scopes) {
            return reject("scopes: an API key can only narrow a grant.");
        }
        let outlives = newest
            .expires_at
            .as_ref()
            .is_some_and(|end| request.expires_at.as_ref().is_none_or(|asked| asked > end));
        if outlives {
            return reject("expiresAt: an API key can't extend a grant.");
        }
        Ok(newest.by_user)
    }

    /// Revokes the grant with this id, even if it has been replaced; false if there is none.
    pub(super) fn revoke(&mut self, id: &str) -> bool {
        let grant = self.grants.iter_mut().find(|grant| grant.id == id);
        grant.map(|grant| grant.revoked = true).is_some()
    }

    /// Revokes every grant.
    pub(super) fn revoke_all(&mut self) {
        for grant in &mut self.grants {
            grant.revoked = true;
        }
    }
}

/// The user has to allow the agent first.
fn must_ask() -> Error {
    let why = "The user has not allowed this agent yet. Send them to consent_url.";
    let mut error = ServiceError::Forbidden.with_message(why);
    error.consent_url = Some(CONSENT_URL.to_owned());
    error.into()
}

fn known_scopes(request: &GrantRequest) -> Result<ScopeSet, Error> {
    let scopes: Option<ScopeSet> = request.scopes.iter().map(ScopeName::scope).collect();
    scopes.ok_or_else(|| {
        ServiceError::BadRequest
            .with_message("scopes: unknown scope")
            .into()
    })
}
