//! The lines of an export.

use ctxmem_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::{
    AgentRecord, DeveloperRecord, EventRecord, KeyRecord, QuotaRecord, Record, UsageRecord,
    UserRecord,
};

/// One line: a JSON object with one field, which says what it is.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Header(Header),
    /// A developer.
    Developer(DeveloperRecord),
    /// An agent.
    Agent(AgentRecord),
    /// An API key.
    Key(KeyRecord),
    /// What an agent used of a month's quota.
    Quota(QuotaRecord),
    /// What an agent did on a day.
    Usage(UsageRecord),
    /// A user.
    User(Box<UserRecord>),
    /// An entry of the audit log.
    Event(EventRecord),
    /// The last line: without it the file was cut off.
    End(End),
}

/// What the file is.
#[derive(Clone, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub format: u32,
    /// The version of the server that made it.
    pub version: String,
    /// When it was made.
    pub exported_at: Timestamp,
    /// The key under which the database looks users up, in hexadecimal; only where all is exported. A new
    /// database takes it over, and so knows who was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_key: Option<String>,
}

/// What stands at the end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct End {
    /// How many lines stand between the first and this one.
    pub records: u64,
}

impl From<Record> for Line {
    fn from(record: Record) -> Self {
        match record {
            Record::Developer(record) => Self::Developer(record),
            Record::Agent(record) => Self::Agent(record),
            Record::Key(record) => Self::Key(record),
            Record::Quota(record) => Self::Quota(record),
            Record::Usage(record) => Self::Usage(record),
            Record::User(record) => Self::User(record),
            Record::Event(record) => Self::Event(record),
        }
    }
}

impl Line {
    /// The record in this line; `None` in the first and the last one.
    pub(super) fn into_record(self) -> Option<Record> {
        Some(match self {
            Self::Header(_) | Self::End(_) => return None,
            Self::Developer(record) => Record::Developer(record),
            Self::Agent(record) => Record::Agent(record),
            Self::Key(record) => Record::Key(record),
            Self::Quota(record) => Record::Quota(record),
            Self::Usage(record) => Record::Usage(record),
            Self::User(record) => Record::User(record),
            Self::Event(record) => Record::Event(record),
        })
    }
}
