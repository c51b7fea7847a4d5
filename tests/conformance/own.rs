//! Our own server keeps every rule, and a run leaves nothing in it.

use std::time::Duration;

use ctxmem_client::{Client, UserId};
use ctxmem_conformance::{Args, Target, Verdict};

use crate::support::{OwnServer, SESSION_USER, begun, checked, failed, ids, not_testable};

/// The rules that can't be observed from outside in any deployment.
const UNSEEN: [&str; 2] = ["errors.model", "errors.persistence"];
const LIMITS: [&str; 2] = ["limits.quota", "limits.rate"];

#[tokio::test]
async fn every_rule_is_kept_and_nothing_is_left() {
    assert_keeps_every_rule(OwnServer::start(1_500, 60).await).await;
}

#[tokio::test]
async fn every_rule_is_kept_and_nothing_is_left_on_postgres() {
    assert_keeps_every_rule(OwnServer::start_on_postgres(1_500, 60).await).await;
}

async fn assert_keeps_every_rule(server: OwnServer) {
    let args = Args {
        allow_limits: true,
        ..server.args.clone()
    };
    let report = checked(args).await;
    assert!(failed(&report).is_empty(), "{report}");
    assert_eq!(not_testable(&report), UNSEEN, "{report}");
    let passed = ids(&report, |verdict| matches!(verdict, Verdict::Pass { .. }));
    assert_eq!(passed.len(), report.rules.len() - UNSEEN.len(), "{report}");
    assert_eq!(report.exit_status(), 0);
    assert!(report.left_behind.is_empty(), "{report}");
    assert_eq!(server.left().await, (0, 0, 0));
}

#[tokio::test]
async fn a_second_run_finds_the_same_except_the_demo() {
    let server = OwnServer::start(0, 0).await;
    checked(server.args.clone()).await;
    let report = checked(server.args.clone()).await;
    assert!(failed(&report).is_empty(), "{report}");
    let missing: Vec<&str> = ["inject.seeded_demo", "limits.reset"]
        .into_iter()
        .chain(LIMITS)
        .chain(UNSEEN)
        .collect();
    assert_eq!(not_testable(&report), missing, "{report}");
    assert_eq!(server.left().await, (0, 0, 0));
}

#[tokio::test]
async fn with_only_a_key_the_other_rules_say_what_is_missing() {
    let server = OwnServer::start(0, 0).await;
    let args = Args {
        url: server.args.url.clone(),
        key: server.args.key.clone(),
        user_prefix: Some("conformance ".to_owned()),
        ..Args::default()
    };
    let report = checked(args).await;
    assert!(failed(&report).is_empty(), "{report}");
    let without = |id| report.verdict(id).unwrap().to_string();
    assert_eq!(without("grants.create"), "not testable without --agent-id");
    assert_eq!(
        without("context.deleted_others"),
        "not testable without --second-key and --second-agent-id"
    );
    assert_eq!(
        without("grants.revoke"),
        "not testable without --session-cookie and --session-user"
    );
    assert_eq!(without("user_ids.uuid"), "pass");
    assert_eq!(server.left().await, (0, 0, 0));
}

#[tokio::test]
async fn an_interrupted_run_leaves_nothing() {
    let server = OwnServer::start(0, 0).await;
    let (interrupt, report) = begun(server.args.clone()).await;
    let report = tokio::spawn(report);
    // By then facts are stored, and the run is waiting for a grant to expire.
    while server.left().await.0 == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    interrupt.send(()).unwrap();
    let report = report.await.unwrap();
    assert!(report.interrupted, "{report}");
    assert_eq!(report.exit_status(), 130);
    assert!(report.left_behind.is_empty(), "{report}");
    assert_eq!(server.left().await, (0, 0, 0));
}

#[tokio::test]
async fn a_session_user_with_a_context_is_not_touched() {
    let server = OwnServer::start(0, 0).await;
    let client = Client::builder()
        .base_url(server.args.url.clone().unwrap())
        .api_key(server.args.key.clone().unwrap())
        .build()
        .unwrap();
    let user = UserId::new(SESSION_USER).unwrap();
    client
        .update(&user, "I live in Bergen.", "Noted.")
        .await
        .unwrap();
    let refused = Target::reach(server.args.clone()).await.err().unwrap();
    assert!(refused.to_string().contains("would be erased"), "{refused}");
    assert!(!client.context(&user).await.unwrap().is_empty());
}
