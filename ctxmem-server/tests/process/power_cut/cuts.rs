//! Points at which the power is cut: anywhere, but often where most is at stake.

use std::time::SystemTime;

use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use super::operations::{Operation, Operations};
use crate::history::{Call, History};

#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// Whatever began before this line of the log may be on the disk.
    pub(super) line: usize,
    pub(super) moment: SystemTime,
    pub(super) place: &'static str,
}

impl Cut {
    /// The power is cut when this operation has just begun, or just before.
    fn at(operation: &Operation, place: &'static str, random: &mut StdRng) -> Self {
        Self {
            line: operation.began + random.random_range(0..=1),
            moment: operation.at,
            place,
        }
    }

    pub(super) fn anywhere(
        operations: &Operations,
        place: &'static str,
        random: &mut StdRng,
    ) -> Self {
        let recorded = operations.recorded();
        Self::at(recorded.choose(random).unwrap(), place, random)
    }

    /// Right after the answer to a call: before the server does anything else.
    pub(super) fn after_answer(operations: &Operations, call: &Call) -> Option<Self> {
        let next = operations.first_since(call.acknowledged?)?;
        Some(Self {
            line: next.began,
            moment: next.at,
            place: "right after an answer",
        })
    }

    /// While the server works for a call.
    fn inside(
        operations: &Operations,
        call: &Call,
        place: &'static str,
        random: &mut StdRng,
    ) -> Option<Self> {
        let answered = call.acknowledged?;
        let during = |one: &&Operation| call.sent <= one.at && one.at <= answered;
        let during: Vec<_> = operations.recorded().iter().filter(during).collect();
        Some(Self::at(during.choose(random)?, place, random))
    }

    /// A point of the work: in turn anywhere, inside an erasure, inside the first call of a user,
    /// and right after an answer.
    pub(super) fn random(
        number: usize,
        operations: &Operations,
        histories: &[History],
        random: &mut StdRng,
    ) -> Self {
        let calls = match number % 4 {
            1 => erasures(histories),
            2 => first_calls(histories),
            3 if random.random() => erasures(histories),
            3 => updates(histories),
            _ => Vec::new(),
        };
        let cut = calls.choose(random).and_then(|call| match number % 4 {
            1 => Self::inside(operations, call, "inside an erasure", random),
            2 => Self::inside(operations, call, "inside a first call", random),
            _ => Self::after_answer(operations, call),
        });
        cut.unwrap_or_else(|| Self::anywhere(operations, "anywhere", random))
    }
}

pub(super) fn erasures(histories: &[History]) -> Vec<&Call> {
    let erasures = histories.iter().map(|one| one.erasure.as_ref());
    erasures.flatten().collect()
}

pub(super) fn updates(histories: &[History]) -> Vec<&Call> {
    let updates = histories.iter().flat_map(|one| &one.updates);
    updates.map(|(call, _)| call).collect()
}

fn first_calls(histories: &[History]) -> Vec<&Call> {
    let first = histories.iter().map(|one| one.first.as_ref());
    first.flatten().collect()
}
