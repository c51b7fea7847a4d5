//! `Debug` ends up in logs, so it shows nothing about anybody.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use ctxmem_types::{
    Context, DeleteResponse, Delta, ErrorBody, Fact, FactSearchRequest, FactsResponse,
    GrantRequest, GrantResponse, Health, HistoryEntry, InjectRequest, InjectResponse, Redacted,
    RevokeResponse, SignInLinkRequest, SignInLinkResponse, UpdateRequest, UpdateResponse, UserId,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::canary;

fn hides<T: Debug>(value: &T) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!text.contains(canary::WORD), "{text}");
        assert!(!text.is_empty());
    }
}

fn hides_when_read<T: DeserializeOwned + Debug>(json: Value) {
    hides(&serde_json::from_value::<T>(json).unwrap());
}

#[test]
fn a_user_id_is_hidden() {
    hides(&UserId::new("canary").unwrap());
}

#[test]
fn a_fact_is_hidden() {
    hides(&Fact::plain("canary"));
    hides(&Redacted::from("canary"));
    hides_when_read::<Fact>(json!({"value": "canary", "source_type": "observed", "x": "canary"}));
    hides_when_read::<HistoryEntry>(json!("canary"));
    hides_when_read::<HistoryEntry>(json!({"canary": ["canary"]}));
}

#[test]
fn a_context_is_hidden() {
    let fact = json!({"value": "canary", "x": {"canary": "canary"}});
    hides_when_read::<Context>(json!({
        "userId": "canary",
        "communication_style": "canary",
        "ongoing_tasks": [fact, "canary"],
        "key_relationships": [fact, "canary"],
        "domain_expertise": [fact, "canary"],
        "raw_history": [fact, "canary", {"canary": "canary"}, ["canary"]],
        "preferences": {"canary": fact, "canary 2": "canary"},
        "general": {"canary": fact, "canary 2": "canary"},
        "emotional_state": {"recent_sentiment": "canary", "x": "canary"},
        "last_updated": "2026-03-01T09:30:00Z",
        "x": "canary",
    }));
}

#[test]
fn prompts_are_hidden() {
    hides_when_read::<InjectRequest>(json!({
        "userId": "canary",
        "basePrompt": "canary",
        "message": "canary",
        "x": "canary",
    }));
    hides_when_read::<InjectResponse>(json!({
        "injectedPrompt": "canary",
        "relevant": "canary",
        "cacheHint": {
            "recommended": true,
            "providerParam": {"prompt_cache_key": "canary"},
            "x": "canary",
        },
        "x": {"canary": "canary"},
    }));
}

#[test]
fn a_conversation_and_what_it_taught_are_hidden() {
    hides_when_read::<UpdateRequest>(json!({
        "userId": "canary",
        "userMessage": "canary",
        "agentResponse": "canary",
        "x": "canary",
    }));
    let delta = json!({
        "communication_style": "canary",
        "ongoing_tasks": ["canary", {"value": "canary", "source_type": "observed"}],
        "preferences": {"canary": "canary"},
        "raw_history": [{"canary": "canary"}, 7],
        "general": {"canary": {"canary": "canary"}},
    });
    hides_when_read::<Delta>(delta.clone());
    hides_when_read::<UpdateResponse>(json!({
        "updated": true,
        "delta": delta,
        "removed": delta,
        "evicted": delta,
        "x": "canary",
    }));
}

#[test]
fn a_fact_of_a_delta_is_hidden() {
    let delta: Delta = serde_json::from_value(json!({"general": {"canary": "canary"}})).unwrap();
    hides(&delta.facts().next().unwrap());
}

#[test]
fn a_fact_of_a_context_is_hidden() {
    let context: Context = serde_json::from_value(json!({
        "userId": "canary",
        "communication_style": "canary",
        "preferences": {"canary": "canary"},
        "raw_history": ["canary", {"canary": 7}],
    }))
    .unwrap();
    let facts: Vec<_> = context.facts().collect();
    assert_eq!(facts.len(), 3);
    hides(&facts);
}

#[test]
fn users_of_grants_are_hidden() {
    hides_when_read::<GrantRequest>(json!({
        "userId": "canary",
        "agentId": "a",
        "scopes": ["goals"],
        "x": "canary",
    }));
    let grant = json!({
        "id": "g",
        "user_id": "canary",
        "agent_id": "a",
        "scopes": ["goals"],
        "revoked": false,
        "x": "canary",
    });
    hides_when_read::<GrantResponse>(json!({"grant": grant, "x": ["canary"]}));
}

#[test]
fn who_signs_in_and_how_is_hidden() {
    hides_when_read::<SignInLinkRequest>(json!({"userId": "canary", "x": "canary"}));
    hides_when_read::<SignInLinkResponse>(json!({
        "url": "https://memory.example.com/sign-in?token=canary",
        "expiresAt": "2026-03-01T09:45:00.000Z",
        "x": "canary",
    }));
}

#[test]
fn unknown_fields_are_hidden_everywhere() {
    hides_when_read::<Health>(json!({"ok": true, "x": "canary"}));
    hides_when_read::<ErrorBody>(json!({"error": "e", "code": "NOT_FOUND", "x": "canary"}));
    hides_when_read::<DeleteResponse>(json!({"deleted": true, "x": "canary"}));
    hides_when_read::<FactSearchRequest>(json!({"query": "canary", "x": "canary"}));
    hides_when_read::<FactsResponse>(json!({
        "facts": [{
            "id": "0-1", "scope": "goals", "name": "canary", "value": "canary",
            "source_type": "observed", "storedAt": "2026-03-01T09:30:00Z", "canDelete": true,
            "x": "canary",
        }],
        "x": "canary",
    }));
    hides_when_read::<RevokeResponse>(json!({"revoked": true, "x": "canary"}));
}

#[test]
fn what_helps_to_find_a_fault_is_shown() {
    let response = json!({"injectedPrompt": "four", "reason": "no_grant", "notice": "No grant."});
    let response: InjectResponse = serde_json::from_value(response).unwrap();
    let text = format!("{response:?}");
    for part in ["injected_prompt_bytes: 4", "NoGrant", "No grant."] {
        assert!(text.contains(part), "{text}");
    }
}

/// Whether a type has `Display`.
struct Probe<T>(PhantomData<T>);

impl<T: Display> Probe<T> {
    const HAS_DISPLAY: bool = true;
}

trait Otherwise {
    const HAS_DISPLAY: bool = false;
}

impl<T> Otherwise for Probe<T> {}

/// A log line would show whose memory it is about.
#[test]
fn a_user_id_can_not_be_printed() {
    const { assert!(Probe::<String>::HAS_DISPLAY && !Probe::<UserId>::HAS_DISPLAY) };
    let user = UserId::new("canary").unwrap();
    assert!(!format!("{user:?}").contains("canary"));
}
