//! Cache hints in the requests of async-openai, as its own client sends them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod documented;
mod endpoint;
mod hints;
