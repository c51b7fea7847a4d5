//! The change set of a unit of work: what it changes of what agents' requests depend on. From it
//! the commit tracker knows which cached answers are out of date.

use super::Hash;
use super::statement::{Changes, Statement};

/// What was changed: rather too much than too little. If a unit changes something of one user,
/// every user that it names counts as changed.
#[derive(Default)]
pub(super) struct ChangeSet {
    pub(super) users: Vec<Hash>,
    pub(super) facts: bool,
    pub(super) access: bool,
    pub(super) all: bool,
}

impl ChangeSet {
    pub(super) fn name(&mut self, user_key: Hash) {
        if self.users.last() != Some(&user_key) {
            self.users.push(user_key);
        }
    }

    /// Notes that a statement ran, and whether it found a row.
    pub(super) fn note(&mut self, statement: Statement, found: bool) {
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

    /// Notes that a statement failed: it may have changed something, and the unit may ignore the
    /// failure.
    pub(super) fn note_failure(&mut self) {
        self.all = true;
    }

    /// Adds what another unit of the same commit changed.
    pub(super) fn add(&mut self, other: Self) {
        self.users.extend(other.users);
        self.facts |= other.facts;
        self.access |= other.access;
        self.all |= other.all;
    }
}

#[cfg(test)]
mod tests;
