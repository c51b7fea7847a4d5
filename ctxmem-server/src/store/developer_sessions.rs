//! The sessions of developers. They have a table of their own, so that a user's session can't be
//! mistaken for a developer's.

use super::arg::args;
use super::row::Row;
use super::sessions::{Owner, StoredOwner, Token};
use super::statement::statements;
use super::{MemberId, Result, Statement, Tx};

statements! {
    INSERT_DEVELOPER_SESSION changes Nothing:
        "INSERT INTO developer_sessions (token_hash, developer_id, created_at, seen_at)
         VALUES ($1, $2, $3, $3)";
    FIND_DEVELOPER_SESSION:
        "SELECT developer_id, created_at, seen_at
         FROM developer_sessions WHERE token_hash = $1";
    SEE_DEVELOPER_SESSION changes Nothing:
        "UPDATE developer_sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2";
    END_DEVELOPER_SESSION changes Nothing: "DELETE FROM developer_sessions WHERE token_hash = $1";
    END_DEVELOPER_SESSIONS changes Nothing:
        "DELETE FROM developer_sessions WHERE developer_id = $1";
    DROP_OLD_DEVELOPER_SESSIONS changes Nothing:
        "DELETE FROM developer_sessions WHERE created_at <= $1 OR seen_at <= $2";
}

impl Owner for MemberId {
    const INSERT: Statement = INSERT_DEVELOPER_SESSION;
    const FIND: Statement = FIND_DEVELOPER_SESSION;
    const SEE: Statement = SEE_DEVELOPER_SESSION;
    const END: Statement = END_DEVELOPER_SESSION;
    const DROP_OLD: Statement = DROP_OLD_DEVELOPER_SESSIONS;

    fn to_stored(&self, _: &Token) -> Result<StoredOwner> {
        Ok(StoredOwner::Id(self.as_str().to_owned()))
    }

    fn from_stored(row: &Row, _: &Token) -> Result<Self> {
        row.text("developer_id").map(Self::new)
    }
}

impl Tx {
    /// Ends every session of a person.
    pub async fn end_developer_sessions(&mut self, id: &MemberId) -> Result<()> {
        self.run(END_DEVELOPER_SESSIONS, args![id]).await
    }
}
