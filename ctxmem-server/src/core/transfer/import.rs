//! Taking data in.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ctxmem_types::json;

use super::{FORMAT, Header, Line};
use crate::core::Core;
use crate::failpoint;
use crate::store::{IndexKey, Record, StoreError, Taken};

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

/// A record that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// The number of its line, from 1.
    pub line: u64,
    /// Why.
    pub reason: &'static str,
}

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that are new.
    pub added: u64,
    /// Records that were there already.
    pub known: u64,
    /// Records that can't be there.
    pub not_taken: Vec<NotTaken>,
}

/// Reads the file's lines, one after the other, and checks their order.
pub struct Import {
    number: u64,
    records: u64,
    header: Option<Header>,
    is_over: bool,
}

/// A record with the number of its line.
type Numbered = (u64, Record);

impl Import {
    /// Before the first line.
    pub fn new() -> Self {
        Self {
            number: 0,
            records: 0,
            header: None,
            is_over: false,
        }
    }

    /// The first line, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Reads the next line. Answers the record in it, if there is one.
    ///
    /// # Errors
    ///
    /// When it can't be used. The text of the error holds nothing of the line.
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

    /// After the last line.
    ///
    /// # Errors
    ///
    /// When it was not the end of an export.
    pub fn finish(&self) -> Result<u64, ImportError> {
        match (self.is_over, &self.header) {
            (true, _) => Ok(self.records),
            (false, Some(_)) => Err(ImportError::CutOff),
            (false, None) => Err(ImportError::NoHeader),
        }
    }
}

impl Default for Import {
    fn default() -> Self {
        Self::new()
    }
}

/// Writes the records of a file into a database.
pub struct Importer<'a> {
    core: &'a Core,
    /// Whether the database looks users up as that of the export did.
    same_hashes: bool,
    /// Users of the file by their hash there, where the database has others.
    users: HashMap<Vec<u8>, Vec<u8>>,
    waiting: Vec<Numbered>,
    imported: Imported,
}

impl Core {
    /// Begins to take in a file with this header.
    pub fn importer(&self, header: &Header) -> Importer<'_> {
        let key = header.index_key.as_deref().and_then(IndexKey::from_text);
        Importer {
            core: self,
            same_hashes: key.as_ref() == Some(self.db.index_key()),
            users: HashMap::new(),
            waiting: Vec::new(),
            imported: Imported::default(),
        }
    }
}

impl Importer<'_> {
    /// Takes a record in, together with some that follow.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn take(&mut self, (line, record): Numbered) -> Result<(), ImportError> {
        match self.adapt(record) {
            Ok(record) => self.waiting.push((line, record)),
            Err(reason) => self.imported.not_taken.push(NotTaken { line, reason }),
        }
        if self.waiting.len() >= AT_ONCE {
            self.flush().await?;
        }
        Ok(())
    }

    /// Takes in what waits, and answers what became of the file.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn finish(mut self) -> Result<Imported, ImportError> {
        self.flush().await?;
        Ok(self.imported)
    }

    /// The record as it is in this database, or why it can't be there.
    fn adapt(&mut self, record: Record) -> Result<Record, &'static str> {
        if self.same_hashes {
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
        let taken = loop {
            match self.write(Arc::clone(&waiting)).await {
                Ok(taken) => break taken,
                Err(_) if attempt < ATTEMPTS => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(ImportError::Failed { from, to, error }),
            }
            attempt += 1;
        };
        failpoint::reach("import-stored");
        for (taken, (line, _)) in taken.into_iter().zip(waiting.iter()) {
            match taken {
                Taken::Added => self.imported.added += 1,
                Taken::Known => self.imported.known += 1,
                Taken::Refused(reason) => self.imported.not_taken.push(NotTaken {
                    line: *line,
                    reason,
                }),
            }
        }
        Ok(())
    }

    /// Writes records in one transaction. Those that are there already stay, so it may be repeated.
    async fn write(&self, records: Arc<Vec<Numbered>>) -> Result<Vec<Taken>, StoreError> {
        self.core
            .db
            .write(move |tx| {
                let records = Arc::clone(&records);
                Box::pin(async move {
                    let mut taken = Vec::with_capacity(records.len());
                    for (_, record) in records.iter() {
                        taken.push(tx.take(record).await?);
                    }
                    Ok(taken)
                })
            })
            .await
    }
}
