//! The databases of the suite: SQLite in a folder, or a database on the shared Postgres. The
//! folder then holds the URL, so that a server can be started on it again.

use std::path::Path;

use ctxmem_server::store::Db;
use ctxmem_test_postgres::fresh_database;
use sqlx::{Connection as _, PgConnection, SqliteConnection};

/// The engine on which the suite runs.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "each root runs on one of them")]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// The URL of the database that belongs to a folder, made when there is none yet.
pub(super) async fn url_of(folder: &Path) -> String {
    match crate::ENGINE {
        Engine::Sqlite => format!("sqlite://{}", folder.join("ctxmem.db").display()),
        Engine::Postgres => {
            let file = folder.join("database-url");
            if let Ok(url) = std::fs::read_to_string(&file) {
                return url;
            }
            let database = fresh_database(|url| async move {
                Db::open(&url).await.unwrap().close().await;
            });
            let url = database.await.url;
            std::fs::write(&file, &url).unwrap();
            url
        }
    }
}

/// How many grants an agent ever had, those that were replaced included.
pub(super) async fn grants_ever_made(folder: &Path, agent_id: &str) -> i64 {
    let count = "SELECT COUNT(*) FROM grants WHERE agent_id = $1";
    let url = url_of(folder).await;
    match crate::ENGINE {
        Engine::Sqlite => sqlx::query_scalar(count)
            .bind(agent_id)
            .fetch_one(&mut SqliteConnection::connect(&url).await.unwrap())
            .await
            .unwrap(),
        Engine::Postgres => sqlx::query_scalar(count)
            .bind(agent_id)
            .fetch_one(&mut PgConnection::connect(&url).await.unwrap())
            .await
            .unwrap(),
    }
}

/// How many connections hold a transaction open and do nothing, once what is under way has
/// had a moment to end. SQLite does not tell; there the next write would not get through.
pub(super) async fn open_transactions(folder: &Path) -> i64 {
    let Engine::Postgres = crate::ENGINE else {
        return 0;
    };
    let url = url_of(folder).await;
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let mut open = 0;
    for _ in 0..100 {
        open = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        if open == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    open
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
        })
    }
}
