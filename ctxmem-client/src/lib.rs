#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]
//!
//! # Guarantees
//!
//! - **Memory is never in the way.** [`Client::inject_or_base`] always returns a prompt, by
//!   default within 800 ms: see [degradation](guide::degradation).
//! - **Nothing is lost silently.** Every background update ends in exactly one way, which is
//!   reported and counted: see [background updates](guide::background_updates).
//! - **Nothing happens twice.** The service learns from a retried update and counts it only
//!   once: see [retries](guide::retries).
//! - **Model providers get only what they take.** No parameter is sent to a model or endpoint
//!   that is not known to accept it: see [cache hints](guide::cache_hints).
//! - **Nothing personal in logs.** `Debug` and `Display` of every type show no key, no prompt,
//!   no fact and no user id, and neither does any error or log. ([`UserId`] has no `Display`.) Only
//!   [`Error::message`] has the service's own message about an error, because other deployments
//!   may quote a request in it.
//! - **The key goes only to the base URL.** The client follows no redirects and keeps no
//!   cookies. It rejects an answer of more than 8 MiB.
//!
//! More pages: [streamed answers](guide::streams), [options of calls](guide::calls), [testing your agent](guide::testing), [other
//! deployments](guide::variant_deployments).
//!
//! # Names
//!
//! At the root stands what a turn needs. [`types`] has the rest of the interface, [`error`] what an [`Error`] holds,
//! [`updates`] what becomes of updates, and [`cache_hints`] what model providers take.
//!
//! # Logs
//!
//! Each attempt of a call has a `tracing` span at level `debug` (`method`, `route`, `attempt`,
//! `status`, `request_id`), and each call one event at its end (`route`, `status`, `attempts`,
//! `elapsed_ms`). Refusals and outages are warnings: the first of a kind at once, then at most one
//! every minute, with the number of those in between (`unlogged`).
//!
//! Browsers follow redirects in any case.

mod access;
#[cfg(all(feature = "blocking", not(target_family = "wasm")))]
#[cfg_attr(docsrs, doc(cfg(feature = "blocking")))]
pub mod blocking;
pub mod cache_hints;
mod call_options;
mod check_key;
mod circuit_breaker;
mod client;
mod context;
pub mod error;
mod facts;
mod fallback;
mod grants;
#[cfg(any(doc, doctest))]
pub mod guide;
mod health;
mod inject;
mod interaction;
mod memory;
mod operator_client;
mod parts;
mod problem_log;
mod relevant;
mod retry;
mod retry_after;
mod retry_budget;
#[cfg(all(feature = "test-utils", not(target_family = "wasm")))]
#[cfg_attr(docsrs, doc(cfg(feature = "test-utils")))]
pub mod test_utils;
mod time;
mod transport;
#[cfg(not(target_family = "wasm"))]
mod turn;
mod update;
#[cfg(not(target_family = "wasm"))]
pub mod updates;
mod user_client;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use access::Access;
pub use cache_hints::CacheTarget;
pub use call_options::CallOptions;
pub use client::{BuildError, Client, ClientBuilder};
pub use ctxmem_types as types;
pub use ctxmem_types::{
    Context, ErrorCode, FactRecord, Grant, GrantRequest, InjectReason, Scope, UpdateOutcome,
    UpdateResponse, UserId,
};
pub use error::Error;
pub use fallback::{Fallback, Outage};
pub use inject::Injected;
pub use interaction::Interaction;
pub use memory::{BoxFuture, Memory};
pub use operator_client::OperatorClient;
pub use parts::Parts;
/// The HTTP client below, of the version that this crate's interface is made with.
pub use reqwest;
pub use retry::RetryPolicy;
pub use transport::Transport;
#[cfg(not(target_family = "wasm"))]
pub use turn::{Turn, Turns};
#[cfg(not(target_family = "wasm"))]
pub use updates::{SendError, Updates};
pub use user_client::UserClient;

/// What a mutex guards, also after a panic: no change here is left half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
