//! Shared by the modules: our own server in the process, and ways to run a check.

use std::num::NonZeroU32;

use ctxmem_conformance::{Args, Report, Target, Verdict, check};
use ctxmem_test_postgres::{Database, empty_database};
use ctxmem_test_server::TestServer;
use ctxmem_types::{ScopeSet, UserId};
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

pub(crate) const SESSION_USER: &str = "somebody signed in / for this";

/// Our own server, on a database of its own, with two agents and a signed-in user.
pub(crate) struct OwnServer {
    pub(crate) args: Args,
    /// Of the database.
    url: String,
    _server: TestServer,
    _postgres: Option<Database>,
}

impl OwnServer {
    /// On SQLite.
    pub(crate) async fn start(rate_limit: u32, monthly_quota: u32) -> Self {
        Self::start_on(None, rate_limit, monthly_quota).await
    }

    pub(crate) async fn start_on_postgres(rate_limit: u32, monthly_quota: u32) -> Self {
        let database = empty_database().await;
        Self::start_on(Some(database), rate_limit, monthly_quota).await
    }

    async fn start_on(postgres: Option<Database>, rate_limit: u32, monthly_quota: u32) -> Self {
        let mut url = String::new();
        let server = TestServer::start_changed(|config| {
            if let Some(database) = &postgres {
                config.database.url.clone_from(&database.url);
            }
            url.clone_from(&config.database.url);
            config.rate_limit = NonZeroU32::new(rate_limit);
            // A run erases more users than a minute allows.
            config.erasure_limit = None;
            config.settings.monthly_quota = NonZeroU32::new(monthly_quota);
        })
        .await;
        Self {
            args: args_for(&server).await,
            url,
            _server: server,
            _postgres: postgres,
        }
    }

    /// The numbers of facts, active grants and named users in the database.
    pub(crate) async fn left(&self) -> (i64, i64, i64) {
        const COUNT: &str = "SELECT (SELECT count(*) FROM facts),
                    (SELECT count(*) FROM grants WHERE revoked_at IS NULL),
                    (SELECT count(*) FROM users WHERE key_slot IS NOT NULL)";
        if self.url.starts_with("postgres") {
            let mut connection = PgConnection::connect(&self.url).await.unwrap();
            sqlx::query_as(COUNT).fetch_one(&mut connection).await
        } else {
            let mut connection = SqliteConnection::connect(&self.url).await.unwrap();
            sqlx::query_as(COUNT).fetch_one(&mut connection).await
        }
        .unwrap()
    }
}

async fn args_for(server: &TestServer) -> Args {
    let console = &server.core().console;
    let create = |name: &str| {
        let developer = Some("dev@example.com".to_owned());
        console.create_agent(name.to_owned(), developer, ScopeSet::ALL)
    };
    let a = create("A").await.unwrap();
    let b = create("B").await.unwrap();
    let cookie = server.sign_in(&UserId::new(SESSION_USER).unwrap()).await;
    Args {
        url: Some(server.url.clone()),
        key: Some(a.key.api_key),
        agent_id: Some(a.agent.id),
        second_key: Some(b.key.api_key),
        second_agent_id: Some(b.agent.id),
        session_cookie: Some(cookie.into()),
        session_user: Some(SESSION_USER.to_owned()),
        ..Args::default()
    }
}

/// Runs a whole check.
pub(crate) async fn checked(args: Args) -> Report {
    let (_alive, interrupts) = unbounded_channel();
    let target = Target::reach(args).await.unwrap();
    Box::pin(check(target, interrupts)).await
}

/// Starts a check that can be interrupted.
pub(crate) async fn begun(
    args: Args,
) -> (
    UnboundedSender<()>,
    impl Future<Output = Report> + Send + use<>,
) {
    let (interrupt, interrupts) = unbounded_channel();
    let target = Target::reach(args).await.unwrap();
    (interrupt, check(target, interrupts))
}

/// The ids of the rules whose verdict meets the condition.
pub(crate) fn ids(report: &Report, such: impl Fn(&Verdict) -> bool) -> Vec<&'static str> {
    let rows = report.rules.iter().filter(|row| such(&row.verdict));
    rows.map(|row| row.id).collect()
}

pub(crate) fn failed(report: &Report) -> Vec<&'static str> {
    ids(report, |verdict| matches!(verdict, Verdict::Fail { .. }))
}

pub(crate) fn not_testable(report: &Report) -> Vec<&'static str> {
    ids(report, |verdict| {
        matches!(verdict, Verdict::NotTestable { .. })
    })
}

/// The form in which a rule is kept, if it is not the primary one.
pub(crate) fn variant<'r>(report: &'r Report, id: &str) -> &'r str {
    match report.verdict(id) {
        Some(Verdict::Variant { form }) => form,
        other => panic!("{id}: {other:?}"),
    }
}
