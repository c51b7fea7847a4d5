//! Errors of extraction.
//!
//! The texts are fixed. They never contain the prompt, the answer, the key or the URL, because
//! errors are logged and may be shown.

use std::time::Duration;

use thiserror::Error;

/// Why no facts could be extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ExtractError {
    /// No connection, or it broke before the answer was complete.
    #[error("the model endpoint cannot be reached")]
    Unreachable,
    /// No complete answer within the configured time.
    #[error("the model endpoint did not answer in time")]
    TimedOut,
    /// The endpoint answered with something other than success; redirects are not followed.
    #[error("the model endpoint answered with status {0}")]
    Status(u16),
    /// The endpoint is busy, and waiting until it said would have taken too long.
    #[error("the model endpoint is busy (status {status})")]
    Busy {
        /// Its status.
        status: u16,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The answer is too long to read.
    #[error("the answer of the model endpoint is too large")]
    TooLarge,
    /// The answer does not have the agreed shape.
    #[error("the answer of the model endpoint does not have the agreed shape")]
    Malformed,
    /// The request could not be built.
    #[error("the request to the model endpoint could not be built")]
    Request,
}
