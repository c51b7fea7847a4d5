//! Errors of requests: the status, the code and the text that each is answered with.

use std::time::Duration;

use ctxmem_types::{ErrorBody, ErrorCode};
use http::{HeaderValue, StatusCode, header};
use warp::reply::Response;

use super::metrics::{FailureReason, Problem, RefusalReason};
use super::reply;
use crate::core::{Error, ExtractError, StoreError};

/// When a request may be sent again that was turned away because of too much to do, or of an outage.
pub(crate) const SHORTLY: Duration = Duration::from_secs(1);

/// What a 401 asks for (RFC 9110 §15.5.2, RFC 6750 §3).
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"ctxmem\"");

/// When to try again where a busy model doesn't say.
const BUSY_MODEL: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) enum HttpError {
    /// The core refused the request, or failed.
    Core(Error),
    /// Too many requests with this key, or from this network. They may go on after this time.
    RateLimited(Duration),
    /// The sign-in secret is missing, wrong or not configured.
    InvalidSecret,
    /// The form was made for another account than the one that is signed in.
    MadeForAnother,
    /// The request did not end by itself.
    Failed(FailureReason, &'static str),
    /// The request breaks a rule of HTTP or of this server's routes.
    Refused(StatusCode, &'static str),
}

impl From<Error> for HttpError {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl HttpError {
    pub(crate) const NOT_FOUND: Self =
        Self::Refused(StatusCode::NOT_FOUND, "There is nothing at this path.");

    /// Logs the details of a failure; nothing else does. Refusals are not logged.
    pub(crate) fn log(&self, request_id: &str) {
        match self {
            Self::Core(Error::Store(cause)) => {
                tracing::error!(%cause, request_id, "the store failed");
            }
            Self::Core(Error::Model(cause)) => {
                tracing::warn!(%cause, request_id, "the model failed");
            }
            _ => {}
        }
    }

    /// The answer as JSON.
    pub(crate) fn into_response(self) -> Response {
        let (status, code) = self.kind();
        let mut body = ErrorBody::new(self.text(), code);
        body.consent_url = self.consent_url().map(ToOwned::to_owned);
        let mut response = reply::json(status, &body);
        self.complete(&mut response);
        response
    }

    /// Adds the headers of this error to its answer, and what the request log and the metrics are told.
    pub(crate) fn complete(&self, response: &mut Response) {
        if let Self::Core(Error::InvalidKey) | Self::InvalidSecret = self {
            let headers = response.headers_mut();
            headers.insert(header::WWW_AUTHENTICATE, BEARER);
        }
        if let Some(wait) = self.retry_after() {
            reply::retry_after(response, wait);
        }
        response.extensions_mut().insert(self.kind().1);
        response.extensions_mut().insert(self.problem());
    }

    /// Why the request was not carried out, for the metrics.
    pub(crate) fn problem(&self) -> Problem {
        let refusal = match self {
            Self::Core(Error::Store(StoreError::Overloaded) | Error::Overloaded(_)) => {
                RefusalReason::Overload
            }
            Self::Core(Error::Store(_)) => return Problem::Failure(FailureReason::Database),
            Self::Core(Error::Model(_)) => return Problem::Failure(FailureReason::Model),
            Self::Core(Error::MustAsk(_)) => RefusalReason::Consent,
            Self::RateLimited(_) => RefusalReason::RateLimit,
            Self::Failed(reason, _) => return Problem::Failure(*reason),
            _ => {
                let by_status = Problem::of_status(self.kind().0);
                return by_status.unwrap_or(Problem::Refusal(RefusalReason::BadRequest));
            }
        };
        Problem::Refusal(refusal)
    }

    /// The page where the user can allow the agent, if they have to be asked first.
    pub(crate) fn consent_url(&self) -> Option<&str> {
        match self {
            Self::Core(Error::MustAsk(page)) => Some(page),
            _ => None,
        }
    }

    /// How long to wait before the request is sent again, if anybody knows.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) => Some(*wait),
            Self::Core(Error::Model(ExtractError::Busy { retry_after, .. })) => {
                Some(retry_after.unwrap_or(BUSY_MODEL))
            }
            _ if self.kind().0 == StatusCode::SERVICE_UNAVAILABLE => Some(SHORTLY),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Core(error) => error.to_string(),
            Self::RateLimited(_) => "Rate limit exceeded.".to_owned(),
            Self::InvalidSecret => "Invalid sign-in secret.".to_owned(),
            Self::MadeForAnother => {
                "This form was made for another account than the one that is signed in now."
                    .to_owned()
            }
            Self::Failed(_, text) | Self::Refused(_, text) => (*text).to_owned(),
        }
    }

    pub(crate) fn kind(&self) -> (StatusCode, ErrorCode) {
        match self {
            Self::Core(Error::BadRequest(_)) => (StatusCode::BAD_REQUEST, ErrorCode::BadRequest),
            Self::Core(Error::InvalidKey | Error::NotSignedIn) | Self::InvalidSecret => {
                (StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized)
            }
            Self::Core(Error::Forbidden(_) | Error::MustAsk(_)) => {
                (StatusCode::FORBIDDEN, ErrorCode::Forbidden)
            }
            Self::Core(Error::NotFound(_)) => (StatusCode::NOT_FOUND, ErrorCode::NotFound),
            Self::Core(Error::Conflict(_)) | Self::MadeForAnother => {
                (StatusCode::CONFLICT, ErrorCode::BadRequest)
            }
            Self::Core(Error::Overloaded(_) | Error::Store(StoreError::Overloaded)) => {
                (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::InternalError)
            }
            Self::Core(Error::Model(ExtractError::Busy { .. })) => {
                (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::ModelError)
            }
            Self::Core(Error::Model(_)) => (StatusCode::BAD_GATEWAY, ErrorCode::ModelError),
            Self::Core(Error::Store(StoreError::Interrupted)) | Self::Failed(..) => {
                (StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::InternalError)
            }
            Self::Core(Error::Store(_)) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                ErrorCode::PersistenceError,
            ),
            Self::RateLimited(_) => (StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited),
            Self::Refused(status, _) => (
                *status,
                match *status {
                    StatusCode::NOT_FOUND => ErrorCode::NotFound,
                    StatusCode::FORBIDDEN => ErrorCode::Forbidden,
                    status if status.is_server_error() => ErrorCode::InternalError,
                    _ => ErrorCode::BadRequest,
                },
            ),
        }
    }
}
