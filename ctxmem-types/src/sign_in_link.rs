//! `POST /api/sign-in-links`: the operator's application requests a link with which one of its
//! users can sign in.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Extra, Timestamp, UserId};

/// The body of a request for a sign-in link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({"userId": "ada"})))
)]
pub struct SignInLinkRequest {
    /// The user who will sign in.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl SignInLinkRequest {
    /// A request for a link for this user.
    pub fn new(user_id: UserId) -> Self {
        Self {
            user_id,
            extra: Extra::new(),
        }
    }
}

/// A new sign-in link.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "url": "https://memory.example.com/sign-in?token=namCRrhGlbmDXvY6njx0XaqkI9QkGLBns9s4d9dtrCf",
        "expiresAt": "2026-03-01T09:45:00.000Z"
    })))
)]
#[non_exhaustive]
pub struct SignInLinkResponse {
    /// The address to send the user to. Whoever opens it can sign in as the user, once.
    pub url: String,
    /// When the link expires.
    #[serde(rename = "expiresAt")]
    pub expires_at: Timestamp,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl SignInLinkResponse {
    /// An answer without further fields.
    pub fn new(url: impl Into<String>, expires_at: Timestamp) -> Self {
        Self {
            url: url.into(),
            expires_at,
            extra: Extra::new(),
        }
    }
}

/// `Debug` does not show the link, because the link is a secret and `Debug` ends up in logs.
impl fmt::Debug for SignInLinkResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInLinkResponse")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}
