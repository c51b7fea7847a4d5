//! Parses one fact of an answer and checks that the user's words support it.
//!
//! Models make up facts and mix up the numbers of known facts. So a fact counts only if the user's
//! words say it, a number alone removes nothing, and the value of a known fact, repeated exactly, does so whatever
//! its number.

use chrono::NaiveDate;
use ctxmem_types::{Scope, SliceKind};
use serde_json::Value;

use super::replacing::{keeps_allergies, may_replace, removed};
use super::said::Said;
use crate::folded_words::FoldedWords;
use crate::home::scope_at_home;
use crate::requests::asks_to_remember;
use crate::text::sentences::sentences;
use crate::{Candidate, Known, Op};

/// What the model was shown, against which its answer is checked.
pub(super) struct AnswerContext<'a> {
    said: Said<'a>,
    known: &'a [Known],
    /// The sentences in which the user asks for something to be remembered.
    requests: Vec<FoldedWords>,
}

/// One fact of an answer.
pub(super) enum ParsedFact {
    /// Of the right shape; without a candidate where the message does not support it.
    Fact {
        candidates: Vec<Candidate>,
        /// Whether it came with a quote of the message, or needs none.
        quoted: bool,
    },
    /// Of no use: unknown scope, empty value.
    Ignored,
    /// Not a fact at all.
    Malformed,
}

/// One fact as a model wrote it.
pub(super) struct RawFact<'a> {
    scope: Option<Scope>,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    was: &'a str,
    /// Empty where the user did not say what it quotes.
    quote: &'a str,
    /// The known fact whose number it has, which may be the wrong number.
    known: Option<&'a Known>,
}

impl<'a> AnswerContext<'a> {
    pub(super) fn new(message: &'a str, known: &'a [Known], today: NaiveDate) -> Self {
        let requests = sentences(message).filter(|sentence| asks_to_remember(sentence));
        Self {
            requests: requests.map(FoldedWords::of).collect(),
            said: Said::of(message, known, today),
            known,
        }
    }

    pub(super) fn parse(&self, fact: &Value) -> ParsedFact {
        let op = match fact.get("op") {
            None | Some(Value::Null) => Op::Set,
            Some(Value::String(op)) => match op.to_lowercase().as_str() {
                "remove" | "delete" | "forget" => Op::Remove,
                "confirm" => Op::Confirm,
                // "update", "add": whatever it is called, it says something.
                _ => Op::Set,
            },
            Some(_) => return ParsedFact::Malformed,
        };
        let field = |name| match fact.get(name) {
            None | Some(Value::Null) => Some(""),
            Some(Value::String(text)) => Some(text.trim()),
            Some(_) => None,
        };
        let quote = field("quote").unwrap_or_default();
        let quote = if self.said.contains_quote(quote) {
            quote
        } else {
            ""
        };
        let was = start(field("was").unwrap_or_default());
        let known = self.repeated(was).or_else(|| self.numbered(fact));
        let (key, value, scope) = (field("key"), field("value"), field("scope"));
        if op == Op::Confirm
            && let Some(known) = known
            && !value.is_some_and(|value| differs_in_numbers(value, &known.value))
        {
            let said = field("quote").unwrap_or_default().is_empty() || !quote.is_empty();
            let candidate = said.then(|| Candidate::of_known(op, known.clone()));
            return ParsedFact::Fact {
                candidates: candidate.into_iter().collect(),
                quoted: true,
            };
        }
        let points = op == Op::Remove && known.is_some();
        let (Some(key), Some(value), Some(scope)) = (key, value, scope) else {
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
            was,
            quote,
            known,
        };
        if !points && (fact.scope.is_none() || fact.value.is_empty()) {
            return ParsedFact::Ignored;
        }
        ParsedFact::Fact {
            candidates: if self.is_supported(&fact) {
                self.candidates(op, &fact)
            } else {
                Vec::new()
            },
            quoted: !quote.is_empty(),
        }
    }

    /// The one known fact whose value is repeated exactly.
    fn repeated(&self, was: &str) -> Option<&'a Known> {
        let was = FoldedWords::of(was);
        was.iter().next()?;
        let mut same = self
            .known
            .iter()
            .filter(|known| FoldedWords::of(&known.value) == was);
        let first = same.next()?;
        same.next().is_none().then_some(first)
    }

    /// The known fact with the number in the answer. Anything else there is ignored.
    fn numbered(&self, fact: &Value) -> Option<&'a Known> {
        let number = match fact.get("known")? {
            Value::String(number) => number.trim().parse().ok()?,
            number => number.as_u64()?,
        };
        self.known
            .get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Whether the user said it: the message has to contain the quote or, without a quote, words of
    /// the fact.
    fn is_supported(&self, fact: &RawFact<'_>) -> bool {
        if !fact.quote.is_empty() {
            return true;
        }
        let known = fact.known.map_or("", |known| &known.value);
        let texts = match fact.value {
            "" => [fact.was, known],
            value => [value, ""],
        };
        let mut texts = texts.into_iter().map(|text| FoldedWords::of(start(text)));
        texts.any(|text| text.count_shared(self.said.folded()) > 0)
    }

    fn candidates(&self, op: Op, fact: &RawFact<'_>) -> Vec<Candidate> {
        let meant = fact.known.filter(|known| self.refers_to(fact, known));
        let removal = |known: &Known| Candidate::of_known(Op::Remove, known.clone());
        match (op, fact.known) {
            (Op::Remove, Some(_)) => {
                let removed = meant.and_then(|known| removed(known, &self.said));
                removed.into_iter().collect()
            }
            (Op::Remove, None) => self.removal(fact).into_iter().collect(),
            (
                Op::Set
                | Op::SetInstead
                | Op::Confirm
                | Op::TakeBack
                | Op::TakeBackAll
                | Op::End
                | Op::Change,
                _,
            ) => {
                let Some(set) = self.statement(fact, meant) else {
                    return Vec::new();
                };
                // "Passed the bar exam" in history, in place of the goal: the goal is reached.
                let reached = meant
                    .filter(|known| set.scope == Scope::History && known.scope == Scope::Goals);
                reached.map(removal).into_iter().chain([set]).collect()
            }
        }
    }

    /// Whether a fact refers to the known fact whose number it has: it repeats its value or its
    /// quote names it, and it fits no other known fact better. Where the answer repeats nothing, it is of the same
    /// scope, and of the same name or named by the message.
    fn refers_to(&self, fact: &RawFact<'_>, known: &Known) -> bool {
        let fits = |named: &FoldedWords| {
            let shared = |known: &Known| named.count_shared(&FoldedWords::of(&known.value));
            let here = shared(known);
            here > 0 && self.known.iter().all(|other| shared(other) <= here)
        };
        if !fact.was.is_empty() {
            return fits(&FoldedWords::of(start(fact.was)));
        }
        let is_same_slot =
            || !fact.key.is_empty() && known.key.as_deref().is_some_and(|key| key == fact.key);
        fits(&FoldedWords::of(start(fact.quote)))
            || fact.scope.map(|scope| scope_at_home(scope, fact.key)) == Some(known.scope)
                && !fact.quote.is_empty()
                && (is_same_slot() || fits(self.said.folded()))
    }

    /// Something that no longer holds, found by its words.
    fn removal(&self, fact: &RawFact<'_>) -> Option<Candidate> {
        let scope = fact.scope?;
        let words = FoldedWords::of(start(fact.value));
        let is_known = self
            .known
            .iter()
            .any(|known| words.count_shared(&FoldedWords::of(&known.value)) > 0);
        if !is_known && !words.denies() && FoldedWords::of(fact.quote).denies() {
            // What nobody knew is noted as the user denied it: "I stopped taking clients on Fridays".
            let mut candidate = Candidate::item(Scope::History, fact.quote);
            candidate.requested = self.is_requested(fact);
            return Some(candidate);
        }
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
        let known = meant.filter(|known| may_replace(scope, fact, known, &self.said));
        let replaced = known.map_or("", |known| &known.value);
        let alike = match known {
            Some(known) => known.value.clone(),
            None => self.known_alike(scope, fact.value),
        };
        let is_name = scope == Scope::General;
        if !self.said.supports(start(fact.value), &alike, is_name) {
            return None;
        }
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
        let value = match scope.kind() {
            // It becomes part of the value, and names somebody as well as that does.
            SliceKind::List if self.said.supports(&key.replace('_', " "), &alike, false) => {
                with_key(scope, key, fact.value)
            }
            _ => fact.value.to_owned(),
        };
        let mut candidate =
            Candidate::item(scope, keeps_allergies(value, replaced, &self.said.text()));
        if scope.kind() != SliceKind::List && !key.is_empty() {
            candidate.key = Some(key.to_owned());
        }
        candidate.known = known.cloned();
        candidate.requested = self.is_requested(fact);
        Some(candidate)
    }

    /// Known facts of a scope that speak of the same: a model that changes one without saying which repeats its
    /// numbers.
    fn known_alike(&self, scope: Scope, value: &str) -> String {
        let words = FoldedWords::of(start(value));
        let alike = self.known.iter().filter(|known| {
            known.scope == scope && words.count_shared(&FoldedWords::of(&known.value)) > 1
        });
        let values: Vec<&str> = alike.map(|known| &*known.value).collect();
        values.join(" ")
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
pub(super) fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(2_000)).unwrap_or(text)
}

fn differs_in_numbers(value: &str, known: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        let runs = text.split(|c: char| !c.is_ascii_digit());
        runs.filter(|run| !run.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let numbers_of_value = numbers(value);
    !numbers_of_value.is_empty() && numbers_of_value != numbers(known)
}

/// Lists have no keys, but models give some: "Siobhan" and "sister", "Rust" and "two weeks". The
/// key goes into the value; a person's name comes first.
pub(super) fn with_key(scope: Scope, key: &str, value: &str) -> String {
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
