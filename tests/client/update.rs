//! Answers to updates in the forms of all deployments.

use ctxmem_client::types::ScopeName;
use ctxmem_client::{Scope, UpdateOutcome, UpdateResponse};
use serde_json::{Value, json};

use crate::support::{Deployment, USER, ok, user};

async fn update(answer: Value) -> UpdateResponse {
    let deployment = Deployment::answering("POST", "/api/context/update", ok(&answer)).await;
    let client = deployment.client();
    let updated = client.update(&user(), "I use Helix", "Noted!").await;
    let updated = updated.unwrap();
    let expected =
        format!(r#"{{"userId":"{USER}","userMessage":"I use Helix","agentResponse":"Noted!"}}"#);
    assert_eq!(deployment.body().await, expected);
    assert_eq!(serde_json::to_value(&updated).unwrap(), answer);
    updated
}

/// Storage key, name and value of every written fact.
fn facts(updated: &UpdateResponse) -> Vec<(&str, Option<&str>, &str)> {
    let facts = updated.delta.as_ref().unwrap().facts();
    let facts = facts.map(|fact| (fact.storage_key, fact.name, fact.value));
    facts.collect()
}

#[tokio::test]
async fn the_primary_form() {
    let updated = update(json!({
        "updated": true,
        "delta": {
            "preferences": {"editor": {"value": "Helix", "source_type": "observed"}},
            "ongoing_tasks": [{"value": "ship the beta", "source_type": "observed"}],
        },
        "removed": {"domain_expertise": [{"value": "Perl", "source_type": "observed"}]},
    }))
    .await;
    assert!(updated.updated);
    let expected = [
        ("preferences", Some("editor"), "Helix"),
        ("ongoing_tasks", None, "ship the beta"),
    ];
    assert_eq!(facts(&updated), expected);
    assert!(updated.removed.unwrap().get(Scope::Knowledge).is_some());
}

#[tokio::test]
async fn an_interaction_with_nothing_to_remember() {
    let updated = update(json!({"updated": true, "delta": {}})).await;
    assert!(updated.updated);
    assert!(updated.delta.unwrap().is_empty());
    assert_eq!(updated.outcome, None);
}

#[tokio::test]
async fn why_nothing_was_stored() {
    for (text, outcome) in [
        ("filtered", UpdateOutcome::Filtered),
        ("nothing_new", UpdateOutcome::NothingNew),
        ("refused", UpdateOutcome::Refused),
        ("postponed", UpdateOutcome::Other("postponed".into())),
    ] {
        let updated = update(json!({"updated": true, "delta": {}, "outcome": text})).await;
        assert_eq!(updated.outcome, Some(outcome));
    }
}

#[tokio::test]
async fn the_older_form_of_plain_strings() {
    let updated = update(json!({
        "updated": true,
        "delta": {
            "ongoing_tasks": ["ship the beta", "hire"],
            "communication_style": "be brief",
            "mood_ring": ["blue"],
        },
    }))
    .await;
    let expected = [
        ("ongoing_tasks", None, "ship the beta"),
        ("ongoing_tasks", None, "hire"),
        ("communication_style", None, "be brief"),
        ("mood_ring", None, "blue"),
    ];
    assert_eq!(facts(&updated), expected);
}

#[tokio::test]
async fn denied_scopes_known_and_unknown() {
    let updated = update(json!({
        "updated": true,
        "delta": {},
        "denied_scopes": ["relationships", "emotional_state"],
        "notice": "Not granted.",
    }))
    .await;
    let expected = [
        ScopeName::Known(Scope::Relationships),
        ScopeName::Other("emotional_state".to_owned()),
    ];
    assert_eq!(updated.denied_scopes.unwrap(), expected);
    assert_eq!(updated.notice.as_deref(), Some("Not granted."));
}

#[tokio::test]
async fn everything_denied_may_count_as_not_updated() {
    let updated = update(json!({
        "updated": false,
        "delta": {},
        "denied_scopes": ["goals"],
        "notice": "Not granted.",
    }))
    .await;
    assert!(!updated.updated);
    assert_eq!(updated.limit_reached, None);
}

#[tokio::test]
async fn a_quota_that_is_used_up() {
    let updated = update(json!({"updated": false, "limitReached": true})).await;
    assert!(!updated.updated);
    assert_eq!(updated.limit_reached, Some(true));
    assert_eq!(updated.delta, None);
}
