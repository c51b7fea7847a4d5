//! Parsing of a model's answer. Pure: no network here.

mod completion;
mod parsed_fact;
mod replacing;
mod said;
mod shape;

use chrono::NaiveDate;

use super::{Candidate, Known};
pub use completion::{Completion, completion, error};
use parsed_fact::{AnswerContext, ParsedFact};
pub(crate) use replacing::{gets_a_name, is_succeeded, keeps_allergies, tells_of_allergy};
pub(crate) use said::is_of_calendar;

/// Most facts that are taken from one answer.
const MAX_FACTS: usize = 64;

/// What was parsed from an answer.
#[derive(PartialEq, Eq)]
pub struct Answer {
    /// What the model wants remembered or forgotten, without the facts that the message does not
    /// support.
    pub candidates: Vec<Candidate>,
    /// Whether each fact came with the words of the user that say it.
    pub quoted: bool,
}

/// The candidates in a model's answer, whatever text surrounds the object; `None` when it does not
/// have the agreed shape. `known` are the facts that the model was shown. `message` is the user's
/// message, and `today` its day: a fact that neither supports is left out.
pub fn candidates(text: &str, known: &[Known], message: &str, today: NaiveDate) -> Option<Answer> {
    let facts = shape::facts(text)?;
    let context = AnswerContext::new(message, known, today);
    let facts = facts.iter().take(MAX_FACTS);
    let parsed: Vec<ParsedFact> = facts.map(|fact| context.parse(fact)).collect();
    // One odd entry is left out; a list of nothing but odd entries isn't the agreed shape.
    if !parsed.is_empty()
        && parsed
            .iter()
            .all(|fact| matches!(fact, ParsedFact::Malformed))
    {
        return None;
    }
    let mut answer = Answer {
        candidates: Vec::new(),
        quoted: true,
    };
    for fact in parsed {
        match fact {
            ParsedFact::Fact { candidates, quoted } => {
                answer.candidates.extend(candidates);
                answer.quoted &= quoted;
            }
            ParsedFact::Ignored | ParsedFact::Malformed => {}
        }
    }
    Some(answer)
}

#[cfg(test)]
mod tests;
