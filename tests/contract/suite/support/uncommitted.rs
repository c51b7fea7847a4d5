//! Uncommitted changes of another process: anything that needs the same rows waits for them.

use std::time::{Duration, Instant};

use futures_util::join;
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};

use super::{ENGINE, Engine, Store};

/// A transaction that has changed something.
pub(crate) enum Uncommitted {
    Sqlite(SqliteConnection),
    Postgres {
        connection: PgConnection,
        observer: PgConnection,
    },
}

impl Store {
    /// Runs statements in a transaction that stays open.
    pub(crate) async fn change_uncommitted(&self, change: &str) -> Uncommitted {
        let url = self.url();
        let change = |begin: &str| sqlx::raw_sql(sqlx::AssertSqlSafe(format!("{begin}; {change}")));
        if let Engine::Sqlite = *ENGINE {
            let mut connection = SqliteConnection::connect(&url).await.unwrap();
            connection.execute(change("BEGIN IMMEDIATE")).await.unwrap();
            return Uncommitted::Sqlite(connection);
        }
        let mut connection = PgConnection::connect(&url).await.unwrap();
        connection.execute(change("BEGIN")).await.unwrap();
        Uncommitted::Postgres {
            connection,
            observer: PgConnection::connect(&url).await.unwrap(),
        }
    }
}

impl Uncommitted {
    /// Begins something that needs the same rows, commits the change while it waits for them, and
    /// answers what came of it.
    pub(crate) async fn commit_during<T>(self, waiting: impl Future<Output = T>) -> T {
        join!(waiting, self.commit_when_waited_for()).0
    }

    async fn commit_when_waited_for(self) {
        match self {
            // SQLite does not tell who waits.
            Self::Sqlite(mut connection) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                connection.execute("COMMIT").await.unwrap();
            }
            Self::Postgres {
                mut connection,
                mut observer,
            } => {
                is_waited_for(&mut observer).await;
                connection.execute("COMMIT").await.unwrap();
            }
        }
    }
}

async fn is_waited_for(observer: &mut PgConnection) {
    // Where the database is distributed, the wait is on another machine.
    if let Engine::Citus = *ENGINE {
        return tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let waiting = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock')";
    let began = Instant::now();
    loop {
        let waits: bool = sqlx::query_scalar(waiting)
            .fetch_one(&mut *observer)
            .await
            .unwrap();
        if waits {
            return;
        }
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "nobody waits for the change"
        );
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
