//! The contract, one module a resource.
//!
//! `support` starts a server in the process, on a database of its own, with a clock that a
//! test can set. `support::raw` sends what the client refuses to send.

mod account;
mod audit;
mod authorisation;
mod background;
mod consent;
mod context;
mod dashboard;
mod demo;
mod errors;
mod facts;
mod fake;
mod form_marks;
mod forms;
mod freshness;
mod grants;
mod half_pairs;
mod health;
mod hostile;
mod idempotency;
mod inject;
mod known;
mod language;
mod lossy;
mod mcp;
mod model;
mod oidc;
mod openapi;
mod outcomes;
mod pages;
mod poisoning;
mod quota;
mod races;
mod rate_limit;
mod relevant;
mod scripted;
mod set_back;
mod several;
pub(crate) mod sign_in;
mod sign_in_links;
mod small_models;
mod storms;
pub(crate) mod support;
mod times;
mod transport;
mod update;
mod user_ids;
mod webhook;
