#![doc = include_str!("../README.md")]
//!
//! # What calls promise
//!
//! - Every call ends within [`ClientBuilder::timeout`], its answer read in full or given up.
//! - Redirects are not followed and cookies are not kept, so that a key goes only where the
//!   base URL points. An answer of more than 8 MiB is refused.
//! - `Debug` and `Display` of every type show no key, no prompt, no fact and no user id, and
//!   neither does any error. The service's own words about an error are in
//!   [`Error::message`] alone, because other deployments may quote a request in them.
//! - Nothing is retried here; [`Error::is_retryable`] and [`Error::retry_after`] say whether
//!   and when to try again.
//!
//! # Features
//!
//! - `rustls` (default): TLS by rustls.
//! - `native-tls`: TLS by the operating system's library.
//!
//! Without either, only `http://` addresses can be reached.

#[cfg(feature = "blocking")]
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
mod health;
mod inject;
mod interaction;
mod memory;
mod pause;
mod retry;
mod retry_after;
mod time;
mod turn;
mod update;
mod updates;

pub use builder::{BuildError, ClientBuilder};
pub use client::Client;
pub use ctxmem_types as types;
pub use ctxmem_types::{
    CacheHint, Context, DeleteResponse, Delta, ErrorCode, Fact, Grant, GrantRequest, Health,
    InjectReason, RevokeResponse, Scope, ScopeName, Timestamp, UpdateResponse, UserId,
};
pub use error::{ApiError, DecodeError, DecodeProblem, Error, InvalidCall, TransportError};
pub use fallback::{Degraded, Fallback};
pub use inject::Injected;
pub use interaction::Interaction;
pub use memory::Memory;
pub use retry::RetryPolicy;
pub use turn::{Turn, Turns};
pub use updates::{Fate, Refusal, Refused, Report, UpdateOutcome, Updates, UpdatesBuilder};
