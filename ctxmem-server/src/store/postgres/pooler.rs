//! Refusing connection poolers in transaction mode.
//!
//! They give each transaction whichever connection to Postgres is free. Prepared statements,
//! settings and locks of a session are then lost, or found by somebody else. This shows by the
//! process of Postgres that serves a connection: it is always the same one, and nobody else's.
//! To ask for it leaves nothing behind for others who use the pooler.

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection, Row as _};

use crate::store::OpenError;

/// A pooler that others use too may happen to look like Postgres, but hardly so often.
const ROUNDS: usize = 5;

/// Fails if this connection leads to a pooler in transaction mode.
pub(super) async fn refuse(
    connection: &mut PgConnection,
    host: &PgConnectOptions,
) -> Result<(), OpenError> {
    let mut other = PgConnection::connect_with(host).await?;
    let own = process(connection).await?;
    for _ in 0..ROUNDS {
        // Twice: one that hands out two connections in turn would look right otherwise.
        let others = process(&mut other).await?;
        let seen = [process(connection).await?, process(connection).await?];
        if others == own || seen != [own, own] {
            return Err(OpenError::TransactionPooler);
        }
    }
    Ok(other.close().await?)
}

/// The process of Postgres that serves this connection now. Nothing is prepared.
async fn process(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    let row = sqlx::raw_sql("SELECT pg_backend_pid()");
    row.fetch_one(connection).await?.try_get(0)
}
