//! What a model's answer means. Pure: no network here.

mod parsed_fact;

use serde_json::{Map, Value};

use super::{Candidate, Known};
use parsed_fact::{AnswerContext, ParsedFact};

/// Most facts that are taken from one answer.
const MAX_FACTS: usize = 64;

/// Most places in an answer that are tried as the beginning of the object.
const MAX_STARTS: usize = 64;

/// The end of what a model thinks before it answers.
const END_OF_THOUGHT: &str = "</think>";

/// What an endpoint sent.
///
/// No `Debug`: what models write of people never reaches the log.
#[derive(PartialEq, Eq)]
pub struct Completion {
    /// What the model wrote, which may be nothing.
    pub text: String,
    /// The tokens of the request and of the answer, where the endpoint counts them.
    pub tokens: Option<(u64, u64)>,
}

/// Reads what an endpoint sent; `None` when it is no completion at all.
pub fn completion(body: &[u8]) -> Option<Completion> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let message = body.pointer("/choices/0/message")?.as_object()?;
    let content = message.get("content").and_then(text);
    let refusal = || message.get("refusal").and_then(text);
    let tokens = |name| body.get("usage")?.get(name)?.as_u64();
    Some(Completion {
        text: content.or_else(refusal).unwrap_or_default(),
        tokens: tokens("prompt_tokens").zip(tokens("completion_tokens")),
    })
}

/// The text of a message, which some endpoints send in parts.
fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Value::as_str))
                .collect(),
        ),
        _ => None,
    }
}

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
/// message: a fact that quotes anything else is left out.
pub fn candidates(text: &str, known: &[Known], message: &str) -> Option<Answer> {
    let facts = facts_after_thought(text)?;
    let context = AnswerContext::new(message, known);
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
            ParsedFact::Fact { candidate, quoted } => {
                answer.candidates.extend(candidate);
                answer.quoted &= quoted;
            }
            ParsedFact::Ignored | ParsedFact::Malformed => {}
        }
    }
    Some(answer)
}

/// The list of facts in an answer. Facts in the model's thoughts don't count.
fn facts_after_thought(text: &str) -> Option<Vec<Value>> {
    let answered = text.trim_start_matches('\u{FEFF}').trim_start();
    // Some chat templates swallow the tag that opens the thought. A value may hold the tag.
    if !answered.starts_with(['{', '`'])
        && let Some((_, answer)) = answered.split_once(END_OF_THOUGHT)
    {
        return facts(answer);
    }
    if answered.starts_with("<think>") {
        return None;
    }
    facts(answered)
}

/// The list of facts of the first object in the text that has one.
fn facts(text: &str) -> Option<Vec<Value>> {
    text.match_indices('{')
        .take(MAX_STARTS)
        .find_map(|(at, _)| {
            let from = text.get(at..)?;
            let mut object = serde_json::Deserializer::from_str(from)
                .into_iter::<Map<String, Value>>()
                .next()?
                .ok()?;
            match object.get_mut("facts") {
                Some(Value::Array(facts)) => Some(std::mem::take(facts)),
                _ => None,
            }
        })
}

#[cfg(test)]
mod tests;
