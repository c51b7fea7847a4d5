//! What an update answers that stored nothing, and why. Pure.

use ctxmem_types::{Delta, UpdateOutcome, UpdateResponse};

use crate::extract::Refusal;
use crate::extract::first_stage::Reason;

const SECRET: &str = "Nothing was stored: the message holds what looks like a password, a key or a \
                      card number, and secrets are never stored.";
const ORDER: &str = "Nothing was stored: facts about the user are, but instructions to the memory \
                     itself are not stored.";

/// The answer to a message that taught nothing, or nothing new.
pub(super) fn nothing_new() -> UpdateResponse {
    unlearned(UpdateOutcome::NothingNew, None)
}

/// The answer to a message that the first stage filtered out.
pub(super) fn filtered(reason: Reason) -> UpdateResponse {
    match reason {
        Reason::SecretOnly => refused(SECRET),
        Reason::MemoryOrder => refused(ORDER),
        Reason::Empty
        | Reason::SmallTalk
        | Reason::Question
        | Reason::CodeOrLog
        | Reason::OneOffRequest
        | Reason::Quoted
        | Reason::Hypothetical => unlearned(UpdateOutcome::Filtered, None),
    }
}

/// The answer where nothing that was found may be stored, for these reasons. An extractor may
/// also have left out by itself the secret that the message holds.
pub(super) fn none_admitted(refusals: &[Refusal], holds_secret: bool) -> UpdateResponse {
    let notices = || refusals.iter().copied().filter_map(notice);
    if holds_secret || notices().any(|notice| notice == SECRET) {
        refused(SECRET)
    } else {
        notices().next().map_or_else(nothing_new, refused)
    }
}

/// What is said of a refusal; nothing of what was no fact to begin with.
fn notice(refusal: Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::SecretValue | Refusal::SecretName => Some(SECRET),
        Refusal::ValueGivesOrders | Refusal::NameGivesOrders => Some(ORDER),
        Refusal::NoValue | Refusal::NoName | Refusal::LongValue | Refusal::LongName => None,
    }
}

fn refused(notice: &str) -> UpdateResponse {
    unlearned(UpdateOutcome::Refused, Some(notice.to_owned()))
}

fn unlearned(outcome: UpdateOutcome, notice: Option<String>) -> UpdateResponse {
    UpdateResponse {
        updated: true,
        delta: Some(Delta::default()),
        outcome: Some(outcome),
        notice,
        ..UpdateResponse::default()
    }
}

#[cfg(test)]
mod tests {
    use Refusal::{NameGivesOrders, NoValue, SecretName, ValueGivesOrders};

    use super::*;

    #[test]
    fn a_secret_is_told_before_an_order_and_neither_where_there_was_none() {
        let told = |refusals: &[Refusal], holds_secret| {
            let answer = none_admitted(refusals, holds_secret);
            (answer.outcome.unwrap(), answer.notice)
        };
        let refused = |notice: &str| (UpdateOutcome::Refused, Some(notice.to_owned()));
        let nothing_new = (UpdateOutcome::NothingNew, None);
        assert_eq!(told(&[], false), nothing_new);
        assert_eq!(told(&[NoValue], false), nothing_new);
        assert_eq!(told(&[], true), refused(SECRET));
        assert_eq!(told(&[NoValue, NameGivesOrders], false), refused(ORDER));
        assert_eq!(
            told(&[ValueGivesOrders, SecretName], false),
            refused(SECRET)
        );
    }
}
