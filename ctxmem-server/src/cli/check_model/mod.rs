//! `ctxmem-server check-model`: whether a model is fit to extract facts.

use std::time::Instant;

use chrono::NaiveDate;
use ctxmem_types::Scope;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::CliError;
use super::extractor::ExtractorArgs;
use super::output::Output;
use crate::app::StartError;
use crate::extract::{Candidate, ExtractError, Interaction, Known, Model, Op, admit};

/// The messages to send, and the facts that a fit model finds in them.
const MESSAGES: &str = include_str!("messages.json");

/// How many facts out of ten a fit model gets right.
const FIT: usize = 8;

#[derive(Deserialize)]
struct TestMessage {
    user: String,
    assistant: String,
    known: Vec<KnownFact>,
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
struct KnownFact {
    #[serde(deserialize_with = "scope")]
    scope: Scope,
    key: Option<String>,
    value: String,
}

/// A fact that has to be found. Its value contains all of `says`, in lower case.
#[derive(Deserialize)]
struct Expected {
    op: String,
    #[serde(deserialize_with = "scope")]
    scope: Scope,
    key: Option<String>,
    says: Vec<String>,
}

fn scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scope, D::Error> {
    String::deserialize(deserializer)?
        .parse()
        .map_err(D::Error::custom)
}

/// The result for all messages.
#[derive(Serialize)]
struct Report {
    fit: bool,
    /// How many facts were right, and out of how many.
    right: usize,
    of: usize,
    seconds_per_message: f64,
    /// In requests and answers, if the endpoint reports them.
    tokens_per_message: Option<u64>,
    messages: Vec<MessageResult>,
}

/// The result for one message.
#[derive(Serialize)]
struct MessageResult {
    seconds: f64,
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    right: usize,
    of: usize,
    /// Why there was no usable answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(super) async fn run(args: ExtractorArgs, output: &Output) -> Result<(), CliError> {
    let config = args.model("check-model")?;
    let model = Model::explaining(config).map_err(StartError::from)?;
    let messages: Vec<TestMessage> = serde_json::from_str(MESSAGES)
        .map_err(|error| CliError::Usage(format!("the messages can't be read: {error}")))?;
    let mut rows = Vec::with_capacity(messages.len());
    for message in &messages {
        let tried = try_out(&model, message).await;
        rows.push(tried.map_err(|error| match model.explanation() {
            // Whoever runs this may see what the endpoint says.
            Some(explanation) => CliError::ModelFailed(format!("{error}\n{explanation}")),
            None => StartError::from(error).into(),
        })?);
    }
    let report = Report::of(rows);
    output.print(&report, &report.to_string())?;
    if report.fit {
        Ok(())
    } else {
        Err(CliError::Unfit)
    }
}

/// Tries one message. An unusable endpoint is an error; a bad answer is a result.
async fn try_out(model: &Model, message: &TestMessage) -> Result<MessageResult, ExtractError> {
    let known = message.known.iter().map(|fact| Known {
        scope: fact.scope,
        slot: fact.key.clone().unwrap_or_else(|| fact.value.clone()),
        key: fact.key.clone(),
        value: fact.value.clone(),
    });
    let known: Vec<Known> = known.collect();
    let interaction = Interaction {
        user_message: &message.user,
        agent_response: &message.assistant,
        known: &known,
        // A Thursday. The dates in the messages are relative to it.
        today: NaiveDate::from_ymd_opt(2026, 3, 5).unwrap_or_default(),
    };
    let begun = Instant::now();
    let found = model.find(&interaction).await;
    let seconds = begun.elapsed().as_secs_f64();
    let of = message.expected.len().max(1);
    Ok(match found {
        Ok(found) => MessageResult {
            seconds,
            prompt_tokens: found.tokens.map(|(prompt, _)| prompt),
            completion_tokens: found.tokens.map(|(_, completion)| completion),
            right: message.right(&admit(found.candidates)),
            of,
            problem: None,
        },
        Err(
            error @ (ExtractError::Malformed | ExtractError::TooLarge | ExtractError::TimedOut),
        ) => MessageResult {
            seconds,
            prompt_tokens: None,
            completion_tokens: None,
            right: 0,
            of,
            problem: Some(error.to_string()),
        },
        Err(error) => return Err(error),
    })
}

impl TestMessage {
    /// How many of the expected facts were found. If none is expected, finding none counts as
    /// one.
    fn right(&self, found: &[Candidate]) -> usize {
        if self.expected.is_empty() {
            return usize::from(found.is_empty());
        }
        let is_found = |expected: &&Expected| found.iter().any(|fact| expected.is(fact));
        self.expected.iter().filter(is_found).count()
    }
}

impl Expected {
    fn is(&self, fact: &Candidate) -> bool {
        let op = match fact.op {
            Op::Set | Op::SetInstead => "set",
            Op::Remove => "remove",
            Op::Confirm => "confirm",
            Op::TakeBack | Op::TakeBackAll | Op::End | Op::Change => "take back",
        };
        let value = fact.value.to_lowercase();
        self.op == op
            && self.scope == fact.scope
            && (self.key.is_none() || self.key == fact.key)
            && self.says.iter().all(|word| value.contains(word))
    }
}

impl Report {
    fn of(messages: Vec<MessageResult>) -> Self {
        let sum = |count: fn(&MessageResult) -> usize| messages.iter().map(count).sum::<usize>();
        let (right, of) = (sum(|row| row.right), sum(|row| row.of));
        let number = u32::try_from(messages.len()).unwrap_or(u32::MAX).max(1);
        let seconds: f64 = messages.iter().map(|row| row.seconds).sum();
        let tokens = |row: &MessageResult| Some(row.prompt_tokens? + row.completion_tokens?);
        let tokens: Option<u64> = messages.iter().map(tokens).sum();
        Self {
            fit: right * 10 >= of * FIT,
            right,
            of,
            seconds_per_message: seconds / f64::from(number),
            tokens_per_message: tokens.map(|tokens| tokens / u64::from(number)),
            messages,
        }
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, row) in (1..).zip(&self.messages) {
            let tokens = row.prompt_tokens.zip(row.completion_tokens);
            let tokens = tokens.map_or("tokens not told".to_owned(), |(prompt, completion)| {
                format!("{prompt} + {completion} tokens")
            });
            write!(f, "message {n}: {:.1} s, {tokens}, ", row.seconds)?;
            writeln!(
                f,
                "{}",
                match &row.problem {
                    Some(problem) => problem.clone(),
                    None => format!("{} of {} right", row.right, row.of),
                }
            )?;
        }
        let verdict = if self.fit { "fit" } else { "not fit" };
        let tokens = self.tokens_per_message;
        let tokens = tokens.map_or(String::new(), |tokens| format!(" and {tokens} tokens"));
        let (right, of, seconds) = (self.right, self.of, self.seconds_per_message);
        write!(
            f,
            "{verdict}: {right} of {of} facts right, {seconds:.1} s{tokens} a message"
        )
    }
}
