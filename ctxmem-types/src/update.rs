//! `POST /api/context/update`: takes one interaction, returns the facts learned from it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::open_text::open_text;
use crate::{Delta, Extra, ScopeName, Timestamp, UserId};

/// The body of an update request: one interaction.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({"userId": "ada", "userMessage": "I live in Lisbon.", "agentResponse": "Noted."})))
)]
pub struct UpdateRequest {
    /// The user who talked to the agent.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// What the user said.
    #[serde(rename = "userMessage")]
    pub user_message: String,
    /// What the agent answered.
    #[serde(rename = "agentResponse")]
    pub agent_response: String,
    /// The agent, if the caller wants it checked against the key.
    #[serde(rename = "agentId", default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// When they talked, if that was not just now: "yesterday" is the day before. It may not lie in
    /// the future. When a fact was stored is told by the service's clock all the same. Our addition
    /// to the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl UpdateRequest {
    /// A request without `agentId`, about just now.
    pub fn new(
        user_id: UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Self {
        Self {
            user_id,
            user_message: user_message.into(),
            agent_response: agent_response.into(),
            agent_id: None,
            at: None,
            extra: Extra::new(),
        }
    }
}

/// `Debug` does not show the conversation, because it ends up in logs.
impl fmt::Debug for UpdateRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateRequest")
            .field("agent_id", &self.agent_id)
            .finish_non_exhaustive()
    }
}

impl UpdateResponse {
    /// Whether nothing was learned because the monthly quota is used up.
    pub fn is_over_quota(&self) -> bool {
        self.limit_reached == Some(true)
    }
}

/// The answer to an update request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "updated": true,
        "delta": {"general": {"location": {"value": "Lisbon", "source_type": "observed"}}}
    })))
)]
#[non_exhaustive]
pub struct UpdateResponse {
    /// True if the interaction was accepted, even if nothing was learned from it; false if the
    /// monthly quota is used up.
    pub updated: bool,
    /// The facts that this update wrote; absent if the quota is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub delta: Option<Delta>,
    /// The facts that this update removed because the user retracted them. Our addition to the
    /// interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub removed: Option<Delta>,
    /// The facts that this update dropped because their scope was full: what matters least made
    /// room. Our addition to the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub evicted: Option<Delta>,
    /// The scopes of facts that were dropped because the agent has no grant for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub denied_scopes: Option<Vec<ScopeName>>,
    /// Why nothing was stored, or that the model failed; otherwise absent if something was stored or removed, if
    /// scopes were denied, and over the quota. Our addition to the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub outcome: Option<UpdateOutcome>,
    /// Why facts were dropped or refused, written for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub notice: Option<String>,
    /// True if the monthly quota is used up.
    #[serde(
        rename = "limitReached",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub limit_reached: Option<bool>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

open_text! {
    /// Why an update stored nothing.
    pub enum UpdateOutcome {
        /// The message is something like small talk or a question, with nothing to remember. It
        /// was not examined further.
        Filtered = "filtered",
        /// The message contained nothing about the user, or only what was known already.
        NothingNew = "nothing_new",
        /// The message contained something that is never stored: it looks like a secret, or like
        /// an instruction to the memory itself. The notice says which.
        Refused = "refused",
        /// The model failed, and the operator chose that the built-in extractor reads the message then: what
        /// was stored is what that found.
        ModelFailed = "model_failed",
    }
}
