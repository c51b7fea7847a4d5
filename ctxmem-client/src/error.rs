//! Errors of calls: why one failed.
//!
//! The texts and `Debug` of these types contain nothing from a request or a response body: a
//! response may quote a prompt or a fact, and errors end up in logs.

mod bad_request;
mod cause;

use std::fmt;
use std::time::Duration;

use ctxmem_types::{ErrorCode, JsonError};
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

use self::cause::Cause;
use crate::retry_after;
use crate::time::SystemTime;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RATE_LIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The service answered with an error status.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// The network failed before the answer was complete.
    #[error(transparent)]
    Transport(TransportError),
    /// The service answered with success, but in a form that the client can't read.
    #[error(transparent)]
    Decode(Box<DecodeError>),
    /// The call is not valid. Nothing was sent.
    #[error(transparent)]
    Invalid(InvalidCall),
}

impl Error {
    /// The service's error code, if it answered with one.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.api().and_then(|error| error.code.as_ref())
    }

    /// The service's message about the error, for people.
    ///
    /// `Display` and `Debug` leave it out, because some deployments quote the request in it.
    pub fn message(&self) -> Option<&str> {
        self.api().and_then(|error| error.message.as_deref())
    }

    /// The page where the user can allow this agent, if the service has to ask them first. Show it
    /// to the user; `Display` and `Debug` leave it out.
    ///
    /// ```
    /// use ctxmem_client::{Client, Interaction};
    ///
    /// # async fn example(client: Client, turn: Interaction) {
    /// if let Err(error) = client.update_with(&turn).await
    ///     && let Some(page) = error.consent_url()
    /// {
    ///     println!("To let me remember this, visit {page}");
    /// }
    /// # }
    /// ```
    pub fn consent_url(&self) -> Option<&str> {
        self.api().and_then(|error| error.consent_url.as_deref())
    }

    /// The HTTP status, if there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api(error) => Some(error.status),
            Self::Decode(error) => Some(error.status),
            Self::Transport(_) | Self::Invalid(_) => None,
        }
    }

    /// The id under which the service logged the request (`X-Request-Id`).
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api(error) => error.request_id.as_deref(),
            Self::Decode(error) => error.request_id.as_deref(),
            Self::Transport(_) | Self::Invalid(_) => None,
        }
    }

    /// How long the service asks to wait before a retry, at most five minutes.
    pub fn retry_after(&self) -> Option<Duration> {
        self.api().and_then(|error| error.retry_after)
    }

    /// The instant at which that wait ends.
    pub fn retry_at(&self) -> Option<SystemTime> {
        self.api().and_then(|error| error.retry_at)
    }

    /// Whether the same call may succeed later: the network failed, or the status is 408,
    /// 425, 429, 500, 502, 503 or 504.
    ///
    /// The service may have executed the call all the same, unless
    /// [`is_connect`](Self::is_connect).
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Api(error) => matches!(error.status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            Self::Transport(error) => !error.is_builder(),
            Self::Decode(_) | Self::Invalid(_) => false,
        }
    }

    /// Whether the service does not know the key, the session or the secret (401).
    pub fn is_unauthorized(&self) -> bool {
        self.status() == Some(401)
    }

    /// Whether the agent may not do this (403): there is no active grant, or the key belongs to
    /// another agent. [`consent_url`](Self::consent_url) says where the user can allow it.
    ///
    /// ```
    /// # async fn example(client: ctxmem_client::Client, user: ctxmem_client::UserId) {
    /// match client.context(&user).await {
    ///     Ok(context) => println!("{} facts", context.facts().count()),
    ///     Err(error) if error.is_forbidden() => println!("the user has not allowed this"),
    ///     Err(error) if error.is_rate_limited() => println!("wait {:?}", error.retry_after()),
    ///     Err(error) => println!("{error}"),
    /// }
    /// # }
    /// ```
    pub fn is_forbidden(&self) -> bool {
        self.status() == Some(403)
    }

    /// Whether there is nothing with that id, or at that address (404).
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }

    /// Whether the agent made too many requests (429).
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(429)
    }

    /// Whether this is an outage, which passes, and not a refusal or a wrong call.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Self::Transport(_) | Self::Decode(_) => true,
            Self::Api(_) => self.is_retryable(),
            Self::Invalid(_) => false,
        }
    }

    /// The service's code if it looks like one. Any other text might quote a request.
    pub(crate) fn printable_code(&self) -> Option<&str> {
        self.api().and_then(ApiError::printable_code)
    }

    /// Whether the timeout of the connection or of the whole call expired.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_timeout())
    }

    /// Whether there was no connection. The service can't have seen the call then.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_connect())
    }

    fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            Self::Transport(_) | Self::Decode(_) | Self::Invalid(_) => None,
        }
    }
}

impl From<ApiError> for Error {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Self::Transport(error)
    }
}

impl From<InvalidCall> for Error {
    fn from(error: InvalidCall) -> Self {
        Self::Invalid(error)
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::Decode(Box::new(error))
    }
}

/// An answer with an error status.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The code in the body; `None` if the body does not come from the service but, for
    /// example, from a proxy.
    pub code: Option<ErrorCode>,
    /// The service's message, for people. `Display` and `Debug` leave it out.
    pub message: Option<String>,
    /// The id under which the service logged the request.
    pub request_id: Option<String>,
    /// How long to wait before a retry, at most five minutes.
    pub retry_after: Option<Duration>,
    /// The instant at which that wait ends.
    pub retry_at: Option<SystemTime>,
    /// The page where the user can allow this agent. `Display` and `Debug` leave it out.
    pub consent_url: Option<String>,
}

impl ApiError {
    /// An error with this status and code. It is public for your own implementations of
    /// [`Memory`](crate::Memory).
    pub fn new(status: u16, code: Option<ErrorCode>) -> Self {
        Self {
            status,
            code,
            message: None,
            request_id: None,
            retry_after: None,
            retry_at: None,
            consent_url: None,
        }
    }

    pub(crate) fn is_rate_limit(&self) -> bool {
        self.status == StatusCode::TOO_MANY_REQUESTS.as_u16()
    }

    pub(crate) fn read(
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        now: SystemTime,
    ) -> Self {
        let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |field| body.get(field).and_then(serde_json::Value::as_str);
        let retry_after = wait(status, headers, now);
        Self {
            code: text("code").map(Into::into),
            message: text("error").map(Into::into),
            request_id: request_id(headers),
            consent_url: text("consent_url").map(Into::into),
            retry_after,
            retry_at: retry_after.and_then(|wait| now.checked_add(wait)),
            ..Self::new(status.as_u16(), None)
        }
    }

    /// The code if it looks like one. Any other text might quote a request.
    fn printable_code(&self) -> Option<&str> {
        self.code
            .as_ref()
            .map(ErrorCode::as_str)
            .filter(|code| is_code(code))
    }

    /// What the code means. The service's own message must not be printed.
    fn meaning(&self) -> Option<&'static str> {
        match &self.code {
            Some(code) => code.meaning(),
            None if (300..400).contains(&self.status) => {
                Some("redirects are not followed; check the base URL")
            }
            None => Some("the answer has no error code, so it may come from a proxy"),
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the service answered {}", self.status)?;
        if let Some(code) = self.printable_code() {
            write!(f, " {code}")?;
        }
        if let Some(meaning) = self.meaning() {
            write!(f, ": {meaning}")?;
        }
        if self.code == Some(ErrorCode::BadRequest)
            && let Some(problem) = self.message.as_deref().and_then(bad_request::ours)
        {
            write!(f, ": {problem}")?;
        }
        if let Some(wait) = self.retry_after {
            write!(f, "; try again in {} s", wait.as_secs_f64().ceil())?;
        }
        write_request_id(f, self.request_id.as_deref())
    }
}

impl fmt::Debug for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiError")
            .field("status", &self.status)
            .field("code", &self.printable_code())
            .field("request_id", &self.request_id)
            .field("retry_after", &self.retry_after)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for ApiError {}

/// The network failed. The cause is in [`source`](std::error::Error::source).
#[derive(Debug)]
pub struct TransportError {
    is_timeout: bool,
    is_connect: bool,
    cause: Cause,
    source: Option<reqwest::Error>,
}

impl TransportError {
    /// No answer came in time. It is public for your own implementations of
    /// [`Memory`](crate::Memory) and [`Transport`](crate::Transport).
    pub fn timed_out() -> Self {
        Self {
            is_timeout: true,
            ..Self::failed()
        }
    }

    /// There was no connection. It is public for your own implementations of
    /// [`Memory`](crate::Memory) and [`Transport`](crate::Transport).
    pub fn unreachable() -> Self {
        Self {
            is_connect: true,
            ..Self::failed()
        }
    }

    /// The connection failed, or whatever stands between the client and it. It is public for your
    /// own implementations of [`Transport`](crate::Transport), and takes no error of yours, because
    /// that might hold what must not be logged.
    pub fn failed() -> Self {
        Self {
            is_timeout: false,
            is_connect: false,
            cause: Cause::Other,
            source: None,
        }
    }

    /// Whether the timeout of the connection or of the whole call expired.
    pub fn is_timeout(&self) -> bool {
        self.is_timeout
    }

    /// Whether there was no connection. The service can't have seen the call then.
    pub fn is_connect(&self) -> bool {
        self.is_connect
    }

    /// Whether the request could not be built.
    fn is_builder(&self) -> bool {
        self.source.as_ref().is_some_and(reqwest::Error::is_builder)
    }
}

/// Without its address, which contains a user id.
impl From<reqwest::Error> for TransportError {
    fn from(source: reqwest::Error) -> Self {
        Self {
            is_timeout: source.is_timeout(),
            is_connect: is_connect(&source),
            cause: Cause::of(&source),
            source: Some(source.without_url()),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn is_connect(error: &reqwest::Error) -> bool {
    error.is_connect()
}

/// Browsers don't say.
#[cfg(target_family = "wasm")]
fn is_connect(_: &reqwest::Error) -> bool {
    false
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.is_connect(), self.is_timeout()) {
            (true, true) => "could not connect to the service in time",
            (true, false) => "could not connect to the service",
            (false, true) => "the service did not answer in time",
            (false, false) => "the connection to the service failed",
        })?;
        match self.cause.text() {
            Some(cause) if !self.is_timeout() => write!(f, ": {cause}"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// A success whose body can't be read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DecodeError {
    /// The HTTP status.
    pub status: u16,
    /// The id under which the service logged the request.
    pub request_id: Option<String>,
    /// What is wrong with the body.
    pub problem: DecodeProblem,
}

impl DecodeError {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, problem: DecodeProblem) -> Self {
        Self {
            status: status.as_u16(),
            request_id: request_id(headers),
            problem,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the service answered {}, but not as expected: {}",
            self.status, self.problem
        )?;
        write_request_id(f, self.request_id.as_deref())
    }
}

impl std::error::Error for DecodeError {}

/// What is wrong with the body of an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeProblem {
    /// It is not JSON, or JSON of another form. The error says where, and what was expected.
    #[error("{0}")]
    Json(JsonError),
    /// It is a prompt that does not contain the base prompt. With it the agent would lose its
    /// instructions.
    #[error("injectedPrompt: the base prompt is not in it")]
    MissingBasePrompt,
    /// It is too large.
    #[error("more than {limit} bytes")]
    TooLarge {
        /// The most bytes that the client reads.
        limit: usize,
    },
}

/// A call that is not valid. Nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCall {
    /// The call needs the agent's API key, and the client has none.
    #[error("this call needs an API key; set it when building the client")]
    MissingApiKey,
    /// A header of [`CallOptions`](crate::CallOptions) can't be sent, or is one that the client
    /// sets itself.
    #[error("a header of the call can't be sent, or is one that the client sets itself")]
    Header,
    /// The address of the call can't be built.
    #[error("the address of the call can't be built")]
    Address,
    /// The grant id can't be part of a URL.
    #[error("the grant id is empty, `.` or `..`, which can't be part of a URL")]
    InvalidGrantId,
    /// The fact id can't be part of a URL.
    #[error("the fact id is empty, `.` or `..`, which can't be part of a URL")]
    InvalidFactId,
    /// The idempotency key can't be sent in a header.
    #[error("the idempotency key is not 1 to 255 visible ASCII characters")]
    IdempotencyKey,
    /// The request can't be written as JSON.
    #[error("the request can't be written as JSON")]
    Body,
}

fn write_request_id(f: &mut fmt::Formatter<'_>, request_id: Option<&str>) -> fmt::Result {
    match request_id {
        Some(request_id) => write!(f, " (request id {request_id})"),
        None => Ok(()),
    }
}

/// The request id if it is safe to print, because it goes into logs.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(REQUEST_ID)?.to_str().ok()?;
    let printable = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:=+/@".contains(&byte);
    (!text.is_empty() && text.len() <= 128 && text.bytes().all(printable)).then(|| text.to_owned())
}

fn wait(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // Any answer may say when the rate limit resets. It matters only if the limit was hit.
    let reset = text(RATE_LIMIT_RESET).filter(|_| status == StatusCode::TOO_MANY_REQUESTS);
    retry_after::wait(text(RETRY_AFTER), reset, text(DATE), now)
}

fn is_code(text: &str) -> bool {
    text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> ApiError {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    reqwest::header::HeaderValue::from_static(value),
                )
            })
            .collect();
        ApiError::read(
            StatusCode::from_u16(status).unwrap(),
            &headers,
            body.as_bytes(),
            SystemTime::UNIX_EPOCH,
        )
    }

    #[test]
    fn texts_say_what_happened_without_the_words_of_the_service() {
        let error = api(
            429,
            &[("x-request-id", "r-1"), ("retry-after", "1.2")],
            r#"{"error": "canary", "code": "RATE_LIMITED"}"#,
        );
        assert_eq!(
            error.to_string(),
            "the service answered 429 RATE_LIMITED: too many requests; try again in 2 s \
             (request id r-1)"
        );
        assert_eq!(error.message.as_deref(), Some("canary"));
        assert!(!format!("{error:?}").contains("canary"));

        let proxy = api(502, &[], "<html>canary</html>");
        assert_eq!(
            proxy.to_string(),
            "the service answered 502: the answer has no error code, so it may come from a proxy"
        );
        assert_eq!((proxy.code, proxy.message), (None, None));
    }

    #[test]
    fn a_refusal_names_the_page_of_consent_to_those_who_ask_for_it() {
        let error = api(
            403,
            &[],
            r#"{"error": "e", "code": "FORBIDDEN", "consent_url": "https://canary.example"}"#,
        );
        let error = Error::from(error);
        assert_eq!(error.consent_url(), Some("https://canary.example"));
        assert!(!format!("{error} {error:?}").contains("canary"));
        let error = Error::from(api(403, &[], r#"{"error": "e", "code": "FORBIDDEN"}"#));
        assert_eq!(error.consent_url(), None);
    }

    #[test]
    fn codes_and_request_ids_are_printed_only_if_they_look_like_one() {
        let known = api(418, &[], r#"{"error": "e", "code": "TEAPOT_2"}"#);
        assert_eq!(known.to_string(), "the service answered 418 TEAPOT_2");

        let odd = api(
            400,
            &[("x-request-id", "lives in canary")],
            r#"{"error": "e", "code": "lives in canary"}"#,
        );
        assert_eq!(
            odd.code,
            Some(ErrorCode::Other("lives in canary".to_owned()))
        );
        assert_eq!(odd.request_id, None);
        assert!(!format!("{odd} {odd:?}").contains("canary"));
    }

    #[test]
    fn some_statuses_are_worth_a_retry() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            assert!(Error::from(api(status, &[], "")).is_retryable(), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 405, 409, 413, 415, 422, 501] {
            assert!(
                !Error::from(api(status, &[], "")).is_retryable(),
                "{status}"
            );
        }
        assert!(!Error::from(InvalidCall::MissingApiKey).is_retryable());
    }

    #[test]
    fn errors_are_small_and_can_cross_threads() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<Error>();
        assert!(size_of::<Error>() <= 16);
    }
}
