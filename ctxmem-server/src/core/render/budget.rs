//! The budget of a block: selects the facts that it shows when not all of them fit. Pure.

use ctxmem_types::Scope;

use super::line_weight;
use crate::core::importance::Importance;
use crate::store::StoredFact;

/// Over its budget a block falls to seven eighths of it in one go, so that its beginning then stays
/// as it is for many updates.
const BATCHES: usize = 8;

/// A fact, and what its line takes.
type Weighed<'a> = (&'a StoredFact, usize);

/// Those of the facts that are shown, in the order of the block: what was stored or changed last
/// is the last. What matters most is shown in any case ([`Importance::Pinned`]), then what fits into
/// this weight, and at least one fact.
pub(super) fn within<'a>(facts: &[&'a StoredFact], room: usize) -> Vec<&'a StoredFact> {
    let mut facts: Vec<Weighed<'a>> = facts
        .iter()
        .map(|fact| (*fact, line_weight(fact)))
        .collect();
    facts.sort_by_key(|(fact, _)| place(fact));
    if weight(&facts) > room {
        facts = most_important(&facts, room);
    }
    facts.into_iter().map(|(fact, _)| fact).collect()
}

fn most_important<'a>(facts: &[Weighed<'a>], room: usize) -> Vec<Weighed<'a>> {
    let mut groups: [Vec<Weighed<'a>>; Importance::ALL.len()] = Default::default();
    for weighed in facts {
        let importance = Importance::of(weighed.0);
        let at = Importance::ALL.iter().position(|each| *each == importance);
        if let Some(group) = at.and_then(|at| groups.get_mut(at)) {
            group.push(*weighed);
        }
    }
    let mut shown: Vec<Weighed<'a>> = Vec::new();
    for (importance, group) in Importance::ALL.iter().zip(groups) {
        let excess = (weight(&shown) + weight(&group)).saturating_sub(room);
        if excess == 0 || *importance == Importance::Pinned {
            shown.extend(group);
            continue;
        }
        shown.extend(latest(&group, excess, room / BATCHES));
        // What is less important gets none: it would only fill the gap until the next fact needs it.
        break;
    }
    if shown.is_empty() {
        shown.extend(facts.last());
    }
    shown.sort_by_key(|(fact, _)| place(fact));
    shown
}

/// The last ones, without so many of the first that at least this excess goes.
///
/// They go in whole batches, which are counted from the oldest fact on: as facts come, the first that
/// is shown stays the first until the next batch has to go. It needs no memory of what was shown
/// before: the same facts give the same choice.
fn latest<'s, 'a>(group: &'s [Weighed<'a>], excess: usize, batch: usize) -> &'s [Weighed<'a>] {
    let (mut gone, mut taken) = (0, 0);
    for (n, (_, weight)) in group.iter().enumerate() {
        if taken > 0 && taken + weight > batch {
            if gone + taken >= excess {
                return group.get(n..).unwrap_or_default();
            }
            gone += taken;
            taken = 0;
        }
        taken += weight;
    }
    &[]
}

/// A fact's place in the block: by when its value was stored, and of one update by scope. Its
/// `position` alone would be that of the value before.
fn place(fact: &StoredFact) -> (i64, Scope, i64) {
    (fact.first_stored_at, fact.scope, fact.position)
}

fn weight(facts: &[Weighed<'_>]) -> usize {
    facts.iter().map(|(_, weight)| weight).sum()
}
