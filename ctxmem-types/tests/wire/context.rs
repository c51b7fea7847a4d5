//! Contexts, and the answer to their deletion.

use ctxmem_types::{
    Context, DeleteResponse, Fact, HistoryEntry, Scope, SliceKind, SourceType, UserId,
};
use serde_json::json;

use crate::golden;

fn primary() -> Context {
    golden::exact("context/primary.json")
}

fn values(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(|fact| &*fact.value).collect()
}

#[test]
fn the_primary_form_holds_facts_with_their_source() {
    let context = primary();

    assert_eq!(context.communication_style, "Short answers; code first");
    let task = Fact::new("Moving the billing service to Rust", SourceType::Observed);
    assert_eq!(context.ongoing_tasks[0], task);
    let mira = "Mira leads the platform team";
    assert_eq!(values(&context.key_relationships), [mira]);
    let source = &context.domain_expertise[1].source_type;
    assert_eq!(*source, Some(SourceType::Edited));
    assert_eq!(context.raw_history, Some(Vec::new()));
    assert!(context.preferences.keys().eq(["editor", "deploy_target"]));
    let general = context.general.as_ref().unwrap();
    assert_eq!(general["location"].value, "Zürich");
    let last = context.last_updated.as_ref().unwrap();
    assert_eq!(last.as_str(), "2026-03-01T09:30:00.000Z");
    assert_eq!(context.emotional_state, None);
    assert!(context.extra.is_empty());
    assert!(!context.is_empty());
}

#[test]
fn facts_are_listed_whatever_slice_they_are_in() {
    let context = primary();
    let facts: Vec<_> = context.facts().collect();
    assert_eq!(facts.len(), 10);
    let of = |scope: Scope| {
        let facts = facts.iter().filter(move |fact| fact.scope == scope);
        let facts = facts.map(|fact| (fact.name, fact.value));
        facts.collect::<Vec<_>>()
    };
    let editor = [(Some("editor"), "Helix"), (Some("deploy_target"), "Fly.io")];
    assert_eq!(of(Scope::Preferences), editor);
    assert_eq!(of(Scope::Knowledge), [(None, "Rust"), (None, "PostgreSQL")]);
    let style = "Short answers; code first";
    assert_eq!(of(Scope::CommunicationStyle), [(None, style)]);
    assert_eq!(of(Scope::History), []);
    let edited = facts.iter().find(|fact| fact.value == "PostgreSQL");
    let source = edited.unwrap().source_type;
    assert_eq!(source, Some(&SourceType::Edited));
    assert!(!format!("{facts:?}").contains("Helix"));
}

#[test]
fn an_empty_context_has_all_slices() {
    let context: Context = golden::exact("context/empty.json");

    let last_updated = context.last_updated.clone().unwrap();
    let empty = Context::empty(context.user_id.clone(), last_updated);
    assert_eq!(context, empty);
    assert!(context.is_empty());
}

#[test]
fn history_may_be_facts() {
    let context: Context = golden::exact("context/history_of_facts.json");

    let history = context.raw_history.as_deref().unwrap();
    let shipped = Fact::new("Shipped v1 in May", SourceType::Imported);
    assert_eq!(history[1].fact(), Some(&shipped));
    assert!(!context.is_empty());
}

#[test]
fn history_may_be_anything() {
    let context: Context = golden::exact("context/odd_history.json");

    let history = context.raw_history.unwrap();
    let facts: Vec<_> = history.iter().filter_map(HistoryEntry::fact).collect();
    let sold = Fact::new("Sold the car", SourceType::Observed);
    assert_eq!(facts, [&Fact::plain("Moved to Lisbon"), &sold]);
    assert_eq!(
        history[2],
        HistoryEntry::Other(json!({"role": "user", "content": "hello"}))
    );
    assert_eq!(history[3], HistoryEntry::Other(json!({"value": 7})));
    assert_eq!(history[8], HistoryEntry::Other(json!(null)));
}

#[test]
fn older_deployments_have_plain_strings_and_an_emotional_state() {
    let context: Context = golden::exact("context/plain_strings.json");

    assert_eq!(context.user_id, UserId::new("user-42").unwrap());
    assert_eq!(context.ongoing_tasks, [Fact::plain("Ship the beta")]);
    assert_eq!(values(&context.domain_expertise), ["Go", "Kubernetes"]);
    assert_eq!(context.preferences["shell"], Fact::plain("fish"));
    assert_eq!(context.raw_history, None);
    assert_eq!(context.general, None);
    let sentiment = context.emotional_state.unwrap().recent_sentiment;
    assert_eq!(sentiment, Some("hopeful".into()));
}

#[test]
fn unknown_fields_are_kept_at_every_level() {
    let context: Context = golden::exact("context/unknown_fields.json");

    assert!(context.extra.keys().eq(["version", "embedding", "nested"]));
    assert_eq!(context.ongoing_tasks[0].extra["seen"]["times"], 3);
    let editor = &context.preferences["editor"];
    assert_eq!((&*editor.value, &editor.source_type), ("Emacs", &None));
    assert_eq!(editor.extra["since"], 2019);
    let state = context.emotional_state.unwrap();
    assert_eq!(state.extra["trend"], json!(["up", "up"]));
}

#[test]
fn unknown_source_types_are_kept() {
    let context: Context = golden::exact("context/unknown_source_types.json");

    let source = |n: usize| context.ongoing_tasks[n].source_type.clone().unwrap();
    assert_eq!(source(0), SourceType::Other("inferred".to_owned()));
    assert_eq!(source(1), SourceType::Demo);
    assert_eq!(source(2).as_str(), "");
}

#[test]
fn slices_that_are_absent_are_empty() {
    let context: Context = golden::rewritten("context/only_user_id.json");

    assert!(context.is_empty());
    assert_eq!(context.last_updated, None);
}

#[test]
fn a_fact_without_a_source_is_written_as_plain_text() {
    let context: Context = golden::rewritten("context/values_without_source_type.json");

    assert_eq!(values(&context.ongoing_tasks), ["Ship the beta", "Hire"]);
}

#[test]
fn order_does_not_matter_and_null_is_absent() {
    let context: Context = golden::rewritten("context/other_order_and_nulls.json");

    assert_eq!(context.user_id.as_str(), "user-42");
    assert_eq!(context.raw_history, None);
    assert_eq!(context.general, None);
    assert_eq!(context.emotional_state, None);
    assert_eq!(context.extra["region"], "eu");
}

#[test]
fn one_fact_in_any_slice_makes_a_context_not_empty() {
    for scope in Scope::ALL {
        let mut context = json!({"userId": "u", "raw_history": [], "general": {}});
        context[scope.storage_key()] = match scope.kind() {
            SliceKind::Text => json!("fact"),
            SliceKind::List => json!(["fact"]),
            SliceKind::Map => json!({"name": "fact"}),
        };
        let context: Context = serde_json::from_value(context).unwrap();
        assert!(!context.is_empty(), "{scope}");
    }
}

#[test]
fn a_deletion_is_confirmed() {
    let response: DeleteResponse = golden::exact("context/deleted.json");

    assert!(response.deleted);
    assert!(response.extra.is_empty());
    let response: DeleteResponse = golden::exact("context/deleted_with_unknown_fields.json");
    assert!(response.extra.keys().eq(["facts", "grants"]));
}
