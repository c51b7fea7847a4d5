//! `GET /api/health`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::{Extra, Timestamp};

/// The health of a deployment: `{status, checks, timestamp}`, or `{ok}` in older ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(examples(json!({
        "status": "ok",
        "checks": {"database": "ok", "writes": "ok"},
        "timestamp": "2026-03-01T09:30:00.000Z",
        "version": "0.1.0"
    })))
)]
#[non_exhaustive]
pub struct Health {
    /// `ok` when healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub status: Option<String>,
    /// The state, such as `ok`, of each dependency by name (`database`, `model`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, value_type = std::collections::BTreeMap<String, String>))]
    pub checks: Option<IndexMap<String, String>>,
    /// When the dependencies were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub timestamp: Option<Timestamp>,
    /// The older form: true when healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub ok: Option<bool>,
    /// Fields that this version of the crate does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub extra: Extra,
}

impl Health {
    /// Whether the deployment says that it is healthy, in either form.
    pub fn is_ok(&self) -> bool {
        match (&self.status, self.ok) {
            (Some(status), _) => status == "ok",
            (None, ok) => ok == Some(true),
        }
    }
}
