//! Slots of `preferences` that hold several values: people have more than one hobby.

use ctxmem_types::Scope;

/// The slot whose values only their own retraction removes.
pub const ALLERGY: &str = "allergy";

/// Slots with several values, each a fact of its own.
const SEVERAL: &[&str] = &[
    ALLERGY,
    "avoids",
    "deploy_target",
    "diet",
    "dislikes",
    "health",
    "hobby",
    "interest",
    "likes",
    "owns",
    "prefers",
    "routine",
    "workflow",
];

/// Whether a new value in this slot joins the stored ones instead of replacing them.
pub fn holds_several(scope: Scope, key: &str) -> bool {
    scope == Scope::Preferences && SEVERAL.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_preferences_hold_several() {
        assert!(holds_several(Scope::Preferences, ALLERGY));
        assert!(!holds_several(Scope::Preferences, "editor"));
        assert!(!holds_several(Scope::General, "diet"));
    }
}
