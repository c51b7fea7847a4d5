//! `ctxmem-server completions` and `ctxmem-server man`, made from the flags themselves, and
//! `ctxmem-server openapi`, made from the handlers.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use serde_json::json;

use super::CliError;
use super::output::Output;
use crate::http::openapi_document;

const PROGRAM: &str = "ctxmem-server";

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder for the pages, such as /usr/local/share/man/man1; it must exist
    folder: PathBuf,
}

pub(super) fn completions(
    mut command: Command,
    args: &CompletionsArgs,
    output: &Output,
) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script);
    output.print(&json!({ "completions": script }), script.trim_end())
}

pub(super) fn man(command: Command, args: &ManArgs, output: &Output) -> Result<(), CliError> {
    let mut pages = Vec::new();
    // Each command's help names its parents.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_pages(&command, PROGRAM, &args.folder, &mut pages)?;
    let text = format!("wrote {} pages to {}", pages.len(), args.folder.display());
    output.print(&json!({ "pages": pages }), &text)
}

/// Prints the document as it is, also with `--json`.
pub(super) fn openapi(output: &Output) -> Result<(), CliError> {
    let document = openapi_document().map_err(|cause| CliError::Io {
        what: "the OpenAPI document".to_owned(),
        cause: cause.into(),
    })?;
    let parsed: serde_json::Value = serde_json::from_str(&document).unwrap_or_default();
    output.print(&parsed, document.trim_end())
}

/// Writes the page of a command, and those of its subcommands.
fn write_pages(
    command: &Command,
    name: &str,
    folder: &Path,
    pages: &mut Vec<String>,
) -> Result<(), CliError> {
    let file = folder.join(format!("{name}.1"));
    let io = |cause| CliError::Io {
        what: file.display().to_string(),
        cause,
    };
    let mut page = Vec::new();
    let titled = clap_mangen::Man::new(command.clone()).title(name.to_uppercase());
    titled.render(&mut page).map_err(io)?;
    std::fs::write(&file, page).map_err(io)?;
    pages.push(format!("{name}.1"));
    for subcommand in command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let name = format!("{name}-{}", subcommand.get_name());
        write_pages(subcommand, &name, folder, pages)?;
    }
    Ok(())
}
