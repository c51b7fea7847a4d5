//! `ctxmem-server export`: everything, or everything about one user, as lines of JSON.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ctxmem_types::UserId;

use super::CliError;
use super::progress::Progress;
use crate::core::{Core, Line};

/// The arguments of `export`.
#[derive(Clone, Debug, Args)]
pub(super) struct ExportArgs {
    /// Only this user, as agents name them
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// A new file, which only its owner can read [default: stdout]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl ExportArgs {
    /// The export of one user.
    pub(super) fn of(user: String, file: Option<PathBuf>) -> Self {
        Self {
            user: Some(user),
            file,
        }
    }
}

pub(super) async fn run(core: &Core, args: ExportArgs) -> Result<(), CliError> {
    let user = args
        .user
        .map(|id| UserId::new(id).map_err(|error| CliError::Usage(format!("--user: {error}"))));
    let user = user.transpose()?;
    let Some(file) = args.file else {
        return export(core, user.as_ref(), None, Box::new(io::stdout())).await;
    };
    let out = Box::new(for_owner(&file)?);
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
    let failed = |cause| CliError::Io {
        what: place.map_or_else(|| "stdout".to_owned(), |file| file.display().to_string()),
        cause,
    };
    let mut write = |line: Line| -> Result<(), CliError> {
        if let Line::User(_) = line {
            progress.step();
        }
        serde_json::to_writer(&mut out, &line)
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(failed)
    };
    match user {
        Some(user_id) => core.operator.export_user(user_id, &mut write).await?,
        None => core.operator.export_all(&mut write).await?,
    };
    out.flush().map_err(failed)?;
    progress.clear();
    Ok(())
}

fn for_owner(file: &Path) -> Result<std::fs::File, CliError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(file).map_err(|cause| CliError::Io {
        what: file.display().to_string(),
        cause,
    })
}
