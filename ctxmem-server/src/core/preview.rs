//! The preview: shows a user what an agent would learn about them. It is read and decided as for an
//! inject, so both always agree.

use ctxmem_types::{ScopeSet, UserId};

use super::inject::{InjectOutcome, inject_outcome};
use super::{AccessNow, Error, Memory, unit};
use crate::store::{AccessQuery, FactsWanted};

/// What an agent would learn now.
pub struct Preview {
    /// The agent and its grant.
    pub access: AccessNow,
    /// One entry for each set of scopes that its keys reach; empty where it has no key.
    pub by_key: Vec<KeyPreview>,
}

/// What it would learn with some of its keys.
pub struct KeyPreview {
    /// The scopes that are granted and that these keys allow.
    pub scopes: ScopeSet,
    /// What it would learn.
    pub outcome: InjectOutcome,
    /// How many facts are stored in these scopes.
    pub facts: usize,
}

impl Memory {
    /// What this agent would learn about the user, who must have granted it something once.
    pub async fn preview(&self, user_id: &UserId, agent_id: &str) -> Result<Preview, Error> {
        const NO_AGENT: Error =
            Error::NotFound("There is no such agent among those that ever had access.");
        let now = self.grant_clock.now();
        let (budget, demo) = (self.settings.token_budget, self.settings.demo);
        let user_key = self.db.user_key(user_id);
        unit::read(&self.db, async |tx| {
            let access = tx.grants(user_id).await?;
            let access = access
                .into_iter()
                .find(|access| access.grant.agent_id == agent_id)
                .ok_or(NO_AGENT)?;
            let keys = tx.live_keys(agent_id, now).await?;
            let reach = keys.iter().flat_map(|(_, scopes)| scopes.iter()).collect();
            let queries: Vec<AccessQuery> = keys
                .iter()
                .map(|(key_id, _)| AccessQuery {
                    key_id: key_id.as_str().into(),
                    user_key,
                    facts: FactsWanted::All,
                })
                .collect();
            let snapshots = tx.access_snapshots(&queries).await?;
            let mut by_key: Vec<KeyPreview> = Vec::new();
            for ((_, key_scopes), snapshot) in keys.into_iter().zip(snapshots) {
                // The keys of a deleted agent no longer work.
                let Some(snapshot) = snapshot else { continue };
                let scopes = access.grant.scopes.intersection(key_scopes);
                if by_key.iter().all(|known| known.scopes != scopes) {
                    let effective = snapshot
                        .grant
                        .and_then(|grant| grant.effective(key_scopes, now));
                    let facts = snapshot.facts().iter();
                    let facts = facts.filter(|fact| scopes.contains(fact.scope));
                    by_key.push(KeyPreview {
                        scopes,
                        facts: facts.count(),
                        outcome: inject_outcome(&snapshot, effective, budget, demo),
                    });
                }
            }
            let access = AccessNow {
                state: access.grant.state(now),
                reach,
                access,
            };
            Ok::<_, Error>(Preview { access, by_key })
        })
        .await
    }
}
