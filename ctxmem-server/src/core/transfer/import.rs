//! Import of a deployment's data.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use ctxmem_types::json;

use super::gate::{self, Reason};
use super::{FORMAT, Header, Line};
use crate::core::Operator;
use crate::failpoint;
use crate::store::{ImportOutcome, IndexKey, Record, StoreError, Tx};

/// How many records are written in one transaction.
const AT_ONCE: usize = 100;

/// How often a transaction is tried that fails: a database may be busy, or be failing over.
const ATTEMPTS: u32 = 5;

/// How long it waits in between.
const PAUSE: Duration = Duration::from_secs(1);

/// Why nothing more is taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line that can't be used.
    #[error("line {line}: {problem}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What was expected.
        problem: String,
    },
    /// The first line is not that of an export.
    #[error(
        "line 1: expected the header of an export, such as {{\"header\":{{\"format\":{FORMAT},…}}}}"
    )]
    NoHeader,
    /// A newer version made the file.
    #[error(
        "line 1: the file has format {0}, newer than this binary knows; use a newer ctxmem-server"
    )]
    NewerFormat(u32),
    /// The last line is missing.
    #[error("the file is cut off: its last line is not the end of an export")]
    CutOff,
    /// The database failed. Everything up to the line is stored; importing again goes on from there.
    #[error(
        "lines {from} to {to} were not stored: {error}; everything before them is, and importing the file again is safe"
    )]
    Failed {
        /// The first line that was not stored.
        from: u64,
        /// The last one.
        to: u64,
        /// Why.
        error: StoreError,
    },
}

/// A key of an agent that the file does not bring.
const FOREIGN_KEY: &str = "a key of an agent that this file does not bring";

/// A record that was not taken, or something of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedLine {
    /// The number of its line, from 1.
    pub line: u64,
    /// What of the record, if the rest was taken, and why.
    pub reason: Reason,
}

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that are new.
    pub added: u64,
    /// Records that were there already.
    pub known: u64,
    /// Records that can't be there, and what was left out of others.
    pub not_taken: Vec<RejectedLine>,
}

/// Reads the file's lines, one after the other, and checks their order.
#[derive(Default)]
pub struct Import {
    number: u64,
    records: u64,
    header: Option<Header>,
    is_over: bool,
}

/// A record with the number of its line.
type Numbered = (u64, Record);

impl Import {
    /// The first line, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Reads the next line. Answers the record in it, if there is one. The text of an error holds
    /// nothing of the line.
    pub fn read(&mut self, text: &str) -> Result<Option<Numbered>, ImportError> {
        self.number += 1;
        let line = self.number;
        let at = |problem: &str| ImportError::Line {
            line,
            problem: problem.to_owned(),
        };
        if text.trim().is_empty() {
            return Ok(None);
        }
        if self.is_over {
            return Err(at("expected nothing after the end of the export"));
        }
        let parsed: Result<Line, _> = json::from_slice(text.as_bytes());
        let parsed = match (parsed, &self.header) {
            (Ok(parsed), _) => parsed,
            (Err(_), None) => return Err(ImportError::NoHeader),
            (Err(error), Some(_)) => {
                // The kind of record has no name in the path.
                let problem = error.to_string();
                return Err(at(problem.strip_prefix("?.").unwrap_or(&problem)));
            }
        };
        match (parsed, &self.header) {
            (Line::Header(header), None) => {
                if header.format > FORMAT {
                    return Err(ImportError::NewerFormat(header.format));
                }
                self.header = Some(header);
                Ok(None)
            }
            (_, None) => Err(ImportError::NoHeader),
            (Line::Header(_), Some(_)) => Err(at("expected one header, on the first line")),
            (Line::End(end), Some(_)) => {
                if end.records != self.records {
                    return Err(at(&format!(
                        "the export had {} records, and {} stand before its end",
                        end.records, self.records
                    )));
                }
                self.is_over = true;
                Ok(None)
            }
            (parsed, Some(_)) => {
                self.records += 1;
                Ok(parsed.into_record().map(|record| (line, record)))
            }
        }
    }

    /// After the last line. Fails when it was not the end of an export.
    pub fn finish(&self) -> Result<u64, ImportError> {
        match (self.is_over, &self.header) {
            (true, _) => Ok(self.records),
            (false, Some(_)) => Err(ImportError::CutOff),
            (false, None) => Err(ImportError::NoHeader),
        }
    }
}

/// Writes the records of a file into a database.
pub struct Importer<'a> {
    core: &'a Operator,
    /// Whether the database looks users up as that of the export did.
    same_hashes: bool,
    /// Users of the file by their hash there, where the database has others.
    users: HashMap<Vec<u8>, Vec<u8>>,
    agents: Arc<FileAgents>,
    waiting: Vec<Numbered>,
    imported: Imported,
}

/// Agents of the file.
#[derive(Clone, Default)]
struct FileAgents {
    /// All of them.
    all: HashSet<String>,
    /// Those that are in the database as the file says. Only they get keys from the file: otherwise
    /// whoever wrote it could add a key of their own to an agent of somebody else.
    brought: HashSet<String>,
}

/// What became of the record in a line, and what was left out of it.
type TakenInPart = (ImportOutcome, Vec<Reason>);

impl Operator {
    /// Begins to take in a file with this header.
    pub fn importer(&self, header: &Header) -> Importer<'_> {
        let key = header.index_key.as_deref().and_then(IndexKey::from_text);
        Importer {
            core: self,
            same_hashes: key.as_ref() == Some(self.db.index_key()),
            users: HashMap::new(),
            agents: Arc::default(),
            waiting: Vec::new(),
            imported: Imported::default(),
        }
    }
}

impl Importer<'_> {
    /// Takes a record in, together with some that follow.
    pub async fn take(&mut self, (line, record): Numbered) -> Result<(), ImportError> {
        let adapted = self.adapt(record).map_err(Reason::from);
        match adapted.and_then(gate::admitted) {
            Ok((record, left_out)) => {
                if let Record::Agent(agent) = &record {
                    Arc::make_mut(&mut self.agents).all.insert(agent.id.clone());
                }
                self.leave_out(line, left_out);
                self.waiting.push((line, record));
            }
            Err(reason) => self.leave_out(line, [reason]),
        }
        if self.waiting.len() >= AT_ONCE {
            self.flush().await?;
        }
        Ok(())
    }

    /// Takes in what waits, and answers what became of the file.
    pub async fn finish(mut self) -> Result<Imported, ImportError> {
        self.flush().await?;
        Ok(self.imported)
    }

    fn leave_out(&mut self, line: u64, reasons: impl IntoIterator<Item = Reason>) {
        let reasons = reasons.into_iter();
        let left_out = reasons.map(|reason| RejectedLine { line, reason });
        self.imported.not_taken.extend(left_out);
    }

    /// The record as it is in this database, or why it can't be there.
    fn adapt(&mut self, record: Record) -> Result<Record, &'static str> {
        if self.same_hashes {
            if let Record::User(user) = &record
                && let Some(user_id) = &user.user_id
                && self.core.db.user_key(user_id) != user.user_key.to_bytes()
            {
                return Err("user_key: expected the hash of the user_id in this line");
            }
            return Ok(record);
        }
        match record {
            Record::User(user) => {
                let Some(user_id) = &user.user_id else {
                    return Err(
                        "an erased user, whom only a database knows that began with this export",
                    );
                };
                let here = self.core.db.user_key(user_id).to_vec();
                self.users.insert(user.user_key.to_bytes().to_vec(), here);
                Ok(Record::User(user))
            }
            Record::Event(mut event) if !event.user_key.is_empty() => {
                let here = self.users.get(&event.user_key);
                event.user_key.clone_from(
                    here.ok_or("an entry of the audit log about a user who was erased")?,
                );
                Ok(Record::Event(event))
            }
            Record::Developer(mut developer) => {
                // It is sealed for the other database.
                developer.second_factor = None;
                developer.recovery_codes.clear();
                Ok(Record::Developer(developer))
            }
            record => Ok(record),
        }
    }

    async fn flush(&mut self) -> Result<(), ImportError> {
        let (Some((from, _)), Some((to, _))) = (self.waiting.first(), self.waiting.last()) else {
            return Ok(());
        };
        let (from, to) = (*from, *to);
        let waiting = Arc::new(std::mem::take(&mut self.waiting));
        let mut attempt = 1;
        let (taken, agents) = loop {
            match self.write(Arc::clone(&waiting)).await {
                Ok(done) => break done,
                Err(_) if attempt < ATTEMPTS => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(ImportError::Failed { from, to, error }),
            }
            attempt += 1;
        };
        failpoint::reach("import-stored");
        self.agents = Arc::new(agents);
        for ((taken, left_out), (line, _)) in taken.into_iter().zip(waiting.iter()) {
            self.leave_out(*line, left_out);
            match taken {
                ImportOutcome::Added => self.imported.added += 1,
                ImportOutcome::Known => self.imported.known += 1,
                ImportOutcome::Refused(reason) => self.leave_out(*line, [reason.to_owned()]),
            }
        }
        Ok(())
    }

    /// Writes records in one transaction. Those that are there already stay, so it may be repeated.
    async fn write(
        &self,
        records: Arc<Vec<Numbered>>,
    ) -> Result<(Vec<TakenInPart>, FileAgents), StoreError> {
        let list_cap = self.core.list_cap;
        let agents = Arc::clone(&self.agents);
        self.core
            .db
            .write(move |tx| {
                let (records, agents) = (Arc::clone(&records), Arc::clone(&agents));
                Box::pin(async move {
                    let mut agents = FileAgents::clone(&agents);
                    let mut taken = Vec::with_capacity(records.len());
                    for (_, record) in records.iter() {
                        taken.push(write_one(tx, record, &mut agents, list_cap).await?);
                    }
                    Ok((taken, agents))
                })
            })
            .await
    }
}

async fn write_one(
    tx: &mut Tx,
    record: &Record,
    agents: &mut FileAgents,
    list_cap: Option<NonZeroU32>,
) -> Result<TakenInPart, StoreError> {
    match record {
        Record::User(user) => {
            let mut user = user.clone();
            let left_out = gate::make_fit(tx, &mut user, &agents.all, list_cap).await?;
            Ok((tx.take(&Record::User(user)).await?, left_out))
        }
        Record::Key(key) if !agents.brought.contains(&key.agent_id) => {
            Ok((ImportOutcome::Refused(FOREIGN_KEY), Vec::new()))
        }
        record => {
            let taken = tx.take(record).await?;
            if let (Record::Agent(agent), ImportOutcome::Added | ImportOutcome::Known) =
                (record, taken)
            {
                agents.brought.insert(agent.id.clone());
            }
            Ok((taken, Vec::new()))
        }
    }
}
