//! Connections that go back to their pool, or are given up.
//!
//! Before a connection is used by somebody else, what its last user left has to end. A host that has
//! fallen silent never says that it has, and the pool itself would wait until the system gives the
//! connection up, a quarter of an hour later: until then nobody else gets its place.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use tokio::runtime::Handle;

/// Longer than what is left of a statement may take.
const RETURN_TIMEOUT: Duration = Duration::from_secs(3);

/// A connection for statements without a transaction.
pub(in crate::store) struct Pooled(pub(in crate::store) PoolConnection<Postgres>);

impl Drop for Pooled {
    fn drop(&mut self) {
        // The runtime may be gone while the process shuts down.
        if let Ok(runtime) = Handle::try_current() {
            let returning = self.0.return_to_pool();
            runtime.spawn(async move {
                // One that does not return is closed.
                let _ = tokio::time::timeout(RETURN_TIMEOUT, returning).await;
            });
        }
    }
}

/// Ends the transaction that may be left open, for example if it began while the pool shut down.
/// To be called before a connection goes back to a pool whose connections have transactions.
pub(in crate::store) async fn end_transaction(
    connection: &mut PgConnection,
) -> Result<bool, sqlx::Error> {
    let ending = sqlx::raw_sql("ROLLBACK").execute(connection);
    let ended = tokio::time::timeout(RETURN_TIMEOUT, ending).await;
    ended
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map(|_| true)
}
