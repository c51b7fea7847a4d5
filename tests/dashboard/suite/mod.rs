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
