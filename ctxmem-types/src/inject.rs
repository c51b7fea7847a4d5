//! `POST /api/context/inject`: a base prompt in, an enriched system prompt out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::open_text::open_text;
use crate::{Extra, UserId};

/// The body of an inject request.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct InjectRequest {
    /// Whose context to merge.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// The system prompt to enrich; may be empty.
    #[serde(rename = "basePrompt")]
    pub base_prompt: String,
    /// The agent, where the caller wants it checked against the key.
    #[serde(rename = "agentId", default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl InjectRequest {
    /// A request without `agentId`.
    pub fn new(user_id: UserId, base_prompt: impl Into<String>) -> Self {
        Self {
            user_id,
            base_prompt: base_prompt.into(),
            agent_id: None,
            extra: Extra::new(),
        }
    }
}

/// `Debug` does not show the prompt: `Debug` ends up in logs.
impl fmt::Debug for InjectRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InjectRequest")
            .field("agent_id", &self.agent_id)
            .finish_non_exhaustive()
    }
}

/// The answer to an inject request. Older deployments answer only `injectedPrompt`, at
/// times with `reason`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct InjectResponse {
    /// The system prompt to use: enriched, or the base prompt unchanged.
    #[serde(rename = "injectedPrompt")]
    pub injected_prompt: String,
    /// What the model provider may be told about caching.
    #[serde(rename = "cacheHint", default, skip_serializing_if = "Option::is_none")]
    pub cache_hint: Option<CacheHint>,
    /// Why nothing stored was merged; absent when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<InjectReason>,
    /// The reason in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// True when demo facts were merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeded: Option<bool>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl InjectResponse {
    /// An answer that holds this prompt and nothing else, the shortest form there is.
    pub fn unchanged(base_prompt: impl Into<String>) -> Self {
        Self {
            injected_prompt: base_prompt.into(),
            cache_hint: None,
            reason: None,
            notice: None,
            seeded: None,
            extra: Extra::new(),
        }
    }

    /// Whether stored context was merged into the prompt. Demo facts are not stored context.
    pub fn is_enriched(&self, base_prompt: &str) -> bool {
        self.reason.is_none() && self.injected_prompt != base_prompt
    }
}

/// `Debug` does not show the prompt: `Debug` ends up in logs.
impl fmt::Debug for InjectResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InjectResponse")
            .field("injected_prompt_bytes", &self.injected_prompt.len())
            .field("cache_hint", &self.cache_hint)
            .field("reason", &self.reason)
            .field("notice", &self.notice)
            .field("seeded", &self.seeded)
            .finish_non_exhaustive()
    }
}

open_text! {
    /// Why an inject answer holds no stored context.
    pub enum InjectReason {
        /// This user has no active grant for this agent.
        NoGrant = "no_grant",
        /// The grant's effective scopes are empty.
        NoScopes = "no_scopes",
        /// Nothing is stored yet of this user.
        Empty = "empty",
        /// Something is stored, but nothing in the effective scopes.
        EmptyCapsule = "empty_capsule",
        /// Demo facts are shown before the developer's first stored fact.
        SeededDemo = "seeded_demo",
    }
}

/// A hint for the model provider's prompt cache.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheHint {
    /// True when stored context was merged, so that the prompt's start will recur.
    pub recommended: bool,
    /// How long the prefix is worth keeping, `24h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<String>,
    /// The recommendation in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Parameters for the model provider's call; older deployments call it `openaiParam`.
    /// Apply them only when `recommended` is true.
    #[serde(
        rename = "providerParam",
        alias = "openaiParam",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub provider_param: Option<serde_json::Map<String, serde_json::Value>>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// `Debug` shows the names of the provider's parameters only: a value may name the user.
impl fmt::Debug for CacheHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .provider_param
            .as_ref()
            .map(|params| params.keys().collect::<Vec<_>>());
        f.debug_struct("CacheHint")
            .field("recommended", &self.recommended)
            .field("retention", &self.retention)
            .field("reason", &self.reason)
            .field("provider_param", &names)
            .field("extra", &self.extra)
            .finish()
    }
}
