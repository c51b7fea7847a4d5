#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]
//!
//! # What is promised
//!
//! - **Never in the way.** [`Client::inject_or_base`] always has a prompt, within 800 ms
//!   unless set: see [degradation](guide::degradation).
//! - **Never silent.** Background updates end in exactly one way each, told and counted: see
//!   [background updates](guide::background_updates).
//! - **Never twice.** What is tried again is not learned or counted again: see
//!   [retries](guide::retries).
//! - **Never blindly.** A model provider is sent only what it is known to take: see
//!   [cache hints](guide::cache_hints).
//! - **Never told.** `Debug` and `Display` of every type show no key, no prompt, no fact and
//!   no user id, and neither does any error or log. The service's own words about an error
//!   are in [`Error::message`] alone, because other deployments may quote a request in them.
//! - Redirects are not followed and cookies are not kept, so that a key goes only where the
//!   base URL points. An answer of more than 8 MiB is refused.
//!
//! More pages: [testing your agent](guide::testing), [other
//! deployments](guide::variant_deployments).
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `rustls` (default) | TLS by rustls, certificates checked by the operating system's verifier |
//! | `native-tls` | TLS by the operating system's library |
//! | `blocking` | `blocking::Client`, for programs without an asynchronous runtime |
//! | `async-openai` | cache hints for the typed requests of the crate `async-openai` |
//! | `test-utils` | a fake, and ready-made answers for wiremock |
//!
//! Without either TLS feature, only `http://` addresses can be reached. Calls are logged by
//! `tracing`: one span a try (`method`, `route`, `attempt`, `status`, `request_id`), at level
//! `debug`.
//!
//! It compiles for `wasm32-unknown-unknown`, without [`Updates`] and [`Turns`], which need
//! tasks, and without `blocking` and `test-utils`. Browsers follow redirects whatever is asked
//! of them.

#[cfg(all(feature = "blocking", not(target_family = "wasm")))]
#[cfg_attr(docsrs, doc(cfg(feature = "blocking")))]
pub mod blocking;
mod budget;
mod builder;
mod cache_hint;
mod client;
mod context;
mod error;
mod fallback;
mod grants;
#[cfg(any(doc, doctest))]
pub mod guide;
mod health;
mod inject;
mod interaction;
mod memory;
mod pause;
mod retry;
mod retry_after;
#[cfg(all(feature = "test-utils", not(target_family = "wasm")))]
#[cfg_attr(docsrs, doc(cfg(feature = "test-utils")))]
pub mod test_utils;
mod time;
#[cfg(not(target_family = "wasm"))]
mod turn;
mod update;
#[cfg(not(target_family = "wasm"))]
mod updates;

pub use builder::{BuildError, ClientBuilder};
pub use cache_hint::{AnthropicTtl, CachePatch, CacheTarget};
pub use client::Client;
pub use ctxmem_types as types;
pub use ctxmem_types::{
    CacheHint, Context, DeleteResponse, Delta, ErrorCode, Fact, Grant, GrantRequest, Health,
    InjectReason, RevokeResponse, Scope, ScopeName, Timestamp, UpdateOutcome, UpdateResponse,
    UserId,
};
pub use error::{ApiError, DecodeError, DecodeProblem, Error, InvalidCall, TransportError};
pub use fallback::{Degraded, Fallback};
pub use inject::Injected;
pub use interaction::Interaction;
pub use memory::Memory;
pub use retry::RetryPolicy;
#[cfg(not(target_family = "wasm"))]
pub use turn::{Turn, Turns};
#[cfg(not(target_family = "wasm"))]
pub use updates::{BackgroundUpdate, Fate, Refusal, Refused, Report, Updates, UpdatesBuilder};
