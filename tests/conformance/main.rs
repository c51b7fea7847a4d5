//! The conformance check, pointed at our own server and at deployments that answer in other
//! forms or break a rule each.
//!
//! `support` starts what is checked; `fake` is a deployment that keeps every rule and can be
//! told to answer in the older forms or to break one.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod broken;
mod command;
mod docs;
mod fake;
mod older;
mod own;
mod support;
