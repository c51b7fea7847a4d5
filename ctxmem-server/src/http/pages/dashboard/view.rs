//! Parts that several pages show.

use std::num::NonZeroU32;

use ctxmem_types::{Scope, ScopeSet};

use crate::core::{AgentSummary, Core, KeyRow};
use crate::http::words::{PageTime, Phrase};

/// A scope as a checkbox.
pub(super) struct ScopeBox {
    pub(super) name: &'static str,
    pub(super) holds: Phrase,
    pub(super) is_ticked: bool,
}

/// All scopes, for forms that create keys, with those ticked that are named.
pub(super) fn scope_boxes(ticked: &[String]) -> Vec<ScopeBox> {
    let holds = |scope| match scope {
        Scope::General => "key-scope-general",
        Scope::CommunicationStyle => "key-scope-communication-style",
        Scope::Preferences => "key-scope-preferences",
        Scope::Knowledge => "key-scope-knowledge",
        Scope::Relationships => "key-scope-relationships",
        Scope::History => "key-scope-history",
        Scope::Goals => "key-scope-goals",
    };
    Scope::ALL
        .into_iter()
        .map(|scope| ScopeBox {
            name: scope.name(),
            holds: Phrase::new(holds(scope)),
            is_ticked: ticked.iter().any(|name| name == scope.name()),
        })
        .collect()
}

/// A key as its developer sees it.
pub(super) struct KeyView {
    pub(super) id: String,
    pub(super) prefix: String,
    pub(super) name: Option<String>,
    pub(super) scopes: Phrase,
    pub(super) created: PageTime,
    pub(super) last_used: Option<PageTime>,
    pub(super) expires: Option<PageTime>,
    pub(super) state: KeyState,
    pub(super) is_replaced: bool,
}

/// Whether a key works, and since when it does not.
pub(super) enum KeyState {
    Live,
    Expired(PageTime),
    Revoked(PageTime),
}

impl KeyView {
    pub(super) fn new(row: KeyRow, core: &Core) -> Self {
        let ended = row.revoked_at.is_some() && row.revoked_at == row.expires_at;
        let state = match (row.revoked_at, row.expires_at) {
            (Some(at), _) if !ended => KeyState::Revoked(PageTime::short(at)),
            (_, Some(at)) if !core.grants.key_row_works(&row) => {
                KeyState::Expired(PageTime::short(at))
            }
            _ => KeyState::Live,
        };
        Self {
            scopes: scopes(row.scopes),
            created: PageTime::short(row.created_at),
            last_used: row.last_used_at.map(PageTime::short),
            expires: row.expires_at.map(PageTime::short),
            state,
            is_replaced: row.replaced_by.is_some(),
            id: row.id,
            prefix: row.prefix,
            name: row.name,
        }
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.state, KeyState::Live)
    }

    /// What the key is called on pages: its name and how it begins.
    pub(super) fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({}…)", self.prefix),
            None => format!("{}…", self.prefix),
        }
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

/// An agent with this month's updates.
pub(super) struct AgentView {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) created: PageTime,
    pub(super) live_keys: i64,
    pub(super) users: i64,
    pub(super) updates: i64,
    pub(super) quota: Option<NonZeroU32>,
}

impl AgentView {
    pub(super) fn new(summary: AgentSummary, core: &Core) -> Self {
        Self {
            id: summary.agent.id,
            name: summary.agent.name,
            created: PageTime::short(summary.created_at),
            live_keys: summary.live_keys,
            users: summary.users,
            updates: summary.updates,
            quota: core.console.monthly_quota(),
        }
    }

    /// The path of the page on which users decide about it.
    pub(super) fn consent_page(&self) -> String {
        format!("/consent/{}", self.id)
    }

    /// What to say where most of the month's updates are used.
    pub(super) fn quota_alert(&self) -> Option<Phrase> {
        let quota = i64::from(self.quota?.get());
        if self.updates >= quota {
            let used = Phrase::new("dashboard-quota-used").name("agent", &self.name);
            Some(used.arg("quota", quota))
        } else if self.updates.saturating_mul(5) >= quota.saturating_mul(4) {
            let alert = Phrase::new("dashboard-quota-alert").name("agent", &self.name);
            let alert = alert.arg("updates", self.updates).arg("quota", quota);
            Some(alert.arg("share", self.updates * 100 / quota))
        } else {
            None
        }
    }
}
