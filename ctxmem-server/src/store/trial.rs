//! A write that changes nothing anybody depends on, to find out whether writes succeed.
//!
//! On Postgres it is a message in the log that nobody reads: other processes make trials as well, and
//! one that is frozen would hold a row that they share.

use super::arg::args;
use super::statement::statements;
use super::{Db, Result};

statements! {
    // Where the database is distributed, only this machine writes it. Whether all of them are there
    // is not the question.
    TRY_TO_WRITE changes Nothing: {
        sqlite: "INSERT INTO meta (name, value) VALUES ('trial', $1)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        postgres: "SELECT CAST(pg_logical_emit_message(TRUE, 'ctxmem trial', CAST($1 AS BYTEA))
                       AS TEXT) AS written",
    };
}

impl Db {
    /// Writes something and commits it.
    pub async fn try_to_write(&self) -> Result<()> {
        let value = rand::random::<[u8; 8]>();
        self.write(move |tx| Box::pin(async move { tx.run(TRY_TO_WRITE, args![&value]).await }))
            .await
    }
}
