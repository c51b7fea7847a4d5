//! What the modules share: a server to talk to, and ways to talk to it.

mod agent;
mod clock;
mod connection;
mod database;
mod model;
mod raw;
mod refused;
mod server;

pub(crate) use agent::{Agent, BASE, HELLO};
pub(crate) use clock::TestClock;
pub(crate) use connection::Connection;
pub(crate) use database::Engine;
pub(crate) use model::{MODEL_KEY, Model, completion, fact, named, no_longer};
pub(crate) use raw::{Raw, RawResponse};
pub(crate) use refused::refused;
pub(crate) use server::{Server, Setup, user};
