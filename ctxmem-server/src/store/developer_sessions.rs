//! The sessions of developers, in a table of their own: one of a user's never passes for
//! one, nor the other way round.

use super::sessions::Owner;
use super::statement::statement;
use super::{DeveloperId, Statement, StoreError};

pub(super) const STATEMENTS: &[Statement] = &[
    INSERT_DEVELOPER_SESSION,
    FIND_DEVELOPER_SESSION,
    SEE_DEVELOPER_SESSION,
    END_DEVELOPER_SESSION,
    END_DEVELOPER_SESSIONS,
    DROP_OLD_DEVELOPER_SESSIONS,
];

statement!(
    INSERT_DEVELOPER_SESSION,
    Nothing,
    "INSERT INTO developer_sessions (token_hash, developer_id, created_at, seen_at)
     VALUES ($1, $2, $3, $3)"
);
statement!(
    FIND_DEVELOPER_SESSION,
    "SELECT developer_id AS owner, created_at, seen_at
     FROM developer_sessions WHERE token_hash = $1"
);
statement!(
    SEE_DEVELOPER_SESSION,
    Nothing,
    "UPDATE developer_sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2"
);
statement!(
    END_DEVELOPER_SESSION,
    Nothing,
    "DELETE FROM developer_sessions WHERE token_hash = $1"
);
statement!(
    END_DEVELOPER_SESSIONS,
    Nothing,
    "DELETE FROM developer_sessions WHERE developer_id = $1"
);
statement!(
    DROP_OLD_DEVELOPER_SESSIONS,
    Nothing,
    "DELETE FROM developer_sessions WHERE created_at <= $1 OR seen_at <= $2"
);

impl Owner for DeveloperId {
    const INSERT: Statement = INSERT_DEVELOPER_SESSION;
    const FIND: Statement = FIND_DEVELOPER_SESSION;
    const SEE: Statement = SEE_DEVELOPER_SESSION;
    const END: Statement = END_DEVELOPER_SESSION;
    const END_ALL: Statement = END_DEVELOPER_SESSIONS;
    const DROP_OLD: Statement = DROP_OLD_DEVELOPER_SESSIONS;

    fn id(&self) -> &str {
        self.as_str()
    }

    fn from_id(id: String) -> Result<Self, StoreError> {
        Ok(Self::new(id))
    }
}
