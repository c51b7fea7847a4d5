//! The answers of updates that stored nothing, which say why. Pure.

use ctxmem_types::{Delta, UpdateOutcome, UpdateResponse};

use crate::extract::Refusal;
use crate::extract::first_stage::Reason;

const SECRET: &str = "Nothing was stored: the message holds what looks like a password, a key or a \
                      card number, and secrets are never stored.";
const OFF_THE_RECORD: &str = "Nothing was stored: the message says that it is not to be kept.";
const ORDER: &str = "Nothing was stored: facts about the user are, but instructions to the memory \
                     itself are not stored.";

/// The answer to a message that taught nothing, or nothing new.
pub(super) fn nothing_new() -> UpdateResponse {
    nothing_stored(UpdateOutcome::NothingNew, None)
}

/// The answer to a message that the first stage filtered out.
pub(super) fn filtered(reason: Reason) -> UpdateResponse {
    match reason {
        Reason::SecretOnly => refused(SECRET),
        Reason::MemoryOrder => refused(ORDER),
        Reason::OffTheRecord => refused(OFF_THE_RECORD),
        Reason::Empty
        | Reason::SmallTalk
        | Reason::Question
        | Reason::CodeOrLog
        | Reason::Quoted => nothing_stored(UpdateOutcome::Filtered, None),
    }
}

/// The answer where nothing that was found may be stored, for these reasons. An extractor may also
/// have left out the secret in the message by itself.
pub(super) fn none_admitted(refusals: &[Refusal], holds_secret: bool) -> UpdateResponse {
    let notices = || refusals.iter().copied().filter_map(notice);
    if holds_secret || notices().any(|notice| notice == SECRET) {
        refused(SECRET)
    } else {
        notices().next().map_or_else(nothing_new, refused)
    }
}

/// The notice about a refusal; `None` where there was no fact to begin with.
fn notice(refusal: Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::SecretValue | Refusal::SecretName => Some(SECRET),
        Refusal::ValueGivesOrders | Refusal::NameGivesOrders => Some(ORDER),
        Refusal::NoValue | Refusal::NoName | Refusal::LongValue | Refusal::LongName => None,
    }
}

fn refused(notice: &str) -> UpdateResponse {
    nothing_stored(UpdateOutcome::Refused, Some(notice.to_owned()))
}

fn nothing_stored(outcome: UpdateOutcome, notice: Option<String>) -> UpdateResponse {
    let mut answer = UpdateResponse::default();
    answer.updated = true;
    answer.delta = Some(Delta::default());
    answer.outcome = Some(outcome);
    answer.notice = notice;
    answer
}

#[cfg(test)]
mod tests {
    use Refusal::{NameGivesOrders, NoValue, SecretName, ValueGivesOrders};

    use super::*;

    #[test]
    fn a_secret_is_told_before_an_order_and_neither_where_there_was_none() {
        let answer = |refusals: &[Refusal], holds_secret| {
            let answer = none_admitted(refusals, holds_secret);
            (answer.outcome.unwrap(), answer.notice)
        };
        let refused = |notice: &str| (UpdateOutcome::Refused, Some(notice.to_owned()));
        let nothing_new = (UpdateOutcome::NothingNew, None);
        assert_eq!(answer(&[], false), nothing_new);
        assert_eq!(answer(&[NoValue], false), nothing_new);
        assert_eq!(answer(&[], true), refused(SECRET));
        assert_eq!(answer(&[NoValue, NameGivesOrders], false), refused(ORDER));
        assert_eq!(
            answer(&[ValueGivesOrders, SecretName], false),
            refused(SECRET)
        );
    }
}
