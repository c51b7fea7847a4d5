//! What one fact of an answer means, and whether anything speaks for it.
//!
//! Models make up facts, and they mistake the number of one known fact for that of another. So a
//! fact counts where the user's words say it, and a number destroys nothing by itself.

use ctxmem_types::{Scope, SliceKind};
use serde_json::Value;

use crate::evidence::Words;
use crate::requested::{asks_to_remember, sentences};
use crate::{ALLERGY, Candidate, Known, Op};

/// What a model was told: what its answer is judged by.
pub(super) struct Told<'a> {
    message: Words,
    known: &'a [Known],
    /// The sentences in which the user asks for something to be remembered.
    requests: Vec<Words>,
}

/// One fact of an answer.
pub(super) enum Meant {
    /// Of the right shape; without a candidate where nothing speaks for it.
    Fact {
        candidate: Option<Candidate>,
        /// Whether the words that say it were repeated, or need not be.
        quoted: bool,
    },
    /// Of no use: unknown scope, empty value, unknown operation.
    Ignored,
    /// Not a fact at all.
    Misshapen,
}

/// One fact as a model wrote it.
struct Written<'a> {
    scope: Option<Scope>,
    key: &'a str,
    value: &'a str,
    was: &'a str,
    quote: &'a str,
    /// The known fact whose number it has. Whether that one is meant is another question.
    known: Option<&'a Known>,
}

impl<'a> Told<'a> {
    pub(super) fn new(message: &str, known: &'a [Known]) -> Self {
        let requests = sentences(message).filter(|sentence| asks_to_remember(sentence));
        Self {
            requests: requests.map(Words::of).collect(),
            message: Words::of(message),
            known,
        }
    }

    pub(super) fn meaning(&self, fact: &Value) -> Meant {
        let op = match fact.get("op") {
            None | Some(Value::Null) => Op::Set,
            Some(Value::String(op)) => match op.as_str() {
                "set" => Op::Set,
                "remove" => Op::Remove,
                "confirm" => Op::Confirm,
                _ => return Meant::Ignored,
            },
            Some(_) => return Meant::Misshapen,
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
            let said = !quoted || self.message.hold(quote);
            let candidate = said.then(|| Candidate::of_known(op, known.clone()));
            return Meant::Fact {
                candidate,
                quoted: true,
            };
        }
        let points = op == Op::Remove && known.is_some();
        let (Some(key), Some(value), Some(scope)) = (field("key"), field("value"), field("scope"))
        else {
            return Meant::Misshapen;
        };
        let absent = |name| fact.get(name).is_none_or(Value::is_null);
        if !points && (absent("scope") || absent("value")) {
            return Meant::Misshapen;
        }
        let fact = Written {
            scope: scope.parse().ok(),
            key,
            value,
            was: start(field("was").unwrap_or_default()),
            quote,
            known,
        };
        if !points && (fact.scope.is_none() || fact.value.is_empty()) {
            return Meant::Ignored;
        }
        let candidate = self
            .said(&fact)
            .then(|| self.candidate(op, &fact))
            .flatten();
        Meant::Fact { candidate, quoted }
    }

    /// The known fact whose number stands in an answer. Anything else there is ignored.
    fn numbered(&self, fact: &Value) -> Option<&'a Known> {
        let number = fact.get("known")?.as_u64()?;
        self.known
            .get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Whether the user said it: what is quoted has to stand in the message; without a quote,
    /// words of the fact.
    fn said(&self, fact: &Written<'_>) -> bool {
        if !fact.quote.is_empty() {
            return self.message.hold(fact.quote);
        }
        let known = fact.known.map_or("", |known| &known.value);
        let texts = match fact.value {
            "" => [fact.was, known],
            value => [value, ""],
        };
        let mut texts = texts.into_iter().map(|text| Words::of(start(text)));
        texts.any(|text| text.shared(&self.message) > 0)
    }

    fn candidate(&self, op: Op, fact: &Written<'_>) -> Option<Candidate> {
        let meant = fact.known.filter(|known| self.means(fact, known));
        match (op, fact.known) {
            (Op::Remove, Some(_)) => Some(Candidate::of_known(op, meant?.clone())),
            (Op::Remove, None) => self.removal(fact),
            (Op::Set | Op::Confirm, _) => self.statement(fact, meant),
        }
    }

    /// Whether a fact means the one whose number it has: it repeats its value, or what it quotes
    /// names it; and no other known fact any better.
    fn means(&self, fact: &Written<'_>, known: &Known) -> bool {
        let named = match fact.was {
            "" => fact.quote,
            was => was,
        };
        let named = Words::of(start(named));
        let shared = |known: &Known| named.shared(&Words::of(&known.value));
        let here = shared(known);
        here > 0 && self.known.iter().all(|other| shared(other) <= here)
    }

    /// Something that no longer holds, by its own words.
    fn removal(&self, fact: &Written<'_>) -> Option<Candidate> {
        let scope = fact.scope?;
        let words = Words::of(start(fact.value));
        if words.deny() {
            // "Does not use Docker any more": that one goes, or else it is worth knowing.
            let named = self.known.iter().filter(|known| known.scope == scope);
            let named = named.filter(|known| Words::of(&known.value).all_in(&words));
            return match named.max_by_key(|known| known.value.len()) {
                Some(known) => Some(Candidate::of_known(Op::Remove, known.clone())),
                None => self.statement(fact, None),
            };
        }
        let key = Some(fact.key).filter(|key| !key.is_empty());
        Some(Candidate::removal(scope, key, fact.value))
    }

    /// Something that holds, perhaps instead of something known.
    fn statement(&self, fact: &Written<'_>, meant: Option<&Known>) -> Option<Candidate> {
        let mut scope = fact.scope?;
        let known = meant.filter(|known| may_replace(scope, fact, known));
        let key = match known.and_then(|known| known.key.as_deref()) {
            Some(known) if fact.key.is_empty() => known,
            _ => fact.key,
        };
        // A negative fact may come without the name that a removal doesn't need.
        if key.is_empty() && scope.kind() == SliceKind::Map && Words::of(start(fact.value)).deny() {
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
    fn is_requested(&self, fact: &Written<'_>) -> bool {
        let (quote, value) = (Words::of(fact.quote), Words::of(start(fact.value)));
        self.requests.iter().any(|request| match fact.quote {
            "" => value.all_in(request),
            _ => request.has(&quote) || quote.has(request),
        })
    }
}

/// As much of a text as is compared word by word: more than any stored value has.
fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(2_000)).unwrap_or(text)
}

/// A fact replaces one of the same slice, and not every one. Who is called otherwise has not
/// moved; an allergy ends by its own retraction only; another person is one more.
fn may_replace(scope: Scope, fact: &Written<'_>, known: &Known) -> bool {
    let same_key = fact.key.is_empty() || Some(fact.key) == known.key.as_deref();
    scope == known.scope
        && match scope {
            Scope::General => same_key,
            Scope::Preferences => known.key.as_deref() != Some(ALLERGY),
            Scope::Relationships => {
                let value = with_key(scope, fact.key, fact.value);
                Words::of(&value).begin_alike(&Words::of(&known.value))
            }
            _ => true,
        }
}

/// A value of a list, where there are no keys, after the key that a model gave it all the same:
/// "Siobhan" and "sister", "Rust" and "two weeks". A person's name goes first.
fn with_key(scope: Scope, key: &str, value: &str) -> String {
    let key = key.replace('_', " ");
    let name = Words::of(start(&key));
    if key.is_empty() || name.name_a_kind() || name.all_in(&Words::of(start(value))) {
        return value.to_owned();
    }
    let is_name = |text: &str| text.starts_with(char::is_uppercase);
    if scope == Scope::Relationships && is_name(value) && !is_name(&key) {
        return format!("{value}, {key}");
    }
    format!("{key}, {value}")
}
