//! Sessions of developers: when they begin and end.

use std::sync::Arc;

use chrono::Duration;

use super::is_in;
use crate::suite::support::{Developer, PASSWORD, Server, Setup, TestClock};

const START: &str = "2026-03-01T09:00:00Z";

async fn at_start() -> (Arc<TestClock>, Server, Developer) {
    let (clock, server) = Setup::new().start_at(START).await;
    let ann = Developer::new(&server, "ann@example.com").await;
    (clock, server, ann)
}

#[tokio::test]
async fn a_session_ends_an_hour_after_its_last_use() {
    let (clock, server, ann) = at_start().await;
    for _ in 0..2 {
        clock.advance(Duration::minutes(59));
        assert!(is_in(&server, &ann.cookie).await);
    }
    clock.advance(Duration::minutes(60));
    assert!(!is_in(&server, &ann.cookie).await);
    // Nor does a form of a page that was open for long do anything.
    let fields = [("name", "Helper"), ("scope", "goals")];
    ann.form("/dashboard/agents", &fields).gets_error(401).await;
    assert!(server.console.agents().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_session_ends_twelve_hours_after_it_began_however_busy() {
    let (clock, server, ann) = at_start().await;
    for _ in 0..23 {
        clock.advance(Duration::minutes(30));
        assert!(is_in(&server, &ann.cookie).await);
    }
    clock.advance(Duration::minutes(30));
    assert!(!is_in(&server, &ann.cookie).await);
}

#[tokio::test]
async fn sessions_that_are_over_are_forgotten() {
    let (clock, server, ann) = at_start().await;
    clock.advance(Duration::minutes(40));
    let bob = Developer::new(&server, "bob@example.com").await;
    clock.advance(Duration::minutes(20));
    server.sign_in.drop_old_sessions().await.unwrap();
    assert_eq!(server.store.developer_sessions(&ann.id).await, 0);
    assert_eq!(server.store.developer_sessions(&bob.id).await, 1);
    assert!(is_in(&server, &bob.cookie).await);
}

#[tokio::test]
async fn a_cookie_from_before_signing_in_is_worthless_afterwards() {
    let server = Server::start().await;
    let mallory = Developer::new(&server, "mallory@example.com").await;
    let ann = Developer::new(&server, "ann@example.com").await;
    let planted = "ctxmem_developer=planted0000000000000000000000000000000000000";
    for before in [planted, &mallory.cookie, &ann.cookie] {
        let form = Developer::tries(&server, &ann.email, PASSWORD).cookie(before);
        let answer = form.gets(303).await;
        let after = answer.session_cookie();
        assert_ne!(after, before);
        assert!(is_in(&server, &after).await);
        assert!(!is_in(&server, before).await, "{before}");
    }
}

#[tokio::test]
async fn a_failed_attempt_leaves_the_session_of_the_browser_alone() {
    let (server, ann) = Developer::start().await;
    let form = Developer::tries(&server, &ann.email, "wrong horse battery");
    assert_eq!(form.cookie(&ann.cookie).send().await.status, 401);
    assert!(is_in(&server, &ann.cookie).await);
}

#[tokio::test]
async fn signing_out_ends_this_session_only() {
    let (server, ann) = Developer::start().await;
    let elsewhere = Developer::tries(&server, &ann.email, PASSWORD).send().await;
    let elsewhere = elsewhere.session_cookie();
    let answer = ann.form("/dashboard/sign-out", &[]).gets(303).await;
    assert_eq!(answer.header("location"), Some("/dashboard"));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("ctxmem_developer=;") && cookie.contains("Max-Age=0"));
    assert!(!is_in(&server, &ann.cookie).await);
    assert!(is_in(&server, &elsewhere).await);
    assert_eq!(ann.post("/dashboard/sign-out", &[]).await.status, 303);
}

#[tokio::test]
async fn a_new_password_ends_every_session_of_that_developer() {
    let (server, ann) = Developer::start().await;
    let bob = Developer::new(&server, "bob@example.com").await;
    let new = "another horse battery";
    server.set_password("Ann@example.com", new).await;
    assert!(!is_in(&server, &ann.cookie).await);
    assert!(is_in(&server, &bob.cookie).await);
    let old = Developer::tries(&server, &ann.email, PASSWORD).send().await;
    assert_eq!(old.status, 401);
    Developer::tries(&server, &ann.email, new).gets(303).await;
}
