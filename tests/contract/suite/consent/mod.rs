//! Consent: which agents get access by their first call, and what users decide about the others.

mod choices;
mod pages;
mod races;
mod sessions;
mod table;
mod website;

use ctxmem_client::{Client, UserId};
use ctxmem_server::core::{ConsentRequest, FirstGrant};

use crate::suite::support::{Agent, BASE, HELLO, Server, Setup};

/// A server in this mode.
fn in_mode(mode: FirstGrant) -> Setup {
    Setup::new().first_grant(mode)
}

/// Where users allow or refuse this agent.
fn page_of(server: &Server, agent: &Agent) -> String {
    format!("{}/consent/{}", server.url, agent.id)
}

/// The page that an inject names.
async fn inject_asks(agent: &Agent, user: &UserId) -> Option<String> {
    let injected = agent.inject(user, BASE).await.unwrap();
    let page = injected.consent_url().map(ToOwned::to_owned);
    if page.is_some() {
        assert_eq!(injected.reason().unwrap().as_str(), "no_grant");
        assert_eq!(injected.prompt(), BASE);
        assert!(injected.notice().unwrap().contains("consent_url"));
        assert!(!injected.cache_hint().unwrap().recommended);
    }
    page
}

/// The page that an update names.
async fn update_asks(client: &Client, user: &UserId) -> Option<String> {
    match client.update(user, HELLO, "Noted.").await {
        Ok(answer) => {
            assert!(answer.updated);
            None
        }
        Err(error) => {
            assert_eq!(error.status(), Some(403), "{error}");
            assert_eq!(error.code().unwrap().as_str(), "FORBIDDEN");
            error.consent_url().map(ToOwned::to_owned)
        }
    }
}

async fn waiting(server: &Server, user: &UserId) -> Vec<ConsentRequest> {
    server.grants.consent_requests(user).await.unwrap()
}

async fn has_grant(server: &Server, user: &UserId, agent: &Agent) -> bool {
    server.grant(user, agent).await.is_some()
}
