//! A write that changes nothing anybody depends on, to find out whether writes succeed.

use super::arg::Arg;
use super::statement::statements;
use super::{Db, StoreError};

statements! {
    // Citus keeps `meta` on all machines. Whether all of them are there is not the question: only
    // this one writes the commit of the transaction that is given a number.
    TRY_TO_WRITE changes Nothing: {
        all: "INSERT INTO meta (name, value) VALUES ('trial', $1)
              ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        citus: "SELECT CAST(pg_current_xact_id() AS TEXT) AS written
                WHERE CAST($1 AS BYTEA) IS NOT NULL",
    };
}

impl Db {
    /// Writes something and commits it.
    ///
    /// # Errors
    ///
    /// When that fails.
    pub async fn try_to_write(&self) -> Result<(), StoreError> {
        let value = rand::random::<[u8; 8]>();
        self.write(move |tx| {
            Box::pin(async move {
                tx.run(TRY_TO_WRITE, &[Arg::Bytes(Some(&value))]).await?;
                Ok(())
            })
        })
        .await
    }
}
