//! Facts that a turn states in more than one list. Pure.

use ctxmem_types::Scope;
use indexmap::IndexMap;

use super::FactKey;
use crate::core::wording;
use crate::extract::Candidate;

/// The lists that may state the same fact, the one first in which it is kept.
const RANKED: &[Scope] = &[Scope::Knowledge, Scope::Goals, Scope::History];

/// A fact that is not stored, because another list holds it.
pub(super) struct Duplicate<'s> {
    /// The key of what is left out. Nothing is stored under it yet.
    pub(super) left_out: &'s FactKey,
    /// The key of what stays.
    pub(super) stays: &'s FactKey,
}

/// A candidate that may be in several lists.
struct Listed<'s> {
    key: &'s FactKey,
    is_stored: bool,
    /// What it says, dates and all.
    whole: String,
    /// What it says as its own scope folds it.
    folded: String,
}

/// Finds what a turn says in several lists. What is stored stays where it is.
pub(super) fn find<'s>(
    said: &'s IndexMap<FactKey, &Candidate>,
    is_stored: impl Fn(&FactKey) -> bool,
) -> Vec<Duplicate<'s>> {
    let rank = |key: &FactKey| RANKED.iter().position(|scope| *scope == key.0);
    let scopes = said.keys().filter_map(rank);
    if scopes.clone().min() == scopes.max() {
        return Vec::new();
    }
    let mut listed: Vec<Listed<'s>> = said
        .iter()
        .filter(|(key, _)| rank(key).is_some())
        .map(|(key, candidate)| Listed {
            key,
            is_stored: is_stored(key),
            whole: wording::fold(Scope::Goals, &candidate.value),
            folded: wording::fold(candidate.scope, &candidate.value),
        })
        .collect();
    listed.sort_by_key(|listed| (!listed.is_stored, rank(listed.key)));
    let mut stay: Vec<Listed<'s>> = Vec::new();
    let mut duplicates = Vec::new();
    for one in listed {
        let same = stay.iter().find(|other| other.says(&one));
        match same {
            Some(other) if !one.is_stored => duplicates.push(Duplicate {
                left_out: one.key,
                stays: other.key,
            }),
            _ => stay.push(one),
        }
    }
    duplicates
}

impl Listed<'_> {
    /// Whether it says all that another says in another scope.
    fn says(&self, other: &Self) -> bool {
        self.key.0 != other.key.0 && (self.whole == other.whole || self.folded == other.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::merge;

    /// What is left out of these, where those in `stored` stand already.
    fn left_out(said: &[(Scope, &str)], stored: &[usize]) -> Vec<usize> {
        let candidates: Vec<Candidate> = said
            .iter()
            .map(|(scope, value)| Candidate::item(*scope, *value))
            .collect();
        let said: IndexMap<FactKey, &Candidate> = candidates
            .iter()
            .map(|candidate| ((candidate.scope, merge::slot(candidate)), candidate))
            .collect();
        let number = |key: &FactKey| said.get_index_of(key).unwrap();
        let duplicates = find(&said, |key| stored.contains(&number(key)));
        let mut left_out: Vec<usize> = duplicates.iter().map(|one| number(one.left_out)).collect();
        left_out.sort_unstable();
        left_out
    }

    use Scope::{Goals, History, Knowledge, Relationships};

    #[test]
    fn knowledge_stays_before_goals_and_goals_before_history() {
        let history = (History, "Started learning German");
        let goal = (Goals, "Learning German");
        let knows = (Knowledge, "Is learning German");
        assert_eq!(left_out(&[history, goal, knows], &[]), [0, 1]);
        assert_eq!(left_out(&[history, goal], &[]), [0]);
        assert_eq!(left_out(&[knows, history], &[]), [1]);
    }

    #[test]
    fn what_is_stored_stays() {
        let both = [(Goals, "Learning German"), (Knowledge, "Learning German")];
        assert_eq!(left_out(&both, &[0]), [1]);
        assert_eq!(left_out(&both, &[1]), [0]);
        assert!(left_out(&both, &[0, 1]).is_empty());
    }

    #[test]
    fn a_date_is_not_lost() {
        let (plain, dated) = ("Learning German", "Learning German since 2024");
        assert_eq!(left_out(&[(Goals, plain), (Knowledge, dated)], &[]), [0]);
        assert_eq!(left_out(&[(Goals, dated), (Knowledge, dated)], &[]), [0]);
        assert!(left_out(&[(Goals, dated), (Knowledge, plain)], &[]).is_empty());
        assert!(left_out(&[(History, dated), (Knowledge, plain)], &[]).is_empty());
    }

    #[test]
    fn other_facts_and_other_scopes_stay_apart() {
        let said = [(Goals, "Learning German"), (Knowledge, "Learning Spanish")];
        assert!(left_out(&said, &[]).is_empty());
        let said = [(Relationships, "Ada, manager"), (Goals, "Ada, manager")];
        assert!(left_out(&said, &[]).is_empty());
    }
}
