//! What people say, turn by turn, and what it leaves in the memory of a server.

use ctxmem_types::{Delta, Scope};

use super::people::Person;
use super::stub::Recorded;
use crate::agent::Agent;

/// What a person's turns left.
#[derive(Default)]
pub(super) struct Told {
    /// The facts of each turn: as they were stored, and as they were recorded.
    pub(super) facts: Vec<Vec<String>>,
    /// How many facts made room for others.
    pub(super) evicted: usize,
    /// How many updates changed a block.
    pub(super) changed: usize,
    /// How many of these left all that was in it where it was.
    pub(super) kept: usize,
}

impl Told {
    /// Has a person say all turns. A stub answers each with what was recorded of it.
    pub(super) async fn by(
        agent: &mut Agent,
        person: &Person,
        recorded: Option<&Recorded>,
    ) -> Self {
        let mut told = Self::default();
        let mut before = String::new();
        for turn in &person.turns {
            let recorded_of_turn = match recorded {
                Some(recorded) => {
                    recorded.finds(&turn.recorded);
                    &turn.recorded[..]
                }
                None => &[],
            };
            let values_of_turn = recorded_of_turn.iter().map(|fact| &*fact.value);
            // What others say is not the user's, so the user says what was recorded.
            let said = std::iter::once(&*turn.said).chain(values_of_turn.clone());
            let said = said.collect::<Vec<_>>().join("\n");
            let learning =
                agent.learn_patiently(&person.user, &said, &turn.answered, turn.at.clone());
            let learned = learning.await;
            let mut facts = learned.delta.as_ref().map(values).unwrap_or_default();
            // A fact that was known already is in no delta.
            facts.extend(values_of_turn.map(str::to_owned));
            told.facts.push(facts);
            told.evicted += learned
                .evicted
                .as_ref()
                .map_or(0, |gone| values(gone).len());
            let prompt = agent.inject(&person.user, "", None).await.injected_prompt;
            let block = prompt.trim_end().to_owned();
            if !before.is_empty() && block != before {
                told.changed += 1;
                told.kept += usize::from(block.starts_with(&before));
            }
            before = block;
        }
        told
    }
}

/// The values in a delta. In lists each stands alone, elsewhere several may be joined.
fn values(delta: &Delta) -> Vec<String> {
    let facts = delta.facts().flat_map(|fact| {
        let joined = Scope::from_storage_key(fact.storage_key)
            .is_some_and(|scope| [Scope::Preferences, Scope::CommunicationStyle].contains(&scope));
        let parts: Vec<&str> = if joined {
            fact.value.split("; ").collect()
        } else {
            vec![fact.value]
        };
        parts.into_iter().map(str::to_owned)
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_delta_joins_are_told_apart() {
        let delta =
            r#"{"preferences": {"likes": "tea; chess"}, "raw_history": ["Went up; came down"]}"#;
        let delta: Delta = serde_json::from_str(delta).unwrap();
        assert_eq!(values(&delta), ["tea", "chess", "Went up; came down"]);
    }
}
