//! The audit log, as users and developers get to see it.

use ctxmem_types::UserId;

use super::{Core, Error};
use crate::store::AuditRow;

impl Core {
    /// What happened to a user's memory, the newest first; before the entry with this id
    /// where one is given.
    pub async fn trail(
        &self,
        user_id: &UserId,
        before: Option<&str>,
        at_most: u32,
    ) -> Result<Vec<AuditRow>, Error> {
        let (user_id, before) = (user_id.clone(), before.map(ToOwned::to_owned));
        let rows = self
            .db
            .read(|tx| {
                Box::pin(async move { tx.trail(&user_id, before.as_deref(), at_most).await })
            })
            .await?;
        Ok(rows)
    }
}
