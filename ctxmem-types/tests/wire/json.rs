//! Errors about JSON of the wrong shape say where, what was expected and what was found.

use std::fmt::Debug;

use ctxmem_types::{
    Context, DeleteResponse, Delta, ErrorBody, Fact, FactRecord, FactSearchRequest, FactsResponse,
    GrantRequest, GrantResponse, Health, InjectRequest, InjectResponse, JsonError, RevokeResponse,
    ScopeSet, UpdateRequest, UpdateResponse, json,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// One JSON value of each kind, with its name in errors.
const KINDS: [(&str, &str); 8] = [
    ("null", "null"),
    ("true", "a boolean"),
    ("7", "a number"),
    ("-7", "a number"),
    ("7.5", "a number"),
    (r#""canary""#, "a string"),
    (r#"["canary"]"#, "a list"),
    (r#"{"canary": "canary"}"#, "an object"),
];

/// What a field accepts.
enum Expects {
    Text,
    OptionalText,
    Bool,
    OptionalBool,
    List,
    OptionalList,
    Object,
    OptionalObject,
    Fact,
}

use Expects::{Bool, List, Object, OptionalBool, OptionalList, OptionalObject, OptionalText, Text};

impl Expects {
    /// Its description in errors, and the kinds that it accepts.
    fn wording(&self) -> (&'static str, &'static [&'static str]) {
        match self {
            Text => ("a string", &["a string"]),
            OptionalText => ("a string", &["a string", "null"]),
            Bool => ("true or false", &["a boolean"]),
            OptionalBool => ("true or false", &["a boolean", "null"]),
            List => ("a list", &["a list"]),
            OptionalList => ("a list", &["a list", "null"]),
            Object => ("an object", &["an object"]),
            OptionalObject => ("an object", &["an object", "null"]),
            Self::Fact => (
                "a fact: a string, or an object with `value` and `source_type`",
                &["a string", "an object"],
            ),
        }
    }
}

pub(crate) fn error_of<T: DeserializeOwned + Debug>(bytes: impl AsRef<[u8]>) -> JsonError {
    json::from_slice::<T>(bytes.as_ref()).unwrap_err()
}

pub(crate) fn message_of<T: DeserializeOwned + Debug>(json: &Value) -> String {
    error_of::<T>(json.to_string()).to_string()
}

/// The JSON pointer for a path in an error, such as `scopes[1]`.
fn pointer(place: &str) -> String {
    format!("/{}", place.replace(['.', '['], "/").replace(']', ""))
}

/// Puts each kind of JSON in each place of a valid document.
fn names_place_and_kinds<T: DeserializeOwned + Debug>(valid: &Value, places: &[(&str, Expects)]) {
    json::from_slice::<T>(valid.to_string().as_bytes()).unwrap();
    for (place, expects) in places {
        let (expected, accepted) = expects.wording();
        for (json, found) in KINDS {
            if accepted.contains(&found) {
                continue;
            }
            let mut wrong = valid.clone();
            *wrong.pointer_mut(&pointer(place)).unwrap() = serde_json::from_str(json).unwrap();
            assert_eq!(
                message_of::<T>(&wrong),
                format!("{place}: expected {expected}, found {found}")
            );
        }
    }
}

/// Removes each of the fields from a valid document.
fn requires<T: DeserializeOwned + Debug>(valid: &Value, places: &[&str]) {
    for place in places {
        let mut lacking = valid.clone();
        let (parent, field) = place.rsplit_once('.').unwrap_or(("", place));
        let parent = if parent.is_empty() {
            String::new()
        } else {
            pointer(parent)
        };
        let parent = lacking
            .pointer_mut(&parent)
            .unwrap()
            .as_object_mut()
            .unwrap();
        assert!(parent.remove(field).is_some(), "{place}");
        assert_eq!(
            message_of::<T>(&lacking),
            format!("{place}: a required field is missing")
        );
    }
}

#[test]
fn an_inject_request_is_explained() {
    let valid = json!({"userId": "u", "basePrompt": "p", "agentId": "a", "message": "m"});
    names_place_and_kinds::<InjectRequest>(
        &valid,
        &[
            ("userId", Text),
            ("basePrompt", Text),
            ("agentId", OptionalText),
            ("message", OptionalText),
        ],
    );
    requires::<InjectRequest>(&valid, &["userId", "basePrompt"]);
}

#[test]
fn an_update_request_is_explained() {
    let valid = json!({
        "userId": "u",
        "userMessage": "m",
        "agentResponse": "r",
        "agentId": "a",
        "at": "2026-03-01T09:30:00Z",
    });
    names_place_and_kinds::<UpdateRequest>(
        &valid,
        &[
            ("userId", Text),
            ("userMessage", Text),
            ("agentResponse", Text),
            ("agentId", OptionalText),
            ("at", OptionalText),
        ],
    );
    requires::<UpdateRequest>(&valid, &["userId", "userMessage", "agentResponse"]);
}

#[test]
fn a_search_is_explained() {
    let valid = json!({"query": "q", "limit": 5});
    names_place_and_kinds::<FactSearchRequest>(&valid, &[("query", Text)]);
    requires::<FactSearchRequest>(&valid, &["query"]);
    for (limit, found) in [(json!("canary"), ", found a string"), (json!(-1), "")] {
        let body = json!({"query": "q", "limit": limit}).to_string();
        let error = json::from_slice::<FactSearchRequest>(body.as_bytes()).unwrap_err();
        let expected = format!("limit: expected a positive whole number{found}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_grant_request_is_explained() {
    let valid = json!({
        "userId": "u",
        "agentId": "a",
        "scopes": ["goals", "general"],
        "expiresAt": "2026-03-01T09:30:00Z",
    });
    names_place_and_kinds::<GrantRequest>(
        &valid,
        &[
            ("userId", Text),
            ("agentId", Text),
            ("scopes", List),
            ("scopes[0]", Text),
            ("scopes[1]", Text),
            ("expiresAt", OptionalText),
        ],
    );
    requires::<GrantRequest>(&valid, &["userId", "agentId", "scopes"]);
}

#[test]
fn a_context_is_explained() {
    let valid = json!({
        "userId": "u",
        "communication_style": "",
        "ongoing_tasks": ["t", {"value": "t", "source_type": "observed"}],
        "key_relationships": ["r"],
        "domain_expertise": ["e"],
        "raw_history": [],
        "preferences": {},
        "general": {},
        "emotional_state": {"recent_sentiment": "calm"},
        "last_updated": "2026-03-01T09:30:00Z",
    });
    names_place_and_kinds::<Context>(
        &valid,
        &[
            ("userId", Text),
            ("communication_style", Text),
            ("ongoing_tasks", List),
            ("ongoing_tasks[0]", Expects::Fact),
            ("ongoing_tasks[1].value", Text),
            ("ongoing_tasks[1].source_type", OptionalText),
            ("key_relationships", List),
            ("key_relationships[0]", Expects::Fact),
            ("domain_expertise", List),
            ("domain_expertise[0]", Expects::Fact),
            ("raw_history", OptionalList),
            ("preferences", Object),
            ("general", OptionalObject),
            ("emotional_state", OptionalObject),
            ("emotional_state.recent_sentiment", OptionalText),
            ("last_updated", OptionalText),
        ],
    );
    requires::<Context>(&valid, &["userId", "ongoing_tasks[1].value"]);
}

#[test]
fn an_inject_response_is_explained() {
    let valid = json!({
        "injectedPrompt": "p",
        "cacheHint": {
            "recommended": true,
            "retention": "24h",
            "reason": "r",
            "providerParam": {},
        },
        "reason": "no_grant",
        "notice": "n",
        "seeded": true,
        "relevant": "r",
    });
    names_place_and_kinds::<InjectResponse>(
        &valid,
        &[
            ("injectedPrompt", Text),
            ("cacheHint", OptionalObject),
            ("cacheHint.recommended", Bool),
            ("cacheHint.retention", OptionalText),
            ("cacheHint.reason", OptionalText),
            ("cacheHint.providerParam", OptionalObject),
            ("reason", OptionalText),
            ("notice", OptionalText),
            ("seeded", OptionalBool),
            ("relevant", OptionalText),
        ],
    );
    requires::<InjectResponse>(&valid, &["injectedPrompt", "cacheHint.recommended"]);
}

#[test]
fn an_update_response_is_explained() {
    let valid = json!({
        "updated": true,
        "delta": {},
        "removed": {},
        "evicted": {},
        "denied_scopes": ["goals"],
        "outcome": "filtered",
        "notice": "n",
        "limitReached": true,
    });
    names_place_and_kinds::<UpdateResponse>(
        &valid,
        &[
            ("updated", Bool),
            ("delta", OptionalObject),
            ("removed", OptionalObject),
            ("evicted", OptionalObject),
            ("denied_scopes", OptionalList),
            ("denied_scopes[0]", Text),
            ("outcome", OptionalText),
            ("notice", OptionalText),
            ("limitReached", OptionalBool),
        ],
    );
    requires::<UpdateResponse>(&valid, &["updated"]);
}

#[test]
fn a_grant_is_explained() {
    let grant = json!({
        "id": "g",
        "user_id": "u",
        "agent_id": "a",
        "scopes": ["goals"],
        "expires_at": "2026-03-01T09:30:00Z",
        "revoked": false,
    });
    let valid = json!({"grant": grant});
    names_place_and_kinds::<GrantResponse>(
        &valid,
        &[
            ("grant", Object),
            ("grant.id", Text),
            ("grant.user_id", Text),
            ("grant.agent_id", Text),
            ("grant.scopes", List),
            ("grant.scopes[0]", Text),
            ("grant.expires_at", OptionalText),
            ("grant.revoked", Bool),
        ],
    );
    requires::<GrantResponse>(
        &valid,
        &[
            "grant",
            "grant.id",
            "grant.user_id",
            "grant.agent_id",
            "grant.scopes",
            "grant.revoked",
        ],
    );
}

#[test]
fn the_smaller_responses_are_explained() {
    let revoked = json!({"revoked": true});
    names_place_and_kinds::<RevokeResponse>(&revoked, &[("revoked", Bool)]);
    requires::<RevokeResponse>(&revoked, &["revoked"]);

    let deleted = json!({"deleted": true});
    names_place_and_kinds::<DeleteResponse>(&deleted, &[("deleted", Bool)]);
    requires::<DeleteResponse>(&deleted, &["deleted"]);

    let fact = json!({
        "id": "0-1", "scope": "goals", "value": "v", "source_type": "observed",
        "storedAt": "2026-03-01T09:30:00Z", "canDelete": true,
    });
    names_place_and_kinds::<FactRecord>(
        &fact,
        &[
            ("id", Text),
            ("scope", Text),
            ("value", Text),
            ("canDelete", Bool),
        ],
    );
    requires::<FactRecord>(
        &fact,
        &[
            "id",
            "scope",
            "value",
            "source_type",
            "storedAt",
            "canDelete",
        ],
    );
    requires::<FactsResponse>(&json!({"facts": [fact]}), &["facts"]);

    let error = json!({"error": "e", "code": "NOT_FOUND"});
    names_place_and_kinds::<ErrorBody>(&error, &[("error", Text), ("code", Text)]);
    requires::<ErrorBody>(&error, &["error", "code"]);

    let health =
        json!({"status": "ok", "checks": {}, "timestamp": "2026-03-01T09:30:00Z", "ok": true});
    names_place_and_kinds::<Health>(
        &health,
        &[
            ("status", OptionalText),
            ("checks", OptionalObject),
            ("timestamp", OptionalText),
            ("ok", OptionalBool),
        ],
    );
}

#[test]
fn a_document_of_another_kind_is_explained() {
    for (json, found) in KINDS {
        if found == "an object" {
            continue;
        }
        let expected = format!("body: expected an object, found {found}");
        assert_eq!(error_of::<InjectRequest>(json).to_string(), expected);
        assert_eq!(error_of::<Context>(json).to_string(), expected);
        assert_eq!(error_of::<Delta>(json).to_string(), expected);
    }
    assert_eq!(
        error_of::<Fact>("{}").to_string(),
        "value: a required field is missing"
    );
    assert_eq!(
        error_of::<ScopeSet>("7").to_string(),
        "body: expected a list, found a number"
    );
}

#[test]
fn the_checks_of_a_value_are_explained() {
    assert_eq!(
        message_of::<InjectRequest>(&json!({"userId": "..", "basePrompt": ""})),
        "userId: expected 1 to 256 bytes of text without NUL, other than `.` and `..`"
    );
    let expires = json!({"userId": "u", "agentId": "a", "scopes": [], "expiresAt": "tomorrow"});
    assert_eq!(
        message_of::<GrantRequest>(&expires),
        "expiresAt: expected an ISO 8601 timestamp such as 2026-03-01T09:30:00Z"
    );
    assert_eq!(
        message_of::<ScopeSet>(&json!(["mood"])),
        "body: expected one of general,communication_style,preferences,knowledge,relationships,history,goals"
    );
}

#[test]
fn a_field_that_is_there_twice_is_refused() {
    for (json, field) in [
        (
            r#"{"userId": "a", "basePrompt": "p", "userId": "b"}"#,
            "userId",
        ),
        (
            r#"{"userId": "a", "basePrompt": "p", "basePrompt": "p"}"#,
            "basePrompt",
        ),
        (r#"{"agentId": "a", "agentId": null}"#, "agentId"),
    ] {
        assert_eq!(
            error_of::<InjectRequest>(json).to_string(),
            format!("{field}: the field is there twice")
        );
    }
    assert_eq!(
        error_of::<Context>(r#"{"userId": "u", "general": {"a": {"value": "a", "value": "b"}}}"#)
            .to_string(),
        "general.*.value: the field is there twice"
    );
    let both_names = r#"{"injectedPrompt": "p", "cacheHint":
        {"recommended": true, "providerParam": {}, "openaiParam": {}}}"#;
    assert_eq!(
        error_of::<InjectResponse>(both_names).to_string(),
        "cacheHint.providerParam: the field is there twice"
    );
}

#[test]
fn of_an_unknown_field_that_is_there_twice_the_last_counts() {
    let json = br#"{"userId": "u", "basePrompt": "p", "x": 1, "x": 2}"#;
    let request: InjectRequest = json::from_slice(json).unwrap();
    assert_eq!(request.extra["x"], 2);
    assert_eq!(request.extra.len(), 1);
}
