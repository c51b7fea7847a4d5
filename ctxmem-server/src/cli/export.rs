//! `ctxmem-server export`: everything, or everything about one user, as lines of JSON.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use ctxmem_types::UserId;

use super::progress::Progress;
use super::{CliError, user_id};
use crate::core::{Core, Line};

#[derive(Clone, Debug, Args)]
pub(super) struct ExportArgs {
    /// Only this user, as agents name them
    #[arg(long, value_name = "ID")]
    pub(super) user: Option<String>,
    /// A new file, which only its owner can read [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
}

pub(super) async fn run(core: &Core, args: ExportArgs) -> Result<(), CliError> {
    let user = args.user.map(|id| user_id("--user", id)).transpose()?;
    let Some(file) = args.file else {
        return export(core, user.as_ref(), None, Box::new(io::stdout())).await;
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let opened = options.open(&file);
    let out = Box::new(opened.map_err(CliError::io(file.display().to_string()))?);
    let done = export(core, user.as_ref(), Some(&file), out).await;
    if done.is_err() {
        // It was made here, and is of no use to anybody.
        let _ = std::fs::remove_file(&file);
    }
    done
}

async fn export(
    core: &Core,
    user: Option<&UserId>,
    place: Option<&Path>,
    out: Box<dyn Write + Send>,
) -> Result<(), CliError> {
    let mut out = BufWriter::new(out);
    // On a terminal the lines themselves show how far it is.
    let is_shown = place.is_some() || !io::stdout().is_terminal();
    let total = match user {
        None if is_shown => core.operator.count_users().await?,
        _ => 0,
    };
    let progress = Progress::new(Some(total));
    let place = place.map_or_else(|| "stdout".to_owned(), |file| file.display().to_string());
    let mut write = |line: Line| -> Result<(), CliError> {
        if let Line::User(_) = line {
            progress.step();
        }
        serde_json::to_writer(&mut out, &line)
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(CliError::io(place.as_str()))
    };
    match user {
        Some(user_id) => core.operator.export_user(user_id, &mut write).await?,
        None => core.operator.export_all(&mut write).await?,
    };
    out.flush().map_err(CliError::io(place.as_str()))?;
    progress.clear();
    Ok(())
}
