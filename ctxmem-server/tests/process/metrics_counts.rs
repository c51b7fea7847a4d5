//! Each metric changes when what it counts happens.

use std::process::Command;
use std::time::Duration;

use ctxmem_test_outside::FakeModel;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use wiremock::ResponseTemplate;

use crate::model;
use crate::process::{Home, ServerProcess, browser};
use crate::scrape::{LISTEN, Scrape, serve};

/// A request with the key of the first start.
fn call(serving: &ServerProcess, method: Method, path: &str) -> RequestBuilder {
    let url = format!("{}{path}", serving.url());
    browser().request(method, url).bearer_auth(serving.key())
}

fn inject(serving: &ServerProcess) -> RequestBuilder {
    let body = json!({ "userId": "ada", "basePrompt": "Hi." });
    call(serving, Method::POST, "/api/context/inject").json(&body)
}

fn update(serving: &ServerProcess, said: &str) -> RequestBuilder {
    let body = json!({ "userId": "ada", "userMessage": said, "agentResponse": "Ok." });
    call(serving, Method::POST, "/api/context/update").json(&body)
}

/// A call of a tool of the Model Context Protocol, which injects.
fn get_context(serving: &ServerProcess) -> RequestBuilder {
    let params = json!({ "name": "get_context", "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    call(serving, Method::POST, "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("x-ctxmem-user-id", "ada")
        .json(&body)
}

async fn answer(request: RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

/// Sends a request, and checks its status and that these series grow by one.
async fn counts(serving: &ServerProcess, request: RequestBuilder, status: u16, series: &[&str]) {
    let before = Scrape::of(serving).await;
    let (answered, body) = answer(request).await;
    assert_eq!(answered, status, "{body}");
    let after = Scrape::of(serving).await;
    for name in series {
        let grown = after.value(name) - before.value(name);
        assert!((grown - 1.0).abs() < 0.5, "{name} grew by {grown}: {body}");
    }
}

fn answered(method: &str, route: &str, status: u16) -> String {
    format!("ctxmem_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}")
}

fn labelled(metric: &str, label: &str, value: &str) -> String {
    format!("ctxmem_{metric}{{{label}=\"{value}\"}}")
}

const DURATIONS_OF_INJECTS: &str =
    "ctxmem_request_duration_seconds_count{method=\"POST\",route=\"/api/context/inject\"}";

async fn requests_are_counted(home: &Home) {
    let serving = serve(home, "--mcp").await;
    let serving = &serving;
    let injected = answered("POST", "/api/context/inject", 200);
    let first = [&*injected, DURATIONS_OF_INJECTS];
    counts(serving, inject(serving), 200, &first).await;
    // A call of a tool is a request of its own.
    let by_tool = answered("POST", "/mcp", 200);
    let series = [&*by_tool, &injected, DURATIONS_OF_INJECTS];
    counts(serving, get_context(serving), 200, &series).await;

    let stored = labelled("updates_total", "outcome", "stored");
    let by_rules = labelled("extraction_duration_seconds_count", "extractor", "rules");
    let said = "I use Helix as my editor.";
    counts(serving, update(serving, said), 200, &[&stored, &by_rules]).await;
    let known = labelled("updates_total", "outcome", "nothing_new");
    counts(serving, update(serving, said), 200, &[&known]).await;
    let filtered = labelled("updates_total", "outcome", "filtered");
    counts(serving, update(serving, "Thanks!"), 200, &[&filtered]).await;
    let again = || {
        let update = update(serving, "My name is Ada.");
        update.header("idempotency-key", "once")
    };
    counts(serving, again(), 200, &[&stored]).await;
    let replayed = labelled("updates_total", "outcome", "replayed");
    counts(serving, again(), 200, &[&replayed]).await;

    let reason = |reason| labelled("refusals_total", "reason", reason);
    let url = format!("{}/api/context/inject", serving.url());
    let wrong = browser().post(url).bearer_auth("ctxm_no");
    let unauthorized = answered("POST", "/api/context/inject", 401);
    let series = [&*reason("unauthorized"), &unauthorized];
    counts(serving, wrong, 401, &series).await;
    let malformed = call(serving, Method::POST, "/api/context/inject").json(&json!({}));
    counts(serving, malformed, 400, &[&reason("bad_request")]).await;
    let nowhere = call(serving, Method::GET, "/nowhere");
    let series = [&*reason("not_found"), &answered("other", "other", 404)];
    counts(serving, nowhere, 404, &series).await;
    let put = call(serving, Method::PUT, "/api/health");
    let series = [&*reason("method"), &answered("other", "other", 405)];
    counts(serving, put, 405, &series).await;
    let stranger = call(serving, Method::GET, "/api/context/stranger");
    let refused = answered("GET", "/api/context/{userId}", 403);
    let series = [&*reason("forbidden"), &refused];
    counts(serving, stranger, 403, &series).await;

    let erased = labelled("erasures_total", "result", "done");
    let erase = || call(serving, Method::DELETE, "/api/context/ada");
    counts(serving, erase(), 200, &[&erased]).await;
    let before = Scrape::of(serving).await;
    // It is told so again, and nothing is erased.
    assert_eq!(answer(erase()).await.0, 200);
    let after = Scrape::of(serving).await;
    assert!((after.value(&erased) - before.value(&erased)).abs() < 0.5);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_updates_refusals_and_erasures_are_counted() {
    for home in Home::on_both().await {
        println!("{}", home.url());
        requests_are_counted(&home).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_told_apart() {
    let home = Home::new();
    let serving = serve(&home, "--rate-limit 2 --monthly-quota 1").await;
    let stored = labelled("updates_total", "outcome", "stored");
    let said = update(&serving, "My name is Ada.");
    counts(&serving, said, 200, &[&stored]).await;
    let quota = labelled("refusals_total", "reason", "quota");
    let limited = labelled("updates_total", "outcome", "limit_reached");
    let said = update(&serving, "I live in Lisbon.");
    counts(&serving, said, 200, &[&quota, &limited]).await;
    let rate = labelled("refusals_total", "reason", "rate_limit");
    let limited = answered("POST", "/api/context/update", 429);
    let said = update(&serving, "I keep bees.");
    counts(&serving, said, 429, &[&rate, &limited]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_and_the_cache_are_counted() {
    for home in Home::on_both().await {
        let serving = serve(&home, "--rate-limit 0").await;
        let before = Scrape::of(&serving).await;
        for n in 0..5 {
            let said = update(&serving, &format!("I visited the town of Number{n}."));
            assert_eq!(answer(said).await.0, 200);
            assert_eq!(answer(inject(&serving)).await.0, 200);
        }
        let said = update(&serving, "My name is Ada.");
        assert_eq!(answer(said).await.0, 200);
        let after = Scrape::of(&serving).await;
        let grown = |name: &str| after.known(name) - before.known(name);
        let reads = labelled("database_duration_seconds_count", "operation", "read");
        assert!(grown(&reads) >= 1.0);
        assert!(grown("ctxmem_cache_misses_total") >= 1.0);
        if home.database().exists() {
            let writes = labelled("database_duration_seconds_count", "operation", "write");
            assert!(grown(&writes) >= 1.0);
            assert!(grown("ctxmem_commit_duration_seconds_count") >= 1.0);
            assert!(grown("ctxmem_commit_units_count") >= 1.0);
            assert!(grown("ctxmem_commit_units_sum") >= grown("ctxmem_commit_units_count"));
            assert!(after.known("ctxmem_wal_bytes") > 0.0);
            assert!(after.known("ctxmem_database_file_bytes") > 0.0);
            assert!(after.known("ctxmem_disk_free_bytes") > 0.0);
            assert!(after.text.contains("ctxmem_queue_limit{queue=\"writes\"}"));
        } else {
            let optimistic = "database_duration_seconds_count";
            let optimistic = labelled(optimistic, "operation", "optimistic_write");
            assert!(grown(&optimistic) >= 1.0);
            assert!(!after.text.contains("ctxmem_wal_bytes"));
            let idle = "ctxmem_database_connections{pool=\"write\",state=\"idle\"}";
            assert!(after.known(idle) + after.known(&idle.replace("idle", "used")) >= 1.0);
        }
        assert!(after.known("ctxmem_commit_failures_total") < 1.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_and_requests_in_flight_are_counted_while_they_last() {
    let home = Home::new();
    let model = model::model(Duration::ZERO).await;
    let serving = serve(&home, &model.flags()).await;
    let before = Scrape::of(&serving).await;
    assert!(before.known("ctxmem_requests_in_flight") < 1.0);
    let idle = TcpStream::connect(serving.address()).await.unwrap();
    let mut pause = model.pause();
    let waiting = tokio::spawn(answer(update(&serving, "I use fact:helix every day.")));
    pause.started().await;
    let during = Scrape::of(&serving).await;
    assert!(during.known("ctxmem_requests_in_flight") >= 1.0);
    assert!(during.known("ctxmem_queue_length{queue=\"updates\"}") >= 1.0);
    let grown = during.known("ctxmem_connections_open") - before.known("ctxmem_connections_open");
    assert!(grown >= 2.0, "{grown}");
    let accepted = "ctxmem_connections_accepted_total";
    assert!(during.known(accepted) - before.known(accepted) >= 2.0);
    pause.finish();
    assert_eq!(waiting.await.unwrap().0, 200);
    drop(idle);
    Scrape::once(&serving, |after| {
        after.known("ctxmem_connections_open") <= before.known("ctxmem_connections_open") + 1.0
            && after.known("ctxmem_requests_in_flight") < 1.0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_limit_are_counted() {
    let home = Home::new();
    let mut limited = Command::new("prlimit");
    let command = home.serving(LISTEN);
    limited
        .current_dir(command.get_current_dir().unwrap())
        .env_clear()
        .arg("--nofile=128:128")
        .arg(command.get_program())
        .args(command.get_args());
    let serving = home.start(limited).await;
    let limit = Scrape::of(&serving).await.known("ctxmem_connections_limit");
    assert!(limit < 128.0, "{limit}");
    let mut open = Vec::new();
    // One more is that of the test's own requests.
    let sockets: usize = limit.to_string().parse().unwrap();
    for _ in 0..=sockets {
        open.push(TcpStream::connect(serving.address()).await.unwrap());
    }
    let asked = reqwest::get(format!("{}/about", serving.url())).await;
    assert_eq!(asked.unwrap().status(), 503);
    let after = Scrape::of(&serving).await;
    assert!(after.known("ctxmem_connections_refused_total") >= 1.0);
    assert!(after.known(&labelled("refusals_total", "reason", "connections")) >= 1.0);
    assert!((after.known("ctxmem_connections_open") - limit).abs() < 0.5);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_its_tokens_and_its_failures_are_counted() {
    let home = Home::new();
    let model = FakeModel::start().await;
    let serving = &serve(&home, &model.flags()).await;
    assert_eq!(answer(inject(serving)).await.0, 200);
    let results = |result| labelled("model_requests_total", "result", result);
    let completed = json!({
        "choices": [{ "index": 0, "message": { "content": "{\"facts\":[]}" } }],
        "usage": { "prompt_tokens": 1_200, "completion_tokens": 30 },
    });
    model.answers(ResponseTemplate::new(200).set_body_json(completed));
    let said = "I have been learning Portuguese for a year.";
    let by_model = labelled("extraction_duration_seconds_count", "extractor", "model");
    let before = Scrape::of(serving).await;
    let series = [&*results("answered"), &by_model];
    counts(serving, update(serving, said), 200, &series).await;
    let after = Scrape::of(serving).await;
    let tokens = |direction| labelled("model_tokens_total", "direction", direction);
    let grown = |name: &str| after.known(name) - before.known(name);
    assert!((grown(&tokens("in")) - 1_200.0).abs() < 0.5);
    assert!((grown(&tokens("out")) - 30.0).abs() < 0.5);
    assert!((grown("ctxmem_model_request_duration_seconds_count") - 1.0).abs() < 0.5);

    model.answers(ResponseTemplate::new(500));
    let failed = labelled("updates_total", "outcome", "model_failed");
    let by_model = labelled("failures_total", "cause", "model");
    let series = [&*results("status"), &failed, &by_model];
    counts(serving, update(serving, said), 502, &series).await;
    model.answers(ResponseTemplate::new(200).set_body_string("{}"));
    let malformed = results("malformed");
    counts(serving, update(serving, said), 502, &[&malformed]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_go_by_themselves_are_counted_at_the_start() {
    for home in Home::on_both().await {
        let serving = serve(&home, "").await;
        let update = update(&serving, "My name is Ada.").header("idempotency-key", "one");
        assert_eq!(answer(update).await.0, 200);
        serving.sign_in(&home, "ada").await;
        home.json(&["user", "sign-in-link", "grace"]);
        serving.stop().await;
        let serving = serve(&home, "").await;
        let counted = "ctxmem_stored_rows_counted_timestamp_seconds ";
        let scrape = Scrape::once(&serving, |scrape| scrape.text.contains(counted)).await;
        let rows = |kind| scrape.known(&labelled("stored_rows", "kind", kind));
        assert!((rows("sign_in_links") - 2.0).abs() < 0.5);
        assert!((rows("sessions") - 1.0).abs() < 0.5);
        assert!((rows("idempotency_records") - 1.0).abs() < 0.5);
        assert!(rows("audit_entries") >= 1.0);
        assert!(rows("logged_requests") >= 1.0);
        assert!(rows("unfinished_erasures") < 0.5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_of_the_database_are_counted() {
    let home = Home::new();
    // Otherwise the first byte beyond the limit would end the server.
    let script = "trap '' XFSZ; exec \"$0\" \"$@\"";
    let serving = home.serving(&format!("{LISTEN} --log error"));
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .arg(serving.get_program())
        .args(serving.get_args())
        .current_dir(home.path("."));
    let serving = home.start(command).await;
    let said = update(&serving, "My name is Ada.");
    assert_eq!(answer(said).await.0, 200);
    let filled = Command::new("prlimit")
        .args(["--pid", &serving.id().to_string(), "--fsize=1024"])
        .status()
        .expect("prlimit is needed: apt-get install util-linux");
    assert!(filled.success());
    let by_database = labelled("failures_total", "cause", "database");
    let not_stored = labelled("updates_total", "outcome", "database_failed");
    let said = update(&serving, "I live in Lisbon.");
    counts(&serving, said, 500, &[&by_database, &not_stored]).await;
    let failed = labelled("erasures_total", "result", "failed");
    let erase = call(&serving, Method::DELETE, "/api/context/ada");
    counts(&serving, erase, 500, &[&failed]).await;
    let asked = reqwest::get(format!("{}/readyz", serving.url())).await;
    assert_eq!(asked.unwrap().status(), 503);
    let after = Scrape::of(&serving).await;
    assert!(after.known(&labelled("failures_total", "cause", "not_ready")) >= 1.0);
}
