//! A cluster of its own, a distributed database on it, and a server at each of some machines.

use std::time::Duration;

use ctxmem_client::Client;
use ctxmem_test_outside::FakeModel;
use ctxmem_test_postgres::CitusCluster;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::model;
use crate::process::{Home, ServerProcess, tell, user, within};

/// The database on every machine.
pub(crate) const DATABASE: &str = "ctxmem";

/// Clients that write, each of whom has a user of their own.
pub(crate) const WRITERS: usize = 12;

pub(crate) struct Setup {
    pub(crate) cluster: CitusCluster,
    /// A server at each of the machines, in their order.
    pub(crate) servers: Vec<ServerProcess>,
    pub(crate) home: Home,
    pub(crate) key: String,
    pub(crate) agent_id: String,
    /// It answers as long as this is there.
    _model: FakeModel,
}

impl Setup {
    /// Two workers, and a server at each of these machines. 0 is the coordinator.
    pub(crate) async fn start(machines: &[usize]) -> Self {
        // Durable, as operators run it.
        Self::start_with(machines, &[]).await
    }

    /// The same with these settings of Postgres on all machines.
    pub(crate) async fn start_with(machines: &[usize], settings: &[&str]) -> Self {
        // What a crash left of a commit in two phases is completed soon.
        let own = ["citus.recover_2pc_interval=1s", "max_connections=300"];
        let settings = [&own[..], settings].concat();
        let cluster = tokio::task::block_in_place(|| CitusCluster::start(2, &settings));
        cluster.create_database(DATABASE).await;
        let home = Home::on(&cluster.node(0).url(DATABASE));
        let migrated = home.json(&["migrate", "--distribute"]);
        assert_eq!(migrated["distributed"], true);
        let model = model::model(Duration::from_millis(1)).await;
        let flags = "--rate-limit 0 --facts-per-list 0 --log warn";
        let flags = format!("{} {flags}", model.flags());
        let mut servers = Vec::new();
        for &machine in machines {
            let at = Home::on(&cluster.node(machine).url(DATABASE));
            servers.push(at.serve(&flags).await);
            // Its folder holds its log.
            std::mem::forget(at);
        }
        Self {
            key: servers[0].key().to_owned(),
            agent_id: servers[0].agent().to_owned(),
            cluster,
            servers,
            home,
            _model: model,
        }
    }

    /// The agent's client at one of the servers.
    pub(crate) fn client(&self, server: usize) -> Client {
        self.servers[server].client(Some(&self.key))
    }

    async fn connect(&self, machine: usize) -> PgConnection {
        let url = self.cluster.node(machine).url(DATABASE);
        PgConnection::connect(&url).await.unwrap()
    }

    /// What a query at a machine answers: one number.
    pub(crate) async fn number(&self, machine: usize, query: &str) -> i64 {
        let mut connection = self.connect(machine).await;
        let asked = sqlx::query_scalar(AssertSqlSafe(query.to_owned()));
        asked.fetch_one(&mut connection).await.unwrap()
    }

    pub(crate) async fn run(&self, machine: usize, sql: &str) {
        let mut connection = self.connect(machine).await;
        let run = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        run.execute(&mut connection).await.unwrap();
    }

    /// The worker that has the rows of each of these users, by the only difference that shows: after
    /// they were learnt of, in which worker's tables their rows are counted.
    pub(crate) async fn users_by_worker(&self, client: &Client, prefix: &str) -> [Vec<String>; 2] {
        let mut of_workers = [Vec::new(), Vec::new()];
        for n in 0..200 {
            if of_workers
                .iter()
                .all(|users: &Vec<String>| users.len() >= 4)
            {
                return of_workers;
            }
            let name = format!("{prefix}-{n}");
            let before = self.users_on(1).await;
            tell(client, &name, "I am good at fact:welding these days.").await;
            let worker = usize::from(self.users_on(1).await == before);
            of_workers[worker].push(name);
        }
        panic!("all users are on one worker");
    }

    async fn users_on(&self, worker: usize) -> i64 {
        let port = self.cluster.node(worker).port();
        let count = format!(
            "SELECT COALESCE(SUM(result::bigint), 0)::bigint
             FROM run_command_on_shards('users', 'SELECT COUNT(*) FROM %s') ran
             JOIN pg_dist_shard_placement placed USING (shardid)
             WHERE placed.nodeport = {port}"
        );
        self.number(0, &count).await
    }
}

/// Asks until it succeeds.
pub(crate) async fn until_works(client: &Client, name: &str) {
    let works = async || client.inject(&user(name), "Hello").await.is_ok();
    within(Duration::from_mins(1), "it works", works).await;
}
