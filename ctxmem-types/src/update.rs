//! `POST /api/context/update`: one interaction in, the facts that it taught out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::open_text::open_text;
use crate::{Delta, Extra, ScopeName, UserId};

/// The body of an update request: one interaction.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct UpdateRequest {
    /// Whom the interaction was with.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// What the user said.
    #[serde(rename = "userMessage")]
    pub user_message: String,
    /// What the agent answered.
    #[serde(rename = "agentResponse")]
    pub agent_response: String,
    /// The agent, where the caller wants it checked against the key.
    #[serde(rename = "agentId", default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl UpdateRequest {
    /// A request without `agentId`.
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
            extra: Extra::new(),
        }
    }
}

/// `Debug` does not show the conversation: `Debug` ends up in logs.
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
pub struct UpdateResponse {
    /// True whenever the interaction was taken, even if it taught nothing; false when the
    /// monthly quota is used up.
    pub updated: bool,
    /// What was written this turn; absent when the quota is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// What was removed this turn because the user took it back. Not every deployment has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Delta>,
    /// Scopes of facts that were dropped because the agent is not granted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_scopes: Option<Vec<ScopeName>>,
    /// Why nothing was stored; absent when something was stored or removed, when scopes were
    /// denied and over the quota. Not every deployment has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<UpdateOutcome>,
    /// The denial or the refusal in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// True when the monthly quota is used up.
    #[serde(
        rename = "limitReached",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub limit_reached: Option<bool>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

open_text! {
    /// Why an update stored nothing.
    pub enum UpdateOutcome {
        /// The message held nothing durable, as small talk and questions don't: it was not
        /// looked into further.
        Filtered = "filtered",
        /// The message held nothing about the user, or nothing that was not known already.
        NothingNew = "nothing_new",
        /// What there was to remember is never stored: it looks like a secret, or gives orders
        /// to the memory itself. The notice says which.
        Refused = "refused",
    }
}
