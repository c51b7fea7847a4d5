//! The conformance check against our own server, and against deployments that answer in other
//! forms or break a rule.
//!
//! `support` starts the deployments; `fake` is one that keeps every rule and, on request, answers
//! in the older forms or breaks a rule.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod broken;
mod command;
mod docs;
mod fake;
mod links;
mod older;
mod operating;
mod own;
mod support;
