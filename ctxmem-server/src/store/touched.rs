//! What a unit of work changes of what requests of agents depend on: by that, what was read
//! before is known to hold no more.

use super::Hash;
use super::statement::{Changes, Statement};

/// Updates and upserts that leave no row as it was: they count on, or set what their `WHERE`
/// says is not there yet.
const ALWAYS_DIFFERENT: &[&str] = &[
    "ADD_USAGE",
    "ENSURE_USER",
    "LEARN",
    "NEXT_EPOCH",
    "PUT_KEY_RECORD",
    "RESERVE_UPDATE",
    "RETURN_UPDATE",
    "SEE_DEVELOPER_SESSION",
    "SEE_SESSION",
    "TOUCH_USER",
    "USE_GRANT",
    "USE_KEY",
    "USE_LINK",
];

/// Whether a statement that found a row has written something. SQLite leaves alone what an
/// update finds as it is to be, and a commit that changes no byte is none to other processes.
fn surely_writes(statement: Statement) -> bool {
    let sql = statement.sqlite;
    let adds = sql.starts_with("INSERT") && !sql.contains("ON CONFLICT");
    adds || sql.starts_with("DELETE") || ALWAYS_DIFFERENT.contains(&statement.name)
}

/// What was changed. It says too much rather than too little: whoever is named by a unit that
/// changes something of a user counts as that user.
#[derive(Default)]
pub(super) struct Touched {
    /// Whoever was named.
    pub(super) users: Vec<Hash>,
    pub(super) facts: bool,
    pub(super) access: bool,
    pub(super) all: bool,
    /// Whether the commit writes something, whatever it is.
    pub(super) wrote: Wrote,
}

/// Whether something was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrote {
    #[default]
    Nothing,
    /// A statement ran that may have written.
    Perhaps,
    Surely,
}

impl Touched {
    /// Notes that a unit names a user.
    pub(super) fn name(&mut self, user_key: Hash) {
        if self.users.last() != Some(&user_key) {
            self.users.push(user_key);
        }
    }

    /// Notes that a statement ran, and whether it found a row.
    pub(super) fn note(&mut self, statement: Statement, found: bool) {
        if !statement.writes() {
            return;
        }
        let surely = found && surely_writes(statement);
        self.write(if surely {
            Wrote::Surely
        } else {
            Wrote::Perhaps
        });
        if !found {
            return;
        }
        match statement.changes {
            Changes::Nothing => {}
            Changes::Facts => self.facts = true,
            Changes::Access => self.access = true,
            Changes::All => self.all = true,
        }
    }

    /// Notes that a statement failed. It may have done a part, and the unit may make light of it.
    pub(super) fn note_failure(&mut self) {
        self.write(Wrote::Perhaps);
        self.all = true;
    }

    fn write(&mut self, wrote: Wrote) {
        self.wrote = self.wrote.max(wrote);
    }

    /// Forgets what a unit changed that was undone. What it wrote may leave pages that are
    /// written all the same.
    pub(super) fn undo(self) -> Self {
        Self {
            wrote: self.wrote.min(Wrote::Perhaps),
            ..Self::default()
        }
    }

    /// Takes in what another unit changed that is committed together with this one.
    pub(super) fn add(&mut self, other: Self) {
        self.users.extend(other.users);
        self.facts |= other.facts;
        self.access |= other.access;
        self.all |= other.all;
        self.write(other.wrote);
    }
}

#[cfg(test)]
mod tests;
