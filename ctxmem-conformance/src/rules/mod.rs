//! The rules, one file for each section. Sections run in this order: the first one checks whether
//! anything answers, the last one looks at all answers.

mod auth;
mod bodies;
mod context;
mod errors;
mod facts;
mod grants;
mod health;
mod inject;
mod limits;
mod update;
mod user_ids;

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use crate::rule::Rule;
use crate::run::scenarios::Step;
use crate::verdict::Verdict;
use crate::wire::Answer;

/// The rules of one part of the interface.
pub struct Section {
    /// The first part of its rules' ids.
    pub name: &'static str,
    /// Its rules, in the order in which they are checked.
    pub rules: &'static [Rule],
}

/// Every rule.
pub const SECTIONS: &[Section] = &[
    section("health", health::RULES),
    section("auth", auth::RULES),
    section("inject", inject::RULES),
    section("update", update::RULES),
    section("context", context::RULES),
    section("facts", facts::RULES),
    section("grants", grants::RULES),
    section("user_ids", user_ids::RULES),
    section("limits", limits::RULES),
    section("errors", errors::RULES),
];

const fn section(name: &'static str, rules: &'static [Rule]) -> Section {
    Section { name, rules }
}

/// The table of rules in `docs/conformance.md`.
pub fn rules_in_markdown() -> String {
    let mut table = "| id | rule |\n|---|---|\n".to_owned();
    for rule in SECTIONS.iter().flat_map(|section| section.rules) {
        let text = rule.text.replace('|', "\\|");
        // Writing to a string does not fail.
        let _ = writeln!(table, "| `{}` | {text} |", rule.id);
    }
    table
}

/// A table of rules: id, sentence, and the async function that checks the rule, with its
/// arguments after the run.
macro_rules! rules {
    ($($id:literal $text:literal => $check:ident($($argument:expr),*);)+) => {
        pub(super) const RULES: &[$crate::rule::Rule] = &[$(
            $crate::rule::Rule {
                id: $id,
                text: $text,
                check: |run| Box::pin($check(run $(, $argument)*)),
            },
        )+];
    };
}
use rules;

/// The answer of a step, or why there is none.
fn answer_of(step: &Step) -> Result<&Answer, Verdict> {
    step.as_ref().map_err(Verdict::clone)
}

/// Whether a text is an instant in the primary form: UTC with milliseconds.
fn is_utc_with_millis(text: &str) -> bool {
    let at = DateTime::parse_from_rfc3339(text).map(|at| at.with_timezone(&Utc));
    at.is_ok_and(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true) == text)
}

/// Whether a text is an instant in UTC, with any precision.
fn is_utc(text: &str) -> bool {
    let at = DateTime::parse_from_rfc3339(text);
    at.is_ok_and(|at| at.offset().local_minus_utc() == 0)
}

/// The type of a value, for people.
fn shape(value: Option<&Value>) -> &'static str {
    match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}

/// The form of a fact on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FactForm {
    /// `{value, source_type}`.
    Primary,
    /// A plain string.
    Plain,
    /// Neither.
    Broken,
}

fn fact_form(fact: &Value) -> FactForm {
    match fact {
        Value::String(_) => FactForm::Plain,
        Value::Object(fact)
            if fact.get("value").is_some_and(Value::is_string)
                && fact.get("source_type").is_some_and(Value::is_string) =>
        {
            FactForm::Primary
        }
        _ => FactForm::Broken,
    }
}

/// The form that all these facts have in common; `None` if there are no facts.
fn common_form<'v>(facts: impl IntoIterator<Item = &'v Value>) -> Option<FactForm> {
    let mut forms = facts.into_iter().map(fact_form);
    let first = forms.next()?;
    Some(if forms.all(|form| form == first) {
        first
    } else {
        FactForm::Broken
    })
}
