//! Whether what was read from a SQLite file still holds, without reading it again.
//!
//! What this process commits is counted by what it touched, before anybody is told that it is
//! committed. What other processes commit shows in the header of the write-ahead log's index,
//! which every commit rewrites in shared memory before it ends: a request that comes after
//! such a commit was acknowledged finds another header. To read it takes less than a
//! microsecond and no lock of the database.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::Hash;
use super::touched::{Touched, Wrote};

/// Users share this many counters: who shares one with somebody whose facts change is read
/// again as well.
const STRIPES: usize = 4_096;

/// As of when something was read. What was read under one stamp holds as long as the stamp
/// that is given now is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    all: u64,
    access: u64,
    facts: u64,
}

impl Stamp {
    /// Whether what decides about requests is as it was; facts may have changed.
    pub fn has_same_access(&self, other: &Self) -> bool {
        (self.all, self.access) == (other.all, other.access)
    }
}

/// Counts what is committed.
pub(super) struct Fresh(Mutex<Counts>);

struct Counts {
    /// `None` where the index can't be read: then nothing is known to be fresh.
    index: Option<Index>,
    /// The header whose commits are all counted.
    seen: Header,
    /// This process is committing. Until that is done, which may take the disk a while, what is
    /// there holds; from another header on it is not known whose commits it counts.
    committing: bool,
    all: u64,
    users: Vec<[u64; 2]>,
}

impl Fresh {
    /// Watches this database, which a connection has open and keeps open: the index lasts as
    /// long as somebody has it open.
    pub(super) fn watch(file: &Path) -> Self {
        let index = Index::open(file);
        let seen = index.as_ref().and_then(Index::read);
        Self(Mutex::new(Counts {
            index,
            seen: seen.unwrap_or_default(),
            committing: false,
            all: 0,
            users: vec![[0; 2]; STRIPES],
        }))
    }

    /// The stamp of what is read of this user from now on; `None` when it can't be told.
    pub(super) fn stamp(&self, user_key: &Hash) -> Option<Stamp> {
        let mut counts = self.counts();
        let header = counts.index.as_ref()?.read()?;
        if header != counts.seen {
            if counts.committing {
                return None;
            }
            // Another process has committed; what, nobody can tell.
            counts.all += 1;
            counts.seen = header;
        }
        let [access, facts] = counts.users[stripe(user_key)];
        Some(Stamp {
            all: counts.all,
            access,
            facts,
        })
    }

    /// Called before a commit, while no other process can write.
    pub(super) fn begin(&self) -> Committing<'_> {
        let mut counts = self.counts();
        let header = counts.index.as_ref().and_then(Index::read);
        if header.is_some_and(|header| header != counts.seen) {
            counts.all += 1;
        }
        counts.seen = header.unwrap_or_default();
        counts.committing = true;
        Committing { fresh: self }
    }

    /// To be called when every connection is closed: nothing is known to be fresh any more.
    pub(super) fn close(&self) {
        self.counts().index = None;
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // Connections may still be open, and closing the file would take their locks.
        std::mem::forget(self.counts().index.take());
    }
}

/// A commit under way. Where it is dropped, it may have come about or not.
pub(super) struct Committing<'f> {
    fresh: &'f Fresh,
}

impl Committing<'_> {
    /// Counts what was committed. Nobody may be told of it before.
    pub(super) fn done(self, touched: &Touched) {
        let mut counts = self.fresh.counts();
        let header = counts.index.as_ref().and_then(Index::read);
        let commits = header
            .unwrap_or_default()
            .commits()
            .wrapping_sub(counts.seen.commits());
        // Right after the commit another process may have had its turn.
        let ours_alone = match touched.wrote {
            Wrote::Surely => commits == 1,
            Wrote::Perhaps => header == Some(counts.seen),
            Wrote::Nothing => commits == 0,
        };
        if touched.all || !ours_alone {
            counts.all += 1;
        }
        for user_key in &touched.users {
            let [access, facts] = &mut counts.users[stripe(user_key)];
            *access += u64::from(touched.access);
            *facts += u64::from(touched.facts || touched.access);
        }
        counts.seen = header.unwrap_or_default();
        counts.committing = false;
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        let mut counts = self.fresh.counts();
        if counts.committing {
            counts.all += 1;
            counts.committing = false;
        }
    }
}

fn stripe(user_key: &Hash) -> usize {
    usize::from(u16::from_le_bytes([user_key[0], user_key[1]])) % STRIPES
}

/// The header of the index: its format, how many commits there were, how far the log goes, and
/// checksums over all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header([u8; Self::BYTES]);

impl Default for Header {
    fn default() -> Self {
        Self([0; Self::BYTES])
    }
}

impl Header {
    const BYTES: usize = 48;
    /// The only format that there is.
    const FORMAT: u32 = 3_007_000;

    /// Grows by one with each commit that writes something.
    fn commits(&self) -> u32 {
        self.word(8)
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = &self.0[at..at + 4];
        u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }
}

/// The write-ahead log's index, a file that all processes have in memory.
struct Index(Arc<File>);

impl Index {
    fn open(database: &Path) -> Option<Self> {
        // SQLite resolves links before it names the files beside the database.
        let mut name = database.canonicalize().ok()?.into_os_string();
        name.push("-shm");
        open_once(Path::new(&name)).map(Self)
    }

    /// `None` where it is not what we know.
    fn read(&self) -> Option<Header> {
        let mut header = Header::default();
        read_at(&self.0, &mut header.0)?;
        (header.word(0) == Header::FORMAT).then_some(header)
    }
}

/// The file, opened once for all who watch it in this process: whoever closes a file gives up
/// all locks that the process has on it, and SQLite locks this one.
#[cfg(unix)]
fn open_once(file: &Path) -> Option<Arc<File>> {
    use std::os::unix::fs::MetadataExt as _;
    /// Device and inode, and the file.
    type Known = ((u64, u64), Weak<File>);
    static OPEN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    let known = file.metadata().ok()?;
    let known = (known.dev(), known.ino());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(_, file)| file.strong_count() > 0);
    let found = open.iter().find(|(id, _)| *id == known);
    if let Some(file) = found.and_then(|(_, file)| file.upgrade()) {
        return Some(file);
    }
    let file = Arc::new(File::open(file).ok()?);
    open.push((known, Arc::downgrade(&file)));
    Some(file)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8]) -> Option<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(bytes, 0).ok()
}

/// Only where a file that is mapped into memory can be read as it is.
#[cfg(not(unix))]
fn open_once(_: &Path) -> Option<Arc<File>> {
    None
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8]) -> Option<()> {
    None
}

#[cfg(test)]
mod tests;
