//! What happened while the user was away: agents that wait for a decision or let themselves in, and
//! what agents deleted. It stays until the user says to have seen it.

use std::sync::Arc;

use ctxmem_types::UserId;

use super::asked_view::AskedView;
use super::history::HistoryEntry;
use crate::core::{
    AccessNow, Action, Actor, AuditRange, Choices, ConsentRequest, Core, Error, Outcome, State,
};
use crate::http::pages::avatar::Avatar;
use crate::http::words::PageTime;

/// How many deletions are shown; the history has all.
const DELETIONS: usize = 3;

/// How many entries are looked at for them: some may have been refused.
const LOOKED_AT: u32 = 25;

/// What is new.
pub(super) struct News {
    pub(super) waiting: Vec<WaitingView>,
    pub(super) newcomers: Vec<Newcomer>,
    /// What agents deleted.
    pub(super) deletions: Vec<HistoryEntry>,
}

/// An agent that waits.
pub(super) struct WaitingView {
    pub(super) agent_id: String,
    pub(super) agent_name: String,
    pub(super) avatar: Avatar,
    pub(super) asked: AskedView,
}

/// An agent that got access without asking since the user last looked.
pub(super) struct Newcomer {
    pub(super) agent_id: String,
    pub(super) agent_name: String,
    pub(super) since: PageTime,
}

impl News {
    pub(super) async fn of(
        core: &Arc<Core>,
        user_id: &UserId,
        access: &[AccessNow],
        choices: &Choices,
    ) -> Result<Self, Error> {
        let waiting = core.grants.consent_requests(user_id).await?;
        let deleted = AuditRange {
            actions: vec![Action::Erase, Action::DeleteFact],
            actor: Some(Actor::Agent),
            // Entries are of whole milliseconds, and one of the instant itself was seen.
            between: choices
                .access_seen_at
                .map(|seen_at| (seen_at.saturating_add(1), i64::MAX)),
            ..AuditRange::default()
        };
        let mut deleted = core
            .memory
            .part_of_trail(user_id, deleted, LOOKED_AT)
            .await?;
        deleted.retain(|row| row.event.outcome == Outcome::Done);
        Ok(Self {
            waiting: waiting.into_iter().map(WaitingView::new).collect(),
            newcomers: newcomers(access, choices.access_seen_at),
            deletions: deleted
                .iter()
                .take(DELETIONS)
                .map(HistoryEntry::new)
                .collect(),
        })
    }

    /// Whether something is to be marked as seen.
    pub(super) fn has_unseen(&self) -> bool {
        !self.newcomers.is_empty() || !self.deletions.is_empty()
    }
}

fn newcomers(access: &[AccessNow], seen_at: Option<i64>) -> Vec<Newcomer> {
    access
        .iter()
        .filter(|now| now.state == State::Active)
        .map(|now| &now.access)
        .filter(|agent| {
            agent.grant.is_by_agent()
                && seen_at.is_none_or(|seen_at| seen_at < agent.grant.created_at)
        })
        .map(|agent| Newcomer {
            agent_id: agent.grant.agent_id.clone(),
            agent_name: agent.agent_name.clone(),
            since: PageTime::new(agent.grant.created_at),
        })
        .collect()
}

impl WaitingView {
    fn new(request: ConsentRequest) -> Self {
        Self {
            asked: AskedView::new(&request),
            agent_id: request.agent_id,
            avatar: Avatar::of(&request.agent_name),
            agent_name: request.agent_name,
        }
    }
}
