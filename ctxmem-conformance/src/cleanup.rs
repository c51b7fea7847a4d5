//! Removes what a run leaves in the deployment.

use ctxmem_client::{Error, GrantRequest, Scope, UserId};

use crate::run::Run;
use crate::test_users::Residue;

/// Erases every test user. Returns the ids of those that could not be erased.
pub(crate) async fn clean(run: &Run) -> Vec<String> {
    for (user, residue) in run.test_users().remaining() {
        if erase(run, &user, residue).await {
            run.test_users().removed(&user);
        }
    }
    run.test_users().remaining_ids()
}

async fn erase(run: &Run, user: &UserId, residue: Residue) -> bool {
    if erase_by_key(run, user).await {
        return true;
    }
    // An agent that may use nothing can't erase either. The other one begins with a grant of its own.
    if let Ok(other) = run.b()
        && run.inject(other, user).await.is_ok()
        && erase_by_key(run, user).await
    {
        return true;
    }
    // If the grant has ended, the user can only be erased with a new one.
    if residue >= Residue::Grant && renew_grant(run, user).await && erase_by_key(run, user).await {
        return true;
    }
    // If nothing was stored, at most an ended grant is left.
    residue < Residue::Facts && !is_readable(run, user).await
}

/// Erases the user as agent A, otherwise as agent B, and checks that nothing can be read.
async fn erase_by_key(run: &Run, user: &UserId) -> bool {
    for agent in run.agents() {
        let answer = run.retry_rate_limited(|| agent.client.delete_context(user));
        if answer.await.is_ok_and(|answer| answer.deleted) {
            return !is_readable(run, user).await;
        }
    }
    false
}

/// Whether anything can still be read.
async fn is_readable(run: &Run, user: &UserId) -> bool {
    for agent in run.agents() {
        match run.retry_rate_limited(|| agent.client.context(user)).await {
            Ok(context) if !context.is_empty() => return true,
            Err(Error::Transport(_)) => return true,
            _ => {}
        }
    }
    false
}

async fn renew_grant(run: &Run, user: &UserId) -> bool {
    let agent = run.a();
    let Ok(id) = agent.id() else { return false };
    let request = GrantRequest::new(user.clone(), id, [Scope::General]);
    let granted = match run.session() {
        Ok(session) if session.user == *user => {
            run.retry_rate_limited(|| session.client.create_grant(&request))
                .await
        }
        _ => {
            run.retry_rate_limited(|| agent.client.create_grant(&request))
                .await
        }
    };
    granted.is_ok()
}
