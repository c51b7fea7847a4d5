//! Facts as their user sees them: who stored them, and when first.

use ctxmem_types::{Scope, UserId};

use super::ciphers::READ_AGAIN;
use super::facts::number;
use super::row::Row;
use super::statement::statements;
use super::user_keys::UserCipher;
use super::{Hash, StoreError, StoredFact, Tx};

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
pub struct FactWithProvenance {
    /// The fact.
    pub fact: StoredFact,
    /// Who stored it.
    pub author: Author,
}

statements! {
    LIST_REMEMBERED:
        "SELECT u.key_slot, u.key_id, f.scope, f.slot_hash, f.sealed, f.source_type, f.requested,
                f.position, f.first_stored_at, f.confirmed_at, f.agent_id, a.name AS agent_name,
                a.deleted_at AS agent_deleted_at
         FROM users u
         JOIN facts f ON f.user_key = u.user_key
         LEFT JOIN agents a ON a.id = f.agent_id
         WHERE u.user_key = $1 ORDER BY f.scope, f.position";
    REMOVE_SCOPE changes Facts: "DELETE FROM facts WHERE user_key = $1 AND scope = $2";
}

impl Tx {
    /// Everything that is remembered of the user, in prompt order.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn facts_with_provenance(
        &mut self,
        user_id: &UserId,
    ) -> Result<Vec<FactWithProvenance>, StoreError> {
        for _ in 0..READ_AGAIN {
            match self.facts_once(user_id).await {
                Err(StoreError::KeyReplaced) => {}
                facts => return facts,
            }
        }
        // The rows are those of an erasure that a restored database forgot.
        Ok(Vec::new())
    }

    /// The same, unless the user's key was replaced since what this unit of work sees.
    pub(super) async fn facts_once(
        &mut self,
        user_id: &UserId,
    ) -> Result<Vec<FactWithProvenance>, StoreError> {
        let key = self.user_key(user_id);
        let rows = self.list(LIST_REMEMBERED, &[(&key).into()]).await?;
        self.read_facts(&key, &rows).await
    }

    async fn read_facts(
        &mut self,
        key: &Hash,
        rows: &[Row],
    ) -> Result<Vec<FactWithProvenance>, StoreError> {
        let Some(row) = rows.first() else {
            return Ok(Vec::new());
        };
        let cipher = self.cipher_of_row(row).await?;
        let cipher = cipher.ok_or(StoreError::corrupt("users", "key_slot").in_row(key))?;
        rows.iter()
            .map(|row| FactWithProvenance::from_row(row, key, &cipher))
            .collect()
    }

    /// What is remembered in a slot.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn fact_with_provenance(
        &mut self,
        user_id: &UserId,
        scope: Scope,
        slot: &str,
    ) -> Result<Option<FactWithProvenance>, StoreError> {
        let mut facts = self.facts_with_provenance(user_id).await?.into_iter();
        Ok(facts.find(|stored| stored.fact.scope == scope && stored.fact.slot == slot))
    }

    /// Removes all facts of a scope and answers how many there were.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
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

impl FactWithProvenance {
    fn from_row(row: &Row, user_key: &Hash, cipher: &UserCipher) -> Result<Self, StoreError> {
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
            fact: StoredFact::from_row(row, user_key, cipher)?,
            author,
        })
    }
}
