//! The Model Context Protocol at `/mcp`.
//!
//! Most tests send the requests of the newest revision by hand: each of them stands for itself. The
//! official client is used where it matters what a client does.

mod failures;
mod limits;
mod oauth;
mod refusals;
pub(crate) mod request;
mod sessions;
mod tools;
mod transport;
mod versions;

use super::support::{Agent, Server, Setup};

/// A server that speaks the protocol, on which first calls make grants.
fn setup() -> Setup {
    Setup::auto().with(|config| config.mcp = true)
}

async fn server() -> Server {
    setup().start().await
}

pub(crate) async fn with_agent() -> (Server, Agent) {
    setup().start_with_agent().await
}
