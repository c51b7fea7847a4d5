//! Records: what a database holds, in a form that another database can take. An export is a file of
//! them, and a restored backup takes users' newer decisions as some of them.
//!
//! What is sealed here is in the clear in a record: keys never leave their database. Sessions, sign-in
//! links, recorded answers and the request log are left out; they are short-lived.

pub(super) mod accounts;
pub(super) mod decisions;
pub(super) mod endings;
pub(super) mod events;
pub(super) mod users;

use serde::{Deserialize, Serialize};

pub use accounts::{
    AgentRecord, DeveloperRecord, KeyRecord, QuotaRecord, SealedBytes, UsageRecord,
};
pub use decisions::{Older, TakenDecisions};
pub use endings::AccountLog;
pub use events::{EventPlace, EventRecord};
pub use users::{BlockedFactsRecord, FactRecord, GrantRecord, RequestRecord, UserKey, UserRecord};

use super::arg::Arg;
use super::{Db, Result, Statement, Tx};

/// One line of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A developer: a person, and the account of a team.
    Developer(DeveloperRecord),
    /// An agent.
    Agent(AgentRecord),
    /// An API key, as a hash.
    Key(KeyRecord),
    /// How many updates an agent used of a month's quota.
    Quota(QuotaRecord),
    /// What an agent did on a day.
    Usage(UsageRecord),
    /// Everything that is kept of a user but for the audit log.
    User(Box<UserRecord>),
    /// An entry of the audit log.
    Event(EventRecord),
}

/// What became of a record that was written into a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It is there now.
    Added,
    /// It was there already, whole.
    Known,
    /// It can't be there, for this reason.
    Refused(&'static str),
}

impl Db {
    /// Whether both databases know users by the same hashes, as a database and its backup do.
    pub fn knows_users_like(&self, other: &Self) -> bool {
        self.index_key() == other.index_key()
    }
}

impl Tx {
    /// Runs a statement that adds a row unless it is there.
    async fn import(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<ImportOutcome> {
        Ok(match self.execute(statement, args).await? {
            0 => ImportOutcome::Known,
            _ => ImportOutcome::Added,
        })
    }

    /// Writes a record that belongs to no user.
    pub async fn take(&mut self, record: &Record) -> Result<ImportOutcome> {
        match record {
            Record::Developer(record) => self.take_developer(record).await,
            Record::Agent(record) => self.take_agent(record).await,
            Record::Key(record) => self.take_key(record).await,
            Record::Quota(record) => self.take_quota(record).await,
            Record::Usage(record) => self.take_usage(record).await,
            Record::User(record) => self.take_user(record).await,
            Record::Event(record) => self.take_event(record).await,
        }
    }
}
