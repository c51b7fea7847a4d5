//! Failures: the errors of the interface, and answers that are not part of it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use ctxmem_types::ErrorCode;
use serde_json::json;
use wiremock::ResponseTemplate;

use super::any_call;
use crate::time::SystemTime;
use crate::{ApiError, Error};

any_call! {
    /// The errors of the interface. [`FakeMemory::fail_next`](crate::test_utils::FakeMemory::fail_next)
    /// takes them as well.
    ServiceError {
        /// 400: the request is not valid.
        BadRequest,
        /// 401: the API key or the session is missing or not valid.
        Unauthorized,
        /// 403: no active grant, or the key is another agent's.
        Forbidden,
        /// 404: the resource does not exist; in other deployments also: nothing is stored about
        /// the user.
        NotFound,
        /// 429: too many requests. The limit resets after [`RateLimit::WAIT`]; [`RateLimit`] has
        /// further ways to say so.
        RateLimited,
        /// 502: the service's language model failed.
        ModelError,
        /// 500: the service's database failed.
        PersistenceError,
        /// 500: anything unexpected.
        InternalError,
    }
}

impl ServiceError {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        match self {
            Self::RateLimited => RateLimit::ResetEpochSeconds.response(),
            _ => self.body(),
        }
    }

    fn body(self) -> ResponseTemplate {
        let body = json!({"error": self.message(), "code": self.code().as_str()});
        ResponseTemplate::new(self.status()).set_body_json(body)
    }

    /// The HTTP status.
    pub fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::RateLimited => 429,
            Self::ModelError => 502,
            Self::PersistenceError | Self::InternalError => 500,
        }
    }

    /// The code in the body.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::BadRequest => ErrorCode::BadRequest,
            Self::Unauthorized => ErrorCode::Unauthorized,
            Self::Forbidden => ErrorCode::Forbidden,
            Self::NotFound => ErrorCode::NotFound,
            Self::RateLimited => ErrorCode::RateLimited,
            Self::ModelError => ErrorCode::ModelError,
            Self::PersistenceError => ErrorCode::PersistenceError,
            Self::InternalError => ErrorCode::InternalError,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::BadRequest => "The request is not valid.",
            Self::Unauthorized => "Invalid API key.",
            Self::Forbidden => "No active grant between this agent and this user.",
            Self::NotFound => "There is no such thing.",
            Self::RateLimited => "Rate limit exceeded.",
            Self::ModelError => "The language model failed.",
            Self::PersistenceError => "The database failed.",
            Self::InternalError => "Unexpected error.",
        }
    }

    /// The error with another message.
    pub(in crate::test_utils) fn with_message(self, message: &str) -> ApiError {
        let mut error = ApiError::new(self.status(), Some(self.code()));
        error.message = Some(message.to_owned());
        if self == Self::RateLimited {
            error.retry_after = Some(RateLimit::WAIT);
            error.retry_at = SystemTime::now().checked_add(RateLimit::WAIT);
        }
        error
    }
}

/// The error that a client makes of the answer.
impl From<ServiceError> for Error {
    fn from(error: ServiceError) -> Self {
        error.with_message(error.message()).into()
    }
}

any_call! {
    /// 429 `RATE_LIMITED`, with every way to say when to retry, which is after
    /// [`WAIT`](Self::WAIT).
    RateLimit {
        /// The answer does not say.
        NoReset,
        /// `Retry-After` in seconds.
        RetryAfter,
        /// `Retry-After` as a date.
        RetryAfterDate,
        /// `X-RateLimit-Reset` in seconds since 1970, and `Retry-After`: what our server sends.
        ResetEpochSeconds,
        /// `X-RateLimit-Reset` in milliseconds since 1970.
        ResetEpochMillis,
        /// `X-RateLimit-Reset` in seconds from now.
        ResetSeconds,
        /// `X-RateLimit-Reset` as a span, such as `30s`.
        ResetSpan,
        /// `X-RateLimit-Reset` as an ISO 8601 timestamp.
        ResetTimestamp,
    }
}

impl RateLimit {
    /// How long it takes until the limit resets.
    pub const WAIT: Duration = Duration::from_secs(30);

    /// The answer, relative to the current time.
    pub fn response(self) -> ResponseTemplate {
        const RESET: &str = "x-ratelimit-reset";
        const RETRY_AFTER: &str = "retry-after";
        let now = Utc::now();
        let wait = Self::WAIT.as_secs();
        let at = now
            .checked_add_signed(TimeDelta::from_std(Self::WAIT).unwrap_or_default())
            .unwrap_or(now);
        let limited = ServiceError::RateLimited
            .body()
            .insert_header("date", http_date(now));
        match self {
            Self::NoReset => limited,
            Self::RetryAfter => limited.insert_header(RETRY_AFTER, wait.to_string()),
            Self::RetryAfterDate => limited.insert_header(RETRY_AFTER, http_date(at)),
            Self::ResetEpochSeconds => limited
                .insert_header(RESET, at.timestamp().to_string())
                .insert_header(RETRY_AFTER, wait.to_string()),
            Self::ResetEpochMillis => {
                limited.insert_header(RESET, format!("{}000", at.timestamp()))
            }
            Self::ResetSeconds => limited.insert_header(RESET, wait.to_string()),
            Self::ResetSpan => limited.insert_header(RESET, format!("{wait}s")),
            Self::ResetTimestamp => {
                limited.insert_header(RESET, at.format("%Y-%m-%dT%H:%M:%SZ").to_string())
            }
        }
    }
}

fn http_date(at: DateTime<Utc>) -> String {
    at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

any_call! {
    /// Answers that are not part of the interface.
    Broken {
        /// No answer for an hour.
        Hang,
        /// Status 200, and a body that is not JSON.
        Garbage,
        /// Status 200, and incomplete JSON.
        CutOff,
        /// Status 200, and JSON of another form.
        OtherJson,
        /// Status 200, and an empty body.
        EmptyBody,
        /// Status 200, and a sign-in page.
        SignInPage,
        /// Status 502, and a proxy's error page.
        ProxyPage,
        /// Status 503, and an empty body.
        Unavailable,
    }
}

impl Broken {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        let ok = || ResponseTemplate::new(200);
        let page = |status, text: &str| {
            let html = format!("<html><body><h1>{text}</h1></body></html>");
            ResponseTemplate::new(status).set_body_raw(html, "text/html")
        };
        let json = |text: &str| ok().set_body_raw(text, "application/json");
        match self {
            Self::Hang => json("{}").set_delay(Duration::from_hours(1)),
            Self::Garbage => ok().set_body_bytes(*b"\x00\xff\xfe garbage"),
            Self::CutOff => json(r#"{"injectedPrompt": "Sys"#),
            Self::OtherJson => json(r#"["neither", "this", "nor", "that"]"#),
            Self::EmptyBody => ok(),
            Self::SignInPage => page(200, "Sign in"),
            Self::ProxyPage => page(502, "Bad Gateway"),
            Self::Unavailable => ResponseTemplate::new(503),
        }
    }
}
