//! The choice of known facts that an extractor is shown. Pure.
//!
//! A model is shown what fits into some kilobytes, so what stands first counts: the half of it that is
//! the newest, then what bears on the message, however old, then the rest.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::core::relevance;
use crate::extract::Known;
use crate::extract::prompt::{MAX_KNOWN, MAX_KNOWN_FACTS};
use crate::store::StoredFact;

/// About how many bytes stand around a fact that a model is shown.
const AROUND: usize = 60;

/// What is known, in the order in which an extractor should see it.
pub(super) fn chosen(mut facts: Vec<StoredFact>, message: &str) -> Vec<Known> {
    facts.sort_by_key(|fact| Reverse((fact.confirmed_at, fact.position)));
    let known: Vec<Known> = facts.into_iter().map(Known::from).collect();
    let newest = room_for(&known, MAX_KNOWN / 2).min(MAX_KNOWN_FACTS / 2);
    let bearing = relevance::ranked(message, &known);
    let mut order: Vec<usize> = (0..newest).collect();
    let mut placed: HashSet<usize> = order.iter().copied().collect();
    for n in bearing.into_iter().chain(newest..known.len()) {
        if placed.insert(n) {
            order.push(n);
        }
    }
    let mut known: Vec<Option<Known>> = known.into_iter().map(Some).collect();
    let take = |n: usize| known.get_mut(n).and_then(Option::take);
    order.into_iter().filter_map(take).collect()
}

/// How many of the first facts take at most so many bytes, with what stands around each.
fn room_for(known: &[Known], bytes: usize) -> usize {
    let mut taken = 0;
    let fits = |fact: &&Known| {
        taken += AROUND + fact.value.len();
        taken <= bytes
    };
    known.iter().take_while(fits).count()
}

/// As an extractor sees it.
impl From<StoredFact> for Known {
    fn from(fact: StoredFact) -> Self {
        Self {
            scope: fact.scope,
            slot: fact.slot,
            key: fact.name,
            value: fact.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use ctxmem_types::Scope;

    use super::*;

    fn goal(value: &str, at: i64) -> StoredFact {
        StoredFact::observed(Scope::Goals, None, value, at)
    }

    fn shown(facts: Vec<StoredFact>, message: &str) -> Vec<String> {
        let chosen = chosen(facts, message).into_iter();
        chosen.map(|known| known.value).collect()
    }

    #[test]
    fn of_many_the_newest_and_what_the_message_is_about_come_first() {
        let mut facts: Vec<StoredFact> = (0..150).map(|n| goal(&format!("Skill {n}"), n)).collect();
        facts[9].value = "Write a thesis on bees".into();
        let shown = shown(facts, "I finished my thesis!");
        assert_eq!(shown.len(), 150);
        assert_eq!(shown[0], "Skill 149");
        assert_eq!(shown[49], "Skill 100");
        assert_eq!(shown[50], "Write a thesis on bees");
        assert_eq!(shown[51], "Skill 99");
        assert_eq!(shown[149], "Skill 0");
    }

    #[test]
    fn few_stay_in_their_order() {
        let facts = vec![goal("Swim", 1), goal("Bake", 3), goal("Sing", 2)];
        assert_eq!(shown(facts, "I bake and swim"), ["Bake", "Sing", "Swim"]);
    }
}
