//! The baselines of ctxmem: the least that a server of the same stack can do.

mod postgres;
mod sqlite;

use std::net::SocketAddr;
use std::process::{Command, Stdio};

use clap::Subcommand;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use warp::Filter;
use warp::filters::BoxedFilter;

use crate::process::Process;

/// The baselines.
#[derive(Clone, Subcommand)]
pub(crate) enum Baseline {
    /// Parses the body of an inject and answers a given number of bytes of JSON
    Bare { bytes: usize },
    /// The same with one statement that reads one row on SQLite
    SqliteRead { url: String, bytes: usize },
    /// Stores two facts on SQLite, with a commit a request
    SqliteCommit { url: String },
    /// One statement that reads one row on Postgres
    PostgresRead { url: String, bytes: usize },
    /// Stores two facts on Postgres by four statements in a transaction
    PostgresCommit { url: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inject {
    user_id: String,
    base_prompt: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    user_id: String,
    user_message: String,
    agent_response: String,
}

type Routes = BoxedFilter<(warp::reply::Response,)>;

/// Serves a baseline until it is killed.
pub(crate) async fn serve(baseline: Baseline) {
    let routes = match baseline {
        Baseline::Bare { bytes } => bare(bytes),
        Baseline::SqliteRead { url, bytes } => sqlite::reading(&url, bytes).await,
        Baseline::SqliteCommit { url } => sqlite::committing(&url).await,
        Baseline::PostgresRead { url, bytes } => postgres::reading(&url, bytes).await,
        Baseline::PostgresCommit { url } => postgres::committing(&url).await,
    };
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
        .await
        .unwrap();
    println!(
        "{}",
        json!({ "url": format!("http://{}", listener.local_addr().unwrap()) })
    );
    warp::serve(routes).incoming(listener).run().await;
}

/// Starts this program as a baseline.
pub(crate) fn start(args: &[&str]) -> Process {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("baseline").args(args).stdin(Stdio::null());
    Process::start(command)
}

/// Parses the body and answers as many bytes as ctxmem does.
fn bare(bytes: usize) -> Routes {
    let answer = answer(bytes);
    inject(move |user| {
        std::hint::black_box(user);
        std::future::ready(answer.clone())
    })
}

/// A JSON answer of this many bytes.
fn answer(bytes: usize) -> String {
    let around = json!({ "injectedPrompt": "" }).to_string();
    json!({ "injectedPrompt": "x".repeat(bytes.saturating_sub(around.len())) }).to_string()
}

fn json_reply(body: String) -> warp::reply::Response {
    let mut response = warp::reply::Response::new(body.into());
    response.headers_mut().insert(
        warp::http::header::CONTENT_TYPE,
        warp::http::HeaderValue::from_static("application/json"),
    );
    response
}

/// The route of inject: `answer` makes the answer.
fn inject<F>(answer: impl Fn(String) -> F + Clone + Send + Sync + 'static) -> Routes
where
    F: Future<Output = String> + Send,
{
    warp::path!("api" / "context" / "inject")
        .and(body())
        .then(move |request: Inject| {
            // No baseline puts it into its answer, and all of them have to parse it.
            std::hint::black_box(request.base_prompt);
            let answer = answer(request.user_id);
            async { json_reply(answer.await) }
        })
        .boxed()
}

/// The route of update: `store` makes what was said durable.
fn update<F>(store: impl Fn(Update) -> F + Clone + Send + Sync + 'static) -> Routes
where
    F: Future<Output = Result<(), sqlx::Error>> + Send,
{
    warp::path!("api" / "context" / "update")
        .and(body())
        .then(move |request: Update| {
            let stored = store(request);
            async {
                stored.await.unwrap();
                json_reply("{\"updated\":true}".to_owned())
            }
        })
        .boxed()
}

fn body<T: for<'de> Deserialize<'de> + Send + 'static>()
-> impl Filter<Extract = (T,), Error = warp::Rejection> + Clone {
    warp::post().and(warp::body::json())
}
