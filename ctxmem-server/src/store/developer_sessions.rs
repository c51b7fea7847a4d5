//! The sessions of developers. They have a table of their own, so that a user's session can't be
//! mistaken for a developer's.

use super::sessions::Owner;
use super::statement::statements;
use super::{DeveloperId, Statement, StoreError};

statements! {
    INSERT_DEVELOPER_SESSION changes Nothing:
        "INSERT INTO developer_sessions (token_hash, developer_id, created_at, seen_at)
         VALUES ($1, $2, $3, $3)";
    FIND_DEVELOPER_SESSION:
        "SELECT developer_id AS owner, created_at, seen_at
         FROM developer_sessions WHERE token_hash = $1";
    SEE_DEVELOPER_SESSION changes Nothing:
        "UPDATE developer_sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2";
    END_DEVELOPER_SESSION changes Nothing: "DELETE FROM developer_sessions WHERE token_hash = $1";
    END_DEVELOPER_SESSIONS changes Nothing:
        "DELETE FROM developer_sessions WHERE developer_id = $1";
    DROP_OLD_DEVELOPER_SESSIONS changes Nothing:
        "DELETE FROM developer_sessions WHERE created_at <= $1 OR seen_at <= $2";
}

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
