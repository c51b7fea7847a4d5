//! A Citus cluster in temporary folders: a coordinator, which is node 0, and workers.
//!
//! A database of it is one of the same name on every node. The first that a test process asks for
//! is made with the extension, the nodes and whatever the caller does to it; all others are copies,
//! node by node: Citus keeps what it knows of a database in tables of that database.

use std::sync::OnceLock;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinSet;

use crate::Cluster;
use crate::database::name;

/// How many workers the cluster has that the tests of a process share.
const WORKERS: usize = 2;

/// What every node is started with. There are few shards, because each is tables to make and to
/// copy. Metadata is synchronised to the workers by default.
const SETTINGS: [&str; 8] = [
    "shared_preload_libraries=citus",
    "citus.node_conninfo=sslmode=disable",
    "citus.enable_statistics_collection=off",
    "citus.shard_count=4",
    "max_prepared_transactions=200",
    // Each database has a daemon of Citus on each node.
    "max_worker_processes=64",
    // Shards are moved while they are written to.
    "wal_level=logical",
    "ssl=off",
];

/// What tests write that kill nothing need not survive anything.
const FORGETFUL: [&str; 5] = [
    // What a commit in two phases leaves is counted.
    "citus.recover_2pc_interval=-1",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=500",
];

static SHARED: OnceLock<CitusCluster> = OnceLock::new();
static TEMPLATE: OnceCell<String> = OnceCell::const_new();

/// A coordinator and workers.
pub struct CitusCluster {
    nodes: Vec<Cluster>,
}

/// A database on every node of the shared cluster. It is dropped with this value.
pub struct CitusDatabase {
    /// Its URL on each node, that of the coordinator first.
    pub urls: Vec<String>,
    name: String,
}

impl CitusCluster {
    /// Makes and starts a cluster with so many workers and these settings, such as
    /// `max_connections=300`, besides the defaults.
    pub fn start(workers: usize, settings: &[&str]) -> Self {
        let settings = [&SETTINGS[..], settings].concat();
        let node = |_| Cluster::start(&settings);
        Self {
            nodes: (0..=workers).map(node).collect(),
        }
    }

    fn shared() -> &'static Self {
        SHARED.get_or_init(|| {
            let settings = [&SETTINGS[..], &FORGETFUL].concat();
            let node = |_| Cluster::start_for_good(&settings);
            Self {
                nodes: (0..=WORKERS).map(node).collect(),
            }
        })
    }

    /// A node: 0 is the coordinator, the others are workers.
    pub fn node(&self, number: usize) -> &Cluster {
        &self.nodes[number]
    }

    /// The same, to be stopped, killed and started.
    pub fn node_mut(&mut self, number: usize) -> &mut Cluster {
        &mut self.nodes[number]
    }

    /// The URLs of a database on each node, that of the coordinator first.
    pub fn urls(&self, database: &str) -> Vec<String> {
        let nodes = self.nodes.iter();
        nodes.map(|node| node.url(database)).collect()
    }

    /// Makes a database on every node, with the extension, whose coordinator knows the workers.
    pub async fn create_database(&self, name: &str) {
        // Two at the same time are in each other's way.
        static ONE: Mutex<()> = Mutex::const_new(());
        let _one = ONE.lock().await;
        for node in &self.nodes {
            create_with_extension(node, name).await;
        }
        let coordinator = self.nodes[0].port();
        let known = format!("SELECT citus_set_coordinator_host('127.0.0.1', {coordinator})");
        run(&self.nodes[0].url(name), known).await;
        for worker in &self.nodes[1..] {
            self.make_known(worker, name).await;
        }
    }

    /// Adds a worker to a database.
    async fn make_known(&self, worker: &Cluster, database: &str) {
        let port = worker.port();
        let add = format!("SELECT citus_add_node('127.0.0.1', {port})");
        run(&self.nodes[0].url(database), add).await;
    }

    /// Starts another worker, and makes it known to this database.
    pub async fn add_worker(&mut self, settings: &[&str], database: &str) {
        let worker = Cluster::start(&[&SETTINGS[..], settings].concat());
        create_with_extension(&worker, database).await;
        self.make_known(&worker, database).await;
        self.nodes.push(worker);
    }

    /// Runs a statement on every server at the same time.
    async fn run_everywhere(&self, sql: &str) {
        let mut running = JoinSet::new();
        for node in &self.nodes {
            let (server, sql) = (node.url("postgres"), sql.to_owned());
            running.spawn(async move { run(&server, sql).await });
        }
        running.join_all().await;
    }

    /// Closes a database to everybody, so that it can be copied. The daemons of Citus use it as well; they come
    /// back when a copy is used.
    async fn close_database(&self, name: &str) {
        let close = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false");
        self.run_everywhere(&close).await;
        let end = format!(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        self.run_everywhere(&end).await;
    }

    fn database(&self, name: String) -> CitusDatabase {
        CitusDatabase {
            urls: self.urls(&name),
            name,
        }
    }
}

async fn create_with_extension(node: &Cluster, database: &str) {
    let create = format!("CREATE DATABASE {database}");
    run(&node.url("postgres"), create).await;
    run(&node.url(database), "CREATE EXTENSION citus".to_owned()).await;
}

/// Runs statements of which none fails.
async fn run(url: &str, sql: String) {
    let mut connection = PgConnection::connect(url).await.expect("a node");
    let done = sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await;
    done.expect("a database on Citus; is the extension installed? scripts/citus.sh sees to that");
    let _ = connection.close().await;
}

/// A database of its own on a cluster that the tests of this process share, brought into shape by
/// `prepare`, given its URL at the coordinator. The first is prepared, all others are copies of it.
pub async fn fresh_citus_database<F>(prepare: impl FnOnce(String) -> F) -> CitusDatabase
where
    F: Future<Output = ()>,
{
    let cluster = CitusCluster::shared();
    let template = TEMPLATE
        .get_or_init(|| async {
            let template = name();
            cluster.create_database(&template).await;
            prepare(cluster.nodes[0].url(&template)).await;
            cluster.close_database(&template).await;
            template
        })
        .await;
    let name = name();
    let copy = format!("CREATE DATABASE {name} TEMPLATE {template}");
    cluster.run_everywhere(&copy).await;
    cluster.database(name)
}

/// A database of its own on the shared cluster, of which the coordinator knows the workers and
/// which is otherwise empty.
pub async fn empty_citus_database() -> CitusDatabase {
    let cluster = CitusCluster::shared();
    let name = name();
    cluster.create_database(&name).await;
    cluster.database(name)
}

/// The daemons of Citus are as many as the databases, and no server has that many processes.
impl Drop for CitusDatabase {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // This may be a thread that must not block, or one without a runtime.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(CitusCluster::shared().run_everywhere(&sql));
        });
        // A database that stays behind is no reason to fail what is failing already.
        let _ = dropping.join();
    }
}
