//! Scopes, their names, and sets of them.

use ctxmem_types::{Scope, ScopeName, ScopeSet, SliceKind, UnknownScope};
use proptest::prelude::*;

use crate::arbitrary::{scope, scope_set};

/// In the order of `Scope::ALL`: scope, name, storage key, kind, stored bit.
const TABLE: [(Scope, &str, &str, SliceKind, u8); 7] = {
    use Scope::{
        CommunicationStyle, General, Goals, History, Knowledge, Preferences, Relationships,
    };
    use SliceKind::{List, Map, Text};
    [
        (General, "general", "general", Map, 1),
        (
            CommunicationStyle,
            "communication_style",
            "communication_style",
            Text,
            2,
        ),
        (Preferences, "preferences", "preferences", Map, 4),
        (Knowledge, "knowledge", "domain_expertise", List, 8),
        (
            Relationships,
            "relationships",
            "key_relationships",
            List,
            16,
        ),
        (History, "history", "raw_history", List, 32),
        (Goals, "goals", "ongoing_tasks", List, 64),
    ]
};

const NO_SCOPES: [&str; 6] = [
    "",
    "Goals",
    "goals ",
    "emotional_state",
    "*",
    "ongoing-tasks",
];

#[test]
fn prompt_order_runs_from_what_changes_least() {
    assert_eq!(Scope::ALL, TABLE.map(|(scope, ..)| scope));
    assert!(Scope::ALL.is_sorted());
}

#[test]
fn every_scope_has_a_name_a_storage_key_and_a_kind() {
    for (scope, name, storage_key, kind, _) in TABLE {
        assert_eq!(scope.name(), name);
        assert_eq!(scope.to_string(), name);
        assert_eq!(scope.storage_key(), storage_key);
        assert_eq!(scope.kind(), kind, "{scope}");
    }
}

#[test]
fn a_scope_is_found_by_name_and_by_storage_key() {
    for (scope, name, storage_key, ..) in TABLE {
        assert_eq!(Scope::from_name(name), Some(scope));
        assert_eq!(Scope::from_storage_key(storage_key), Some(scope));
        assert_eq!(name.parse(), Ok(scope));
        assert_eq!(storage_key.parse(), Ok(scope));
        if name != storage_key {
            assert_eq!(Scope::from_name(storage_key), None);
            assert_eq!(Scope::from_storage_key(name), None);
        }
    }
}

#[test]
fn other_text_is_no_scope() {
    for text in NO_SCOPES {
        assert_eq!(text.parse::<Scope>(), Err(UnknownScope), "{text:?}");
        assert_eq!(ScopeName::from(text).scope(), None, "{text:?}");
    }
}

#[test]
fn an_unknown_scope_is_told_which_there_are() {
    assert_eq!(
        UnknownScope.to_string(),
        "expected one of general,communication_style,preferences,knowledge,relationships,history,goals"
    );
}

#[test]
fn a_scope_name_knows_the_scope_that_is_meant_and_keeps_its_text() {
    for (scope, name, storage_key, ..) in TABLE {
        assert_eq!(ScopeName::from(name), ScopeName::Known(scope));
        for text in [name, storage_key] {
            assert_eq!(ScopeName::from(text).scope(), Some(scope));
            assert_eq!(ScopeName::from(text).as_str(), text);
            assert_eq!(ScopeName::from(text).to_string(), text);
        }
    }
}

#[test]
fn the_bits_of_a_set_never_change() {
    for (scope, .., bit) in TABLE {
        assert_eq!(ScopeSet::from(scope).bits(), bit, "{scope}");
    }
    assert_eq!(ScopeSet::EMPTY.bits(), 0);
    assert_eq!(ScopeSet::ALL.bits(), 127);
}

#[test]
fn bits_that_stand_for_no_scope_are_dropped() {
    assert_eq!(ScopeSet::from_bits(0b1000_0000), ScopeSet::EMPTY);
    assert_eq!(ScopeSet::from_bits(0xFF), ScopeSet::ALL);
}

#[test]
fn a_set_prints_in_prompt_order() {
    let set: ScopeSet = [Scope::Goals, Scope::General, Scope::Goals]
        .into_iter()
        .collect();

    assert_eq!(set.to_string(), "general,goals");
    assert_eq!(
        serde_json::to_string(&set).unwrap(),
        r#"["general","goals"]"#
    );
    assert_eq!(
        set.names(),
        [Scope::General, Scope::Goals].map(ScopeName::from)
    );
    assert_eq!(set.len(), 2);
    assert_eq!(ScopeSet::EMPTY.to_string(), "");
}

#[test]
fn a_set_is_read_from_names_and_storage_keys() {
    let set: ScopeSet = [Scope::Goals, Scope::History].into_iter().collect();

    for text in [
        "goals,history",
        " raw_history , ongoing_tasks ",
        "goals,,history,goals,",
    ] {
        assert_eq!(text.parse(), Ok(set), "{text:?}");
    }
    let json = r#"["ongoing_tasks", "history", "goals"]"#;
    assert_eq!(serde_json::from_str::<ScopeSet>(json).unwrap(), set);
    assert_eq!("".parse(), Ok(ScopeSet::EMPTY));
    assert_eq!(" , ".parse(), Ok(ScopeSet::EMPTY));
}

#[test]
fn a_set_holds_no_unknown_scope() {
    assert_eq!(
        "goals,emotional_state".parse::<ScopeSet>(),
        Err(UnknownScope)
    );
    assert!(serde_json::from_str::<ScopeSet>(r#"["goals", "emotional_state"]"#).is_err());
    assert!(serde_json::from_str::<ScopeSet>(r#""goals""#).is_err());
}

proptest! {
    #[test]
    fn a_set_is_its_bits_its_text_and_its_json(set in scope_set()) {
        prop_assert_eq!(ScopeSet::from_bits(set.bits()), set);
        prop_assert_eq!(set.to_string().parse(), Ok(set));
        prop_assert_eq!(set.iter().collect::<ScopeSet>(), set);
        let json = serde_json::to_string(&set).unwrap();
        prop_assert_eq!(serde_json::from_str::<ScopeSet>(&json).unwrap(), set);
        prop_assert_eq!(json, serde_json::to_string(&set.names()).unwrap());
    }

    #[test]
    fn a_set_counts_and_orders_its_scopes(set in scope_set()) {
        let scopes: Vec<_> = set.iter().collect();
        prop_assert!(scopes.is_sorted());
        prop_assert_eq!(scopes.len(), set.len());
        prop_assert_eq!(set.is_empty(), scopes.is_empty());
        prop_assert!(scopes.iter().all(|scope| set.contains(*scope)));
    }

    #[test]
    fn sets_behave_like_sets(a in scope_set(), b in scope_set(), scope in scope()) {
        let both = a.intersection(b);
        let only_a = a.difference(b);
        prop_assert_eq!(both, b.intersection(a));
        prop_assert_eq!(both.contains(scope), a.contains(scope) && b.contains(scope));
        prop_assert_eq!(only_a.contains(scope), a.contains(scope) && !b.contains(scope));
        prop_assert!(both.is_subset(a) && both.is_subset(b) && only_a.is_subset(a));
        prop_assert!(both.intersection(only_a).is_empty());
        prop_assert_eq!(both.len() + only_a.len(), a.len());
        prop_assert_eq!(a.is_subset(b), only_a.is_empty());
        prop_assert_eq!(a.intersection(ScopeSet::ALL), a);
    }

    #[test]
    fn a_scope_is_put_in_and_taken_out(set in scope_set(), scope in scope()) {
        prop_assert!(set.with(scope).contains(scope));
        prop_assert!(!set.without(scope).contains(scope));
        prop_assert_eq!(set.with(scope).without(scope), set.without(scope));
        prop_assert_eq!(set.without(scope), set.difference(scope.into()));
    }
}
