//! Records of the audit log.

use ctxmem_types::ScopeSet;
use serde::{Deserialize, Serialize};

use super::ImportOutcome;
use crate::store::arg::args;
use crate::store::row::stored;
use crate::store::statement::statements;
use crate::store::{Action, Actor, AuditDetails, Outcome, Result, Tx};

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// The hash of the user whom it concerns, in hexadecimal; empty for none.
    #[serde(with = "hex::serde")]
    pub user_key: Vec<u8>,
    /// A UUID of version 7, so entries are in order of time.
    pub id: String,
    /// When it happened.
    pub at: i64,
    /// What was done.
    pub action: String,
    /// Who did it: `agent`, `user`, `developer` or `operator`.
    pub actor: String,
    /// The agent that acted or is concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The developer who acted or is concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub developer_id: Option<String>,
    /// The scopes that it was about.
    pub scopes: ScopeSet,
    /// What came of it.
    pub outcome: String,
    /// How many facts it wrote or removed.
    pub facts: i64,
    /// How many grants it revoked.
    pub grants: i64,
    /// How often the same happened in a row.
    pub times: i64,
    /// More about it, as the log stores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

statements! {
    EXPORT_EVENTS:
        "SELECT user_key, id, at, action, actor, agent_id, developer_id, scopes, outcome, facts,
                grants, times, details
         FROM audit WHERE (user_key, id) > ($1, $2) ORDER BY user_key, id LIMIT $3";
    EXPORT_EVENTS_OF_USER:
        "SELECT user_key, id, at, action, actor, agent_id, developer_id, scopes, outcome, facts,
                grants, times, details
         FROM audit WHERE user_key = $1 AND id > $2 ORDER BY id LIMIT $3";
    FIND_OLDEST_EVENT: "SELECT MIN(at) AS at FROM audit";
    IMPORT_EVENT changes Nothing:
        "INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id, scopes, outcome,
                            facts, grants, times, details)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";
}

/// Where reading the log goes on: after the entry of this user with this id.
pub type EventPlace = (Vec<u8>, String);

impl Tx {
    /// The entries that follow a place, at most so many: of all, or of one user.
    pub async fn event_records(
        &mut self,
        (user_key, id): &EventPlace,
        of_this_user: bool,
        at_most: u32,
    ) -> Result<Vec<EventRecord>> {
        let statement = if of_this_user {
            EXPORT_EVENTS_OF_USER
        } else {
            EXPORT_EVENTS
        };
        self.list_as(statement, args![user_key, id, at_most]).await
    }

    /// When the oldest entry of anybody's happened; `None` without any. Time takes the oldest first, so the
    /// log is whole from then on.
    pub async fn oldest_event(&mut self) -> Result<Option<i64>> {
        let found = self.find_with(FIND_OLDEST_EVENT, &[], |row| row.int_or_null("at"));
        Ok(found.await?.flatten())
    }

    /// Takes entries of another database, but for those that time has taken here, which has left `since`:
    /// the log is not whole where they would be.
    pub(super) async fn take_log(&mut self, log: &[EventRecord], since: Option<i64>) -> Result<()> {
        for event in log {
            if since.is_none_or(|since| event.at >= since) {
                self.take_event(event).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn take_event(&mut self, record: &EventRecord) -> Result<ImportOutcome> {
        // What this version doesn't know could not be shown.
        let is_known = Action::from_text(&record.action).is_some()
            && Actor::from_text(&record.actor).is_some()
            && Outcome::from_text(&record.outcome).is_some();
        if !is_known {
            return Ok(ImportOutcome::Refused(
                "an entry of a kind that this version does not know",
            ));
        }
        self.import(IMPORT_EVENT, &record.args()).await
    }
}

impl EventRecord {
    /// Whether facts may have been taken away by it. What made room for others was not.
    pub(super) fn may_take_facts(&self) -> bool {
        match Action::from_text(&self.action) {
            Some(Action::Update) if self.facts > 0 => {
                let details = self.details.as_deref().map(AuditDetails::from_text);
                let counts = details.and_then(|details| details.counts);
                counts.is_none_or(|counts| counts.replaced > 0 || counts.removed > 0)
            }
            Some(Action::Reapply) => self.facts > 0,
            Some(
                Action::Erase
                | Action::CorrectFact
                | Action::DeleteFact
                | Action::DeleteScope
                | Action::AutoDelete,
            )
            | None => true,
            Some(_) => false,
        }
    }
}

stored! {
    EventRecord in "audit":
    user_key, id, at, action, actor, agent_id, developer_id, scopes, outcome, facts, grants, times,
    details
}
