//! Tracks what a run leaves in the deployment.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ctxmem_client::UserId;

/// What may be stored about a user. Later variants include earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Residue {
    /// Nothing, unless the deployment accepted a request that it should have rejected.
    Unexpected,
    /// A grant.
    Grant,
    /// Facts.
    Facts,
}

/// Test users about whom something may be stored. A user is noted before a request goes out, so
/// that none is missed even if the answer never comes.
#[derive(Default)]
pub(crate) struct TestUsers(Mutex<BTreeMap<UserId, Residue>>);

impl TestUsers {
    pub(crate) fn note(&self, user: &UserId, residue: Residue) {
        let mut users = self.users();
        let known = users.entry(user.clone()).or_insert(residue);
        *known = residue.max(*known);
    }

    /// The deployment says that it erased this user. The cleanup checks that.
    pub(crate) fn erased(&self, user: &UserId) {
        self.users().insert(user.clone(), Residue::Unexpected);
    }

    pub(crate) fn removed(&self, user: &UserId) {
        self.users().remove(user);
    }

    /// The ids of the users that have not been removed yet.
    pub(crate) fn remaining_ids(&self) -> Vec<String> {
        let users = self.users();
        users.keys().map(|user| user.as_str().to_owned()).collect()
    }

    pub(crate) fn remaining(&self) -> Vec<(UserId, Residue)> {
        let users = self.users();
        users
            .iter()
            .map(|(user, residue)| (user.clone(), *residue))
            .collect()
    }

    fn users(&self) -> MutexGuard<'_, BTreeMap<UserId, Residue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
