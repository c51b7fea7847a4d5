//! Grants: which scopes of a user's context an agent may read and write.

use serde::{Deserialize, Serialize};

use crate::{Extra, ScopeName, Timestamp, UserId};

/// The body of `POST /api/grants`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrantRequest {
    /// Who grants.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// The agent that is granted.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// The scopes that it may read and write; may be empty (access is then paused).
    pub scopes: Vec<ScopeName>,
    /// When the grant ends; without it, never.
    #[serde(rename = "expiresAt", default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl GrantRequest {
    /// A request for a grant that does not expire.
    pub fn new<S: Into<ScopeName>>(
        user_id: UserId,
        agent_id: impl Into<String>,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            user_id,
            agent_id: agent_id.into(),
            scopes: scopes.into_iter().map(Into::into).collect(),
            expires_at: None,
            extra: Extra::new(),
        }
    }
}

/// A grant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// The grant's identifier, a UUID.
    pub id: String,
    /// Who granted; a UUID in the primary form, any text in others.
    pub user_id: UserId,
    /// The agent that is granted, a UUID.
    pub agent_id: String,
    /// The scopes that it may read and write.
    pub scopes: Vec<ScopeName>,
    /// When the grant ends; `null` when never.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// Whether the grant was revoked.
    pub revoked: bool,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The answer to `POST /api/grants`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrantResponse {
    /// The grant that is now current.
    pub grant: Grant,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The answer to `DELETE /api/grants/{grantId}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevokeResponse {
    /// True: the grant is revoked, now or since before.
    pub revoked: bool,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}
