//! Parts that several pages show.

use std::num::NonZeroU32;

use ctxmem_types::{Scope, ScopeSet};

use crate::core::{AgentSummary, Core, KeyRow};
use crate::http::pages::choice::ScopeChoice;
use crate::http::words::Phrase;

/// All scopes, for forms that create keys, with those ticked that are named.
pub(super) fn scope_boxes(ticked: &[String]) -> Vec<ScopeChoice> {
    ScopeChoice::of(Scope::ALL, |scope| {
        ticked.iter().any(|name| name == scope.name())
    })
}

/// Whether a key works, and since when it does not.
pub(super) enum KeyState {
    Live,
    Expired(i64),
    Revoked(i64),
}

impl KeyState {
    pub(super) fn of(key: &KeyRow, core: &Core) -> Self {
        let ended = key.revoked_at.is_some() && key.revoked_at == key.expires_at;
        match (key.revoked_at, key.expires_at) {
            (Some(at), _) if !ended => Self::Revoked(at),
            (_, Some(at)) if !core.grants.key_row_works(key) => Self::Expired(at),
            _ => Self::Live,
        }
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self, Self::Live)
    }
}

/// What the key is called on pages: its name and how it begins.
pub(super) fn key_title(key: &KeyRow) -> String {
    match &key.name {
        Some(name) => format!("{name} ({}…)", key.prefix),
        None => format!("{}…", key.prefix),
    }
}

/// The path of a key's page.
pub(super) fn key_path(key_id: &str) -> String {
    format!("/dashboard/keys/{key_id}")
}

/// The path of an agent's page.
pub(super) fn agent_path(agent_id: &str) -> String {
    format!("/dashboard/agents/{agent_id}")
}

/// The names of scopes in one line.
pub(super) fn scopes(scopes: ScopeSet) -> Phrase {
    if scopes == ScopeSet::ALL {
        return Phrase::new("key-scopes-all");
    }
    let names: Vec<&str> = scopes.iter().map(Scope::name).collect();
    Phrase::verbatim(&names.join(", "))
}

/// What to say of an agent that has used most of the month's updates.
pub(super) fn quota_alert(agent: &AgentSummary, quota: Option<NonZeroU32>) -> Option<Phrase> {
    let (updates, quota) = (agent.updates, i64::from(quota?.get()));
    if updates >= quota {
        let used = Phrase::new("dashboard-quota-used").name("agent", &agent.agent.name);
        Some(used.arg("quota", quota))
    } else if updates.saturating_mul(5) >= quota.saturating_mul(4) {
        let alert = Phrase::new("dashboard-quota-alert").name("agent", &agent.agent.name);
        let alert = alert.arg("updates", updates).arg("quota", quota);
        Some(alert.arg("share", updates * 100 / quota))
    } else {
        None
    }
}
