//! `ctxmem-server extract`: runs the configured extractor on a file, without a database.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};

use chrono::Utc;
use clap::Args;
use ctxmem_types::{Timestamp, json};
use serde::{Deserialize, Serialize};

use super::CliError;
use super::extractor::ExtractorArgs;
use super::output::Output;
use super::progress::Progress;
use crate::app;
use crate::extract::first_stage::{self, Verdict};
use crate::extract::{self, Extractor, Interaction, Op};

#[derive(Clone, Debug, Args)]
pub(super) struct ExtractArgs {
    /// File with one JSON object per line: id, userMessage, agentResponse, and at if it was not now; `-` is stdin
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Add a `reason` where the first stage filtered a message
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    extractor: ExtractorArgs,
}

/// One interaction. Other fields, such as labels, are ignored.
#[derive(Deserialize)]
struct InputLine {
    id: String,
    #[serde(rename = "userMessage")]
    user_message: String,
    #[serde(rename = "agentResponse")]
    agent_response: String,
    /// When it was, if that is not now.
    at: Option<Timestamp>,
}

/// The facts found in one interaction.
#[derive(Serialize)]
struct Prediction<'a> {
    id: &'a str,
    facts: Vec<PredictedFact>,
    /// Whether the first stage dropped the message.
    filtered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct PredictedFact {
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    value: String,
}

pub(super) async fn run(args: ExtractArgs, output: &Output) -> Result<(), CliError> {
    let extractor = app::extractor(args.extractor.config()?).map_err(app::StartError::from)?;
    let (lines, progress) = open(&args.file)?;
    for (n, line) in lines.lines().enumerate() {
        let line = line.map_err(CliError::io(args.file.display().to_string()))?;
        if !line.trim().is_empty() {
            let at = |problem: String| CliError::Usage(format!("line {}: {problem}", n + 1));
            let line: InputLine =
                json::from_slice(line.as_bytes()).map_err(|error| at(error.to_string()))?;
            let prediction = predict(&*extractor, &line, args.explain).await;
            output.line(&prediction.map_err(|error| at(error.to_string()))?)?;
        }
        progress.step();
    }
    progress.clear();
    Ok(())
}

async fn predict<'a>(
    extractor: &dyn Extractor,
    line: &'a InputLine,
    explain: bool,
) -> Result<Prediction<'a>, extract::ExtractError> {
    let mut prediction = Prediction {
        id: &line.id,
        facts: Vec::new(),
        filtered: false,
        reason: None,
    };
    match first_stage::judge_message(&line.user_message) {
        Verdict::Filtered(reason) => {
            prediction.filtered = true;
            prediction.reason = explain.then(|| reason.name());
        }
        Verdict::Extract(_) => {
            let found = extractor
                .extract(&Interaction {
                    user_message: &line.user_message,
                    agent_response: &line.agent_response,
                    known: &[],
                    today: line
                        .at
                        .as_ref()
                        .map_or_else(Utc::now, Timestamp::at)
                        .date_naive(),
                })
                .await?;
            prediction.facts = extract::admit(found)
                .into_iter()
                .filter(|candidate| candidate.op == Op::Set)
                .map(|candidate| PredictedFact {
                    scope: candidate.scope.name(),
                    key: candidate.key,
                    value: candidate.value,
                })
                .collect();
        }
    }
    Ok(prediction)
}

/// The lines, and progress that is shown if stderr is a terminal.
fn open(file: &Path) -> Result<(Box<dyn BufRead>, Progress), CliError> {
    if file == Path::new("-") {
        return Ok((Box::new(io::stdin().lock()), Progress::new(None)));
    }
    let reader = || {
        File::open(file)
            .map(BufReader::new)
            .map_err(CliError::io(file.display().to_string()))
    };
    let total = if io::stderr().is_terminal() {
        Some(reader()?.split(b'\n').count() as u64)
    } else {
        None
    };
    Ok((Box::new(reader()?), Progress::new(total)))
}
