//! Update requests and responses, and the deltas in them.

use ctxmem_types::{
    Delta, DeltaValue, Fact, Scope, ScopeName, SourceType, UpdateOutcome, UpdateRequest,
    UpdateResponse, UserId,
};
use serde_json::json;

use crate::golden;

/// A fact's slice, name and value.
type Shown<'a> = (&'a str, Option<&'a str>, &'a str);

fn facts(delta: &Delta) -> Vec<Shown<'_>> {
    let facts = delta.facts();
    facts
        .map(|fact| (fact.storage_key, fact.name, fact.value))
        .collect()
}

fn delta_of(file: &str) -> Delta {
    let response: UpdateResponse = golden::exact(file);
    assert!(response.updated);
    response.delta.unwrap()
}

#[test]
fn a_request_holds_one_interaction() {
    let request: UpdateRequest = golden::exact("update/request.json");

    let user_id = UserId::new("5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11").unwrap();
    let message = "I moved to Lisbon and switched to Zed.";
    let expected = UpdateRequest::new(user_id, message, "Noted, enjoy the sun!");
    assert_eq!(request, expected);
}

#[test]
fn a_request_may_name_its_agent() {
    let request: UpdateRequest = golden::exact("update/request_with_agent.json");

    let agent = "0d6a4c0e-33f5-4a53-8a53-7f6f2f0f9b22";
    assert_eq!(request.agent_id.as_deref(), Some(agent));
}

#[test]
fn a_delta_holds_facts_with_their_source() {
    let delta = delta_of("update/facts.json");

    assert_eq!(
        facts(&delta),
        [
            ("ongoing_tasks", None, "Finding a flat in Lisbon"),
            ("domain_expertise", None, "Zed"),
            ("communication_style", None, "Answers in Portuguese"),
            ("preferences", Some("editor"), "Zed"),
            ("general", Some("location"), "Lisbon"),
        ]
    );
    let zed = DeltaValue::List(vec![Fact::new("Zed", SourceType::Observed)]);
    assert_eq!(delta.get(Scope::Knowledge), Some(&zed));
    assert_eq!(delta.get(Scope::History), None);
    assert!(!delta.is_empty());
}

#[test]
fn a_delta_may_hold_plain_strings_in_lists_by_name_or_alone() {
    let delta = delta_of("update/string_lists.json");
    let goals = ["Finding a flat", "Selling the car"].map(Fact::plain);
    let goals = DeltaValue::List(goals.to_vec());
    assert_eq!(delta.get(Scope::Goals), Some(&goals));
    let nobody = DeltaValue::List(Vec::new());
    assert_eq!(delta.get(Scope::Relationships), Some(&nobody));
    assert_eq!(delta.facts().count(), 3);

    let delta = delta_of("update/strings_by_name.json");
    let expected = [
        ("preferences", Some("editor"), "Zed"),
        ("preferences", Some("shell"), "fish"),
    ];
    assert_eq!(facts(&delta), expected);

    let delta = delta_of("update/plain_text.json");
    let style = DeltaValue::Text("No emoji".into());
    assert_eq!(delta.get(Scope::CommunicationStyle), Some(&style));
}

#[test]
fn a_delta_may_hold_anything() {
    let delta = delta_of("update/odd_slices.json");

    let history = DeltaValue::Other(json!([{"role": "user", "content": "hello"}, "plain"]));
    assert_eq!(delta.get(Scope::History), Some(&history));
    let editor = DeltaValue::Other(json!({"editor": {"from": "Vim", "to": "Zed"}}));
    assert_eq!(delta.get(Scope::Preferences), Some(&editor));
    assert_eq!(delta.0["mood"], DeltaValue::Other(json!(null)));
    assert_eq!(delta.0["score"], DeltaValue::Other(json!(0.25)));
    assert_eq!(delta.facts().count(), 0);
}

#[test]
fn a_delta_is_empty_when_nothing_is_new() {
    let delta = delta_of("update/nothing_new.json");

    assert!(delta.is_empty());
    assert_eq!(delta, Delta::default());
    let response: UpdateResponse = serde_json::from_value(json!({"updated": true})).unwrap();
    assert_eq!(response.outcome, None);
}

#[test]
fn an_outcome_says_why_nothing_was_stored() {
    for (file, outcome) in [
        ("update/filtered.json", UpdateOutcome::Filtered),
        ("update/known_already.json", UpdateOutcome::NothingNew),
        ("update/refused.json", UpdateOutcome::Refused),
        (
            "update/unknown_outcome.json",
            UpdateOutcome::Other("postponed".to_owned()),
        ),
    ] {
        let response: UpdateResponse = golden::exact(file);

        assert_eq!(response.notice.is_some(), outcome == UpdateOutcome::Refused);
        assert_eq!(response.outcome, Some(outcome), "{file}");
        assert!(response.updated && response.delta.unwrap().is_empty());
    }
}

#[test]
fn denied_scopes_come_with_a_notice() {
    let response: UpdateResponse = golden::exact("update/partly_denied.json");

    assert!(!response.delta.unwrap().is_empty());
    let denied = vec![Scope::Goals.into(), Scope::Relationships.into()];
    assert_eq!(response.denied_scopes, Some(denied));
    assert!(response.notice.is_some());
}

#[test]
fn everything_may_be_denied() {
    for (file, updated) in [
        ("update/all_denied.json", true),
        ("update/all_denied_and_not_updated.json", false),
    ] {
        let response: UpdateResponse = golden::exact(file);

        assert_eq!(response.updated, updated, "{file}");
        assert!(response.delta.unwrap().is_empty(), "{file}");
        assert_eq!(response.denied_scopes.unwrap().len(), 1, "{file}");
        assert_eq!(response.limit_reached, None, "{file}");
    }
}

#[test]
fn denied_scopes_that_are_unknown_are_kept() {
    let response: UpdateResponse = golden::exact("update/unknown_denied_scopes.json");

    let denied = response.denied_scopes.unwrap();
    assert_eq!(denied[0], ScopeName::Other("emotional_state".to_owned()));
    let scopes: Vec<_> = denied.iter().map(ScopeName::scope).collect();
    assert_eq!(scopes, [None, Some(Scope::Goals), Some(Scope::Knowledge)]);
}

#[test]
fn a_used_up_quota_is_told_without_a_delta() {
    let response: UpdateResponse = golden::exact("update/limit_reached.json");

    let mut limit_reached = UpdateResponse::default();
    limit_reached.limit_reached = Some(true);
    assert_eq!(response, limit_reached);
    assert!(!response.updated);
}

#[test]
fn what_was_removed_has_the_shape_of_a_delta() {
    let response: UpdateResponse = golden::exact("update/removed.json");

    let expected = [
        ("preferences", Some("shell"), "fish"),
        ("domain_expertise", None, "Vim script"),
    ];
    assert_eq!(facts(&response.removed.unwrap()), expected);
}

#[test]
fn unknown_fields_are_kept() {
    let request: UpdateRequest = golden::exact("update/request_with_unknown_fields.json");
    assert_eq!((&*request.user_message, &*request.agent_response), ("", ""));
    assert!(request.extra.keys().eq(["conversationId", "turn"]));
    let response: UpdateResponse = golden::exact("update/unknown_fields.json");

    assert_eq!(response.extra["usage"]["tokens"], 512);
}
