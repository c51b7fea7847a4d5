//! Figures for operators, on a listener of their own.

use ctxmem_test_postgres::empty_database;

use crate::process::{Home, user};

/// The figures at `/metrics`, by name.
async fn figure(url: &str, name: &str) -> f64 {
    let text = reqwest::get(url).await.unwrap().text().await.unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is missing: {text}"))
        .parse()
        .unwrap()
}

#[tokio::test]
async fn hits_and_misses_of_the_cache_are_reported() {
    let home = Home::new();
    let serving = home.serve(&["--metrics-listen", "127.0.0.1:0"]).await;
    let url = serving.announced["metrics_url"].as_str().unwrap();
    let client = serving.client(None);
    for _ in 0..5 {
        client.inject(&user("ada"), "Hi").await.unwrap();
    }
    assert!(figure(url, "ctxmem_cache_hits_total").await >= 3.0);
    assert!(figure(url, "ctxmem_cache_misses_total").await >= 1.0);
    assert!(figure(url, "ctxmem_cache_evictions_total").await < 1.0);
    assert!(figure(url, "ctxmem_cache_entries").await >= 1.0);
    assert!(figure(url, "ctxmem_cache_bytes").await >= 100.0);
    // Not where everybody can ask.
    let public = serving.announced["url"].as_str().unwrap();
    let asked = reqwest::get(format!("{public}/metrics")).await.unwrap();
    assert_eq!(asked.status(), 404);
}

#[tokio::test]
async fn memory_is_bounded_and_what_makes_room_is_counted() {
    let home = Home::new();
    let serving = home
        .serve(&[
            "--metrics-listen",
            "127.0.0.1:0",
            "--cache-mib",
            "1",
            "--rate-limit",
            "0",
        ])
        .await;
    let url = serving.announced["metrics_url"].as_str().unwrap();
    let client = serving.client(None);
    let key = serving.announced["api_key"].as_str().unwrap();
    // Each takes half a KiB or more.
    for n in 0..3_000 {
        let id = format!("user-{n}");
        client.inject(&user(&id), key).await.unwrap();
    }
    assert!(figure(url, "ctxmem_cache_bytes").await <= f64::from(1 << 20));
    assert!(figure(url, "ctxmem_cache_evictions_total").await >= 100.0);
}

#[tokio::test]
async fn without_memory_and_on_postgres_the_database_is_asked_each_time() {
    let database = empty_database().await;
    for (home, flags) in [
        (Home::new(), ["--cache-mib", "0"]),
        (Home::on(&database.url), ["--cache-mib", "64"]),
    ] {
        let flags = [&["--metrics-listen", "127.0.0.1:0"], &flags[..]].concat();
        let serving = home.serve(&flags).await;
        let url = serving.announced["metrics_url"].as_str().unwrap();
        let client = serving.client(None);
        for _ in 0..5 {
            client.inject(&user("ada"), "Hi").await.unwrap();
        }
        assert!(figure(url, "ctxmem_cache_hits_total").await < 1.0);
    }
}
