//! `ctxmem-server extract` as its users run it, and how well it finds facts.
//!
//! These tests live with the binary because Cargo hands its path to them only.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod binary;
mod check_model;
mod command;
mod figures;
mod model;
mod score;
mod soak;
