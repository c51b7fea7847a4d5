//! Grants: which scopes of a user's context an agent may read and write.

use serde::{Deserialize, Serialize};

use crate::{Extra, ScopeName, Timestamp, UserId};

/// The body of `POST /api/grants`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "userId": "ada",
        "agentId": "5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11",
        "scopes": ["preferences", "goals"]
    })))
)]
pub struct GrantRequest {
    /// The user who grants.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// The agent that gets the grant.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// The scopes that the agent may read and write. An empty list pauses its access.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::openapi::ScopeOrStorageKey>))]
    pub scopes: Vec<ScopeName>,
    /// When the grant expires; never if absent.
    #[serde(rename = "expiresAt", default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Grant {
    /// The grant's id, a UUID.
    pub id: String,
    /// The user who granted it; a UUID in the primary form, any text in others.
    pub user_id: UserId,
    /// The agent that got the grant, a UUID.
    pub agent_id: String,
    /// The scopes that the agent may read and write.
    pub scopes: Vec<ScopeName>,
    /// When the grant expires; `null` means never.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub expires_at: Option<Timestamp>,
    /// Whether the grant is revoked.
    pub revoked: bool,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl Grant {
    /// A grant that is in force and does not expire.
    pub fn new(
        id: impl Into<String>,
        user_id: UserId,
        agent_id: impl Into<String>,
        scopes: Vec<ScopeName>,
    ) -> Self {
        Self {
            id: id.into(),
            user_id,
            agent_id: agent_id.into(),
            scopes,
            expires_at: None,
            revoked: false,
            extra: Extra::new(),
        }
    }
}

/// The answer to `POST /api/grants`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "grant": {
            "id": "0d9c1f52-7c1b-4f6e-9d53-0c3d1f6a2b44",
            "user_id": "ada",
            "agent_id": "5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11",
            "scopes": ["preferences", "goals"],
            "expires_at": null,
            "revoked": false
        }
    })))
)]
#[non_exhaustive]
pub struct GrantResponse {
    /// The grant that is now in force.
    pub grant: Grant,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl GrantResponse {
    /// An answer without further fields.
    pub fn new(grant: Grant) -> Self {
        Self {
            grant,
            extra: Extra::new(),
        }
    }
}

/// The answer to `DELETE /api/grants/{grantId}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({"revoked": true})))
)]
#[non_exhaustive]
pub struct RevokeResponse {
    /// True: the grant is revoked, by this call or an earlier one.
    pub revoked: bool,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl RevokeResponse {
    /// An answer without further fields.
    pub fn new(revoked: bool) -> Self {
        Self {
            revoked,
            extra: Extra::new(),
        }
    }
}
