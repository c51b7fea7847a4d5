//! What the modules share: a server to talk to, and ways to talk to it.

mod clock;
mod raw;
mod server;

pub(crate) use clock::TestClock;
pub(crate) use raw::Raw;
pub(crate) use server::{Agent, Server, Setup, user};
