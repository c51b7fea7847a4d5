//! The server of ctxmem, long-term memory for AI agents that belongs to the people it is
//! about.
//!
//! [`App`] is the whole service: open it with a [`Config`] and give it a listener. The binary does
//! just that (see [`cli`]), and so do the examples and the tests.
//!
//! The layers depend on each other in one direction: [`http`] → [`core`] → {[`store`],
//! [`extract`]}, and [`http`] → [`oidc`]. `core` names neither HTTP nor SQL; `store`, `extract` and
//! `oidc` know nothing about each other. The test in `layers.rs` keeps it so.

// Nearly everything here reads or writes the database, and fails when that does.
#![allow(clippy::missing_errors_doc)]
// What only the Model Context Protocol needs.
#![cfg_attr(not(feature = "mcp"), allow(dead_code))]

pub mod app;
pub mod cli;
pub mod config;
pub mod core;
pub mod extract;
mod failpoint;
pub mod http;
#[cfg(test)]
mod layers;
mod log_writer;
mod metrics;
pub mod oidc;
#[cfg(feature = "otlp")]
mod otlp;
mod probe;
pub mod store;
mod telemetry;
#[cfg(feature = "otlp")]
mod trace_context;
mod traces;
mod webhook;
mod website;
#[cfg(not(feature = "otlp"))]
mod without_otlp;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use app::{App, StartError};
pub use config::{Config, ExtractorConfig};

/// Locks a mutex that guards nothing which a panic could leave half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The examples of the project's README compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The program that the dashboard shows with a new key compiles.
#[cfg(doctest)]
#[doc = concat!("```no_run\n", include_str!("../templates/dashboard/first_turn.rs"), "\n```")]
struct FirstTurn;
