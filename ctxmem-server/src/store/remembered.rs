//! Facts as their user sees them: who stored them, and when first.

use ctxmem_types::{Scope, UserId};

use super::facts::{number, read};
use super::statement::{Row, statement};
use super::{Statement, StoreError, StoredFact, Tx};

/// Who stored a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// The user, by hand.
    User,
    /// An agent.
    Agent {
        /// A UUID.
        id: String,
        /// What it is called.
        name: String,
        /// Whether it was deleted since.
        deleted: bool,
    },
}

/// A fact with what only its user is told.
#[derive(Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The fact.
    pub fact: StoredFact,
    /// Who stored it.
    pub author: Author,
}

pub(super) const STATEMENTS: &[Statement] = &[LIST_REMEMBERED, FIND_REMEMBERED, REMOVE_SCOPE];

statement!(
    LIST_REMEMBERED,
    "SELECT f.scope, f.slot, f.name, f.value, f.source_type, f.requested, f.position,
            f.first_stored_at, f.confirmed_at, f.agent_id, a.name AS agent_name, a.deleted_at AS agent_deleted_at
     FROM facts f LEFT JOIN agents a ON a.id = f.agent_id
     WHERE f.user_key = $1 ORDER BY f.scope, f.position"
);
statement!(
    FIND_REMEMBERED,
    "SELECT f.scope, f.slot, f.name, f.value, f.source_type, f.requested, f.position,
            f.first_stored_at, f.confirmed_at, f.agent_id, a.name AS agent_name, a.deleted_at AS agent_deleted_at
     FROM facts f LEFT JOIN agents a ON a.id = f.agent_id
     WHERE f.user_key = $1 AND f.scope = $2 AND f.slot = $3"
);
statement!(
    REMOVE_SCOPE,
    Facts,
    "DELETE FROM facts WHERE user_key = $1 AND scope = $2"
);

impl Tx {
    /// Everything that is remembered of the user, in prompt order.
    pub async fn remembered(&mut self, user_id: &UserId) -> Result<Vec<Remembered>, StoreError> {
        let key = self.user_key(user_id);
        let rows = self.list(LIST_REMEMBERED, &[(&key).into()]).await?;
        rows.iter().map(Remembered::read).collect()
    }

    /// What is remembered in a slot.
    pub async fn remembered_fact(
        &mut self,
        user_id: &UserId,
        scope: Scope,
        slot: &str,
    ) -> Result<Option<Remembered>, StoreError> {
        let key = self.user_key(user_id);
        let row = self
            .find(
                FIND_REMEMBERED,
                &[(&key).into(), number(scope).into(), slot.into()],
            )
            .await?;
        row.as_ref().map(Remembered::read).transpose()
    }

    /// Removes all facts of a scope and answers how many there were.
    pub async fn remove_scope(
        &mut self,
        user_id: &UserId,
        scope: Scope,
    ) -> Result<u64, StoreError> {
        let key = self.user_key(user_id);
        self.run(REMOVE_SCOPE, &[(&key).into(), number(scope).into()])
            .await
    }
}

impl Remembered {
    fn read(row: &Row) -> Result<Self, StoreError> {
        let id = row.text("agent_id")?;
        let author = if id.is_empty() {
            Author::User
        } else {
            Author::Agent {
                id,
                name: row.text_or_null("agent_name")?.unwrap_or_default(),
                deleted: row.int_or_null("agent_deleted_at")?.is_some(),
            }
        };
        Ok(Self {
            fact: read(row)?,
            author,
        })
    }
}
