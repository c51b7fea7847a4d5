//! Stored contexts in the forms of all deployments.

use ctxmem_client::types::SourceType;
use ctxmem_client::{Context, ErrorCode, UserId};
use serde_json::{Value, json};

use crate::support::{Deployment, USER, json as answer, ok, user};

async fn context(body: Value) -> Context {
    let path = format!("/api/context/{USER}");
    let deployment = Deployment::answering("GET", &path, ok(&body)).await;
    let context = deployment.client().context(&user()).await.unwrap();
    assert_eq!(deployment.body().await, "");
    assert_eq!(serde_json::to_value(&context).unwrap(), body);
    context
}

#[tokio::test]
async fn the_primary_form() {
    let context = context(json!({
        "userId": USER,
        "communication_style": "be brief",
        "ongoing_tasks": [{"value": "ship the beta", "source_type": "observed"}],
        "key_relationships": [{"value": "Ana leads the team", "source_type": "observed"}],
        "domain_expertise": [{"value": "Rust", "source_type": "observed"}],
        "raw_history": [{"value": "chose Postgres", "source_type": "observed"}],
        "preferences": {"editor": {"value": "Helix", "source_type": "edited"}},
        "general": {"location": {"value": "Porto", "source_type": "observed"}},
        "last_updated": "2026-03-01T09:30:00.000Z",
    }))
    .await;
    assert_eq!(context.communication_style, "be brief");
    let editor = &context.preferences["editor"];
    assert_eq!(editor.source_type, Some(SourceType::Edited));
    assert_eq!(context.general.unwrap()["location"].value, "Porto");
    let last = context.last_updated.unwrap();
    assert_eq!(last.as_str(), "2026-03-01T09:30:00.000Z");
}

#[tokio::test]
async fn nothing_stored_yet() {
    let context = context(json!({
        "userId": USER,
        "communication_style": "",
        "ongoing_tasks": [],
        "key_relationships": [],
        "domain_expertise": [],
        "raw_history": [],
        "preferences": {},
        "general": {},
        "last_updated": "2026-03-01T09:30:00.000Z",
    }))
    .await;
    assert!(context.is_empty());
}

#[tokio::test]
async fn the_older_form_of_plain_strings() {
    let context = context(json!({
        "userId": USER,
        "communication_style": "be brief",
        "ongoing_tasks": ["ship the beta"],
        "key_relationships": ["Ana leads the team"],
        "domain_expertise": ["Rust"],
        "preferences": {"editor": "Helix"},
        "emotional_state": {"recent_sentiment": "cheerful"},
        "last_updated": "2026-03-01T09:30:00Z",
    }))
    .await;
    assert_eq!(context.ongoing_tasks[0].value, "ship the beta");
    assert_eq!(context.preferences["editor"].value, "Helix");
    assert_eq!(context.raw_history, None);
    assert_eq!(context.general, None);
    let sentiment = context.emotional_state.unwrap().recent_sentiment.unwrap();
    assert_eq!(sentiment, "cheerful");
}

#[tokio::test]
async fn other_ids_other_history_and_unknown_fields() {
    let body = json!({
        "userId": "alice@example.com",
        "communication_style": "",
        "ongoing_tasks": [],
        "key_relationships": [],
        "domain_expertise": [],
        "raw_history": [{"turn": 1}, "chose Postgres"],
        "preferences": {},
        "mood": "blue",
    });
    let path = "/api/context/alice%40example.com";
    let deployment = Deployment::answering("GET", path, ok(&body)).await;
    let id = UserId::new("alice@example.com").unwrap();
    let context = deployment.client().context(&id).await.unwrap();
    assert_eq!(serde_json::to_value(&context).unwrap(), body);
}

#[tokio::test]
async fn a_missing_context_may_be_not_found() {
    let path = format!("/api/context/{USER}");
    let body = json!({"error": "No context.", "code": "NOT_FOUND"});
    let deployment = Deployment::answering("GET", &path, answer(404, &body)).await;
    let error = deployment.client().context(&user()).await.unwrap_err();
    assert_eq!(error.status(), Some(404));
    assert_eq!(error.code(), Some(&ErrorCode::NotFound));
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn deleting_everything() {
    let path = format!("/api/context/{USER}");
    let body = json!({"deleted": true});
    let deployment = Deployment::answering("DELETE", &path, ok(&body)).await;
    let deleted = deployment.client().delete_context(&user()).await.unwrap();
    assert!(deleted.deleted);
    let sent = ("DELETE".to_owned(), path, String::new());
    assert_eq!(deployment.sent().await, sent);
}

#[tokio::test]
async fn deleting_without_a_grant() {
    let path = format!("/api/context/{USER}");
    let body = json!({"error": "No active grant.", "code": "FORBIDDEN"});
    let deployment = Deployment::answering("DELETE", &path, answer(403, &body)).await;
    let error = deployment.client().delete_context(&user()).await;
    let error = error.unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::Forbidden));
}
