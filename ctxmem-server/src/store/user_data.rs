//! User data export: everything stored about one user, except for older entries of the audit log, read as of one
//! instant.

use ctxmem_types::{Scope, UserId};

use super::arg::args;
use super::statement::statements;
use super::{
    AgentAccess, AuditRange, AuditRow, Choices, ConsentRequest, Db, FactWithProvenance, Result,
    StoreError, Tx, facts,
};

/// Everything that is kept of a user but for older entries of the audit log.
pub struct UserData {
    /// The facts, by scope and in the order of storing.
    pub facts: Vec<FactWithProvenance>,
    /// The newest grant of every agent that ever had one.
    pub grants: Vec<AgentAccess>,
    /// The agents that wait for the user.
    pub requests: Vec<ConsentRequest>,
    /// What the user has decided about all agents.
    pub choices: Choices,
    /// The newest entries of the audit log, the newest first.
    pub newest: Vec<AuditRow>,
}

statements! {
    COUNT_BY_SCOPE:
        "SELECT scope, COUNT(*) AS facts FROM facts WHERE user_key = $1 GROUP BY scope
         ORDER BY scope";
}

impl Tx {
    /// How many facts of the user each scope holds; none that is empty.
    pub async fn fact_counts(&mut self, user_id: &UserId) -> Result<Vec<(Scope, usize)>> {
        let key = self.user_key(user_id);
        self.list_with(COUNT_BY_SCOPE, args![&key], |row| {
            let count = usize::try_from(row.int("facts")?).unwrap_or(usize::MAX);
            Ok((facts::scope(row)?, count))
        })
        .await
    }

    async fn kept(
        &mut self,
        user_id: &UserId,
        history: &AuditRange,
        entries: u32,
        key_may_be_gone: bool,
    ) -> Result<UserData> {
        let facts = match self.facts_once(user_id).await {
            // They are those of an erasure that a restored database forgot.
            Err(StoreError::KeyReplaced) if key_may_be_gone => Vec::new(),
            facts => facts?,
        };
        Ok(UserData {
            facts,
            grants: self.grants(user_id).await?,
            requests: self.consent_requests(user_id).await?,
            choices: self.choices(user_id).await?,
            newest: self.trail(user_id, history, entries).await?,
        })
    }
}

impl Db {
    /// Reads in one snapshot what is kept of the user, with so many of these entries of the audit log at most.
    /// Nobody's writes wait for it.
    pub async fn kept(
        &self,
        user_id: &UserId,
        history: &AuditRange,
        entries: u32,
    ) -> Result<UserData> {
        self.reading_again(|tx, is_last| {
            let (user_id, history) = (user_id.clone(), history.clone());
            Box::pin(async move { tx.kept(&user_id, &history, entries, is_last).await })
        })
        .await
    }
}
