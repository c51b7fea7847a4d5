//! Single facts: `GET /api/context/{userId}/facts`, `POST /api/context/{userId}/facts/search` and
//! `DELETE /api/context/{userId}/facts/{factId}`. Other deployments have none of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Extra, ScopeName, SourceType, Timestamp};

/// One remembered fact, with the id by which it can be deleted.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct FactRecord {
    /// The id: an opaque text of at most 64 characters that can stand in a path as it is. It names
    /// the fact as it was when it was listed; once another value stands in its place, the id is out
    /// of date.
    pub id: String,
    /// The scope.
    pub scope: ScopeName,
    /// The name, in the scopes whose facts have names: preferences and general.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub name: Option<String>,
    /// The fact, in a few words.
    pub value: String,
    /// Where it comes from.
    pub source_type: SourceType,
    /// Since when it has this value.
    #[serde(rename = "storedAt")]
    pub stored_at: Timestamp,
    /// Whether the caller may delete it: the agent that saved it may, and so may the user.
    #[serde(rename = "canDelete")]
    pub can_delete: bool,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl FactRecord {
    /// A fact without a name that the caller may delete.
    pub fn new(
        id: impl Into<String>,
        scope: impl Into<ScopeName>,
        value: impl Into<String>,
        source_type: SourceType,
        stored_at: Timestamp,
    ) -> Self {
        Self {
            id: id.into(),
            scope: scope.into(),
            name: None,
            value: value.into(),
            source_type,
            stored_at,
            can_delete: true,
            extra: Extra::new(),
        }
    }
}

/// `Debug` shows neither the name nor the value of the fact, because it ends up in logs.
impl fmt::Debug for FactRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactRecord")
            .field("id", &self.id)
            .field("scope", &self.scope)
            .field("source_type", &self.source_type)
            .field("stored_at", &self.stored_at)
            .field("can_delete", &self.can_delete)
            .finish_non_exhaustive()
    }
}

/// The answer to `GET /api/context/{userId}/facts`: the facts in the scopes that the caller may
/// read, by scope and in the order of storing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "facts": [{
            "id": "3f2a9c0d1e4b5a6978c0d1e2-19ca7d51a80",
            "scope": "general",
            "name": "location",
            "value": "Lisbon",
            "source_type": "observed",
            "storedAt": "2026-03-01T09:30:00.000Z",
            "canDelete": true
        }]
    })))
)]
#[non_exhaustive]
pub struct FactsResponse {
    /// The facts.
    pub facts: Vec<FactRecord>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl FactsResponse {
    /// An answer without further fields.
    pub fn new(facts: Vec<FactRecord>) -> Self {
        Self {
            facts,
            extra: Extra::new(),
        }
    }
}

/// The body of `POST /api/context/{userId}/facts/search`, which is answered with the facts that bear
/// on the query, in a [`FactsResponse`], those that bear on it most first.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({"query": "Which food should I avoid?", "limit": 5})))
)]
pub struct FactSearchRequest {
    /// What to look for, in words. It is neither stored nor logged.
    pub query: String,
    /// How many facts to answer at most, 1 to 100; 10 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 100))]
    pub limit: Option<u32>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl FactSearchRequest {
    /// A request for as many facts as the service likes to answer.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            limit: None,
            extra: Extra::new(),
        }
    }
}

/// `Debug` does not show the query, because it ends up in logs.
impl fmt::Debug for FactSearchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactSearchRequest")
            .field("query_bytes", &self.query.len())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
