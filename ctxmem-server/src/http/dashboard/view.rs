//! Parts that several pages show.

use std::num::NonZeroU32;

use ctxmem_types::{Scope, ScopeSet};

use super::chart::Chart;
use crate::core::{AgentSummary, Core, Daily, KeyRow, Usage};
use crate::http::page_time::PageTime;

/// A scope as a checkbox.
pub(super) struct ScopeBox {
    pub(super) name: &'static str,
    pub(super) holds: &'static str,
}

/// All scopes, for forms that create keys.
pub(super) fn scope_boxes() -> Vec<ScopeBox> {
    let holds = |scope| match scope {
        Scope::General => "name, location, time zone",
        Scope::CommunicationStyle => "how the user wants replies",
        Scope::Preferences => "tools, environment, workflow",
        Scope::Knowledge => "skills, languages, frameworks",
        Scope::Relationships => "named people",
        Scope::History => "decisions and completed actions",
        Scope::Goals => "projects, tasks, deadlines",
    };
    Scope::ALL
        .into_iter()
        .map(|scope| ScopeBox {
            name: scope.name(),
            holds: holds(scope),
        })
        .collect()
}

/// A key as its developer sees it.
pub(super) struct KeyView {
    pub(super) id: String,
    pub(super) prefix: String,
    pub(super) scopes: String,
    pub(super) created: PageTime,
    pub(super) last_used: Option<PageTime>,
    pub(super) revoked: Option<PageTime>,
}

impl KeyView {
    pub(super) fn new(row: KeyRow) -> Self {
        Self {
            scopes: scopes(row.scopes),
            created: PageTime::short(row.created_at),
            last_used: row.last_used_at.map(PageTime::short),
            revoked: row.revoked_at.map(PageTime::short),
            id: row.id,
            prefix: row.prefix,
        }
    }
}

/// The path of an agent's page.
pub(super) fn agent_path(agent_id: &str) -> String {
    format!("/dashboard/agents/{agent_id}")
}

/// The names of scopes in one line.
pub(super) fn scopes(scopes: ScopeSet) -> String {
    if scopes == ScopeSet::ALL {
        return "all scopes".to_owned();
    }
    let names: Vec<&str> = scopes.iter().map(Scope::name).collect();
    names.join(", ")
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
            quota: core.monthly_quota(),
        }
    }
}

/// The charts of a page.
pub(super) fn charts(days: &Daily) -> Vec<Chart> {
    let chart = |title, about, colour, of: fn(&Usage) -> i64| {
        let numbers = days.iter().map(|(day, usage)| (*day, of(usage)));
        Chart::new(title, about, colour, numbers.collect())
    };
    vec![
        chart("Injects", "prompts asked for", 1, |day| day.injects),
        chart("Updates", "turns learned from", 2, |day| day.updates),
        chart("Filtered", "turns that can't hold a fact", 3, |day| {
            day.filtered
        }),
        chart("Denied", "no grant, or no scope in it", 4, |day| day.denied),
        chart("Errors", "calls that failed", 5, |day| day.errors),
    ]
}
