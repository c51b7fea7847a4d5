//! Fallbacks: why an agent got its base prompt back instead of an answer from the service.

use std::sync::Arc;

use crate::Error;
use crate::error::DecodeProblem;
use crate::time::SystemTime;

/// Why [`inject_or_base`](crate::Memory::inject_or_base) returned the base prompt without an
/// answer from the service.
///
/// The two cases call for different reactions: an outage passes, a rejection does not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fallback {
    /// The service is slow, down, rate limiting or broken. Carry on: it passes.
    #[error("memory is unavailable: {0}")]
    Outage(#[source] Outage),
    /// The service rejected the call: the key is not valid (401), the user's consent is
    /// missing or the key belongs to another agent (403), or the request or the base URL is
    /// wrong. It does not pass by itself.
    #[error("memory rejected the call: {0}")]
    Rejected(#[source] Error),
}

impl Fallback {
    /// Whether this is an outage, which passes.
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Outage(_))
    }

    /// The underlying error; `None` when the answer lacked the base prompt. Where the client sent
    /// nothing because its circuit breaker was open, it is the one that opened it.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::Outage(outage) => outage.error(),
            Self::Rejected(error) => Some(error),
        }
    }
}

impl From<Error> for Fallback {
    fn from(error: Error) -> Self {
        if error.is_outage() {
            Self::Outage(error.into())
        } else {
            Self::Rejected(error)
        }
    }
}

impl From<Outage> for Fallback {
    fn from(outage: Outage) -> Self {
        Self::Outage(outage)
    }
}

/// What kind of outage it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Outage {
    /// No answer came in time.
    #[error("no answer in time")]
    TimedOut(#[source] Error),
    /// There was no connection, or it broke.
    #[error("{0}")]
    Unreachable(#[source] Error),
    /// The agent made too many requests.
    #[error("too many requests")]
    RateLimited {
        /// When to try again, if the service said so.
        retry_at: Option<SystemTime>,
        /// The error that it answered.
        #[source]
        error: Error,
    },
    /// The service answered that it failed: 408, 425, 500, 502, 503 or 504.
    #[error("the service failed")]
    Failing(#[source] Error),
    /// The service answered with success, but in a form that the client can't read.
    #[error("the answer can't be read")]
    Unreadable(#[source] Error),
    /// The service answered with a prompt that does not contain the base prompt.
    #[error("the answer does not contain the base prompt")]
    Incomplete,
    /// The circuit breaker is open, because the service failed several times in a row or
    /// asked for a pause. Nothing was sent.
    #[error("{}, so no call is sent for a moment", bare(cause))]
    CircuitOpen {
        /// When the next call will go out.
        retry_at: SystemTime,
        /// The failure that opened it, such as [`RateLimited`](Self::RateLimited).
        cause: Arc<Fallback>,
    },
}

impl Outage {
    /// The underlying error, of an open circuit breaker the one that opened it; `None` for
    /// [`Incomplete`](Self::Incomplete).
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::TimedOut(error)
            | Self::Unreachable(error)
            | Self::RateLimited { error, .. }
            | Self::Failing(error)
            | Self::Unreadable(error) => Some(error),
            Self::CircuitOpen { cause, .. } => cause.error(),
            Self::Incomplete => None,
        }
    }

    /// When to try again, if that is known.
    pub fn retry_at(&self) -> Option<SystemTime> {
        match self {
            Self::CircuitOpen { retry_at, .. } => Some(*retry_at),
            _ => self.error().and_then(Error::retry_at),
        }
    }
}

/// What happened, without the words that a fallback puts before it.
fn bare(cause: &Fallback) -> &dyn std::fmt::Display {
    match cause {
        Fallback::Outage(outage) => outage,
        Fallback::Rejected(error) => error,
    }
}

impl From<Error> for Outage {
    fn from(error: Error) -> Self {
        match &error {
            Error::Api(api) if api.is_rate_limit() => Self::RateLimited {
                retry_at: api.retry_at,
                error,
            },
            Error::Api(_) => Self::Failing(error),
            Error::Decode(decode) if decode.problem == DecodeProblem::MissingBasePrompt => {
                Self::Incomplete
            }
            Error::Decode(_) => Self::Unreadable(error),
            _ if error.is_timeout() => Self::TimedOut(error),
            _ => Self::Unreachable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;
    use crate::error::{ApiError, InvalidCall};

    #[test]
    fn outages_are_distinguished_from_rejections() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            let fallback = Fallback::from(Error::from(ApiError::new(status, None)));
            assert!(fallback.is_outage(), "{status}");
        }
        for (status, code) in [
            (400, ErrorCode::BadRequest),
            (401, ErrorCode::Unauthorized),
            (403, ErrorCode::Forbidden),
            (404, ErrorCode::NotFound),
        ] {
            let fallback = Fallback::from(Error::from(ApiError::new(status, Some(code))));
            assert!(matches!(fallback, Fallback::Rejected(_)), "{status}");
        }
        let invalid = Fallback::from(Error::from(InvalidCall::MissingApiKey));
        assert!(!invalid.is_outage());
    }

    #[test]
    fn a_rate_limit_says_when_to_retry() {
        let at = SystemTime::now();
        let mut error = ApiError::new(429, Some(ErrorCode::RateLimited));
        error.retry_at = Some(at);
        let outage = Outage::from(Error::from(error));
        assert!(matches!(outage, Outage::RateLimited { .. }));
        assert_eq!(outage.retry_at(), Some(at));
    }
}
