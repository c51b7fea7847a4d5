//! Agents of rig with memory, against a model and a deployment that are wiremock's: what
//! goes out to both of them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod cache;
mod fallback;
mod learning;
mod logs;
mod prompts;
mod support;
mod users;
