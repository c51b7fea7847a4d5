//! What a run leaves in the deployment, and how it gets removed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ctxmem_client::{Error, GrantRequest, Scope, UserId};

use crate::run::Run;

/// What may exist of a user. Later variants hold more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Left {
    /// Something was asked for that should have been refused.
    Tried,
    /// A grant.
    Grant,
    /// Facts.
    Facts,
}

/// Test users of whom something may be stored. Noted before a request goes out, so that it
/// holds even when the answer never comes.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<BTreeMap<UserId, Left>>);

impl Ledger {
    pub(crate) fn note(&self, user: &UserId, left: Left) {
        let mut users = self.users();
        let known = users.entry(user.clone()).or_insert(left);
        *known = left.max(*known);
    }

    /// The deployment says that it erased this user. Cleaning up looks whether it did.
    pub(crate) fn erased(&self, user: &UserId) {
        self.users().insert(user.clone(), Left::Tried);
    }

    fn removed(&self, user: &UserId) {
        self.users().remove(user);
    }

    /// The ids of the users that are not erased yet.
    pub(crate) fn open_users(&self) -> Vec<String> {
        self.users().keys().map(ToString::to_string).collect()
    }

    fn open(&self) -> Vec<(UserId, Left)> {
        let users = self.users();
        users
            .iter()
            .map(|(user, left)| (user.clone(), *left))
            .collect()
    }

    fn users(&self) -> MutexGuard<'_, BTreeMap<UserId, Left>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Erases every test user and answers the ids of those that could not be erased.
pub(crate) async fn clean(run: &Run) -> Vec<String> {
    for (user, left) in run.ledger().open() {
        if erase(run, &user, left).await {
            run.ledger().removed(&user);
        }
    }
    run.ledger().open_users()
}

async fn erase(run: &Run, user: &UserId, left: Left) -> bool {
    if erase_by_key(run, user).await {
        return true;
    }
    // Under a grant that has ended the user can be reached only by a new one.
    if left >= Left::Grant && renew(run, user).await && erase_by_key(run, user).await {
        return true;
    }
    // Where nothing was stored, no access means that nothing is left but an ended grant.
    left < Left::Facts && !readable(run, user).await
}

/// Erases as agent A, else as agent B, and looks whether it helped.
async fn erase_by_key(run: &Run, user: &UserId) -> bool {
    for agent in run.agents() {
        let answer = run.patiently(|| agent.client.delete_context(user)).await;
        if answer.is_ok_and(|answer| answer.deleted) {
            return !readable(run, user).await;
        }
    }
    false
}

/// Whether anything stored can be read.
async fn readable(run: &Run, user: &UserId) -> bool {
    for agent in run.agents() {
        match run.patiently(|| agent.client.context(user)).await {
            Ok(context) if !context.is_empty() => return true,
            Err(Error::Transport(_)) => return true,
            _ => {}
        }
    }
    false
}

async fn renew(run: &Run, user: &UserId) -> bool {
    let agent = run.a();
    let Ok(id) = agent.id() else { return false };
    let client = match run.session() {
        Ok(session) if session.user == *user => &session.client,
        _ => &agent.client,
    };
    let request = GrantRequest::new(user.clone(), id, [Scope::General]);
    run.patiently(|| client.create_grant(&request))
        .await
        .is_ok()
}
