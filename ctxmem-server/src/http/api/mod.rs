//! The interface of agents: its endpoints, the Model Context Protocol, the description of both, and what
//! operators ask for. A handler makes three moves: it authenticates the caller, reads the request and calls
//! `core`, and encodes the answer.
//!
//! The order matters: a caller without a valid key gets the same 401 whatever it sends, and learns
//! nothing about the interface.

pub(crate) mod context;
pub(crate) mod facts;
pub(crate) mod grants;
pub(crate) mod health;
pub(crate) mod inject;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod oauth;
pub(crate) mod openapi;
pub(crate) mod sign_in_links;
pub(crate) mod update;
