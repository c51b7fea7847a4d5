//! Metrics for operators, on a listener of their own: the page as a whole, and the cache.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use crate::model;
use crate::process::{CommandOutput, Home, ServerProcess, assert_has, browser, tell, user};
use crate::scrape::{Scrape, metrics_url, serve};

fn file(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap()
}

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What promtool says of this input; empty if nothing is wrong.
fn promtool(args: &[&str], input: &str) -> String {
    let mut command = Command::new("promtool");
    command.args(args).current_dir(repository());
    let output = CommandOutput::with_input(&mut command, input)
        .unwrap_or_else(|_| panic!("promtool is needed: apt-get install prometheus"));
    if output.status.success() {
        return output.stderr;
    }
    format!("{} {}", output.stdout, output.stderr)
}

/// Requests of every kind, so that all metrics have values.
async fn use_it(serving: &ServerProcess) {
    let client = serving.client(None);
    for _ in 0..5 {
        client.inject(&user("ada"), "Hi").await.unwrap();
    }
    tell(&client, "ada", "I use fact:helix.").await;
    client.delete_context(&user("ada")).await.unwrap();
    let nowhere = reqwest::get(format!("{}/nowhere", serving.url())).await;
    nowhere.unwrap();
}

/// A page with all that a server has to say, on SQLite with a model or on Postgres.
async fn page(home: &Home) -> Scrape {
    let model = model::model(Duration::ZERO).await;
    let serving = serve(home, &model.flags()).await;
    use_it(&serving).await;
    let counted = "_counted_timestamp_seconds ";
    Scrape::once(&serving, |scrape| scrape.text.contains(counted)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_has_what_the_document_lists_and_promtool_finds_nothing_wrong_with_it() {
    let document = file("docs/metrics.md");
    let listed = document.lines().filter_map(|line| {
        let name = line.strip_prefix("| `")?.split('`').next()?;
        (name.starts_with("ctxmem_") || name.starts_with("process_")).then(|| name.to_owned())
    });
    let listed: BTreeSet<String> = listed.collect();
    let page = page(&Home::new()).await;
    assert_eq!(page.names(), listed);
    assert_eq!(promtool(&["check", "metrics"], &page.text), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_promtool_finds_nothing_wrong_either() {
    let page = page(&Home::on_postgres().await).await;
    assert_eq!(promtool(&["check", "metrics"], &page.text), "");
}

async fn operators_page(serving: &ServerProcess) -> String {
    let url = metrics_url(serving).strip_suffix("metrics").unwrap();
    let page = reqwest::get(url).await.unwrap();
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    for (loaded, kind) in [("style.css", "text/css"), ("favicon.svg", "image/svg+xml")] {
        let asset = reqwest::get(format!("{url}{loaded}")).await.unwrap();
        let found = asset.headers()["content-type"].to_str().unwrap();
        assert!(found.starts_with(kind), "{found}");
    }
    page.text().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_see_health_contents_backups_and_settings() {
    let home = Home::new();
    let secret = "s".repeat(40);
    let traces = "http://127.0.0.1:9/?key=sssss";
    let flags = format!("--rate-limit 7777 --sign-in-secret {secret} --otlp-url {traces}");
    let serving = serve(&home, &flags).await;
    use_it(&serving).await;
    let page = operators_page(&serving).await;
    let shown = [
        r#"<th scope="row">writes</th><td><span class="badge good">ok</span>"#,
        r#"<th scope="row">erasures since the start: done</th><td class="number">1</td>"#,
        r#"<th scope="row">last backup</th><td>none that is known here</td>"#,
        "<code>rate-limit</code></th><td>7777</td><td>flag</td>",
        "<code>audit-days</code></th><td>365</td><td>default</td>",
        "<code>sign-in-secret</code></th><td>(set, not shown)</td><td>flag</td>",
        "<code>otlp-url</code></th><td>http://127.0.0.1:9/?…</td><td>flag</td>",
    ];
    assert_has(&page, &shown);
    assert!(!page.contains("sssss") && !page.contains("ada"), "{page}");
    tokio::task::block_in_place(|| home.json(&["backup", "copy.db"]));
    let page = operators_page(&serving).await;
    assert!(page.contains("Z (0 minutes ago)</td>"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_the_page_has_no_backup_where_nothing_is_archived() {
    let home = Home::on_postgres().await;
    let serving = serve(&home, "").await;
    let page = operators_page(&serving).await;
    assert!(page.contains("none that is known here"), "{page}");
}

#[test]
fn promtool_finds_what_is_wrong() {
    let wrong = "# TYPE ctxmem_updates counter\nctxmem_updates 1\n";
    let said = promtool(&["check", "metrics"], wrong);
    assert!(said.contains("_total") && said.contains("help"), "{said}");
}

#[test]
fn the_alert_rules_are_valid_and_each_fires_when_it_should() {
    assert_eq!(promtool(&["check", "rules", "deploy/alerts.yml"], ""), "");
    let tests = "ctxmem-server/tests/process/alerts.yml";
    assert_eq!(promtool(&["test", "rules", tests], ""), "");
    let tested = file(tests);
    for rule in file("deploy/alerts.yml").split("- alert: ").skip(1) {
        let name = rule.lines().next().unwrap();
        let test = format!("alertname=\"{name}\"");
        assert!(tested.contains(&test), "{name} has no test");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_clients_make_up_adds_no_series_and_nothing_on_the_page_names_anybody() {
    let home = Home::new();
    let serving = serve(&home, "--rate-limit 0 --log error").await;
    let (key, agent) = (serving.key(), serving.agent());
    let browser = browser();
    let ask = async |n: usize| {
        let odd = format!("canary-{n}@example.com");
        let inject = json!({ "userId": odd, "basePrompt": odd });
        let said = format!("My name is Canary{n}.");
        let update = json!({ "userId": odd, "userMessage": said, "agentResponse": odd });
        let method = Method::from_bytes(format!("CANARY{n}").as_bytes()).unwrap();
        let url = serving.url();
        let get = |path: String| browser.get(format!("{url}{path}"));
        let post = |call: &str| browser.post(format!("{url}/api/context/{call}"));
        for request in [
            browser.request(method, format!("{url}/{odd}?{odd}")),
            get(format!("/api/{odd}/{odd}")),
            get(format!("/api/context/{odd}")).bearer_auth(key),
            get(format!("/consent/{odd}")),
            get("/api/health".to_owned()).header("x-request-id", &odd),
            post("inject").bearer_auth(key).json(&inject),
            post("update").bearer_auth(key).json(&update),
            post("inject").bearer_auth(&odd),
        ] {
            request.send().await.unwrap();
        }
    };
    // The routes and statuses of these requests appear with the first of each. A user's own context
    // can be read only later.
    ask(0).await;
    ask(0).await;
    let before = Scrape::of(&serving).await;
    for n in 1..1_000 {
        ask(n).await;
    }
    let after = Scrape::of(&serving).await;
    let all_requests = "ctxmem_requests_total{method=\"other\",route=\"other\",status=\"404\"}";
    assert!(after.known(all_requests) >= 1_000.0);
    let known = before.series();
    let mut added = after.series();
    // The rows are counted a moment after the start.
    added.retain(|name| !known.contains(name) && !name.contains("stored_rows"));
    assert_eq!(added, BTreeSet::new());
    assert!(known.len() < 600, "{}", known.len());
    let text = after.text.to_lowercase();
    for canary in ["canary", "example.com", key, agent, &serving.url()[7..]] {
        assert!(!text.contains(&canary.to_lowercase()), "{canary}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrape_is_answered_under_load_and_misses_no_request() {
    const CLIENTS: usize = 32;
    let home = Home::new();
    let serving = Arc::new(serve(&home, "--rate-limit 0 --log error").await);
    let stop = Arc::new(AtomicBool::new(false));
    let injecting = (0..CLIENTS).map(|n| {
        let (serving, stop) = (Arc::clone(&serving), Arc::clone(&stop));
        tokio::spawn(async move {
            let client = serving.client(None);
            let mut injects = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                let name = user(&format!("user-{n}"));
                client.inject(&name, "Hi").await.unwrap();
                injects += 1;
            }
            injects
        })
    });
    let injecting: Vec<_> = injecting.collect();
    let injects =
        "ctxmem_requests_total{method=\"POST\",route=\"/api/context/inject\",status=\"200\"}";
    let (mut last, mut slowest) = (0.0, Duration::ZERO);
    for _ in 0..50 {
        let began = Instant::now();
        let scrape = Scrape::of(&serving).await;
        slowest = slowest.max(began.elapsed());
        assert!(scrape.value(injects) >= last);
        last = scrape.value(injects);
    }
    stop.store(true, Ordering::Relaxed);
    let sent = join_all(injecting).await.into_iter();
    let sent: u32 = sent.map(|injects| injects.unwrap()).sum();
    println!("figure: 50 scrapes beside {sent} injects, the slowest took {slowest:.1?}");
    let counted = Scrape::of(&serving).await.value(injects);
    assert!(
        (counted - f64::from(sent)).abs() < 0.5,
        "{counted} of {sent}"
    );
}

#[tokio::test]
async fn hits_and_misses_of_the_cache_are_reported() {
    let home = Home::new();
    let serving = serve(&home, "").await;
    let client = serving.client(None);
    for _ in 0..5 {
        client.inject(&user("ada"), "Hi").await.unwrap();
    }
    let scrape = Scrape::of(&serving).await;
    assert!(scrape.known("ctxmem_cache_hits_total") >= 3.0);
    assert!(scrape.known("ctxmem_cache_misses_total") >= 1.0);
    assert!(scrape.known("ctxmem_cache_evictions_total") < 1.0);
    assert!(scrape.known("ctxmem_cache_entries") >= 1.0);
    assert!(scrape.known("ctxmem_cache_bytes") >= 100.0);
    // Not where everybody can ask.
    let asked = reqwest::get(format!("{}/metrics", serving.url())).await;
    assert_eq!(asked.unwrap().status(), 404);
    let asked = reqwest::get(metrics_url(&serving).replace("metrics", "api/health")).await;
    assert_eq!(asked.unwrap().status(), 404);
}

#[tokio::test]
async fn memory_is_bounded_and_what_makes_room_is_counted() {
    let home = Home::new();
    let serving = serve(&home, "--cache-mib 1 --rate-limit 0").await;
    let client = serving.client(None);
    let key = serving.key();
    // Each takes half a KiB or more.
    for n in 0..3_000 {
        let id = format!("user-{n}");
        client.inject(&user(&id), key).await.unwrap();
    }
    let scrape = Scrape::of(&serving).await;
    assert!(scrape.known("ctxmem_cache_bytes") <= f64::from(1 << 20));
    assert!(scrape.known("ctxmem_cache_evictions_total") >= 100.0);
}

#[tokio::test]
async fn without_memory_and_on_postgres_the_database_is_asked_each_time() {
    let flags = ["--cache-mib 0", "--cache-mib 64"];
    for (home, flags) in Home::on_both().await.into_iter().zip(flags) {
        let serving = serve(&home, flags).await;
        let client = serving.client(None);
        for _ in 0..5 {
            client.inject(&user("ada"), "Hi").await.unwrap();
        }
        let scrape = Scrape::of(&serving).await;
        assert!(scrape.known("ctxmem_cache_hits_total") < 1.0);
    }
}
