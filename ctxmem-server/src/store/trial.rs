//! A write that changes nothing anybody depends on, to find out whether writes succeed.

use super::arg::Arg;
use super::statement::statements;
use super::{Db, StoreError};

statements! {
    TRY_TO_WRITE changes Nothing:
        "INSERT INTO meta (name, value) VALUES ('trial', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
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
