//! Support that the modules share: a server, and ways to talk to it.

mod agent;
mod clock;
mod connection;
mod database;
mod developer;
pub(crate) mod documented;
mod first_grant;
mod model_facts;
mod model_fixture;
mod oidc;
mod page;
mod raw;
mod refused;
mod server;
mod session;
mod tapped;
mod uncommitted;

use std::env::VarError;
use std::time::Duration;

use ctxmem_client::{Client, ClientBuilder, RetryPolicy};

pub(crate) use agent::{Agent, BASE, HELLO};
pub(crate) use clock::TestClock;
pub(crate) use connection::Connection;
pub(crate) use ctxmem_test_outside::{FakeModel, MODEL_KEY, completion};
pub(crate) use database::{ENGINE, Engine, Store};
pub(crate) use developer::{Authenticator, Developer, PASSWORD, hidden, shown_key};
pub(crate) use model_facts::{fact, named, no_longer, observed, unlearned};
pub(crate) use model_fixture::ModelFixture;
pub(crate) use oidc::{CLIENT_SECRET, OidcProvider, Signing};
pub(crate) use page::{Text, between, is_page};
pub(crate) use raw::{RawRequest, RawResponse, fields, without_own_logo, without_own_script};
use refused::code_of;
pub(crate) use refused::refused;
pub(crate) use server::{Server, Setup, user};
pub(crate) use session::Session;

/// A client without retries, and with time for a busy machine.
pub(crate) fn exact(url: &str) -> ClientBuilder {
    Client::builder()
        .base_url(url)
        .transport(tapped::Tapped::at(url))
        .with_demo()
        .retry(RetryPolicy::none())
        .inject_timeout(Duration::from_mins(1))
        .management_timeout(Duration::from_mins(1))
}

/// The number of repetitions: few in a test run, many in `scripts/soak.sh`.
pub(crate) fn count(in_tests: usize, in_soak: usize) -> usize {
    if std::env::var_os("CTXMEM_SOAK").is_some() {
        in_soak
    } else {
        in_tests
    }
}

/// The value that an environment variable names, or the first where it is not set.
fn chosen<T: Copy>(variable: &str, values: &[(&str, T)]) -> T {
    let name = match std::env::var(variable) {
        Err(VarError::NotPresent) => return values[0].1,
        name => name,
    };
    let value = values
        .iter()
        .find(|(known, _)| name.as_deref() == Ok(*known));
    let names: Vec<&str> = values.iter().map(|(known, _)| *known).collect();
    value
        .unwrap_or_else(|| panic!("{variable}: expected one of {names:?}, not {name:?}"))
        .1
}
