//! What the modules share: a server to talk to, and ways to talk to it.

mod clock;
mod connection;
mod raw;
mod refused;
mod server;

pub(crate) use clock::TestClock;
pub(crate) use connection::Connection;
pub(crate) use raw::{Raw, RawResponse};
pub(crate) use refused::refused;
pub(crate) use server::{Agent, Server, Setup, user};
