//! The labelled sets of turns, by which the extraction is tested, in an order that differs by user.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use super::conversations::Turn;

const SETS: [&str; 5] = [
    include_str!("../../../ctxmem-extract/tests/regression/dev.jsonl"),
    include_str!("../../../ctxmem-extract/tests/regression/a.jsonl"),
    include_str!("../../../ctxmem-extract/tests/regression/b.jsonl"),
    include_str!("../../../ctxmem-extract/tests/regression/c.jsonl"),
    include_str!("../../../ctxmem-extract/tests/regression/d.jsonl"),
];

/// Of turns with the same words of the user, one.
pub(super) fn turns() -> Vec<Turn> {
    let mut said = HashSet::new();
    let lines = SETS.iter().flat_map(|set| set.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|turn: &Turn| said.insert(turn.user_message.clone()))
        .collect()
}

/// This many turns, in an order that differs by user and is the same in every run. No turn
/// repeats before all were used.
pub(super) fn order(user: usize, turns: usize, count: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    for time in 0..count.div_ceil(turns) {
        let mut shuffled: Vec<usize> = (0..turns).collect();
        shuffled.sort_by_cached_key(|turn| Sha256::digest(format!("{user} {time} {turn}")));
        order.extend(shuffled);
    }
    order.truncate(count);
    order
}
