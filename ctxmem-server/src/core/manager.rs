//! Managers of agents and keys: operators manage all of them, developers their team's.

use crate::store::{Action, Actor, Agent, AuditEvent, Developer, KeyRow, MemberId, StoreError, Tx};

use super::Error;

pub(super) const NO_AGENT: Error = Error::NotFound("There is no such agent.");
pub(super) const NO_DEVELOPER: Error = Error::NotFound("There is no such developer.");
const NO_KEY: Error = Error::NotFound("There is no such key.");

/// The manager who acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manager {
    /// The operator of the service, at the command line.
    Operator,
    /// A developer who is signed in.
    Developer(Developer),
}

/// An entry for the audit log about something that this person did.
pub(super) fn did(member: &MemberId, action: Action, now: i64) -> AuditEvent {
    AuditEvent::new(action, Actor::Developer, now).developer(member.as_str())
}

/// Notes something that this person did.
pub(super) async fn note_deed(
    tx: &mut Tx,
    member: &MemberId,
    action: Action,
    now: i64,
) -> Result<(), StoreError> {
    tx.audit(None, &did(member, action, now)).await.map(drop)
}

/// The person who acts, as they are now. A unit that removes them waits until this one has ended.
pub(super) async fn acting(tx: &mut Tx, developer: &Developer) -> Result<Developer, Error> {
    let found = tx.lock_member(&developer.id, &developer.member).await?;
    found.ok_or(Error::NotSignedIn)
}

impl Manager {
    pub(super) fn did(&self, action: Action, now: i64) -> AuditEvent {
        match self {
            Self::Operator => AuditEvent::new(action, Actor::Operator, now),
            Self::Developer(developer) => did(&developer.member, action, now),
        }
    }

    /// Begins a unit of work that changes something. A developer who was removed from the team since the request was
    /// authenticated is refused, and a unit that removes them now waits until this one has ended.
    pub(super) async fn begin(&self, tx: &mut Tx) -> Result<(), Error> {
        match self {
            Self::Operator => Ok(()),
            Self::Developer(developer) => acting(tx, developer).await.map(drop),
        }
    }

    /// An agent that this manager may see. To a developer, another's agent does not exist.
    pub(super) async fn agent(&self, tx: &mut Tx, id: &str) -> Result<Agent, Error> {
        let found = match self {
            Self::Operator => tx.agent(id).await?,
            Self::Developer(developer) => tx.agent_of_developer(id, &developer.id).await?,
        };
        found.ok_or(NO_AGENT)
    }

    /// A key that this manager may see, revoked or not.
    pub(super) async fn key(&self, tx: &mut Tx, id: &str) -> Result<KeyRow, Error> {
        let found = match self {
            Self::Operator => tx.key_by_id(id).await?,
            Self::Developer(developer) => tx.key_of_developer(id, &developer.id).await?,
        };
        found.ok_or(NO_KEY)
    }
}
