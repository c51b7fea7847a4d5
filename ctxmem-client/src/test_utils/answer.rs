//! Scripted answers: refusals, errors and outages.

use std::time::Duration;

use ctxmem_types::{ErrorBody, ErrorCode};
use serde::Serialize;
use uuid::Uuid;
use wiremock::ResponseTemplate;

use crate::time;

/// How a [`FakeMemory`](super::FakeMemory) answers a call, where that is not as usual.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FakeAnswer {
    /// The agent has no access to the user's memory, for example because the user revoked it. An
    /// inject gets the base prompt, other calls 403.
    NoGrant,
    /// The user has to be asked first: as [`NoGrant`](Self::NoGrant), with the page
    /// [`FakeMemory::CONSENT_URL`](super::FakeMemory::CONSENT_URL).
    ConsentRequired,
    /// The monthly quota of updates is used up. Other calls are answered as usual.
    QuotaExhausted,
    /// An error of the interface, with its HTTP status, such as 401 for
    /// [`ErrorCode::Unauthorized`].
    Error(ErrorCode),
    /// 429, and when to retry.
    RateLimited {
        /// The wait in `Retry-After`, rounded up to seconds.
        retry_after: Duration,
    },
    /// The usual answer, this much later.
    Slow(Duration),
    /// The first half of the usual answer.
    CutOff,
    /// No answer: the connection is closed, and the call does not count as received.
    Down,
    /// Exactly this answer, such as the page of a proxy.
    Exactly(Box<ResponseTemplate>),
}

impl From<ErrorCode> for FakeAnswer {
    fn from(code: ErrorCode) -> Self {
        Self::Error(code)
    }
}

impl From<ResponseTemplate> for FakeAnswer {
    fn from(answer: ResponseTemplate) -> Self {
        Self::Exactly(Box::new(answer))
    }
}

pub(super) fn json(status: u16, body: &impl Serialize) -> ResponseTemplate {
    ResponseTemplate::new(status)
        .set_body_json(body)
        .insert_header("x-request-id", Uuid::new_v4().to_string())
}

/// An error of the service. If the user has to be asked first, `page` is where.
pub(super) fn error(code: ErrorCode, page: Option<&str>) -> ResponseTemplate {
    let (status, message) = match code {
        ErrorCode::BadRequest => (400, "The request is not valid."),
        ErrorCode::Unauthorized => (401, "Invalid API key."),
        ErrorCode::Forbidden => (403, "No active grant between this agent and this user."),
        ErrorCode::NotFound => (404, "There is no such thing."),
        ErrorCode::RateLimited => (429, "Rate limit exceeded."),
        ErrorCode::ModelError => (502, "The language model failed."),
        ErrorCode::PersistenceError => (500, "The database failed."),
        _ => (500, "Unexpected error."),
    };
    let mut body = ErrorBody::new(message, code);
    body.consent_url = page.map(ToOwned::to_owned);
    json(status, &body)
}

/// 429 with the headers of the service.
pub(super) fn rate_limited(retry_after: Duration) -> ResponseTemplate {
    let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
    let now = u64::try_from(time::now().unix_millis() / 1_000).unwrap_or_default();
    error(ErrorCode::RateLimited, None)
        .insert_header("retry-after", seconds.to_string())
        .insert_header("x-ratelimit-limit", "600")
        .insert_header("x-ratelimit-remaining", "0")
        .insert_header("x-ratelimit-reset", (now + seconds).to_string())
}

/// The first half of an answer with this body.
pub(super) fn cut_off(body: &impl ToString) -> ResponseTemplate {
    let mut half = body.to_string().into_bytes();
    half.truncate(half.len() / 2);
    ResponseTemplate::new(200).set_body_raw(half, "application/json")
}
