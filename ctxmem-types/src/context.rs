//! The context of one user: what is remembered about them, as `GET /api/context/{userId}` answers
//! it.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{Extra, Fact, Scope, SourceType, Timestamp, UserId};

/// Facts by the name of a preference or identity attribute, in the order of the JSON.
pub type FactMap = IndexMap<String, Fact>;

/// The context object. The slices of scopes that the agent may not read are empty.
///
/// The form of older deployments can be read as well: facts are plain strings, `raw_history`
/// and `general` are absent, `emotional_state` is present.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "userId": "ada",
        "communication_style": "Short answers",
        "ongoing_tasks": [{"value": "Ship the beta", "source_type": "observed"}],
        "key_relationships": [],
        "domain_expertise": [],
        "raw_history": [],
        "preferences": {"editor": {"value": "Helix", "source_type": "edited"}},
        "general": {"location": {"value": "Lisbon", "source_type": "observed"}},
        "last_updated": "2026-03-01T09:30:00.000Z"
    })))
)]
#[non_exhaustive]
pub struct Context {
    /// The user's identifier.
    #[serde(rename = "userId")]
    pub user_id: UserId,
    /// How the user wants replies to be written; several instructions are joined by `; `.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub communication_style: Redacted,
    /// Projects, tasks, blockers and priorities: scope `goals`.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub ongoing_tasks: Vec<Fact>,
    /// Named people: scope `relationships`.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub key_relationships: Vec<Fact>,
    /// Skills, tools, languages and frameworks: scope `knowledge`.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub domain_expertise: Vec<Fact>,
    /// Decisions and completed actions: scope `history`; absent in older deployments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, value_type = Vec<Fact>))]
    pub raw_history: Option<Vec<HistoryEntry>>,
    /// Tooling, environment and workflow choices by name; several values of one name, such as
    /// `diet`, are joined by `; `.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = std::collections::BTreeMap<String, Fact>))]
    pub preferences: FactMap,
    /// Identity attributes by name: name, location, time zone; absent in older deployments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, value_type = std::collections::BTreeMap<String, Fact>))]
    pub general: Option<FactMap>,
    /// How the user has felt lately; only in older deployments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub emotional_state: Option<EmotionalState>,
    /// When stored content last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub last_updated: Option<Timestamp>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl Context {
    /// An empty context, with all slices present.
    pub fn empty(user_id: UserId, last_updated: Timestamp) -> Self {
        Self {
            user_id,
            communication_style: Redacted::default(),
            ongoing_tasks: Vec::new(),
            key_relationships: Vec::new(),
            domain_expertise: Vec::new(),
            raw_history: Some(Vec::new()),
            preferences: FactMap::new(),
            general: Some(FactMap::new()),
            emotional_state: None,
            last_updated: Some(last_updated),
            extra: Extra::new(),
        }
    }

    /// Whether all seven slices are empty.
    pub fn is_empty(&self) -> bool {
        // History may also hold what is no fact.
        let has_history = self.raw_history.as_ref().is_some_and(|it| !it.is_empty());
        !has_history && self.facts().next().is_none()
    }

    /// Every fact, in the order of scopes. What a deployment stores in another form is left out.
    ///
    /// ```
    /// use ctxmem_types::{Context, Scope, json};
    ///
    /// let context: Context = json::from_slice(
    ///     br#"{"userId": "ada", "preferences": {"editor": "Helix"}, "ongoing_tasks": ["ship"]}"#,
    /// )?;
    /// let facts: Vec<_> = context
    ///     .facts()
    ///     .map(|fact| (fact.scope, fact.name, fact.value))
    ///     .collect();
    /// assert_eq!(
    ///     facts,
    ///     [(Scope::Preferences, Some("editor"), "Helix"), (Scope::Goals, None, "ship")]
    /// );
    /// # Ok::<(), ctxmem_types::JsonError>(())
    /// ```
    pub fn facts(&self) -> impl Iterator<Item = ContextFact<'_>> {
        Scope::ALL.into_iter().flat_map(|scope| self.slice(scope))
    }

    fn slice(&self, scope: Scope) -> Vec<ContextFact<'_>> {
        match scope {
            Scope::General => {
                let general = self.general.as_ref();
                general.map(|facts| named(scope, facts)).unwrap_or_default()
            }
            Scope::CommunicationStyle if self.communication_style.is_empty() => Vec::new(),
            Scope::CommunicationStyle => vec![ContextFact {
                scope,
                name: None,
                value: &self.communication_style,
                source_type: None,
            }],
            Scope::Preferences => named(scope, &self.preferences),
            Scope::Knowledge => listed(scope, &self.domain_expertise),
            Scope::Relationships => listed(scope, &self.key_relationships),
            Scope::History => {
                let entries = self.raw_history.iter().flatten();
                entries
                    .filter_map(HistoryEntry::fact)
                    .map(|fact| ContextFact::new(scope, None, fact))
                    .collect()
            }
            Scope::Goals => listed(scope, &self.ongoing_tasks),
        }
    }
}

/// `Debug` shows how many facts there are and where they come from, but neither their values
/// nor their names, because it ends up in logs.
impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("user_id", &self.user_id)
            .field("communication_style", &self.communication_style)
            .field("ongoing_tasks", &self.ongoing_tasks)
            .field("key_relationships", &self.key_relationships)
            .field("domain_expertise", &self.domain_expertise)
            .field("raw_history", &self.raw_history)
            .field("preferences", &self.preferences.values())
            .field("general", &self.general.as_ref().map(IndexMap::values))
            .field("emotional_state", &self.emotional_state)
            .field("last_updated", &self.last_updated)
            .field("extra", &self.extra)
            .finish()
    }
}

fn named(scope: Scope, facts: &FactMap) -> Vec<ContextFact<'_>> {
    facts
        .iter()
        .map(|(name, fact)| ContextFact::new(scope, Some(name), fact))
        .collect()
}

fn listed(scope: Scope, facts: &[Fact]) -> Vec<ContextFact<'_>> {
    facts
        .iter()
        .map(|fact| ContextFact::new(scope, None, fact))
        .collect()
}

/// One fact of a [`Context`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextFact<'a> {
    /// Its scope.
    pub scope: Scope,
    /// Its name, in scopes whose facts have names.
    pub name: Option<&'a str>,
    /// Its value. That of `communication_style` is the whole text.
    pub value: &'a str,
    /// Where it comes from, if the deployment says so.
    pub source_type: Option<&'a SourceType>,
}

impl<'a> ContextFact<'a> {
    fn new(scope: Scope, name: Option<&'a String>, fact: &'a Fact) -> Self {
        Self {
            scope,
            name: name.map(String::as_str),
            value: &fact.value,
            source_type: fact.source_type.as_ref(),
        }
    }
}

/// `Debug` shows neither name nor value, because it ends up in logs.
impl fmt::Debug for ContextFact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextFact")
            .field("scope", &self.scope)
            .field("source_type", &self.source_type)
            .finish_non_exhaustive()
    }
}

/// Text about a user. `Debug` does not show it, because it ends up in logs.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Redacted(String);

impl Redacted {
    /// Takes the text out.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl std::ops::Deref for Redacted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Redacted {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Redacted {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl PartialEq<str> for Redacted {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Redacted {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} bytes]", self.0.len())
    }
}

/// An entry of `raw_history`: a fact, or anything else that a deployment stores there.
#[derive(Clone, PartialEq)]
pub enum HistoryEntry {
    /// A fact: a string, or an object whose `value` is a string.
    Fact(Fact),
    /// Any other JSON, unchanged.
    Other(Value),
}

impl HistoryEntry {
    /// The fact, if it is one.
    pub fn fact(&self) -> Option<&Fact> {
        match self {
            Self::Fact(fact) => Some(fact),
            Self::Other(_) => None,
        }
    }
}

impl From<Fact> for HistoryEntry {
    fn from(fact: Fact) -> Self {
        Self::Fact(fact)
    }
}

impl fmt::Debug for HistoryEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact(fact) => fact.fmt(f),
            Self::Other(_) => f.write_str("Other(..)"),
        }
    }
}

impl Serialize for HistoryEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fact(fact) => fact.serialize(serializer),
            Self::Other(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for HistoryEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(match Fact::deserialize(&value) {
            Ok(fact) => Self::Fact(fact),
            Err(_) => Self::Other(value),
        })
    }
}

/// How the user has felt lately, in deployments that store it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmotionalState {
    /// A word or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recent_sentiment: Option<Redacted>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The answer to `DELETE /api/context/{userId}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({"deleted": true})))
)]
#[non_exhaustive]
pub struct DeleteResponse {
    /// True: the context is deleted for good and every grant of the user is revoked.
    pub deleted: bool,
    /// After the erasure of a user by an agent's key: the page where the user can allow this agent again, if they
    /// want to begin anew. Until then it has no access. Our addition; other deployments leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub consent_url: Option<String>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl DeleteResponse {
    /// An answer without further fields.
    pub fn new(deleted: bool) -> Self {
        Self {
            deleted,
            consent_url: None,
            extra: Extra::new(),
        }
    }
}
