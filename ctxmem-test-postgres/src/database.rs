//! Databases on the server that the tests of a process share.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, OnceLock, mpsc};

use sqlx::postgres::{PgConnectOptions, PgQueryResult};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::{OnceCell, oneshot};

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
                "autovacuum=off",
                // All of it is looked through for each database that is made or dropped.
                "shared_buffers=16MB",
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

    /// The URL of the database from which others are made and dropped.
    fn own_url(&self) -> String {
        match self {
            Self::Started(cluster) => cluster.url("postgres"),
            Self::Given(url) => url.clone(),
        }
    }
}

/// Statements that make and drop databases. They run one after another over the same connection, which belongs
/// to no test: each has a runtime of its own, and some are dropped outside of any.
struct Administrator(mpsc::Sender<(String, Answer)>);

type Answer = oneshot::Sender<Result<PgQueryResult, sqlx::Error>>;

impl Administrator {
    fn start() -> Self {
        let url = Server::shared().own_url();
        let (sender, statements) = mpsc::channel::<(String, Answer)>();
        let serve = async move {
            let connected = PgConnection::connect(&url).await;
            let mut connection = connected.expect("the test server");
            for (sql, answer) in statements {
                let ran = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection);
                // Nobody has to wait.
                let _ = answer.send(ran.await);
            }
        };
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(serve);
        });
        Self(sender)
    }

    /// Has a statement run, and answers where its outcome will be.
    fn run(sql: String) -> oneshot::Receiver<Result<PgQueryResult, sqlx::Error>> {
        static ADMINISTRATOR: LazyLock<Administrator> = LazyLock::new(Administrator::start);
        // What is missing is said to each test, not only to the first.
        Server::shared();
        let (answer, outcome) = oneshot::channel();
        // Where the connection could not be made, the answer is dropped here, and who waits for it fails.
        let _ = ADMINISTRATOR.0.send((sql, answer));
        outcome
    }
}

/// A name that no other database has.
pub(crate) fn name() -> String {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("ctxmem_test_{}_{number}", std::process::id())
}

async fn run(sql: String) {
    let ran = Administrator::run(sql).await;
    ran.expect("the test server").expect("a database");
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
    Database::named(name)
}

impl Database {
    fn named(name: String) -> Self {
        Self {
            url: Server::shared().url(&name),
            name,
        }
    }

    /// Another one that holds the same. Nobody may be connected to this one.
    pub async fn copy(&self) -> Self {
        let name = name();
        run(format!("CREATE DATABASE {name} TEMPLATE {}", self.name)).await;
        Self::named(name)
    }
}

/// A database of its own with nothing in it.
pub async fn empty_database() -> Database {
    let name = name();
    run(format!("CREATE DATABASE {name}")).await;
    Database::named(name)
}

/// On a server that was given nothing is left behind, and on one of this process no more than is in use: it
/// may be in memory.
impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        let dropping = Administrator::run(sql);
        // A database that stays behind is no reason to fail what is failing already. The server of this
        // process goes as a whole in the end, so that nobody has to wait. Elsewhere this may be a thread that
        // must not block.
        if let Server::Given(_) = Server::shared() {
            let waiting = std::thread::spawn(|| dropping.blocking_recv());
            let _ = waiting.join();
        }
    }
}
