//! `ctxmem-server extract` and `check-model` as their users run them.
//!
//! These tests live with the binary because Cargo hands its path to them only.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod binary;
mod check_model;
mod command;
mod model;
#[path = "../process/process.rs"]
#[expect(dead_code, reason = "the tests of servers use the rest")]
mod process;
