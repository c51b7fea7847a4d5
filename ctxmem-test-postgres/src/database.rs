//! Databases on the server that the tests of a process share.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::OnceCell;

use crate::Cluster;

/// The server that the tests of this process share.
enum Server {
    Started(Cluster),
    Given(String),
}

static SERVER: OnceLock<Server> = OnceLock::new();
static TEMPLATE: OnceCell<String> = OnceCell::const_new();
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A database of its own. It is dropped with this value.
pub struct Database {
    /// Its URL.
    pub url: String,
    name: String,
}

impl Server {
    fn shared() -> &'static Self {
        SERVER.get_or_init(|| match std::env::var("CTXMEM_TEST_POSTGRES_URL") {
            Ok(url) => Self::Given(url),
            // What these tests write need not survive anything.
            Err(_) => Self::Started(Cluster::start_for_good(&[
                "fsync=off",
                "full_page_writes=off",
                "synchronous_commit=off",
            ])),
        })
    }

    fn url(&self, database: &str) -> String {
        match self {
            Self::Started(cluster) => cluster.url(database),
            Self::Given(url) => {
                let options: PgConnectOptions = url.parse().expect("CTXMEM_TEST_POSTGRES_URL");
                options.database(database).to_url_lossy().into()
            }
        }
    }

    /// A connection for making and dropping databases.
    async fn connect(&self) -> PgConnection {
        let url = match self {
            Self::Started(cluster) => cluster.url("postgres"),
            Self::Given(url) => url.clone(),
        };
        PgConnection::connect(&url).await.expect("the test server")
    }
}

fn name() -> String {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("ctxmem_test_{}_{number}", std::process::id())
}

async fn run(sql: String) {
    let mut connection = Server::shared().connect().await;
    let done = sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await;
    done.expect("a database");
    let _ = connection.close().await;
}

/// A database of its own, brought into shape by `prepare`, given its URL. On a server of this
/// process the first is prepared and all others are copies of it.
pub async fn fresh_database<F>(prepare: impl FnOnce(String) -> F) -> Database
where
    F: Future<Output = ()>,
{
    let server = Server::shared();
    if let Server::Given(_) = server {
        let database = empty_database().await;
        prepare(database.url.clone()).await;
        return database;
    }
    let template = TEMPLATE
        .get_or_init(|| async {
            let template = name();
            run(format!("CREATE DATABASE {template}")).await;
            prepare(server.url(&template)).await;
            template
        })
        .await;
    let name = name();
    // It copies the cache of the catalogue, too, that each first connection would build anew.
    run(format!(
        "CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"
    ))
    .await;
    Database {
        url: server.url(&name),
        name,
    }
}

impl Database {
    /// Another one that holds the same. Nobody may be connected to this one.
    pub async fn copy(&self) -> Self {
        let name = name();
        run(format!("CREATE DATABASE {name} TEMPLATE {}", self.name)).await;
        Self {
            url: Server::shared().url(&name),
            name,
        }
    }
}

/// A database of its own with nothing in it.
pub async fn empty_database() -> Database {
    let name = name();
    run(format!("CREATE DATABASE {name}")).await;
    Database {
        url: Server::shared().url(&name),
        name,
    }
}

/// On a server that was given nothing is left behind, and on one of this process no more than is in use: it
/// may be in memory.
impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // This may be a thread that must not block, or one without a runtime.
        let dropping = std::thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(run(sql));
        });
        // A database that stays behind is no reason to fail what is failing already. The server of this
        // process goes as a whole in the end, so that nobody has to wait.
        if let Server::Given(_) = Server::shared() {
            let _ = dropping.join();
        }
    }
}
