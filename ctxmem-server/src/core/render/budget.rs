//! Which facts a block shows when not all of them fit. Pure.

use ctxmem_types::{Scope, SourceType};
use sha2::{Digest as _, Sha256};

use super::line_len;
use crate::core::multi_value;
use crate::store::StoredFact;

/// Those of the facts that are shown, in the order of the block: what was stored or changed last
/// is the last. Identity, reply style and allergies are shown in any case, then what fits into
/// this many bytes, and at least one fact.
pub(super) fn within<'a>(facts: &[&'a StoredFact], mut room: usize) -> Vec<&'a StoredFact> {
    let mut facts = facts.to_vec();
    facts.sort_by_key(|fact| place(fact));
    let of_rank = |rank| -> Vec<&StoredFact> {
        let ranked = facts.iter().filter(|fact| Rank::of(fact) == rank);
        ranked.copied().collect()
    };
    let mut shown = of_rank(Rank::Pinned);
    room = room.saturating_sub(bytes(&shown));
    for group in [of_rank(Rank::Asked), of_rank(Rank::Other)] {
        let latest = latest(&group, room);
        // Where some had to go, the next group gets none: it would only fill the gap until the
        // next fact needs it.
        let all = latest.len() == group.len();
        room = if all { room - bytes(latest) } else { 0 };
        shown.extend(latest);
    }
    if shown.is_empty() {
        shown.extend(facts.last());
    }
    shown.sort_by_key(|fact| place(fact));
    shown
}

/// A fact's place in the block: by when its value was stored, and of one update by scope. Its
/// `position` alone would be that of the value before.
fn place(fact: &StoredFact) -> (i64, Scope, i64) {
    (fact.first_stored_at, fact.scope, fact.position)
}

fn bytes(facts: &[&StoredFact]) -> usize {
    facts.iter().map(|fact| line_len(fact)).sum()
}

/// All of them if they fit, otherwise the last ones, of which the lines take between a quarter
/// of the room and all of it.
///
/// Leaving out one for each that comes would change the block's beginning at every update. So the
/// first that is shown is the one with the smallest mark among those that could be it: it stays
/// the first, whatever comes after it, until there is no room for it or one with a smaller mark
/// could be it. In documents that are compared piece by piece this is called winnowing. It needs
/// no memory of what was shown before: the same facts give the same choice.
fn latest<'s, 'a>(facts: &'s [&'a StoredFact], room: usize) -> &'s [&'a StoredFact] {
    if bytes(facts) <= room {
        return facts;
    }
    let mut taken = 0;
    let mut first = facts.len();
    let mut smallest = None;
    for (n, fact) in facts.iter().enumerate().rev() {
        taken += line_len(fact);
        if taken > room {
            break;
        }
        let mark = mark(fact);
        if taken * 4 < room || smallest.is_none_or(|smallest| mark < smallest) {
            first = n;
            smallest = (taken * 4 >= room).then_some(mark);
        }
    }
    facts.get(first..).unwrap_or_default()
}

/// A number that has nothing to do with when the value was stored, and stays the same with it.
fn mark(fact: &StoredFact) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(fact.first_stored_at.to_le_bytes());
    digest.update(fact.position.to_le_bytes());
    digest.finalize().into()
}

/// What comes first where there is no room for all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// Shown in any case: who it is, how to reply, what could harm them.
    Pinned,
    /// What the user asked to be remembered, or wrote.
    Asked,
    Other,
}

impl Rank {
    fn of(fact: &StoredFact) -> Self {
        let pinned = matches!(fact.scope, Scope::General | Scope::CommunicationStyle);
        if pinned || multi_value::is_allergy(fact) {
            Self::Pinned
        } else if fact.requested || fact.source_type == SourceType::Edited {
            Self::Asked
        } else {
            Self::Other
        }
    }
}
