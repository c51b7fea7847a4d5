//! The scorer: compares predicted facts with those that people would have noted down.
//!
//! What the figures mean is explained in the README of `tests/regression`.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::AddAssign;

use chrono::NaiveDate;
use ctxmem_types::Scope;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use unicode_normalization::UnicodeNormalization as _;

use crate::{Candidate, Interaction, Op, extract_without_model};

/// One labelled interaction: the part that scoring needs.
#[derive(Deserialize)]
pub struct Item {
    /// What predictions call it.
    pub id: String,
    /// What it tests.
    pub kind: String,
    /// What the user said.
    #[serde(default, rename = "userMessage")]
    pub user_message: String,
    expected: Vec<ExpectedFact>,
    #[serde(default)]
    optional: Vec<ExpectedFact>,
    forbidden: Vec<String>,
}

#[derive(Deserialize)]
struct ExpectedFact {
    scope: String,
    must_contain: Vec<String>,
}

/// What was found in one interaction: a line that `ctxmem-server extract` prints.
#[derive(Deserialize)]
pub struct Prediction {
    /// The id of the interaction.
    pub id: String,
    /// What would be stored.
    pub facts: Vec<PredictedFact>,
    /// Whether the first stage dropped the message.
    #[serde(default)]
    pub filtered: bool,
}

impl Prediction {
    /// What the built-in rules find in an interaction, on a day.
    pub fn by_rules(item: &Item, today: NaiveDate) -> Self {
        let extraction = extract_without_model(&Interaction {
            user_message: &item.user_message,
            agent_response: "",
            known: &[],
            today,
        });
        let set = |fact: &Candidate| fact.op == Op::Set;
        Self {
            id: item.id.clone(),
            facts: extraction
                .facts
                .into_iter()
                .filter(set)
                .map(|fact| PredictedFact {
                    scope: fact.scope.name().to_owned(),
                    value: fact.value,
                })
                .collect(),
            filtered: extraction.filtered.is_some(),
        }
    }
}

/// A fact that was found.
#[derive(Deserialize)]
pub struct PredictedFact {
    /// The name of its scope.
    pub scope: String,
    /// The fact.
    pub value: String,
}

/// Reads one JSON value per line and skips empty lines.
///
/// # Errors
///
/// The number of the first line that is not such a value, and what is wrong with it.
pub fn parse_lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(n, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", n + 1))
        })
        .collect()
}

/// How many facts there were of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Labelled facts.
    pub expected: usize,
    /// Expected facts that a prediction in their scope matches.
    pub found: usize,
    /// Expected facts that a prediction in any scope matches.
    pub any_scope: usize,
    /// Predictions that match an expected fact.
    pub right: usize,
    /// Predictions that match nothing.
    pub wrong: usize,
    /// Those of the wrong ones that only have the wrong scope.
    pub wrong_scope: usize,
    /// Predictions that match an optional fact only.
    pub neutral: usize,
    /// Predictions that hold what must never be stored.
    pub forbidden: usize,
}

impl Counts {
    /// The share of right facts among right and wrong ones.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.right, self.right + self.wrong)
    }

    /// The share of labelled facts that were found.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found, self.expected)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> Option<f64> {
        let recall = self.recall()?;
        Some(match self.precision() {
            Some(precision) if precision > 0.0 && recall > 0.0 => {
                2.0 * precision * recall / (precision + recall)
            }
            _ => 0.0,
        })
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.expected += other.expected;
        self.found += other.found;
        self.any_scope += other.any_scope;
        self.right += other.right;
        self.wrong += other.wrong;
        self.wrong_scope += other.wrong_scope;
        self.neutral += other.neutral;
        self.forbidden += other.forbidden;
    }
}

/// What happened to messages: to those with something to remember, or to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// All of them.
    pub all: usize,
    /// Dropped by the first stage.
    pub filtered: usize,
    /// Dropped, or nothing was found in them.
    pub skipped: usize,
}

/// The figures of one kind of message.
#[derive(Default)]
pub struct KindScore {
    counts: Counts,
    messages: Messages,
}

/// All figures.
#[derive(Default)]
pub struct Score {
    /// Over all scopes.
    pub overall: Counts,
    scopes: BTreeMap<usize, Counts>,
    kinds: BTreeMap<String, KindScore>,
    /// Messages with something to remember.
    pub memorable: Messages,
    /// The others.
    pub others: Messages,
    /// What was wrong, and what was missed, in words.
    pub errors: Vec<String>,
}

impl Score {
    /// Compares predictions with what was expected. A value of more than `max_chars` characters
    /// matches nothing.
    ///
    /// # Errors
    ///
    /// The id of an item without exactly one prediction, of a prediction without an item, or of an
    /// item with a scope that does not exist.
    pub fn of(
        items: &[Item],
        predictions: &[Prediction],
        max_chars: Option<usize>,
    ) -> Result<Self, String> {
        let mut by_id: HashMap<&str, &Prediction> = HashMap::new();
        for prediction in predictions {
            if by_id.insert(&prediction.id, prediction).is_some() {
                return Err(format!("{}: predicted twice", prediction.id));
            }
        }
        let mut score = Self::default();
        for item in items {
            let prediction = by_id
                .remove(item.id.as_str())
                .ok_or_else(|| format!("{}: no prediction", item.id))?;
            score.add(item, prediction, max_chars)?;
        }
        match by_id.keys().next() {
            Some(id) => Err(format!("{id}: not in the set, or twice")),
            None => Ok(score),
        }
    }

    fn add(
        &mut self,
        item: &Item,
        prediction: &Prediction,
        max_chars: Option<usize>,
    ) -> Result<(), String> {
        let mut counted: Vec<(&str, Counts)> = Vec::new();
        let matches = |fact: &PredictedFact, label: &ExpectedFact| {
            fact.scope == label.scope
                && max_chars.is_none_or(|max| fact.value.chars().count() <= max)
                && label.fits(&fact.value)
        };
        for fact in &prediction.facts {
            let mut counts = Counts::default();
            if item.expected.iter().any(|label| matches(fact, label)) {
                counts.right = 1;
            } else if item.optional.iter().any(|label| matches(fact, label)) {
                counts.neutral = 1;
            } else {
                self.errors
                    .push(format!("{} wrong: {}: {}", item.id, fact.scope, fact.value));
                counts.wrong = 1;
                counts.wrong_scope = usize::from(
                    item.expected
                        .iter()
                        .any(|label| label.scope != fact.scope && label.fits(&fact.value)),
                );
            }
            let value = plain(&fact.value);
            let forbids = |text: &String| value.contains(&plain(text));
            counts.forbidden = usize::from(item.forbidden.iter().any(forbids));
            counted.push((&fact.scope, counts));
        }
        for label in &item.expected {
            let facts = &prediction.facts;
            let counts = Counts {
                expected: 1,
                found: usize::from(facts.iter().any(|fact| matches(fact, label))),
                any_scope: usize::from(facts.iter().any(|fact| label.fits(&fact.value))),
                ..Counts::default()
            };
            if counts.found == 0 {
                let filtered = if prediction.filtered {
                    " (filtered)"
                } else {
                    ""
                };
                let said: String = item.user_message.chars().take(200).collect();
                self.errors.push(format!(
                    "{} missed{filtered}: {}: {:?} < {said:?}",
                    item.id, label.scope, label.must_contain
                ));
            }
            counted.push((&label.scope, counts));
        }

        let kind = self.kinds.entry(item.kind.clone()).or_default();
        for (name, counts) in counted {
            let scope = Scope::ALL.iter().position(|scope| scope.name() == name);
            let scope = scope.ok_or_else(|| format!("{}: unknown scope {name}", item.id))?;
            *self.scopes.entry(scope).or_default() += counts;
            self.overall += counts;
            kind.counts += counts;
        }
        let group = if item.expected.is_empty() {
            &mut self.others
        } else {
            &mut self.memorable
        };
        for messages in [group, &mut kind.messages] {
            messages.all += 1;
            messages.filtered += usize::from(prediction.filtered);
            messages.skipped += usize::from(prediction.filtered || prediction.facts.is_empty());
        }
        Ok(())
    }

    /// The share of messages with something to remember that the first stage let through.
    pub fn first_stage_recall(&self) -> Option<f64> {
        let Messages { all, filtered, .. } = self.memorable;
        ratio(all - filtered, all)
    }

    /// The share of the other messages from which nothing would be stored.
    pub fn skip_rate(&self) -> Option<f64> {
        ratio(self.others.skipped, self.others.all)
    }
}

impl ExpectedFact {
    /// Whether the value says this: it holds one alternative of each entry.
    fn fits(&self, value: &str) -> bool {
        // An alternative may end or begin with a space, to match whole words only.
        let value = format!(" {} ", plain(value));
        self.must_contain.iter().all(|entry| {
            plain(entry)
                .split('|')
                .any(|alternative| value.contains(alternative))
        })
    }
}

/// The text as it is compared: composed and in lower case.
fn plain(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

#[expect(clippy::cast_precision_loss, reason = "some hundred facts")]
fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:20} prec. recall    f1 expected found any_scope right wrong wrong_scope neutral forbidden",
            "scope"
        )?;
        let named = |(n, counts): (&usize, &Counts)| (Scope::ALL[*n].name(), *counts);
        let rows = self.scopes.iter().map(named);
        for (name, counts) in rows.chain([("overall", self.overall)]) {
            writeln!(
                f,
                "{name:20} {} {:>8} {:>5} {:>9} {:>5} {:>5} {:>11} {:>7} {:>9}",
                Rates(&counts),
                counts.expected,
                counts.found,
                counts.any_scope,
                counts.right,
                counts.wrong,
                counts.wrong_scope,
                counts.neutral,
                counts.forbidden
            )?;
        }
        writeln!(
            f,
            "\n{:20} prec. recall    f1 expected found right wrong messages filtered skipped",
            "kind"
        )?;
        for (name, KindScore { counts, messages }) in &self.kinds {
            writeln!(
                f,
                "{name:20} {} {:>8} {:>5} {:>5} {:>5} {:>8} {:>8} {:>7}",
                Rates(counts),
                counts.expected,
                counts.found,
                counts.right,
                counts.wrong,
                messages.all,
                messages.filtered,
                messages.skipped
            )?;
        }
        write!(
            f,
            "\nfirst-stage recall {}, skip rate {} (first stage alone {}), forbidden {}",
            Rate(self.first_stage_recall()),
            Rate(self.skip_rate()),
            Rate(ratio(self.others.filtered, self.others.all)),
            self.overall.forbidden
        )
    }
}

struct Rates<'a>(&'a Counts);

impl fmt::Display for Rates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(counts) = self;
        let (precision, recall) = (Rate(counts.precision()), Rate(counts.recall()));
        write!(f, "{precision}  {recall} {}", Rate(counts.f1()))
    }
}

struct Rate(Option<f64>);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(rate) => write!(f, "{rate:.3}"),
            None => f.write_str("    -"),
        }
    }
}
