//! rig agents with memory, against a model and a deployment made with wiremock: what the agents
//! send to both.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod cache;
/// What the README shows.
mod documented;
mod fallback;
mod learning;
mod logs;
mod prompts;
mod support;
mod users;
