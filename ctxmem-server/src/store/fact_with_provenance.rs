//! Facts as their user sees them: who stored them, and when first.
//!
//! Forms name a fact by its id and version: while a person reads a page, an agent may learn
//! something, and nobody should delete what they have not seen. Ids are made with the index key.
//! With the user's own key they would change at every deletion, and forms in other tabs would not
//! find their facts.

use ctxmem_types::{Scope, UserId};

use super::arg::args;
use super::ciphers::READ_AGAIN;
use super::facts::number;
use super::row::Row;
use super::statement::statements;
use super::{Hash, Result, StoreError, StoredFact, Tx};

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

/// By what pages and forms name a fact: an HMAC of whose it is, its scope and its slot, in
/// hexadecimal digits. Addresses are logged and remembered in many places, so none holds a text of
/// the user's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactId(String);

const ID_BYTES: usize = 12;

const MARK_BYTES: usize = 8;

impl FactId {
    /// An id as a form holds it, which need not be that of a fact.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As it stands in addresses and forms.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A fact as somebody saw it: which one, and which value it had then. Another value of the same fact is
/// another version, also where both were stored within a millisecond.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactVersion {
    /// Which fact.
    pub id: FactId,
    /// Which value: an HMAC of it and of when it was first stored, in hexadecimal digits.
    pub mark: String,
}

impl FactVersion {
    /// What programs and forms name it by: one text, in which the mark of the value is the second part.
    pub fn to_text(&self) -> String {
        format!("{}-{}", self.id.as_str(), self.mark)
    }

    /// Reads such a text; `None` where it is none. It need not be that of a fact.
    pub fn from_text(text: &str) -> Option<Self> {
        let (id, mark) = text.split_once('-')?;
        Some(Self {
            id: FactId::new(id),
            mark: mark.to_owned(),
        })
    }
}

/// A fact with what only its user is told.
#[derive(Clone, PartialEq, Eq)]
pub struct FactWithProvenance {
    /// By what pages and forms name it.
    pub id: FactId,
    /// Which value it has, as in [`FactVersion`].
    pub mark: String,
    /// The fact.
    pub fact: StoredFact,
    /// Who stored it.
    pub author: Author,
}

impl FactWithProvenance {
    /// The fact as it is now.
    pub fn version(&self) -> FactVersion {
        FactVersion {
            id: self.id.clone(),
            mark: self.mark.clone(),
        }
    }
}

statements! {
    LIST_REMEMBERED:
        "SELECT u.key_slot, u.key_id, f.scope, f.slot_hash, f.sealed, f.source_type, f.requested,
                f.position, f.first_stored_at, f.confirmed_at, f.origin, f.agent_id, a.name AS agent_name,
                a.deleted_at AS agent_deleted_at
         FROM users u
         JOIN facts f ON f.user_key = u.user_key
         LEFT JOIN agents a ON a.id = f.agent_id
         WHERE u.user_key = $1 ORDER BY f.scope, f.position";
    REMOVE_SCOPE changes Facts: "DELETE FROM facts WHERE user_key = $1 AND scope = $2";
}

impl Tx {
    /// Everything that is remembered of the user, by scope and in the order of storing.
    pub async fn facts_with_provenance(
        &mut self,
        user_id: &UserId,
    ) -> Result<Vec<FactWithProvenance>> {
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
    pub(super) async fn facts_once(&mut self, user_id: &UserId) -> Result<Vec<FactWithProvenance>> {
        let key = &self.user_key(user_id);
        let rows = self.list(LIST_REMEMBERED, args![key]).await?;
        let Some(row) = rows.first() else {
            return Ok(Vec::new());
        };
        let cipher = self.cipher_of_row(row).await?;
        let cipher = cipher.ok_or(StoreError::corrupt("users", "key_slot").in_row(key))?;
        rows.iter()
            .map(|row| {
                let fact = StoredFact::from_row_with_origin(row, key, &cipher)?;
                let id = self.fact_id_of(key, fact.scope, &fact.slot);
                Ok(FactWithProvenance {
                    mark: self.mark_of(&id, &fact),
                    id,
                    author: author(row)?,
                    fact,
                })
            })
            .collect()
    }

    /// The fact with this id.
    pub async fn fact_with_provenance(
        &mut self,
        user_id: &UserId,
        id: &FactId,
    ) -> Result<Option<FactWithProvenance>> {
        let mut facts = self.facts_with_provenance(user_id).await?.into_iter();
        Ok(facts.find(|stored| stored.id == *id))
    }

    /// The id of the fact in a slot, stored or not.
    pub fn fact_id(&self, user_id: &UserId, scope: Scope, slot: &str) -> FactId {
        self.fact_id_of(&self.keys.user_key(user_id), scope, slot)
    }

    fn fact_id_of(&self, user_key: &Hash, scope: Scope, slot: &str) -> FactId {
        let scope = number(scope).to_be_bytes();
        let parts = [b"fact".as_slice(), user_key, &scope, slot.as_bytes()];
        let hash = self.keys.index_hash(parts);
        FactId(hex::encode(&hash[..ID_BYTES]))
    }

    fn mark_of(&self, id: &FactId, fact: &StoredFact) -> String {
        let first_stored_at = fact.first_stored_at.to_be_bytes();
        let parts = [
            b"value".as_slice(),
            id.as_str().as_bytes(),
            &first_stored_at,
            fact.value.as_bytes(),
        ];
        let hash = self.keys.index_hash(parts);
        hex::encode(&hash[..MARK_BYTES])
    }

    /// Removes all facts of a scope and answers how many there were.
    pub async fn remove_scope(&mut self, user_id: &UserId, scope: Scope) -> Result<u64> {
        let key = self.user_key(user_id);
        self.execute(REMOVE_SCOPE, args![&key, number(scope)]).await
    }
}

fn author(row: &Row) -> Result<Author> {
    let id = row.text("agent_id")?;
    if id.is_empty() {
        return Ok(Author::User);
    }
    Ok(Author::Agent {
        id,
        name: row.text_or_null("agent_name")?.unwrap_or_default(),
        deleted: row.int_or_null("agent_deleted_at")?.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_one_text() {
        let seen = FactVersion {
            id: FactId::new("0123456789abcdef01234567"),
            mark: "0123456789abcdef".to_owned(),
        };
        assert_eq!(FactVersion::from_text(&seen.to_text()), Some(seen));
        for text in ["", "0123"] {
            assert_eq!(FactVersion::from_text(text), None, "{text}");
        }
    }
}
