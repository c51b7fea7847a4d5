//! The wire types against golden files, wrong input and arbitrary values.
//!
//! `tests/golden` has one file for each form of each request and response. A file is written
//! back byte for byte, or as the `.out.json` next to it.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its preparations fail, helpers included"
)]

mod arbitrary;
mod canary;
mod context;
mod debug;
mod echo;
mod error;
mod facts;
mod golden;
mod grants;
mod health;
mod inject;
mod json;
mod non_exhaustive;
mod path;
mod round_trip;
mod scope;
mod sign_in_link;
mod syntax;
mod timestamp;
mod update;
mod user_id;
