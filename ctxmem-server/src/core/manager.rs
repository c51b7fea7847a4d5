//! Who manages agents and keys: operators manage all, developers their own.

use crate::store::{Action, Actor, Agent, AuditEvent, DeveloperId, KeyRow, Tx};

use super::Error;

pub(super) const NO_AGENT: Error = Error::NotFound("There is no such agent.");
const NO_KEY: Error = Error::NotFound("There is no such key.");

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manager {
    /// The operator of the service, at the command line.
    Operator,
    /// A developer who is signed in.
    Developer(DeveloperId),
}

impl Manager {
    /// An entry for the audit log about something that the manager did.
    pub(super) fn did(&self, action: Action, now: i64) -> AuditEvent {
        match self {
            Self::Operator => AuditEvent::new(action, Actor::Operator, now),
            Self::Developer(id) => {
                AuditEvent::new(action, Actor::Developer, now).developer(id.as_str())
            }
        }
    }

    /// An agent that this manager may see. To a developer, another's agent does not exist.
    pub(super) async fn agent(&self, tx: &mut Tx, id: &str) -> Result<Agent, Error> {
        let found = match self {
            Self::Operator => tx.agent(id).await?,
            Self::Developer(developer) => tx.agent_of_developer(id, developer).await?,
        };
        found.ok_or(NO_AGENT)
    }

    /// A key that this manager may see, revoked or not.
    pub(super) async fn key(&self, tx: &mut Tx, id: &str) -> Result<KeyRow, Error> {
        let found = match self {
            Self::Operator => tx.key_by_id(id).await?,
            Self::Developer(developer) => tx.key_of_developer(id, developer).await?,
        };
        found.ok_or(NO_KEY)
    }
}
