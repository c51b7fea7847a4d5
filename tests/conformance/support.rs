//! What the modules share: our own server in the process, and ways to run a check.

use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_conformance::{Args, Report, Target, Verdict, check};
use ctxmem_server::core::{Core, SystemClock};
use ctxmem_server::{App, Config};
use ctxmem_test_postgres::{Database, empty_database};
use ctxmem_types::{ScopeSet, UserId};
use reqwest::redirect::Policy;
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

pub(crate) const SESSION_USER: &str = "somebody signed in / for this";

/// Our own server, on a database of its own, with two agents and a signed-in user.
pub(crate) struct OwnServer {
    pub(crate) args: Args,
    database: Store,
}

/// The database of a server: it goes with the test.
enum Store {
    Sqlite(TempDir),
    Postgres(Database),
}

impl OwnServer {
    /// On SQLite.
    pub(crate) async fn start(rate_limit: u32, monthly_quota: u32) -> Self {
        let database = Store::Sqlite(tempfile::tempdir().unwrap());
        Self::start_on(database, rate_limit, monthly_quota).await
    }

    pub(crate) async fn start_on_postgres(rate_limit: u32, monthly_quota: u32) -> Self {
        let database = Store::Postgres(empty_database().await);
        Self::start_on(database, rate_limit, monthly_quota).await
    }

    async fn start_on(database: Store, rate_limit: u32, monthly_quota: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut config = Config::new(database.url(), url.parse().unwrap());
        config.rate_limit = NonZeroU32::new(rate_limit);
        config.settings.monthly_quota = NonZeroU32::new(monthly_quota);
        let app = App::open_at(config, Arc::new(SystemClock)).await.unwrap();
        let core = Arc::clone(app.core());
        tokio::spawn(app.run(listener, std::future::pending()));
        let args = args_for(&core, url).await;
        Self { args, database }
    }

    /// How many facts, active grants and named users the database holds.
    pub(crate) async fn left(&self) -> (i64, i64, i64) {
        const COUNT: &str = "SELECT (SELECT count(*) FROM facts),
                    (SELECT count(*) FROM grants WHERE revoked_at IS NULL),
                    (SELECT count(*) FROM users WHERE user_id IS NOT NULL)";
        let url = self.database.url();
        match self.database {
            Store::Sqlite(_) => sqlx::query_as(COUNT)
                .fetch_one(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
            Store::Postgres(_) => sqlx::query_as(COUNT)
                .fetch_one(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
        }
    }
}

impl Store {
    fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => {
                format!("sqlite://{}", folder.path().join("ctxmem.db").display())
            }
            Self::Postgres(database) => database.url.clone(),
        }
    }
}

async fn args_for(core: &Core, url: String) -> Args {
    let developer = || Some("dev@example.com".to_owned());
    let a = core
        .create_agent("A".into(), developer(), ScopeSet::ALL)
        .await
        .unwrap();
    let b = core
        .create_agent("B".into(), developer(), ScopeSet::ALL)
        .await
        .unwrap();
    let cookie = sign_in(core, &url).await;
    Args {
        url: Some(url),
        key: Some(a.key.api_key),
        agent_id: Some(a.agent.id),
        second_key: Some(b.key.api_key),
        second_agent_id: Some(b.agent.id),
        session_cookie: Some(cookie.into()),
        session_user: Some(SESSION_USER.to_owned()),
        ..Args::default()
    }
}

/// Signs the user in by a link, as a browser would, and answers the session cookie.
async fn sign_in(core: &Core, url: &str) -> String {
    let user = UserId::new(SESSION_USER).unwrap();
    let link = core.sign_in_link(user).await.unwrap();
    let browser = reqwest::Client::builder().redirect(Policy::none()).build();
    let response = browser
        .unwrap()
        .post(format!("{url}/sign-in"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("token={}", link.token.expose_secret()))
        .send()
        .await
        .unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

/// Checks a deployment to the end.
pub(crate) async fn checked(args: Args) -> Report {
    let (_alive, interrupts) = unbounded_channel();
    check(Target::reach(args).await.unwrap(), interrupts).await
}

/// Begins a check that can be interrupted.
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

/// The ids of the rules with such a verdict.
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

/// The form, where a rule is kept in another one.
pub(crate) fn variant<'r>(report: &'r Report, id: &str) -> &'r str {
    match report.verdict(id) {
        Some(Verdict::Variant { form }) => form,
        other => panic!("{id}: {other:?}"),
    }
}
