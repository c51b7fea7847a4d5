//! Parses one fact of an answer and checks that the user's words support it.
//!
//! Models make up facts and mix up the numbers of known facts. So a fact counts only if the user's
//! words say it, and a number alone removes nothing.

use ctxmem_types::{Scope, SliceKind};
use serde_json::Value;

use crate::folded_words::FoldedWords;
use crate::requests::asks_to_remember;
use crate::text::sentences::sentences;
use crate::{ALLERGY, Candidate, Known, Op};

/// What the model was shown, against which its answer is checked.
pub(super) struct AnswerContext<'a> {
    message: FoldedWords,
    known: &'a [Known],
    /// The sentences in which the user asks for something to be remembered.
    requests: Vec<FoldedWords>,
}

/// One fact of an answer.
pub(super) enum ParsedFact {
    /// Of the right shape; without a candidate where the message does not support it.
    Fact {
        candidate: Option<Candidate>,
        /// Whether it came with a quote, or needs none.
        quoted: bool,
    },
    /// Of no use: unknown scope, empty value, unknown operation.
    Ignored,
    /// Not a fact at all.
    Malformed,
}

/// One fact as a model wrote it.
struct RawFact<'a> {
    scope: Option<Scope>,
    key: &'a str,
    value: &'a str,
    was: &'a str,
    quote: &'a str,
    /// The known fact whose number it has, which may be the wrong number.
    known: Option<&'a Known>,
}

impl<'a> AnswerContext<'a> {
    pub(super) fn new(message: &str, known: &'a [Known]) -> Self {
        let requests = sentences(message).filter(|sentence| asks_to_remember(sentence));
        Self {
            requests: requests.map(FoldedWords::of).collect(),
            message: FoldedWords::of(message),
            known,
        }
    }

    pub(super) fn parse(&self, fact: &Value) -> ParsedFact {
        let op = match fact.get("op") {
            None | Some(Value::Null) => Op::Set,
            Some(Value::String(op)) => match op.as_str() {
                "set" => Op::Set,
                "remove" => Op::Remove,
                "confirm" => Op::Confirm,
                _ => return ParsedFact::Ignored,
            },
            Some(_) => return ParsedFact::Malformed,
        };
        let known = self.numbered(fact);
        let field = |name| match fact.get(name) {
            None | Some(Value::Null) => Some(""),
            Some(Value::String(text)) => Some(text.trim()),
            Some(_) => None,
        };
        let quote = field("quote").unwrap_or_default();
        let quoted = !quote.is_empty();
        if op == Op::Confirm
            && let Some(known) = known
        {
            let said = !quoted || self.message.contains_quote(quote);
            let candidate = said.then(|| Candidate::of_known(op, known.clone()));
            return ParsedFact::Fact {
                candidate,
                quoted: true,
            };
        }
        let points = op == Op::Remove && known.is_some();
        let (Some(key), Some(value), Some(scope)) = (field("key"), field("value"), field("scope"))
        else {
            return ParsedFact::Malformed;
        };
        let absent = |name| fact.get(name).is_none_or(Value::is_null);
        if !points && (absent("scope") || absent("value")) {
            return ParsedFact::Malformed;
        }
        let fact = RawFact {
            scope: scope.parse().ok(),
            key,
            value,
            was: start(field("was").unwrap_or_default()),
            quote,
            known,
        };
        if !points && (fact.scope.is_none() || fact.value.is_empty()) {
            return ParsedFact::Ignored;
        }
        let candidate = self
            .is_supported(&fact)
            .then(|| self.candidate(op, &fact))
            .flatten();
        ParsedFact::Fact { candidate, quoted }
    }

    /// The known fact with the number in the answer. Anything else there is ignored.
    fn numbered(&self, fact: &Value) -> Option<&'a Known> {
        let number = fact.get("known")?.as_u64()?;
        self.known
            .get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Whether the user said it: the message has to contain the quote or, without a quote, words of
    /// the fact.
    fn is_supported(&self, fact: &RawFact<'_>) -> bool {
        if !fact.quote.is_empty() {
            return self.message.contains_quote(fact.quote);
        }
        let known = fact.known.map_or("", |known| &known.value);
        let texts = match fact.value {
            "" => [fact.was, known],
            value => [value, ""],
        };
        let mut texts = texts.into_iter().map(|text| FoldedWords::of(start(text)));
        texts.any(|text| text.count_shared(&self.message) > 0)
    }

    fn candidate(&self, op: Op, fact: &RawFact<'_>) -> Option<Candidate> {
        let meant = fact.known.filter(|known| self.refers_to(fact, known));
        match (op, fact.known) {
            (Op::Remove, Some(_)) => Some(Candidate::of_known(op, meant?.clone())),
            (Op::Remove, None) => self.removal(fact),
            (Op::Set | Op::Confirm | Op::TakeBack, _) => self.statement(fact, meant),
        }
    }

    /// Whether a fact refers to the known fact whose number it has: it repeats its value or its
    /// quote names it, and it fits no other known fact better.
    fn refers_to(&self, fact: &RawFact<'_>, known: &Known) -> bool {
        let named = match fact.was {
            "" => fact.quote,
            was => was,
        };
        let named = FoldedWords::of(start(named));
        let shared = |known: &Known| named.count_shared(&FoldedWords::of(&known.value));
        let here = shared(known);
        here > 0 && self.known.iter().all(|other| shared(other) <= here)
    }

    /// Something that no longer holds, found by its words.
    fn removal(&self, fact: &RawFact<'_>) -> Option<Candidate> {
        let scope = fact.scope?;
        let words = FoldedWords::of(start(fact.value));
        if words.denies() {
            // "Does not use Docker any more" removes the fact about Docker; without such a fact it
            // is stored.
            let named = self.known.iter().filter(|known| known.scope == scope);
            let named = named.filter(|known| FoldedWords::of(&known.value).all_are_in(&words));
            return match named.max_by_key(|known| known.value.len()) {
                Some(known) => Some(Candidate::of_known(Op::Remove, known.clone())),
                None => self.statement(fact, None),
            };
        }
        let key = Some(fact.key).filter(|key| !key.is_empty());
        Some(Candidate::removal(scope, key, fact.value))
    }

    /// Something that holds, perhaps instead of something known.
    fn statement(&self, fact: &RawFact<'_>, meant: Option<&Known>) -> Option<Candidate> {
        let mut scope = fact.scope?;
        let known = meant.filter(|known| may_replace(scope, fact, known));
        let key = match known.and_then(|known| known.key.as_deref()) {
            Some(known) if fact.key.is_empty() => known,
            _ => fact.key,
        };
        // A negative fact may lack the name, which a removal does not need.
        if key.is_empty()
            && scope.kind() == SliceKind::Map
            && FoldedWords::of(start(fact.value)).denies()
        {
            scope = Scope::History;
        }
        let mut candidate = match scope.kind() {
            SliceKind::List => Candidate::item(scope, with_key(scope, key, fact.value)),
            _ => Candidate::item(scope, fact.value),
        };
        if scope.kind() != SliceKind::List && !key.is_empty() {
            candidate.key = Some(key.to_owned());
        }
        candidate.known = known.cloned();
        candidate.requested = self.is_requested(fact);
        Some(candidate)
    }

    /// Whether the user asked for it to be remembered, in the sentence that says it.
    fn is_requested(&self, fact: &RawFact<'_>) -> bool {
        let (quote, value) = (
            FoldedWords::of(fact.quote),
            FoldedWords::of(start(fact.value)),
        );
        self.requests.iter().any(|request| match fact.quote {
            "" => value.all_are_in(request),
            _ => request.contains(&quote) || quote.contains(request),
        })
    }
}

/// The part of a text that is compared word by word: longer than any stored value.
fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(2_000)).unwrap_or(text)
}

/// A fact may replace a fact of the same slice, with exceptions: a new name does not change the
/// location, only a retraction ends an allergy, and another person is added to those known.
fn may_replace(scope: Scope, fact: &RawFact<'_>, known: &Known) -> bool {
    let same_key = fact.key.is_empty() || Some(fact.key) == known.key.as_deref();
    scope == known.scope
        && match scope {
            Scope::General => same_key,
            Scope::Preferences => known.key.as_deref() != Some(ALLERGY),
            Scope::Relationships => {
                let value = with_key(scope, fact.key, fact.value);
                FoldedWords::of(&value).begins_like(&FoldedWords::of(&known.value))
            }
            _ => true,
        }
}

/// Lists have no keys, but models give some: "Siobhan" and "sister", "Rust" and "two weeks". The
/// key goes into the value; a person's name comes first.
fn with_key(scope: Scope, key: &str, value: &str) -> String {
    let key = key.replace('_', " ");
    let name = FoldedWords::of(start(&key));
    if key.is_empty() || name.names_a_kind() || name.all_are_in(&FoldedWords::of(start(value))) {
        return value.to_owned();
    }
    let is_name = |text: &str| text.starts_with(char::is_uppercase);
    if scope == Scope::Relationships && is_name(value) && !is_name(&key) {
        return format!("{value}, {key}");
    }
    format!("{key}, {value}")
}
