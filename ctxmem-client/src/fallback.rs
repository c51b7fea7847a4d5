//! Why an agent got its base prompt back instead of an answer of the service.

use crate::Error;
use crate::time::SystemTime;

/// Why [`inject_or_base`](crate::Memory::inject_or_base) returned the base prompt without an
/// answer of the service.
///
/// The two cases differ in what to do: an outage passes, a refusal does not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fallback {
    /// The service is slow, down, limited or broken: go on, it passes.
    #[error("memory is away: {0}")]
    Degraded(#[source] Degraded),
    /// The service refused the call: the key is not valid (401), the user's consent is
    /// missing or the key belongs to another agent (403), or the request or the base URL is
    /// wrong. It does not pass by itself.
    #[error("memory was refused: {0}")]
    Refused(#[source] Error),
}

impl Fallback {
    /// Whether the service was away, which passes.
    pub fn is_degraded(&self) -> bool {
        matches!(self, Self::Degraded(_))
    }

    /// The error behind it; `None` while the client leaves the service alone.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::Degraded(degraded) => degraded.error(),
            Self::Refused(error) => Some(error),
        }
    }
}

impl From<Error> for Fallback {
    fn from(error: Error) -> Self {
        let is_outage = match &error {
            Error::Transport(_) | Error::Decode(_) => true,
            Error::Api(_) => error.is_retryable(),
            Error::Invalid(_) => false,
        };
        if is_outage {
            Self::Degraded(error.into())
        } else {
            Self::Refused(error)
        }
    }
}

impl From<Degraded> for Fallback {
    fn from(degraded: Degraded) -> Self {
        Self::Degraded(degraded)
    }
}

/// In what way the service was away.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Degraded {
    /// No answer came in time.
    #[error("no answer in time")]
    TimedOut(#[source] Error),
    /// There was no connection, or it broke.
    #[error("the service can't be reached")]
    Unreachable(#[source] Error),
    /// Too many requests.
    #[error("too many requests")]
    RateLimited {
        /// When to try again, where the service says so.
        retry_at: Option<SystemTime>,
        /// The error that it answered.
        #[source]
        error: Error,
    },
    /// The service answered that it fails: 408, 425, 500, 502, 503 or 504.
    #[error("the service fails")]
    Failing(#[source] Error),
    /// It answered with success, but not in a form that is known.
    #[error("the answer can't be understood")]
    Unreadable(#[source] Error),
    /// It answered a prompt that does not hold the base prompt.
    #[error("the answer does not hold the base prompt")]
    Incomplete,
    /// The service failed so often just now, or limits so, that the client leaves it alone
    /// for a moment; nothing was sent.
    #[error("the service is left alone for a moment after it failed")]
    Paused {
        /// When the next call will go out.
        retry_at: SystemTime,
    },
}

impl Degraded {
    /// The error behind it, where the service was asked.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::TimedOut(error)
            | Self::Unreachable(error)
            | Self::RateLimited { error, .. }
            | Self::Failing(error)
            | Self::Unreadable(error) => Some(error),
            Self::Incomplete | Self::Paused { .. } => None,
        }
    }

    /// When to try again, where that is known.
    pub fn retry_at(&self) -> Option<SystemTime> {
        match self {
            Self::Paused { retry_at } => Some(*retry_at),
            _ => self.error().and_then(Error::retry_at),
        }
    }
}

impl From<Error> for Degraded {
    fn from(error: Error) -> Self {
        match &error {
            Error::Api(api) if api.is_rate_limit() => Self::RateLimited {
                retry_at: api.retry_at,
                error,
            },
            Error::Api(_) => Self::Failing(error),
            Error::Decode(_) => Self::Unreadable(error),
            _ if error.is_timeout() => Self::TimedOut(error),
            _ => Self::Unreachable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ApiError, ErrorCode, InvalidCall};

    #[test]
    fn outages_are_told_from_refusals() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            let fallback = Fallback::from(Error::from(ApiError::new(status, None)));
            assert!(fallback.is_degraded(), "{status}");
        }
        for (status, code) in [
            (400, ErrorCode::BadRequest),
            (401, ErrorCode::Unauthorized),
            (403, ErrorCode::Forbidden),
            (404, ErrorCode::NotFound),
        ] {
            let fallback = Fallback::from(Error::from(ApiError::new(status, Some(code))));
            assert!(matches!(fallback, Fallback::Refused(_)), "{status}");
        }
        let invalid = Fallback::from(Error::from(InvalidCall::MissingApiKey));
        assert!(!invalid.is_degraded());
    }

    #[test]
    fn a_limit_says_until_when() {
        let at = SystemTime::now();
        let mut error = ApiError::new(429, Some(ErrorCode::RateLimited));
        error.retry_at = Some(at);
        let degraded = Degraded::from(Error::from(error));
        assert!(matches!(degraded, Degraded::RateLimited { .. }));
        assert_eq!(degraded.retry_at(), Some(at));
    }
}
