//! `ctxmem-server import`: takes in what `export` wrote.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::extractor::ExtractorArgs;
use super::output::Output;
use super::progress::Progress;
use super::{CliError, Common, user_id};
use crate::app;
use crate::config::DbConfig;
use crate::core::{ForeignFormat, Header, Import, ImportError, Imported, Settings, read_foreign};
use crate::extract::BuiltIn;
use crate::store::{Db, IndexKey};

/// How many records that were not taken are listed.
const LISTED: usize = 100;

/// The longest line, in bytes. The longest that an export has is that of a user, with some hundred
/// facts of at most 2 kB: this has room for ten times as much, and takes little memory.
const MAX_LINE: usize = 16 << 20;

#[derive(Clone, Debug, Args)]
pub(super) struct ImportArgs {
    /// What `export` wrote; `-` is stdin
    file: PathBuf,
    /// Only check the file
    #[arg(long)]
    dry_run: bool,
    /// The file is an export of another memory [default: of ctxmem]
    #[arg(long, value_enum, requires = "agent")]
    format: Option<ForeignFormat>,
    /// The agent that learns what another memory held
    #[arg(long, value_name = "ID", requires = "format")]
    agent: Option<String>,
    /// Whose the memories are that name no user
    #[arg(long, value_name = "ID", requires = "format")]
    user: Option<String>,
    /// Facts per user in each scope that is a list, 0 for no limit, as the server has it [default: 100]
    #[arg(long, env = "CTXMEM_FACTS_PER_LIST", value_name = "N")]
    facts_per_list: Option<u32>,
    #[command(flatten)]
    extractor: ExtractorArgs,
}

impl ImportArgs {
    fn settings(&self) -> Settings {
        let defaults = Settings::default();
        Settings {
            list_cap: self
                .facts_per_list
                .map_or(defaults.list_cap, NonZeroU32::new),
            ..defaults
        }
    }
}

pub(super) async fn run(
    common: &Common,
    args: ImportArgs,
    output: &Output,
) -> Result<(), CliError> {
    if let (Some(format), Some(agent)) = (args.format, args.agent.clone()) {
        return foreign(common, args, format, &agent, output).await;
    }
    let mut file = Lines::open(&args.file)?;
    let progress = Progress::new(None);
    let (header, records) = check(&mut file, &progress)?;
    if args.dry_run {
        progress.clear();
        return output.print(
            &json!({ "records": records, "checked": true }),
            &format!("The file is whole: {records} records. Nothing was stored."),
        );
    }
    file.rewind()?;
    let progress = Progress::new(Some(records));
    let imported = store(common, args.settings(), &header, &mut file, &progress).await;
    progress.clear();
    report(&imported?, output)
}

/// Stores what another memory held, as if the agent had learned it.
async fn foreign(
    common: &Common,
    args: ImportArgs,
    format: ForeignFormat,
    agent: &str,
    output: &Output,
) -> Result<(), CliError> {
    let mut text = String::new();
    let read = if args.file == Path::new("-") {
        io::stdin().lock().read_to_string(&mut text)
    } else {
        File::open(&args.file).and_then(|mut file| file.read_to_string(&mut text))
    };
    let name = args.file.display().to_string();
    read.map_err(CliError::io(name.as_str()))?;
    let memories = read_foreign(format, &text)
        .map_err(|expected| CliError::Usage(format!("{name}: {expected}")))?;
    let settings = args.settings();
    let user = args.user.map(|id| user_id("--user", id)).transpose()?;
    if args.dry_run {
        let count = memories.len();
        return output.print(
            &json!({ "records": count, "checked": true }),
            &format!("The file can be read: {count} memories. Nothing was stored."),
        );
    }
    let extractor = app::extractor(args.extractor.config()?).map_err(app::StartError::from)?;
    let db = common.database.open_existing().await?;
    let core = Arc::new(super::core_with(db, extractor, settings));
    let progress = Progress::new(Some(memories.len() as u64));
    let imported = core
        .memory
        .import_memories(agent, &memories, user.as_ref(), || progress.step())
        .await;
    progress.clear();
    core.close(std::time::Instant::now()).await;
    report(&imported?, output)
}

/// Reads the whole file before anything is stored.
fn check(file: &mut Lines, progress: &Progress) -> Result<(Header, u64), CliError> {
    let mut import = Import::default();
    while let Some(line) = file.next()? {
        import.read(line)?;
        progress.step();
    }
    let records = import.finish()?;
    let header = import.header().cloned().ok_or(ImportError::NoHeader)?;
    Ok((header, records))
}

async fn store(
    common: &Common,
    settings: Settings,
    header: &Header,
    file: &mut Lines,
    progress: &Progress,
) -> Result<Imported, CliError> {
    // A database that this creates looks users up as the other one did.
    let db = Db::open(DbConfig {
        index_key: header.index_key.as_deref().and_then(IndexKey::from_text),
        migrate: false,
        ..common.database.config()?
    });
    let core = super::core_with(db.await?, Arc::new(BuiltIn), settings);
    let mut import = Import::default();
    let mut importer = core.operator.importer(header);
    while let Some(line) = file.next()? {
        if let Some(record) = import.read(line)? {
            importer.take(record).await?;
        }
        progress.step();
    }
    import.finish()?;
    let taken = importer.finish().await?;
    core.close(std::time::Instant::now()).await;
    Ok(taken)
}

fn report(imported: &Imported, output: &Output) -> Result<(), CliError> {
    let Imported {
        added,
        known,
        not_taken,
    } = imported;
    let listed: Vec<_> = not_taken
        .iter()
        .take(LISTED)
        .map(|record| json!({ "line": record.line, "reason": record.reason }))
        .collect();
    let mut lines = vec![format!(
        "{added} records added, {known} were there already."
    )];
    if !not_taken.is_empty() {
        lines.push(format!("{} were not taken:", not_taken.len()));
        let reasons = not_taken.iter().take(LISTED);
        lines.extend(reasons.map(|record| format!("  line {}: {}", record.line, record.reason)));
    }
    if not_taken.len() > LISTED {
        lines.push(format!("  and {} more", not_taken.len() - LISTED));
    }
    let value = json!({
        "added": added,
        "known": known,
        "not_taken": not_taken.len(),
        "reasons": listed,
    });
    output.print(&value, &lines.join("\n"))
}

/// The lines of a file, which is read twice. What comes from stdin is kept in a file without a name
/// meanwhile.
struct Lines {
    name: String,
    reader: BufReader<File>,
    line: Vec<u8>,
    /// The number of the line, from 1.
    number: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, CliError> {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin {
            "stdin".to_owned()
        } else {
            path.display().to_string()
        };
        let file = if is_stdin { kept() } else { File::open(path) };
        let file = file.map_err(CliError::io(name.as_str()))?;
        Ok(Self {
            name,
            reader: BufReader::new(file),
            line: Vec::new(),
            number: 0,
        })
    }

    /// The next line, without its end.
    fn next(&mut self) -> Result<Option<&str>, CliError> {
        self.line.clear();
        self.number += 1;
        let mut bounded = (&mut self.reader).take(MAX_LINE as u64 + 1);
        let read = bounded.read_until(b'\n', &mut self.line);
        let read = read.map_err(CliError::io(self.name.as_str()))?;
        if read == 0 {
            return Ok(None);
        }
        if read > MAX_LINE {
            let too_long = ImportError::Line {
                line: self.number,
                problem: format!("expected at most {} MiB", MAX_LINE >> 20),
            };
            return Err(too_long.into());
        }
        let line = std::str::from_utf8(&self.line);
        let line =
            line.map_err(|_| CliError::Usage(format!("{}: expected text in UTF-8", self.name)))?;
        Ok(Some(line.trim_end_matches(['\n', '\r'])))
    }

    fn rewind(&mut self) -> Result<(), CliError> {
        self.number = 0;
        let rewound = self.reader.rewind();
        rewound.map_err(CliError::io(self.name.as_str()))
    }
}

fn kept() -> io::Result<File> {
    let mut file = tempfile::tempfile_in(".")?;
    io::copy(&mut io::stdin().lock(), &mut file)?;
    file.flush()?;
    file.rewind()?;
    Ok(file)
}
