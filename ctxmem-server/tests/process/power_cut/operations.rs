//! The operations of a server on the files of one folder, in order, and when each of them becomes
//! durable.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::SystemTime;

use super::calls::{self, Does, SystemCall};
use crate::database_files::{DatabaseFolder, Files, is_index};

/// A file, whatever its name is at the moment.
pub(super) type FileId = usize;

/// A change to the folder or to a file in it.
pub(super) struct Operation {
    pub(super) began: usize,
    pub(super) ended: Option<usize>,
    pub(super) at: SystemTime,
    /// The line on which the first flush ended that began after this operation.
    durable: Option<usize>,
    pub(super) change: Change,
}

impl Operation {
    /// Whether it had begun at a line.
    pub(super) fn is_begun(&self, line: usize) -> bool {
        self.began < line
    }

    /// Whether a power cut at a line leaves it.
    pub(super) fn is_durable(&self, line: usize) -> bool {
        self.durable.is_some_and(|durable| durable < line)
    }
}

pub(super) enum Change {
    Name(NameChange),
    Data(FileId, DataChange),
}

/// A change to the folder itself. Only a flush of the folder makes it durable: what Linux says
/// about `fsync`, and what SQLite relies on.
pub(super) enum NameChange {
    Create(String, FileId),
    Rename(String, String),
    Remove(String),
}

impl NameChange {
    pub(super) fn apply(&self, names: &mut BTreeMap<String, FileId>) {
        match self {
            Self::Create(name, file) => {
                names.insert(name.clone(), *file);
            }
            Self::Rename(from, to) => {
                if let Some(file) = names.remove(from) {
                    names.insert(to.clone(), file);
                }
            }
            Self::Remove(name) => {
                names.remove(name);
            }
        }
    }
}

pub(super) enum DataChange {
    Write { at: usize, bytes: Vec<u8> },
    Resize(usize),
    Extend(usize),
}

impl DataChange {
    pub(super) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes } => write(content, *at, bytes),
            Self::Resize(size) => content.resize(*size, 0),
            Self::Extend(size) => content.resize(content.len().max(*size), 0),
        }
    }
}

pub(super) fn write(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    content.resize(content.len().max(end), 0);
    content[at..end].copy_from_slice(bytes);
}

/// What servers did to one folder, one after the other.
#[derive(Default)]
pub(super) struct Operations {
    pub(super) all: Vec<Operation>,
    /// How many of them made the files that were there at first.
    given: usize,
    /// How many lines of logs were read.
    lines: usize,
    names: BTreeMap<String, FileId>,
    files: usize,
    /// Where descriptors are, for writes that don't say.
    places: HashMap<u32, usize>,
    /// Operations that no flush has made durable yet, as indices into `all`.
    loose: Vec<usize>,
}

impl Operations {
    /// Begins with files that are there, and durable.
    pub(super) fn on(files: &Files) -> Self {
        let mut operations = Self {
            lines: 1,
            ..Self::default()
        };
        for (file, (name, bytes)) in files.iter().enumerate() {
            let bytes = bytes.clone();
            let changes = [
                Change::Name(NameChange::Create(name.clone(), file)),
                Change::Data(file, DataChange::Write { at: 0, bytes }),
            ];
            operations.all.extend(changes.map(|change| Operation {
                began: 0,
                ended: Some(0),
                at: SystemTime::UNIX_EPOCH,
                durable: Some(0),
                change,
            }));
            operations.names.insert(name.clone(), file);
        }
        operations.files = files.len();
        operations.given = operations.all.len();
        operations
    }

    /// Adds what a server did that has ended, by the log of strace.
    pub(super) fn record(&mut self, folder: &DatabaseFolder, log: &str) {
        // strace gives paths as the system does, without links.
        let path = folder.path().canonicalize().unwrap();
        self.add(&path, calls::read(log, self.lines));
        self.lines += log.lines().count();
        // What changed the files in a way that the log does not show would never be cut.
        let (replayed, there) = (self.replay(), folder.files());
        assert!(replayed.keys().eq(there.keys()), "the log lacks a file");
        assert!(replayed == there, "the log lacks a change");
    }

    /// What servers did.
    pub(super) fn recorded(&self) -> &[Operation] {
        &self.all[self.given..]
    }

    /// The first that began after a moment.
    pub(super) fn first_since(&self, moment: SystemTime) -> Option<&Operation> {
        let since = self.recorded().iter().filter(|one| one.at > moment);
        since.min_by_key(|one| one.began)
    }

    pub(super) fn add(&mut self, folder: &Path, calls: Vec<SystemCall>) {
        let name = |path: &Path| {
            let name = (path.parent() == Some(folder)).then(|| path.file_name())??;
            let name = name.to_str().unwrap().to_owned();
            (!is_index(&name)).then_some(name)
        };
        self.places.clear();
        for call in calls {
            match call.does {
                Does::Flush { ref path } if path == folder => self.flush(&call, None),
                Does::Flush { ref path } => {
                    let file = name(path).and_then(|name| self.names.get(&name));
                    if let Some(file) = file.copied() {
                        self.flush(&call, Some(file));
                    }
                }
                _ => {
                    for change in self.changes(&call.does, name) {
                        self.push(&call, change);
                    }
                }
            }
        }
    }

    fn changes(&mut self, does: &Does, name: impl Fn(&Path) -> Option<String>) -> Vec<Change> {
        let mut changes = Vec::new();
        match does {
            Does::Open {
                path,
                descriptor,
                create,
                empty,
            } => {
                self.places.insert(*descriptor, 0);
                let Some(name) = name(path) else {
                    return changes;
                };
                if let Some(file) = self.names.get(&name) {
                    if *empty {
                        changes.push(Change::Data(*file, DataChange::Resize(0)));
                    }
                } else if *create {
                    let file = self.files;
                    self.files += 1;
                    changes.push(Change::Name(NameChange::Create(name, file)));
                }
            }
            Does::Write {
                path,
                descriptor,
                at,
                bytes,
            } => {
                let place = self.places.entry(*descriptor).or_default();
                let at = at.unwrap_or(*place);
                *place = at + bytes.len();
                let bytes = bytes.clone();
                changes.extend(self.data(name(path), DataChange::Write { at, bytes }));
            }
            Does::Resize { path, size } => {
                changes.extend(self.data(name(path), DataChange::Resize(*size)));
            }
            Does::Extend { path, size } => {
                changes.extend(self.data(name(path), DataChange::Extend(*size)));
            }
            Does::Rename { from, to } => {
                if let (Some(from), Some(to)) = (name(from), name(to)) {
                    changes.push(Change::Name(NameChange::Rename(from, to)));
                }
            }
            Does::Remove { path } => {
                changes.extend(name(path).map(|name| Change::Name(NameChange::Remove(name))));
            }
            Does::Flush { .. } => {}
        }
        for change in &changes {
            if let Change::Name(change) = change {
                change.apply(&mut self.names);
            }
        }
        changes
    }

    fn data(&self, name: Option<String>, change: DataChange) -> Option<Change> {
        let file = self.names.get(&name?)?;
        Some(Change::Data(*file, change))
    }

    fn push(&mut self, call: &SystemCall, change: Change) {
        self.loose.push(self.all.len());
        self.all.push(Operation {
            began: call.began,
            ended: call.ended,
            at: call.at,
            durable: None,
            change,
        });
    }

    /// Makes durable what had ended before it: in a file, or in the folder itself.
    fn flush(&mut self, call: &SystemCall, flushed: Option<FileId>) {
        let all = &mut self.all;
        self.loose.retain(|&index| {
            let operation = &mut all[index];
            let file = match operation.change {
                Change::Name(_) => None,
                Change::Data(file, _) => Some(file),
            };
            let is_over = operation.ended.is_some_and(|ended| ended < call.began);
            let becomes_durable = file == flushed && is_over && call.ended.is_some();
            if becomes_durable {
                operation.durable = call.ended;
            }
            !becomes_durable
        });
    }

    /// The files after all operations: what the folder itself holds, unless the log lacks some.
    fn replay(&self) -> Files {
        let (mut names, mut contents) = (BTreeMap::new(), BTreeMap::new());
        for operation in &self.all {
            match &operation.change {
                Change::Name(change) => change.apply(&mut names),
                Change::Data(file, change) => {
                    change.apply(contents.entry(*file).or_default());
                }
            }
        }
        named(&names, &mut contents)
    }
}

/// The contents under the names of their files.
pub(super) fn named(
    names: &BTreeMap<String, FileId>,
    contents: &mut BTreeMap<FileId, Vec<u8>>,
) -> Files {
    let mut files = Files::new();
    for (name, file) in names {
        files.insert(name.clone(), contents.remove(file).unwrap_or_default());
    }
    files
}
