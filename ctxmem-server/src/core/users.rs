//! Users as operators see them: what there is of each, and nothing of what is known of them.

use ctxmem_types::{Scope, UserId};

use super::{Error, Operator, State, unit};
use crate::store::{AuditRange, AuditRow, GrantRecord, GrantTerms, UserKey, UserRecord};

/// What there is of a user.
#[derive(Debug)]
pub struct UserSummary {
    /// The hash under which the user is stored.
    pub key: UserKey,
    /// The user's id, as agents send it; `None` once everything was erased.
    pub user_id: Option<UserId>,
    /// How many facts each scope holds; none that is empty.
    pub facts: Vec<(Scope, usize)>,
    /// The newest grant of each agent, and its state.
    pub grants: Vec<(GrantRecord, State)>,
    /// How many agents wait for the user.
    pub requests: usize,
    /// Whether the user wants to be asked before an agent gets access.
    pub asks: bool,
    /// When the user paused all access, in milliseconds since 1970.
    pub paused_at: Option<i64>,
    /// When stored content last changed, in milliseconds since 1970.
    pub last_updated: Option<i64>,
    /// How often everything was erased.
    pub erasures: i64,
}

impl Operator {
    /// What there is of the users that follow one, in the order of their hashes; at most so many.
    pub async fn user_summaries(
        &self,
        after: Option<UserKey>,
        at_most: u32,
    ) -> Result<Vec<UserSummary>, Error> {
        // Before the records are read: what is noted as expired meanwhile is not in them.
        let now = self.grant_clock.now();
        let records = self.db.user_records(after, at_most).await?;
        Ok(records
            .iter()
            .map(|record| UserSummary::of(record, now))
            .collect())
    }

    /// What there is of one user.
    pub async fn user_summary(&self, user_id: &UserId) -> Result<UserSummary, Error> {
        let now = self.grant_clock.now();
        let record = self.db.user_record(user_id).await?;
        let record = record.ok_or(Error::NotFound("There is nothing about this user."))?;
        Ok(UserSummary::of(&record, now))
    }

    /// Entries of the audit log, the newest first: about one user, or about anybody and anything.
    pub async fn audit_log(
        &self,
        user_id: Option<UserId>,
        part: AuditRange,
        at_most: u32,
    ) -> Result<Vec<AuditRow>, Error> {
        unit::read(&self.db, async |tx| match &user_id {
            Some(user_id) => tx.trail(user_id, &part, at_most).await,
            None => tx.trail_of_all(&part, at_most).await,
        })
        .await
    }
}

impl UserSummary {
    fn of(record: &UserRecord, now: i64) -> Self {
        let count = |scope: Scope| {
            record
                .facts
                .iter()
                .filter(|fact| fact.scope == scope)
                .count()
        };
        let facts = Scope::ALL.into_iter().map(|scope| (scope, count(scope)));
        let grants = record.grants.iter().filter(|grant| grant.latest);
        Self {
            key: record.user_key,
            user_id: record.user_id.clone(),
            facts: facts.filter(|(_, count)| *count > 0).collect(),
            grants: grants
                .map(|grant| {
                    let terms = GrantTerms {
                        scopes: grant.scopes,
                        expires_at: grant.expires_at,
                        expired_at: grant.expired_at,
                        revoked_at: grant.revoked_at,
                    };
                    (grant.clone(), terms.state(now))
                })
                .collect(),
            requests: record.requests.len(),
            asks: record.asks,
            paused_at: record.paused_at,
            last_updated: record.last_updated,
            erasures: record.epoch,
        }
    }
}
