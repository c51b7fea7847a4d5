//! Simulated conversations: when people talk to an agent, and what they say.
//!
//! A conversation has six turns on average. Within one, a message follows the one before after 45 s
//! in the median, a quarter of them after more than 88 s and one of a hundred after more than 7
//! minutes (log-normal, σ = 1). Conversations begin at any time of the two weeks.

use std::sync::Arc;

use crate::scenario::conversations::Turn;
use crate::scenario::labelled_turns::order;

/// Two weeks in seconds.
const SPAN: f64 = 14.0 * 24.0 * 3600.0;
const TURNS_A_CONVERSATION: f64 = 6.0;
const MEDIAN_PAUSE: f64 = 45.0;

pub(super) struct Visit<T> {
    pub(super) user: usize,
    /// In seconds from the beginning.
    pub(super) at: u64,
    /// The turns of this conversation so far, and the new message.
    pub(super) messages: Vec<Arc<str>>,
    pub(super) answer: Arc<str>,
    pub(super) known: T,
}

/// The turns of a user, in order of time; the same in every run.
pub(super) fn visits(user: usize, count: usize, turns: &[Turn]) -> Vec<Visit<()>> {
    let mut random = fastrand::Rng::with_seed(u64::try_from(user).unwrap());
    let mut begins = Vec::new();
    let mut starts = Vec::with_capacity(count);
    for _ in 0..count {
        let begin = starts.is_empty() || random.f64() < 1.0 / TURNS_A_CONVERSATION;
        starts.push(begin);
        if begin {
            begins.push(random.f64() * SPAN);
        }
    }
    begins.sort_by(f64::total_cmp);
    let mut begins = begins.into_iter();
    let mut at = 0.0_f64;
    let mut messages: Vec<Arc<str>> = Vec::new();
    let mut visits = Vec::with_capacity(count);
    for (begin, turn) in starts.into_iter().zip(order(user, turns.len(), count)) {
        let turn = &turns[turn];
        if begin {
            messages.clear();
            // A conversation that lasts longer than planned puts the next one off.
            at = begins.next().unwrap().max(at + pause(&mut random));
        } else {
            at += pause(&mut random);
        }
        messages.push(turn.user_message.as_str().into());
        let answer: Arc<str> = turn.agent_response.as_str().into();
        visits.push(Visit {
            user,
            at: seconds(at),
            messages: messages.clone(),
            answer: Arc::clone(&answer),
            known: (),
        });
        messages.push(answer);
    }
    visits
}

fn pause(random: &mut fastrand::Rng) -> f64 {
    // The sum of twelve uniform numbers less six is nearly normal.
    let normal = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
    MEDIAN_PAUSE * normal.exp()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of seconds, some millions at most"
)]
fn seconds(at: f64) -> u64 {
    at as u64
}
