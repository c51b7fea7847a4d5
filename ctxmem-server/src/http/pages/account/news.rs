//! What happened while the user was away: agents that wait for a decision or let themselves in, and
//! what agents deleted. It stays until the user says to have seen it.

use std::sync::Arc;

use ctxmem_types::UserId;

use crate::core::{
    AccessNow, Action, Actor, AgentAccess, AuditRange, AuditRow, Choices, ConsentRequest, Core,
    Error, Outcome, State,
};

/// How many deletions are shown; the history has all.
const DELETIONS: usize = 3;

/// How many entries are looked at for them: some may have been refused.
const LOOKED_AT: u32 = 25;

pub(super) struct News {
    pub(super) waiting: Vec<ConsentRequest>,
    /// Those that got access without asking since the user last looked.
    pub(super) newcomers: Vec<AgentAccess>,
    /// What agents deleted.
    pub(super) deletions: Vec<AuditRow>,
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
        deleted.truncate(DELETIONS);
        Ok(Self {
            waiting,
            newcomers: newcomers(access, choices.access_seen_at),
            deletions: deleted,
        })
    }

    /// Whether something is to be marked as seen.
    pub(super) fn has_unseen(&self) -> bool {
        !self.newcomers.is_empty() || !self.deletions.is_empty()
    }
}

fn newcomers(access: &[AccessNow], seen_at: Option<i64>) -> Vec<AgentAccess> {
    let active = access.iter().filter(|now| now.state == State::Active);
    let is_new = |agent: &&AgentAccess| {
        let since = agent.grant.created_at;
        agent.grant.is_by_agent() && seen_at.is_none_or(|seen_at| seen_at < since)
    };
    let agents = active.map(|now| &now.access);
    agents.filter(is_new).cloned().collect()
}
