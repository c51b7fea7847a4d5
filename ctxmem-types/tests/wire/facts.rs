//! Single facts.

use ctxmem_types::{FactsResponse, Scope, SourceType};

use crate::golden;

#[test]
fn facts_have_ids_and_say_who_may_delete_them() {
    let listed: FactsResponse = golden::exact("facts/list.json");

    let [place, goal] = &*listed.facts else {
        panic!("{listed:?}");
    };
    assert_eq!(place.id, "3f2a9c0d1e4b5a6978c0d1e2-19ca7d51a80");
    assert_eq!(place.scope.scope(), Some(Scope::General));
    assert_eq!(place.name.as_deref(), Some("location"));
    assert_eq!(goal.name, None);
    assert_eq!(goal.source_type, SourceType::Edited);
    assert!(place.can_delete && !goal.can_delete);
}

#[test]
fn unknown_fields_scopes_and_sources_are_kept() {
    let listed: FactsResponse = golden::exact("facts/unknown_fields.json");

    assert!(listed.extra.keys().eq(["next"]));
    assert!(listed.facts[0].extra.keys().eq(["certainty"]));
    assert_eq!(listed.facts[0].scope.as_str(), "moods");
    assert_eq!(listed.facts[0].source_type.as_str(), "guessed");
}
