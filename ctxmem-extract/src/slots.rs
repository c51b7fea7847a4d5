//! Slots of `preferences` that hold several values, because life does.

use ctxmem_types::Scope;

/// The slot whose values nothing replaces but their own retraction.
pub const ALLERGY: &str = "allergy";

/// Names of slots whose values stand side by side, each a fact of its own.
const SEVERAL: &[&str] = &[
    ALLERGY,
    "deploy_target",
    "diet",
    "dislikes",
    "hobby",
    "interest",
    "likes",
    "owns",
    "routine",
    "workflow",
];

/// Whether a new value in the slot of this name joins those that stand there, instead of
/// replacing them.
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
