//! What a unit of work changes of what requests of agents depend on: by that, what was read
//! before is known to hold no more.

use super::Hash;
use super::statement::{Changes, Statement};

/// What was changed. It says too much rather than too little: whoever is named by a unit that
/// changes something of a user counts as that user.
#[derive(Default)]
pub(super) struct Touched {
    /// Whoever was named.
    pub(super) users: Vec<Hash>,
    pub(super) facts: bool,
    pub(super) access: bool,
    pub(super) all: bool,
    /// Whether something was written, whatever it was.
    pub(super) wrote: bool,
    /// Whether a statement ran that might have written, but found nothing to write.
    pub(super) may_have_written: bool,
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
        self.may_have_written = true;
        if !found {
            return;
        }
        self.wrote = true;
        match statement.changes {
            Changes::Nothing => {}
            Changes::Facts => self.facts = true,
            Changes::Access => self.access = true,
            Changes::All => self.all = true,
        }
    }

    /// Forgets what a unit changed that was undone. What it wrote may leave pages that are
    /// written all the same.
    pub(super) fn undo(self) -> Self {
        Self {
            may_have_written: self.may_have_written,
            ..Self::default()
        }
    }

    /// Takes in what another unit changed that is committed together with this one.
    pub(super) fn add(&mut self, other: Self) {
        self.users.extend(other.users);
        self.facts |= other.facts;
        self.access |= other.access;
        self.all |= other.all;
        self.wrote |= other.wrote;
        self.may_have_written |= other.may_have_written;
    }
}
