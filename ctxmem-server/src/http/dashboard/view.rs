//! What several pages show, in the form in which they show it.

use std::num::NonZeroU32;

use chrono::DateTime;
use ctxmem_types::{Scope, ScopeSet, Timestamp};

use super::chart::Chart;
use crate::core::{Core, Daily};
use crate::store::{AgentSummary, KeyRow};

/// An instant, for machines and for people.
pub(super) struct Time {
    pub(super) exact: String,
    pub(super) shown: String,
}

impl Time {
    pub(super) fn new(millis: i64) -> Self {
        let shown = DateTime::from_timestamp_millis(millis)
            .map(|at| at.format("%-d %b %Y, %H:%M UTC").to_string());
        Self {
            exact: Timestamp::from_unix_millis(millis)
                .map(|at| at.to_string())
                .unwrap_or_default(),
            shown: shown.unwrap_or_default(),
        }
    }
}

/// A scope with its box on a form.
pub(super) struct ScopeBox {
    pub(super) name: &'static str,
    pub(super) holds: &'static str,
}

/// Every scope, for forms that make keys.
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

/// A key as its developer gets to see it.
pub(super) struct KeyView {
    pub(super) id: String,
    pub(super) prefix: String,
    pub(super) scopes: String,
    pub(super) created: Time,
    pub(super) last_used: Option<Time>,
    pub(super) revoked: Option<Time>,
}

impl KeyView {
    pub(super) fn new(row: KeyRow) -> Self {
        Self {
            scopes: scopes(row.scopes),
            created: Time::new(row.created_at),
            last_used: row.last_used_at.map(Time::new),
            revoked: row.revoked_at.map(Time::new),
            id: row.id,
            prefix: row.prefix,
        }
    }
}

/// Scopes in a line.
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
    pub(super) created: Time,
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
            created: Time::new(summary.created_at),
            live_keys: summary.live_keys,
            users: summary.users,
            updates: summary.updates,
            quota: core.monthly_quota(),
        }
    }
}

/// The charts of a page.
pub(super) fn charts(days: &Daily) -> Vec<Chart> {
    let chart = |title, about, colour, of: fn(&crate::store::Usage) -> i64| {
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
