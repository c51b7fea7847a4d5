//! Where a fact belongs that its user wrote without saying so: the kind, and the name where the kind has
//! names.

use ctxmem_types::Scope;

use super::Memory;
use crate::extract::{BuiltIn, Candidate, Extractor as _, Interaction, Op, Prose, Reading};

/// Longer texts are refused as facts, and not read for it.
const LONGEST_BYTES: usize = 2048;

/// A fact with its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The kind.
    pub scope: Scope,
    /// The name, in kinds that have names.
    pub name: Option<String>,
    /// The fact as it is stored there.
    pub value: String,
}

impl Memory {
    /// Where this text belongs as a fact, by the built-in rules: as if the user had told it an agent, or
    /// else had asked one to remember it. What neither finds stays as it is.
    pub fn suggest(&self, text: &str) -> Suggestion {
        let today = self.clock.now().date_naive();
        let asked = format!("Please remember: {text}");
        let mut readings = [text, &asked].into_iter();
        let found = readings.find_map(|message| only(message, today));
        match found {
            Some(found) => Suggestion {
                scope: found.scope,
                name: found.key,
                value: found.value,
            },
            None => Suggestion {
                scope: Scope::History,
                name: None,
                value: text.to_owned(),
            },
        }
    }
}

/// The only fact in a message, if it holds one and nothing else.
fn only(message: &str, today: chrono::NaiveDate) -> Option<Candidate> {
    if message.len() > LONGEST_BYTES {
        return None;
    }
    let interaction = Interaction {
        user_message: message,
        agent_response: "",
        known: &[],
        today,
    };
    let prose = Prose::of(message);
    let mut found = BuiltIn.extract_now(&interaction, &Reading::of(&prose))?;
    let only = found.pop().filter(|fact| fact.op == Op::Set)?;
    found.is_empty().then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_finds_its_kind() {
        let today = chrono::NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        let place = |text: &str| {
            let found = only(text, today);
            found.map(|fact| (fact.scope, fact.key, fact.value))
        };
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(
            place("I live in Lisbon."),
            Some((Scope::General, name("location"), "Lisbon".to_owned()))
        );
        let (scope, key, value) = place("I'm allergic to peanuts.").unwrap();
        assert_eq!((scope, key), (Scope::Preferences, name("allergy")));
        assert_eq!(value.to_lowercase(), "peanuts");
        let asked = place("Please remember: the cat sleeps in the kitchen").unwrap();
        assert!(
            asked.2.contains("the cat sleeps in the kitchen"),
            "{asked:?}"
        );
        // Two facts are not one.
        assert_eq!(place("My name is Ada and I live in Lisbon."), None);
    }
}
