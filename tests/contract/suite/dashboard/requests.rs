//! The request log.

use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::Duration;
use ctxmem_types::ScopeSet;

use crate::suite::support::{Agent, BASE, Developer, HELLO, Setup, TestClock, Text as _, user};

/// The lines of the log as a table, the newest first, less the first one.
async fn lines(ann: &Developer, agent: &Agent) -> Vec<Vec<String>> {
    let path = format!("/dashboard/requests.csv?agent={}", agent.id);
    let table = ann.get(&path).await;
    let lines = table.lines().skip(1);
    lines
        .map(|line| line.split(',').map(ToOwned::to_owned).collect())
        .collect()
}

#[tokio::test]
async fn a_developer_sees_what_was_asked_and_answered_and_nothing_of_whom_or_what() {
    let server = Setup::auto().start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let ada = user("ada-canary");
    agent.injects(&ada).await;
    agent.tells(&ada, HELLO).await;
    let raw = |method: &str, path: &str| agent.raw(method, path);
    let read = raw("GET", "/api/context/ada-canary").gets(200).await;
    let refused = raw("GET", "/api/context/stranger-canary").gets(403).await;
    let malformed = raw("POST", "/api/context/inject").json(&serde_json::json!({}));
    malformed.gets(400).await;
    let page = ann
        .get(&format!("/dashboard/requests?agent={}", agent.id))
        .await;
    page.assert_lacks_all(["canary", "Helix", "Lisbon", &agent.key]);
    page.assert_has_all([
        "<code>GET /api/context/{userId}</code>",
        read.header("x-request-id").unwrap(),
        "400 <code>BAD_REQUEST</code>",
        "403 <code>FORBIDDEN</code>",
    ]);
    let logged = lines(&ann, &agent).await;
    let shown: Vec<_> = logged
        .iter()
        .map(|line| [&*line[1], &line[2], &line[3]])
        .collect();
    let one = "GET /api/context/{userId}";
    assert_eq!(
        shown,
        [
            ["POST /api/context/inject", "400", "BAD_REQUEST"],
            [one, "403", "FORBIDDEN"],
            [one, "200", ""],
            ["POST /api/context/update", "200", ""],
            ["POST /api/context/inject", "200", ""],
        ]
    );
    assert_eq!(Some(&*logged[1][5]), refused.header("x-request-id"));
    let path = format!("/dashboard/requests?only=errors&agent={}", agent.id);
    let errors = ann.get(&path).await;
    assert!(errors.contains(&logged[0][5]) && errors.contains(&logged[1][5]));
    assert!(!errors.contains(&logged[2][5]), "{errors}");
}

#[tokio::test]
async fn requests_without_a_good_key_are_nobodys() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    for key in ["ctxm_madeup", ""] {
        let inject = server.raw("POST", "/api/context/inject").key(key);
        assert_eq!(inject.send().await.status, 401);
    }
    server.get("/api/health").send().await;
    assert!(lines(&ann, &agent).await.is_empty());
}

#[tokio::test]
async fn under_load_the_log_is_a_part_and_says_so() {
    let setup = Setup::new().rate_limit(1_000_000);
    let (_, server) = setup.start_at("2026-03-01T09:00:00Z").await;
    let (agent, ann) = Developer::with_agent(&server).await;
    // They are stored once a second or so: it is enough that some are not logged.
    let core = server.core();
    let key = core.grants.authenticate(&agent.key).await.unwrap();
    for n in 0..500 {
        core.console
            .log_request(&ctxmem_server::core::AnsweredRequest {
                agent_id: &key.agent_id,
                method: "POST",
                path: "/api/context/inject",
                status: 200,
                code: None,
                micros: 1_000,
                request_id: &n.to_string(),
            });
    }
    let logged = lines(&ann, &agent).await.len();
    assert!((200..500).contains(&logged), "{logged}");
    let page = ann
        .get(&format!("/dashboard/requests?agent={}", agent.id))
        .await;
    page.assert_has(r#"<td class="number">500</td>"#);
    let said = format!(
        "{} requests are counted above but not listed here",
        500 - logged
    );
    assert!(page.contains(&said), "{said} in {page}");
    // Page by page, everything is there once.
    let mut path = format!("/dashboard/requests?agent={}", agent.id);
    let mut shown = 0;
    loop {
        let page = ann.get(&path).await;
        shown += page.matches("<td><time ").count();
        let Some((before, _)) = page.split_once("\">Older</a>") else {
            break;
        };
        path = before
            .rsplit_once("href=\"")
            .unwrap()
            .1
            .replace("&amp;", "&");
    }
    assert_eq!(shown, logged);
}

#[tokio::test]
async fn the_log_is_kept_for_as_long_as_the_operator_says() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let setup = Setup::auto().clock(&clock);
    let server = setup
        .with(|config| config.settings.request_log_days = NonZeroU32::new(2))
        .start()
        .await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    // The server drops what is too old by itself, at any moment.
    for hours in [0, 24, 23] {
        clock.advance(Duration::hours(hours));
        agent.injects(&user("ada")).await;
        server.console.flush_request_log().await.unwrap();
    }
    let ann = Developer::existing(&server, "ann@example.com").await;
    assert_eq!(lines(&ann, &agent).await.len(), 3);
    clock.advance(Duration::hours(2));
    let ann = Developer::existing(&server, "ann@example.com").await;
    server.console.drop_old_requests().await.unwrap();
    assert_eq!(lines(&ann, &agent).await.len(), 2);
    clock.advance(Duration::hours(48));
    let ann = Developer::existing(&server, "ann@example.com").await;
    server.console.drop_old_requests().await.unwrap();
    assert!(lines(&ann, &agent).await.is_empty());
}

#[tokio::test]
async fn without_a_log_nothing_is_noted() {
    let setup = Setup::new().with(|config| config.settings.request_log_days = None);
    let server = setup.start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    agent.inject(&user("ada"), BASE).await.unwrap();
    assert!(lines(&ann, &agent).await.is_empty());
    let page = ann
        .get(&format!("/dashboard/requests?agent={}", agent.id))
        .await;
    assert!(page.contains("keeps no request log") && page.contains("No requests."));
}
