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
//! - `async-openai`: cache hints in the typed requests of that crate.
//!
//! Without either, only `http://` addresses can be reached.

mod builder;
mod cache_hint;
mod client;
mod context;
mod error;
mod grants;
mod health;
mod inject;
mod retry_after;
mod update;

pub use builder::{BuildError, ClientBuilder};
pub use cache_hint::{AnthropicTtl, CachePatch, CacheTarget};
pub use client::Client;
pub use ctxmem_types as types;
pub use ctxmem_types::{
    CacheHint, Context, DeleteResponse, Delta, ErrorCode, Fact, Grant, GrantRequest, Health,
    InjectReason, RevokeResponse, Scope, ScopeName, Timestamp, UpdateResponse, UserId,
};
pub use error::{ApiError, DecodeError, DecodeProblem, Error, InvalidCall, TransportError};
pub use inject::Injected;
