//! The output of commands. Only this file writes to stdout.

use std::io::{self, Write as _};

use serde::Serialize;
use serde_json::{Value, json};

use super::CliError;

/// Prints results, for people or for programs.
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a result: the value as one JSON object, or the text.
    pub(super) fn print(&self, value: &impl Serialize, text: &str) -> Result<(), CliError> {
        let line = if self.json {
            serde_json::to_string(value).map_err(|error| CliError::Usage(error.to_string()))?
        } else {
            text.to_owned()
        };
        write(&line)
    }

    /// Prints a list: under its name in a JSON object, or a line for each.
    pub(super) fn list(
        &self,
        name: &str,
        rows: impl Iterator<Item = (Value, String)>,
    ) -> Result<(), CliError> {
        let (values, lines): (Vec<Value>, Vec<String>) = rows.unzip();
        self.print(&json!({ name: values }), &lines.join("\n"))
    }

    /// Prints one of many results, always as a line of JSON.
    #[expect(clippy::unused_self, reason = "all commands print through it")]
    pub(super) fn line(&self, value: &impl Serialize) -> Result<(), CliError> {
        let line =
            serde_json::to_string(value).map_err(|error| CliError::Usage(error.to_string()))?;
        write(&line)
    }
}

fn write(line: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")
        .and_then(|()| stdout.flush())
        .map_err(CliError::io("stdout"))
}

/// Prints what clap says, and where the value came from that it refuses. Ends the process.
pub(super) fn refuse(error: &clap::Error, source: Option<&str>) -> ! {
    // There is nowhere left to report that stderr is gone.
    let _ = error.print();
    if let Some(source) = source {
        let _ = writeln!(io::stderr(), "\n{source}");
    }
    std::process::exit(error.exit_code())
}

/// Tells what a command is about to do, beside its result.
pub(super) fn progress(step: &str) {
    // There is nowhere left to report that stderr is gone.
    let _ = writeln!(io::stderr(), "{step}");
}

pub(super) fn error(error: &CliError) {
    // There is nowhere left to report that stderr is gone.
    let _ = writeln!(io::stderr(), "ctxmem-server: {error}");
}
