//! What the modules share: a server to talk to, and ways to talk to it.

mod agent;
mod clock;
mod connection;
mod database;
mod developer;
mod model;
mod oidc;
mod raw;
mod refused;
mod server;

use std::time::Duration;

use ctxmem_client::{Client, ClientBuilder, RetryPolicy};

pub(crate) use agent::{Agent, BASE, HELLO};
pub(crate) use clock::TestClock;
pub(crate) use connection::Connection;
pub(crate) use database::Engine;
pub(crate) use developer::{Developer, PASSWORD, hidden, shown_key};
pub(crate) use model::{MODEL_KEY, Model, completion, fact, named, no_longer};
pub(crate) use oidc::{CLIENT_SECRET, OidcProvider, Signing};
pub(crate) use raw::{Raw, RawResponse};
pub(crate) use refused::refused;
pub(crate) use server::{Server, Setup, user};

/// A client that shows what the server answers: one try, and time for a busy machine.
pub(crate) fn exact(url: &str) -> ClientBuilder {
    Client::builder()
        .base_url(url)
        .retry(RetryPolicy::none())
        .inject_timeout(Duration::from_mins(1))
        .timeout(Duration::from_mins(1))
}

/// How often something is tried: few times in a test run, often in `scripts/soak.sh`.
pub(crate) fn count(in_tests: usize, in_soak: usize) -> usize {
    if std::env::var_os("CTXMEM_SOAK").is_some() {
        in_soak
    } else {
        in_tests
    }
}
