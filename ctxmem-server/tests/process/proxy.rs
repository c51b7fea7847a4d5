//! A server behind a proxy: whose attempts to sign in are counted.

use std::time::Duration;

use crate::process::{Home, ServerProcess};

async fn guess(serving: &ServerProcess, from: &str) -> u16 {
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(30))
        .build();
    let sent = client
        .unwrap()
        .post(format!("{}/dashboard/sign-in", serving.url()))
        .header("x-forwarded-for", from)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("email=ann@example.com&password=wrong horse")
        .send();
    sent.await.unwrap().status().as_u16()
}

#[tokio::test]
async fn the_clients_of_a_trusted_proxy_are_told_apart() {
    let home = Home::new();
    let mut by_environment = home.serving("");
    by_environment.env("CTXMEM_TRUSTED_PROXIES", "192.0.2.1, 127.0.0.0/8");
    for command in [
        home.serving("--trusted-proxy 192.0.2.1 --trusted-proxy 127.0.0.1"),
        by_environment,
    ] {
        let serving = home.start(command).await;
        for _ in 0..10 {
            assert_eq!(guess(&serving, "203.0.113.7").await, 401);
        }
        assert_eq!(guess(&serving, "203.0.113.8").await, 429);
        assert_eq!(guess(&serving, "198.51.100.1").await, 401);
    }
}
