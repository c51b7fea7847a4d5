//! Whether a message can hold anything durable, decided without a model.
//!
//! Most messages of a conversation are questions, thanks, requests and code. Dropping them
//! here costs microseconds; a model call costs money and a second. A fact that is dropped
//! here is lost, so in doubt a message goes on.
//!
//! A message is dropped when all of its clauses are. The mood of a clause gives the reason.

use crate::lists::List;
use crate::orders::gives_orders;
use crate::requested::asks_to_remember;
use crate::rules::{self, relation_end};
use crate::text::{Class, Clause, Gap, Mood, Prose, Reading, Word, join};

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
    /// It says how things should always be done.
    Instruction,
    /// It mentions something that the user has: "my bakery".
    Possession,
    /// It names somebody close to the user: "my sister Ines".
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

/// Judges a user's message that has not been split into words yet.
pub fn judge_message(message: &str) -> Verdict {
    judge(&Reading::of(&Prose::of(message)))
}

/// Judges a user's message.
pub fn judge(message: &Reading<'_>) -> Verdict {
    let prose = message.prose;
    if prose.part.trim().is_empty() {
        return Verdict::Filtered(Reason::Empty);
    }
    let ordered = gives_orders(prose.part);
    let mut reason = None;
    for clause in &message.clauses {
        match weigh(message, clause, ordered) {
            Some(Verdict::Extract(evidence)) => return Verdict::Extract(evidence),
            // Small talk is the weakest reason: any other clause says more about the message.
            Some(Verdict::Filtered(why)) if why != Reason::SmallTalk || reason.is_none() => {
                reason = Some(why);
            }
            _ => {}
        }
    }
    // "Could you remember …?" is no question.
    if !ordered && !prose.secret && asks_to_remember(&prose.text) {
        return Verdict::Extract(Evidence::Instruction);
    }
    // A message in which the rules find a fact is never dropped.
    if !ordered && rules::finds_anything(message) {
        return Verdict::Extract(Evidence::Statement);
    }
    Verdict::Filtered(match reason {
        _ if ordered => Reason::MemoryOrder,
        _ if prose.secret => Reason::SecretOnly,
        None | Some(Reason::SmallTalk) if prose.code => Reason::CodeOrLog,
        None | Some(Reason::SmallTalk) if prose.quoted => Reason::Quoted,
        None => Reason::SmallTalk,
        Some(reason) => reason,
    })
}

/// Judges one clause of a message that may hold orders somewhere. `None` for a clause without a word.
fn weigh(message: &Reading<'_>, clause: &Clause, ordered: bool) -> Option<Verdict> {
    let words = &message.words[clause.start..clause.end];
    let is = |n: usize, class| message.is(n, class);
    let any = |class| (clause.start..clause.end).any(|n| is(n, class));
    if !words
        .iter()
        .any(|word| word.text.contains(char::is_alphabetic))
    {
        return None;
    }
    // Next to an order, only what users say about themselves counts.
    if ordered && (!(any(Class::Subject) || any(Class::Own)) || gives_orders(&join(words))) {
        return Some(Verdict::Filtered(Reason::MemoryOrder));
    }
    // In a language without spaces or in another script, only a model can tell.
    if words.iter().any(|word| is_foreign(word.text)) {
        return Some(if words.iter().any(|word| word.asks) {
            Verdict::Filtered(Reason::Question)
        } else {
            Verdict::Extract(Evidence::Statement)
        });
    }
    let first = (clause.start..clause.end)
        .find(|n| !is(*n, Class::Opener) && !is(*n, Class::Filler))
        .unwrap_or(clause.start);
    let small = (clause.start..clause.end)
        .all(|n| is(n, Class::SmallTalk) || is(n, Class::Opener) || is(n, Class::Filler));
    // A person who is named exists, even in a supposition.
    let person = |n: usize| {
        let end = relation_end(message, n, clause.end)?;
        let named = message
            .words
            .get(end)
            .is_some_and(|next| end < clause.end && next.is_capitalised());
        (named || clause.mood != Mood::NotMeant).then_some(end)
    };
    if (clause.start..clause.end).any(|n| person(n).is_some()) {
        return Some(Verdict::Extract(Evidence::Person));
    }
    if clause.mood != Mood::NotMeant {
        // "How long is an emoji?" says nothing about answers, "can you use fewer?" does.
        let addressed = || words.iter().any(|word| word.is_in(List::SpokenTo));
        if any(Class::Style) && !small && (clause.mood != Mood::Question || addressed()) {
            return Some(Verdict::Extract(Evidence::Instruction));
        }
        let standing = |word: &Word<'_>| word.is_in(List::Lasting);
        if clause.mood != Mood::Question && !small && words.iter().any(standing) {
            return Some(Verdict::Extract(Evidence::Instruction));
        }
        if !matches!(clause.mood, Mood::Statement | Mood::Doubtful)
            && (clause.start..clause.end).any(|n| is_owned(message, n))
        {
            return Some(Verdict::Extract(Evidence::Possession));
        }
    }
    Some(match clause.mood {
        Mood::NotMeant => Verdict::Filtered(Reason::Hypothetical),
        Mood::Reported => Verdict::Filtered(Reason::Quoted),
        _ if small => Verdict::Filtered(Reason::SmallTalk),
        Mood::Question => Verdict::Filtered(Reason::Question),
        Mood::Condition => Verdict::Filtered(Reason::OneOffRequest),
        Mood::Statement | Mood::Doubtful if any(Class::State) && words.len() <= 9 => {
            Verdict::Filtered(Reason::SmallTalk)
        }
        Mood::Statement | Mood::Doubtful
            if (is(first, Class::Order) || is(first, Class::Wish))
                // "Let's go with the second one" takes up what the assistant proposed.
                && !message.words[first].is_in(List::Proposing)
                && !any(Class::Own)
                && !any(Class::Subject) =>
        {
            Verdict::Filtered(Reason::OneOffRequest)
        }
        Mood::Statement | Mood::Doubtful => Verdict::Extract(Evidence::Statement),
    })
}

/// Whether the words name something of the user's that later conversations may use: "my bakery".
fn is_owned(message: &Reading<'_>, at: usize) -> bool {
    let next = message
        .words
        .get(at + 1)
        .filter(|next| next.gap <= Gap::Space);
    let own = message.is(at, Class::Own)
        && next.is_some_and(|_| {
            !message.is(at + 1, Class::Passing) && !message.is(at + 1, Class::Vague)
        });
    // "I run a bakery, how …": in a question, "I" and a verb still state something.
    let told =
        message.is(at, Class::Subject) && next.is_some_and(|_| message.is(at + 1, Class::Telling));
    own || told
}

/// Whether a word is of a script that the rules don't read.
fn is_foreign(word: &str) -> bool {
    word.chars()
        .any(|c| c.is_alphabetic() && !matches!(c, '\u{0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}'))
}
