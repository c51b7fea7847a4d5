//! The sessions of developers.

use super::statement::statement;
use super::{Hash, Statement, StoreError, Tx};

pub(super) const STATEMENTS: &[Statement] = &[INSERT_DEVELOPER_SESSION, END_DEVELOPER_SESSION];

statement!(
    INSERT_DEVELOPER_SESSION,
    "INSERT INTO developer_sessions (token_hash, developer_id, created_at, seen_at)
     VALUES ($1, $2, $3, $3)"
);
statement!(
    END_DEVELOPER_SESSION,
    "DELETE FROM developer_sessions WHERE token_hash = $1"
);

impl Tx {
    /// Opens a developer's session.
    pub async fn insert_developer_session(
        &mut self,
        token: &Hash,
        developer_id: &str,
        now: i64,
    ) -> Result<(), StoreError> {
        let args = [token.into(), developer_id.into(), now.into()];
        self.run(INSERT_DEVELOPER_SESSION, &args).await?;
        Ok(())
    }

    /// Ends a developer's session.
    pub async fn end_developer_session(&mut self, token: &Hash) -> Result<(), StoreError> {
        self.run(END_DEVELOPER_SESSION, &[token.into()]).await?;
        Ok(())
    }
}
