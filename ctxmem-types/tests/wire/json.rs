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

/// Puts each kind of JSON in each place of a valid document, and removes each required field from it. Places that
/// accept the same stand together.
#[track_caller]
fn is_explained<T: DeserializeOwned + Debug>(
    valid: &Value,
    places: &[(Expects, &str)],
    required: &str,
) {
    let of = std::any::type_name::<T>();
    let read = json::from_slice::<T>(valid.to_string().as_bytes());
    assert!(read.is_ok(), "{of}: {read:?}");
    for (expects, places) in places {
        let (expected, accepted) = expects.wording();
        let refused = KINDS.iter().filter(|(_, kind)| !accepted.contains(kind));
        for (json, found) in refused {
            for place in places.split(' ') {
                let mut wrong = valid.clone();
                let at = pointer(place);
                assert!(wrong.pointer(&at).is_some(), "{of} has no {place}");
                *wrong.pointer_mut(&at).unwrap() = serde_json::from_str(json).unwrap();
                let expected = format!("{place}: expected {expected}, found {found}");
                assert_eq!(message_of::<T>(&wrong), expected, "{of}");
            }
        }
    }
    for place in required.split_whitespace() {
        let mut lacking = valid.clone();
        let (parent, field) = place.rsplit_once('.').unwrap_or(("", place));
        let parent = match parent {
            "" => Some(&mut lacking),
            parent => lacking.pointer_mut(&pointer(parent)),
        };
        let parent = parent.unwrap().as_object_mut().unwrap();
        assert!(parent.remove(field).is_some(), "{of}: {place}");
        let expected = format!("{place}: a required field is missing");
        assert_eq!(message_of::<T>(&lacking), expected, "{of}");
    }
}

#[test]
fn requests_are_explained() {
    is_explained::<InjectRequest>(
        &json!({"userId": "u", "basePrompt": "p", "agentId": "a", "message": "m"}),
        &[
            (Text, "userId basePrompt"),
            (OptionalText, "agentId message"),
        ],
        "userId basePrompt",
    );
    is_explained::<UpdateRequest>(
        &json!({
            "userId": "u",
            "userMessage": "m",
            "agentResponse": "r",
            "agentId": "a",
            "at": "2026-03-01T09:30:00Z",
        }),
        &[
            (Text, "userId userMessage agentResponse"),
            (OptionalText, "agentId at"),
        ],
        "userId userMessage agentResponse",
    );
    is_explained::<GrantRequest>(
        &json!({
            "userId": "u",
            "agentId": "a",
            "scopes": ["goals", "general"],
            "expiresAt": "2026-03-01T09:30:00Z",
        }),
        &[
            (Text, "userId agentId scopes[0] scopes[1]"),
            (List, "scopes"),
            (OptionalText, "expiresAt"),
        ],
        "userId agentId scopes",
    );
}

#[test]
fn a_search_is_explained() {
    let valid = json!({"query": "q", "limit": 5});
    is_explained::<FactSearchRequest>(&valid, &[(Text, "query")], "query");
    for (limit, found) in [(json!("canary"), ", found a string"), (json!(-1), "")] {
        let message = message_of::<FactSearchRequest>(&json!({"query": "q", "limit": limit}));
        let expected = format!("limit: expected a positive whole number{found}");
        assert_eq!(message, expected);
    }
}

#[test]
fn a_context_is_explained() {
    is_explained::<Context>(
        &json!({
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
        }),
        &[
            (Text, "userId communication_style ongoing_tasks[1].value"),
            (OptionalText, "ongoing_tasks[1].source_type last_updated"),
            (OptionalText, "emotional_state.recent_sentiment"),
            (List, "ongoing_tasks key_relationships domain_expertise"),
            (OptionalList, "raw_history"),
            (Expects::Fact, "ongoing_tasks[0] key_relationships[0]"),
            (Expects::Fact, "domain_expertise[0]"),
            (Object, "preferences"),
            (OptionalObject, "general emotional_state"),
        ],
        "userId ongoing_tasks[1].value",
    );
}

#[test]
fn answers_are_explained() {
    is_explained::<InjectResponse>(
        &json!({
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
        }),
        &[
            (Text, "injectedPrompt"),
            (OptionalText, "cacheHint.retention cacheHint.reason"),
            (OptionalText, "reason notice relevant"),
            (Bool, "cacheHint.recommended"),
            (OptionalBool, "seeded"),
            (OptionalObject, "cacheHint cacheHint.providerParam"),
        ],
        "injectedPrompt cacheHint.recommended",
    );
    is_explained::<UpdateResponse>(
        &json!({
            "updated": true,
            "delta": {},
            "removed": {},
            "evicted": {},
            "denied_scopes": ["goals"],
            "outcome": "filtered",
            "notice": "n",
            "limitReached": true,
        }),
        &[
            (Bool, "updated"),
            (OptionalBool, "limitReached"),
            (OptionalObject, "delta removed evicted"),
            (OptionalList, "denied_scopes"),
            (Text, "denied_scopes[0]"),
            (OptionalText, "outcome notice"),
        ],
        "updated",
    );
    let grant = json!({
        "id": "g",
        "user_id": "u",
        "agent_id": "a",
        "scopes": ["goals"],
        "expires_at": "2026-03-01T09:30:00Z",
        "revoked": false,
    });
    is_explained::<GrantResponse>(
        &json!({"grant": grant}),
        &[
            (Object, "grant"),
            (Text, "grant.id grant.user_id grant.agent_id"),
            (List, "grant.scopes"),
            (Text, "grant.scopes[0]"),
            (OptionalText, "grant.expires_at"),
            (Bool, "grant.revoked"),
        ],
        "grant grant.id grant.user_id grant.agent_id grant.scopes grant.revoked",
    );
}

#[test]
fn the_smaller_responses_are_explained() {
    let revoked = json!({"revoked": true});
    is_explained::<RevokeResponse>(&revoked, &[(Bool, "revoked")], "revoked");
    let deleted = json!({"deleted": true});
    is_explained::<DeleteResponse>(&deleted, &[(Bool, "deleted")], "deleted");
    let fact = json!({
        "id": "0-1", "scope": "goals", "value": "v", "source_type": "observed",
        "storedAt": "2026-03-01T09:30:00Z", "canDelete": true,
    });
    is_explained::<FactRecord>(
        &fact,
        &[(Text, "id scope value"), (Bool, "canDelete")],
        "id scope value source_type storedAt canDelete",
    );
    is_explained::<FactsResponse>(&json!({"facts": [fact]}), &[], "facts");
    let error = json!({"error": "e", "code": "NOT_FOUND"});
    is_explained::<ErrorBody>(&error, &[(Text, "error code")], "error code");
    is_explained::<Health>(
        &json!({"status": "ok", "checks": {}, "timestamp": "2026-03-01T09:30:00Z", "ok": true}),
        &[
            (OptionalText, "status timestamp"),
            (OptionalObject, "checks"),
            (OptionalBool, "ok"),
        ],
        "",
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
