//! The body of every error response.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::open_text::open_text;

open_text! {
    /// The kind of error, for programs.
    pub enum ErrorCode {
        /// 400: invalid parameters or payload.
        BadRequest = "BAD_REQUEST",
        /// 401: missing or invalid API key or session.
        Unauthorized = "UNAUTHORIZED",
        /// 403: no active grant, or the key does not match the agent.
        Forbidden = "FORBIDDEN",
        /// 404: the resource does not exist.
        NotFound = "NOT_FOUND",
        /// 429: too many requests.
        RateLimited = "RATE_LIMITED",
        /// 502: the language model failed.
        ModelError = "MODEL_ERROR",
        /// 500: the database failed.
        PersistenceError = "PERSISTENCE_ERROR",
        /// 500: anything unexpected.
        InternalError = "INTERNAL_ERROR",
    }
}

impl ErrorCode {
    /// What the code means, in words that repeat nothing of a request; `None` for one that this
    /// version of the crate does not know.
    pub fn meaning(&self) -> Option<&'static str> {
        Some(match self {
            Self::BadRequest => "the request is not valid",
            Self::Unauthorized => "the API key or session is missing or not valid",
            Self::Forbidden => "no active grant allows this, or the key belongs to another agent",
            Self::NotFound => "there is nothing with that id or at that address",
            Self::RateLimited => "too many requests",
            Self::ModelError => "the service's language model failed",
            Self::PersistenceError => "the service's database failed",
            Self::InternalError => "the service failed unexpectedly",
            Self::Other(_) => return None,
        })
    }
}

/// `{"error": "…", "code": "…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({"error": "No active grant between this agent and this user.", "code": "FORBIDDEN"})))
)]
#[non_exhaustive]
pub struct ErrorBody {
    /// The error message, for people. It never repeats stored data.
    pub error: String,
    /// The kind of error, for programs.
    pub code: ErrorCode,
    /// Where the user has to allow the agent first: the page where they can. Our addition to the
    /// interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub consent_url: Option<String>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl ErrorBody {
    /// An error body.
    pub fn new(error: impl Into<String>, code: ErrorCode) -> Self {
        Self {
            error: error.into(),
            code,
            consent_url: None,
            extra: Extra::new(),
        }
    }
}
