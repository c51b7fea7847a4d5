//! The official client and the official inspector against this crate, over both transports. What holds
//! for the HTTP transport on each engine is tested in the contract suite.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod documented;
mod everything;
mod inspector;
mod program;
mod support;
