//! Whether a message can hold anything durable, decided without a model.
//!
//! Most messages of a conversation are questions, thanks, requests and code. Dropping them
//! here costs microseconds; a model call costs money and a second. A fact that is dropped
//! here is lost, so in doubt a message goes on.
//!
//! A message is dropped when each of its clauses is, and each clause for a reason of its own:
//! a file for each kind of reason, and two (`instruction`, `possession`) for what speaks
//! against them.

mod instruction;
#[cfg(test)]
mod messages;
mod passing;
mod possession;
mod quoted;
mod request;
mod secret;
mod small_talk;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::orders::gives_orders;
use super::secrets::contains_secret;
use super::text::{Clause, Mood, Reading, join};
use vocabulary::{has, has_a_letter};

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on to extraction.
    Extract(Evidence),
    /// It holds nothing durable.
    Filtered(Reason),
}

/// What in a message may hold something durable. It names a kind, never content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It says something.
    Statement,
    /// It says how things are always to be done.
    Instruction,
    /// It takes something of the user's for granted: "my bakery".
    Possession,
    /// It names somebody of the user's: "my sister Ines".
    Person,
}

impl Evidence {
    /// A short name for logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Instruction => "instruction",
            Self::Possession => "possession",
            Self::Person => "person",
        }
    }
}

/// Why a message holds nothing durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing but white space.
    Empty,
    /// Greetings, thanks, agreement, how one feels just now.
    SmallTalk,
    /// It only asks.
    Question,
    /// Code, logs or configuration without a word of prose.
    CodeOrLog,
    /// It only asks for something to be done now.
    OneOffRequest,
    /// Only somebody else's words.
    Quoted,
    /// It only supposes, plays a role or jests.
    Hypothetical,
    /// A secret and nothing else of interest.
    SecretOnly,
    /// It gives orders to the memory or the assistant.
    MemoryOrder,
}

impl Reason {
    /// A short name for logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::SmallTalk => "small_talk",
            Self::Question => "question",
            Self::CodeOrLog => "code_or_log",
            Self::OneOffRequest => "one_off_request",
            Self::Quoted => "quoted",
            Self::Hypothetical => "hypothetical",
            Self::SecretOnly => "secret_only",
            Self::MemoryOrder => "memory_order",
        }
    }
}

/// Judges a user's message.
pub fn judge(user_message: &str) -> Verdict {
    judge_read(&Reading::of(user_message))
}

/// Judges a user's message that has been read.
pub fn judge_read(message: &Reading<'_>) -> Verdict {
    let Reading {
        part: user_message,
        prose,
        clauses,
    } = message;
    if user_message.trim().is_empty() {
        return Verdict::Filtered(Reason::Empty);
    }
    let said: Vec<&Clause> = clauses
        .iter()
        .filter(|clause| clause.words.iter().any(has_a_letter))
        .collect();
    let secret = contains_secret(user_message);
    if said.is_empty() {
        return Verdict::Filtered(if secret {
            Reason::SecretOnly
        } else if prose.code {
            Reason::CodeOrLog
        } else if prose.quoted {
            Reason::Quoted
        } else {
            Reason::SmallTalk
        });
    }
    let ordered = gives_orders(user_message);
    let mut reason = None;
    for clause in said {
        match weigh(clause, secret, ordered) {
            Verdict::Extract(evidence) => return Verdict::Extract(evidence),
            // Small talk is the weakest reason: what else the message does says more.
            Verdict::Filtered(why) if why != Reason::SmallTalk || reason.is_none() => {
                reason = Some(why);
            }
            Verdict::Filtered(_) => {}
        }
    }
    Verdict::Filtered(if ordered {
        Reason::MemoryOrder
    } else if secret {
        Reason::SecretOnly
    } else if prose.code && reason == Some(Reason::SmallTalk) {
        Reason::CodeOrLog
    } else {
        reason.unwrap_or(Reason::SmallTalk)
    })
}

/// Judges one clause of a message that holds a secret somewhere, or orders, or neither.
fn weigh(clause: &Clause, secret: bool, ordered: bool) -> Verdict {
    let words = clause.words.as_slice();
    if secret && secret::is_about_it(words) {
        return Verdict::Filtered(Reason::SecretOnly);
    }
    if ordered && (gives_orders(&join(words)) || !has(words, &["i", "my", "we", "our"])) {
        return Verdict::Filtered(Reason::MemoryOrder);
    }
    if instruction::is_standing(words) || instruction::takes_up(words) {
        return Verdict::Extract(Evidence::Instruction);
    }
    if clause.mood != Mood::Sarcasm && possession::names_somebody(words) {
        return Verdict::Extract(Evidence::Person);
    }
    let unless_owned = |reason| {
        if possession::is_taken_for_granted(words) {
            Verdict::Extract(Evidence::Possession)
        } else {
            Verdict::Filtered(reason)
        }
    };
    match clause.mood {
        Mood::Hypothesis | Mood::Sarcasm => Verdict::Filtered(Reason::Hypothetical),
        Mood::Reported => Verdict::Filtered(Reason::Quoted),
        Mood::Question => unless_owned(Reason::Question),
        Mood::Request => unless_owned(Reason::OneOffRequest),
        Mood::Statement if request::is_one_off(words) => unless_owned(Reason::OneOffRequest),
        Mood::Statement if small_talk::is_nothing_else(words) || passing::is_state(words) => {
            Verdict::Filtered(Reason::SmallTalk)
        }
        Mood::Statement if quoted::is_of_others(words) => Verdict::Filtered(Reason::Quoted),
        Mood::Statement => Verdict::Extract(Evidence::Statement),
    }
}
