//! The pages as a person meets them: headless Chromium in front of a server in the process.
//!
//! `browser` is the browser, in sentences. On every page that a test visits it watches for
//! scripts that should not run, for violations of the content policy and for errors.

mod accessibility;
mod account;
mod browser;
mod cross_site;
mod dashboard;
mod developer;
mod elsewhere;
mod enter;
mod form_again;
mod forms;
mod guard;
mod isolation;
mod language;
mod markup;
mod oidc;
mod openapi;
mod sign_in;
mod state;
#[path = "../../contract/suite/support/mod.rs"]
#[expect(
    dead_code,
    unused_imports,
    reason = "the contract needs more of it than the pages"
)]
pub(crate) mod support;
mod team;

use ctxmem_client::UserId;
use ctxmem_server::store::FactWithProvenance;
use ctxmem_types::Scope;

/// Adds a fact, as the user.
async fn add_fact(server: &support::Server, user: &UserId, scope: Scope, fact: String) {
    let memory = &server.core().memory;
    let added = memory.add_fact(user.clone(), scope, None, fact).await;
    added.unwrap();
}

async fn facts(server: &support::Server, user: &UserId) -> Vec<FactWithProvenance> {
    let memory = &server.core().memory;
    memory.facts_with_provenance(user).await.unwrap()
}

/// Fails unless the text has the first of these parts and none of the second.
#[track_caller]
fn assert_parts(text: &str, there: &[&str], absent: &[&str]) {
    for part in there {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    for part in absent {
        assert!(!text.contains(part), "{part:?} is in\n{text}");
    }
}
