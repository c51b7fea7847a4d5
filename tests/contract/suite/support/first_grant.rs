//! The mode in which the suite's servers give first grants, and who consents where they ask.
//!
//! The suite is written for servers where an agent's first call makes a grant. With
//! `CTXMEM_TEST_FIRST_GRANT=own` or `=ask` the same tests run on servers in that mode. There a user
//! consents to every agent that asks, and the call is made again; a user who chose to be asked, or
//! paused everything, does not.
//!
//! A test sets its mode by [`Setup::first_grant`], and then nobody consents for its users: if it is
//! about first grants, if it reads who made a grant or what the log and the history say of it, or if it
//! counts requests, uses or entries, of which the consent and the second call would be more.
//!
//! [`Setup::first_grant`]: super::Setup::first_grant

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, Weak};

use ctxmem_client::UserId;
use ctxmem_server::core::{Caller, Core, FirstGrant};
use ctxmem_types::GrantRequest;
use serde_json::Value;

use super::chosen;

/// The mode of servers whose test doesn't set one.
pub(super) static MODE: LazyLock<FirstGrant> = LazyLock::new(|| {
    chosen(
        "CTXMEM_TEST_FIRST_GRANT",
        &[
            ("auto", FirstGrant::Auto),
            ("own", FirstGrant::Own),
            ("ask", FirstGrant::Ask),
        ],
    )
});

/// The servers whose users consent, by address.
static CONSENTING: LazyLock<Mutex<HashMap<String, Weak<Core>>>> = LazyLock::new(Mutex::default);

/// Notes whether the users of this server consent to every agent that asks. An address is used
/// again by later servers.
pub(super) fn note(url: &str, core: &Arc<Core>, users_consent: bool) {
    let mut servers = CONSENTING.lock().unwrap();
    if users_consent {
        servers.insert(url.to_owned(), Arc::downgrade(core));
    } else {
        servers.remove(url);
    }
}

fn consenting(url: &str) -> Option<Arc<Core>> {
    CONSENTING.lock().unwrap().get(url)?.upgrade()
}

/// If this answer sends the user to a page to consent, the user of a server at this address does.
/// Answers whether the request is worth making again.
pub(super) async fn consents(url: &str, request: &[u8], answer: &[u8]) -> bool {
    let Some(core) = consenting(url) else {
        return false;
    };
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else {
        return false;
    };
    let Some(page) = answer["consent_url"].as_str() else {
        return false;
    };
    let agent_id = page.rsplit('/').next().unwrap();
    let request: Value = serde_json::from_slice(request).unwrap();
    consent(&core, request["userId"].as_str().unwrap(), agent_id).await
}

/// The same for an answer by MCP, which has the link in its words, and a request whose head names the
/// user.
pub(super) async fn consents_by_mcp(url: &str, head: &str, answer: &str) -> bool {
    let Some(core) = consenting(url) else {
        return false;
    };
    let mut lines = head.lines();
    let user = lines.find_map(|line| line.strip_prefix("x-ctxmem-user-id: "));
    let link = answer.split_once("/consent/").map(|(_, rest)| rest);
    let agent_id = link.and_then(|link| link.split(' ').next());
    match (user, agent_id) {
        (Some(user), Some(agent_id)) => consent(&core, user, agent_id).await,
        _ => false,
    }
}

async fn consent(core: &Core, user: &str, agent_id: &str) -> bool {
    let user = UserId::new(user).unwrap();
    let choices = core.grants.choices(&user).await.unwrap();
    if choices.asks || choices.paused_at.is_some() {
        return false;
    }
    let asking = core.grants.asking_agent(&user, agent_id).await.unwrap();
    // Somebody else's request at the same time may have led to the grant.
    if asking.grant.is_none() {
        let granted = GrantRequest::new(user.clone(), agent_id, asking.scopes.names());
        core.grants
            .create_grant(Caller::User(user), granted)
            .await
            .unwrap();
    }
    true
}
