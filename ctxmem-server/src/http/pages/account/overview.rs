//! `GET /account`: what is new, how much apps know, and the newest facts.

use std::cmp::Reverse;

use askama::Template;
use ctxmem_types::ScopeSet;

use super::access::AccessView;
use super::fact_view::FactFilter;
use super::frame::AccountFrame;
use super::memory::{FactView, MemoryView};
use super::news::News;
use super::undo::Undo;
use super::{facts, signed_out};
use crate::core::{AccessNow, AuditRow, Choices, State};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::Notice;
use crate::http::words::{Phrase, filters};

/// How many entries of the history the overview shows.
const LATEST: u32 = 5;

/// How many facts it shows.
const NEWEST: usize = 5;

/// How many agents it shows.
const AGENTS: usize = 3;

#[derive(Template)]
#[template(path = "account/overview.html")]
struct AccountPage {
    frame: AccountFrame,
    done: Option<Phrase>,
    undo: Option<Undo>,
    /// Those that have access and used it last.
    agents: Vec<AccessView>,
    news: News,
    summary: Phrase,
    /// How many facts there are, how many of them any app can use, and how many apps can use some.
    count: usize,
    usable: usize,
    apps: usize,
    newest: Vec<FactView>,
    history: Vec<AuditRow>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let Some(user_id) = ctx.user_or_nobody().await? else {
        return Ok(signed_out::page(&ctx, None));
    };
    let core = ctx.core();
    let mut memory = facts::memory(core, &user_id, &FactFilter::newest(), None).await?;
    core.memory.store_what_happened().await;
    let choices = core.grants.choices(&user_id).await?;
    let access = core.grants.access(&user_id).await?;
    let usable = usable(&access, &choices);
    let history = core.memory.trail(&user_id, LATEST).await?;
    let page = AccountPage {
        done: Notice::text_of(&ctx),
        undo: Undo::of(&ctx, &user_id),
        news: News::of(core, &user_id, &access, &choices).await?,
        frame: AccountFrame::with(&user_id, &choices),
        summary: summary(&memory, &usable),
        count: memory.count,
        usable: memory.counted(together(&usable)),
        agents: newest_agents(access),
        apps: usable.len(),
        newest: memory
            .slices
            .drain(..)
            .flat_map(|slice| slice.facts)
            .take(NEWEST)
            .collect(),
        history,
    };
    ctx.page(&page)
}

/// The agents that have access, the ones that used it last first.
fn newest_agents(mut access: Vec<AccessNow>) -> Vec<AccessView> {
    access.retain(|now| now.state == State::Active && !now.access.agent_deleted);
    access.sort_by_key(|now| Reverse(now.access.last_used_at.unwrap_or(now.access.grant.since)));
    let newest = access.into_iter().take(AGENTS);
    newest.map(AccessView::new).collect()
}

/// What each app can use that can use anything.
pub(super) fn usable(access: &[AccessNow], choices: &Choices) -> Vec<ScopeSet> {
    if choices.paused_at.is_some() {
        return Vec::new();
    }
    let usable = access.iter().map(AccessNow::effective);
    usable.filter(|scopes| !scopes.is_empty()).collect()
}

fn together(usable: &[ScopeSet]) -> ScopeSet {
    usable.iter().flat_map(|scopes| scopes.iter()).collect()
}

/// How many agents can use how many facts, by what each of these agents can use.
pub(super) fn summary(memory: &MemoryView, usable: &[ScopeSet]) -> Phrase {
    let id = if usable
        .iter()
        .all(|scopes| memory.counted(*scopes) == memory.count)
    {
        "account-summary"
    } else {
        "account-summary-part"
    };
    Phrase::new(id)
        .arg("agents", usable.len())
        .arg("facts", memory.count)
        .arg("usable", memory.counted(together(usable)))
}
