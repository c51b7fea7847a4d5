//! Servers that run on the same databases, one after the other, and are killed: on either engine.

use std::time::{Duration, SystemTime};

use ctxmem_test_outside::FakeModel;
use ctxmem_test_postgres::Cluster;
use sqlx::{Connection as _, PgConnection};

use crate::aftermath::{self, FLAGS, Findings, Known};
use crate::database_files::DatabaseFolder;
use crate::evidence::{Copies, files_below};
use crate::history::History;
use crate::model;
use crate::process::{Home, REACHED, ServerProcess, within};

/// How long a server may take to get somewhere before the test fails. On Postgres the keys are
/// rewritten every minute.
const PATIENCE: Duration = Duration::from_secs(90);

/// Postgres keeps its log in a folder beside its data.
pub(crate) const ARCHIVING: [&str; 2] = [
    "archive_mode=on",
    "archive_command=mkdir -p ../archive && cp %p ../archive/%f",
];

/// Nothing is noted any more, and the former tables are empty.
const IS_REWRITTEN: &str = "SELECT NOT EXISTS (SELECT 1 FROM user_key_notes) \
                            AND NOT EXISTS (SELECT 1 FROM wrapping_keys_spare)";

/// Where the users and their keys are.
pub(crate) enum Databases {
    Sqlite(DatabaseFolder),
    /// The keys lie in a cluster of their own if there is one.
    Postgres {
        main: Box<Cluster>,
        keys: Option<Box<Cluster>>,
    },
}

/// What ends by kill -9. The server is killed last, whatever else is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Killed {
    Server,
    Database,
    KeyDatabase,
}

pub(crate) struct Deployment {
    pub(crate) databases: Databases,
    home: Home,
    flags: String,
    /// The key that the first server announced.
    pub(crate) key: Option<String>,
    /// It must live as long as the servers ask it.
    _model: FakeModel,
}

impl Deployment {
    pub(crate) async fn on(databases: Databases) -> Self {
        let model = model::model(Duration::ZERO).await;
        let mut flags = format!("{} {FLAGS} --erasure-limit 0", model.flags());
        let home = match &databases {
            Databases::Sqlite(folder) => Home::on(&folder.url()),
            Databases::Postgres { main, keys } => {
                if let Some(keys) = keys {
                    let url = keys.url("postgres");
                    flags = format!("{flags} --keys-database-url {url}");
                }
                Home::on(&main.url("postgres"))
            }
        };
        Self {
            databases,
            home,
            flags,
            key: None,
            _model: model,
        }
    }

    pub(crate) async fn on_sqlite() -> Self {
        Self::on(Databases::Sqlite(DatabaseFolder::new())).await
    }

    /// Durable, as operators run it.
    pub(crate) async fn on_postgres() -> Self {
        let main = Box::new(Cluster::start(&[]));
        Self::on(Databases::Postgres { main, keys: None }).await
    }

    /// The log of the database with the rows is archived.
    pub(crate) async fn on_postgres_with_keys_apart() -> Self {
        let main = Box::new(Cluster::start(&ARCHIVING));
        let keys = Some(Box::new(Cluster::start(&[])));
        Self::on(Databases::Postgres { main, keys }).await
    }

    pub(crate) fn is_on_sqlite(&self) -> bool {
        matches!(self.databases, Databases::Sqlite(_))
    }

    pub(crate) fn keeps_keys_apart(&self) -> bool {
        matches!(self.databases, Databases::Postgres { keys: Some(_), .. })
    }

    /// Makes a physical backup of the database with the rows on Postgres.
    pub(crate) fn back_up(&self) {
        if let Databases::Postgres { main, .. } = &self.databases {
            tokio::task::block_in_place(|| main.back_up());
        }
    }

    /// All that can be killed here.
    pub(crate) fn killable(&self) -> &'static [Killed] {
        match &self.databases {
            Databases::Sqlite(_) => &[Killed::Server],
            Databases::Postgres { keys: None, .. } => &[Killed::Server, Killed::Database],
            Databases::Postgres { keys: Some(_), .. } => {
                &[Killed::Server, Killed::Database, Killed::KeyDatabase]
            }
        }
    }

    pub(crate) async fn start(&mut self) -> ServerProcess {
        let serving = self.home.serve(&self.flags).await;
        if let Some(key) = serving.announced["api_key"].as_str() {
            self.key.get_or_insert(key.to_owned());
        }
        serving
    }

    /// Starts a server that stops at a point of its work, or answers how it ended instead of answering.
    pub(crate) async fn start_until(&self, point: &str) -> Result<ServerProcess, String> {
        let mut command = self.home.serving(&self.flags);
        self.home.stop_at(&mut command, point);
        self.home.try_start(command).await
    }

    /// Waits until the server has come to its point.
    pub(crate) async fn until_reached(&self) {
        let reached = async || self.home.path(REACHED).exists();
        within(PATIENCE, "the point is reached", reached).await;
    }

    pub(crate) fn kill(&mut self, serving: &mut ServerProcess, killed: Killed) {
        if let Some(cluster) = self.cluster(killed) {
            tokio::task::block_in_place(|| cluster.kill());
        }
        serving.kill();
    }

    /// Starts again what was killed but the server.
    pub(crate) fn resume(&mut self, killed: Killed) {
        if let Some(cluster) = self.cluster(killed) {
            tokio::task::block_in_place(|| cluster.resume());
        }
    }

    fn cluster(&mut self, killed: Killed) -> Option<&mut Cluster> {
        match (&mut self.databases, killed) {
            (Databases::Postgres { main, .. }, Killed::Database) => Some(main),
            (Databases::Postgres { keys, .. }, Killed::KeyDatabase) => keys.as_deref_mut(),
            _ => None,
        }
    }

    /// What a backup holds that is made now.
    pub(crate) async fn copies(&self) -> Copies {
        match &self.databases {
            Databases::Sqlite(folder) => Copies::of_sqlite(folder),
            Databases::Postgres { main, .. } => {
                Copies::of_postgres(&main.url("postgres"), &self.keys_url()).await
            }
        }
    }

    fn keys_url(&self) -> String {
        match &self.databases {
            Databases::Sqlite(folder) => folder.url(),
            Databases::Postgres { main, keys } => keys.as_ref().unwrap_or(main).url("postgres"),
        }
    }

    /// Every file in which a key may be that was not destroyed. On Postgres these are the files of
    /// the tables, as they are on the disk; its log is another matter.
    pub(crate) async fn files_with_keys(&self) -> Vec<Vec<u8>> {
        match &self.databases {
            Databases::Sqlite(folder) => folder.files().into_values().collect(),
            Databases::Postgres { main, keys } => tables_of(keys.as_ref().unwrap_or(main)).await,
        }
    }

    /// Every file that there is of the database with the rows: its own, its log, its archive and
    /// backups of it.
    pub(crate) async fn files_with_rows(&self) -> Vec<Vec<u8>> {
        match &self.databases {
            Databases::Sqlite(folder) => folder.files().into_values().collect(),
            Databases::Postgres { main, .. } => {
                archive_log(main).await;
                files_below(&main.path(""))
            }
        }
    }

    /// Starts a server on what was killed, asks it for what it must know and must not show, waits
    /// until it has removed the bytes of destroyed keys, and stops it.
    pub(crate) async fn check(&self, histories: &[History]) -> Findings {
        let known = Known {
            interrupted: SystemTime::now(),
            key: self.key.as_deref(),
            histories,
        };
        if let Databases::Sqlite(folder) = &self.databases {
            return aftermath::check(folder, known).await;
        }
        let mut findings = Findings::default();
        let serving = self.home.serve(&self.flags).await;
        let client = serving.client(known.key);
        aftermath::read(&client, known, &mut findings).await;
        self.until_rewritten().await;
        serving.stop().await;
        findings
    }

    /// Has Postgres look at all tables of the keys, so that it can plan well.
    pub(crate) async fn collect_statistics(&self) {
        let mut keys = PgConnection::connect(&self.keys_url()).await.unwrap();
        sqlx::raw_sql("ANALYZE").execute(&mut keys).await.unwrap();
    }

    pub(crate) async fn until_rewritten(&self) {
        until_true(&self.keys_url(), IS_REWRITTEN).await;
    }
}

/// Archives the log up to now, where that is done at all.
pub(crate) async fn archive_log(cluster: &Cluster) {
    let archived = "SELECT pg_walfile_name(pg_switch_wal()) <= coalesce(last_archived_wal, '') \
                    OR current_setting('archive_mode') = 'off' FROM pg_stat_archiver";
    until_true(&cluster.url("postgres"), archived).await;
}

/// Waits until a Postgres database answers this question with yes.
pub(crate) async fn until_true(url: &str, question: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    within(PATIENCE, question, async || {
        let asked = sqlx::query_scalar(question).fetch_one(&mut connection);
        asked.await.unwrap()
    })
    .await;
    connection.close().await.unwrap();
}

/// The files of our tables, after all that is in memory was written to them.
async fn tables_of(cluster: &Cluster) -> Vec<Vec<u8>> {
    let url = cluster.url("postgres");
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let flushed = sqlx::raw_sql("CHECKPOINT").execute(&mut connection);
    flushed.await.unwrap();
    let database = "SELECT oid::bigint FROM pg_database WHERE datname = current_database()";
    let database = sqlx::query_scalar(database).fetch_one(&mut connection);
    let database: i64 = database.await.unwrap();
    files_below(&cluster.path(&format!("data/base/{database}")))
}
