//! Facts, one by one and by scope. All facts of a user are read with the rest that a request needs
//! ([`super::access`]).
//!
//! Slot, name and value are sealed under the user's key. A fact is found by the HMAC of its slot.

use ctxmem_types::{Scope, ScopeSet, SourceType, UserId};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::arg::args;
use super::row::Row;
use super::statement::statements;
use super::user_keys::UserCipher;
use super::{Hash, Result, StoreError, Tx, Who};

/// By what a fact is found among those of its scope: an HMAC of its slot.
pub(super) type SlotHash = [u8; 16];

/// One stored fact.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredFact {
    /// The scope that it belongs to.
    pub scope: Scope,
    /// A newer fact with the same slot replaces this one. In maps it is the name (and the normalised
    /// value, where a name holds several), elsewhere the normalised value.
    pub slot: String,
    /// The name, in maps.
    pub name: Option<String>,
    /// What is known.
    pub value: String,
    /// How it came to be known.
    pub source_type: SourceType,
    /// Whether the user expressly asked for it to be remembered.
    pub requested: bool,
    /// Its place in its slice.
    pub position: i64,
    /// When this value was first stored, in milliseconds since 1970. It tells versions of a fact
    /// apart.
    pub first_stored_at: i64,
    /// When it was last stored or confirmed, in milliseconds since 1970.
    pub confirmed_at: i64,
    /// Where this value came from, if that was noted and read.
    pub origin: Option<Box<Origin>>,
}

/// Where a value came from that was extracted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The `first_stored_at` of the value that this is about.
    pub at: i64,
    /// What extracted it.
    pub by: ExtractedBy,
    /// The id of the request that said it.
    pub request: String,
}

/// What extracted a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractedBy {
    /// The built-in extractor, by the name under which facts are stored.
    #[serde(rename = "rules")]
    BuiltIn,
    /// A language model.
    Model,
}

/// The scopes that hold one of these facts.
pub fn scopes(facts: &[StoredFact]) -> ScopeSet {
    facts.iter().map(|fact| fact.scope).collect()
}

statements! {
    FIND_FACT:
        "SELECT scope, slot_hash, sealed, source_type, requested, position, first_stored_at,
                confirmed_at
         FROM facts WHERE user_key = $1 AND scope = $2 AND slot_hash = $3";
    LIST_FACTS:
        "SELECT scope, slot_hash, sealed, source_type, requested, position, first_stored_at,
                confirmed_at
         FROM facts WHERE user_key = $1 AND scope = $2 ORDER BY position";
    // A replaced value keeps its place in the slice.
    PUT_FACT changes Facts:
        "INSERT INTO facts (user_key, scope, slot_hash, sealed, source_type, agent_id, requested,
                            position, first_stored_at, confirmed_at, origin)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (user_key, scope, slot_hash) DO UPDATE SET
             sealed = excluded.sealed, source_type = excluded.source_type,
             agent_id = excluded.agent_id, requested = excluded.requested,
             first_stored_at = excluded.first_stored_at, confirmed_at = excluded.confirmed_at,
             origin = excluded.origin";
    REMOVE_FACT changes Facts:
        "DELETE FROM facts WHERE user_key = $1 AND scope = $2 AND slot_hash = $3";
    // The index of the primary key is enough for this.
    COUNT_FACTS: "SELECT COUNT(*) AS facts FROM facts WHERE user_key = $1 AND scope = $2";
}

impl Tx {
    /// The fact in a slot.
    pub async fn fact(
        &mut self,
        who: impl Who,
        scope: Scope,
        slot: &str,
    ) -> Result<Option<StoredFact>> {
        let key = &who.key(self);
        // Without a key there is no fact.
        let Some(cipher) = self.cipher(key).await? else {
            return Ok(None);
        };
        let slot = cipher.slot_hash(number(scope), slot);
        self.find_with(FIND_FACT, args![key, number(scope), &slot], |row| {
            StoredFact::from_row(row, key, &cipher)
        })
        .await
    }

    /// The facts of a scope, in the order in which they were first stored.
    pub async fn facts(&mut self, user_id: &UserId, scope: Scope) -> Result<Vec<StoredFact>> {
        let key = self.user_key(user_id);
        let Some(cipher) = self.cipher(&key).await? else {
            return Ok(Vec::new());
        };
        self.list_with(LIST_FACTS, args![&key, number(scope)], |row| {
            StoredFact::from_row(row, &key, &cipher)
        })
        .await
    }

    /// Stores a fact. It replaces the one in its slot.
    pub async fn put_fact(
        &mut self,
        who: impl Who,
        agent_id: &str,
        fact: &StoredFact,
    ) -> Result<()> {
        let key = &who.key(self);
        let cipher = self.cipher_to_write(key).await?;
        let (slot, sealed) = fact.seal(key, &cipher)?;
        let origin = fact.origin_text();
        let args = args![
            key,
            number(fact.scope),
            &slot,
            &sealed,
            fact.source_type.as_str(),
            agent_id,
            fact.requested,
            fact.position,
            fact.first_stored_at,
            fact.confirmed_at,
            origin.as_deref()
        ];
        self.run(PUT_FACT, args).await
    }

    /// Removes the fact in a slot.
    pub async fn remove_fact(&mut self, who: impl Who, scope: Scope, slot: &str) -> Result<()> {
        let key = &who.key(self);
        let Some(cipher) = self.cipher(key).await? else {
            return Ok(());
        };
        let slot = cipher.slot_hash(number(scope), slot);
        self.remove_slot(key, scope, &slot).await
    }

    pub(super) async fn remove_slot(
        &mut self,
        key: &Hash,
        scope: Scope,
        slot: &[u8],
    ) -> Result<()> {
        self.run(REMOVE_FACT, args![key, number(scope), slot]).await
    }

    /// How many facts a scope holds.
    pub async fn count_facts(&mut self, who: impl Who, scope: Scope) -> Result<i64> {
        let key = who.key(self);
        let args = args![&key, number(scope)];
        let found = self.find_with(COUNT_FACTS, args, |row| row.int("facts"));
        Ok(found.await?.unwrap_or_default())
    }
}

/// Scopes are stored as their position in [`Scope::ALL`], so that rows sort like slices.
pub(super) fn number(scope: Scope) -> i64 {
    scope as i64
}

pub(super) fn scope(row: &Row) -> Result<Scope> {
    scope_at(row.int("scope")?)
}

/// The scope that is stored as this number.
pub(super) fn scope_at(number: i64) -> Result<Scope> {
    usize::try_from(number)
        .ok()
        .and_then(|number| Scope::ALL.get(number).copied())
        .ok_or(StoreError::corrupt("facts", "scope"))
}

impl StoredFact {
    /// A fact that was observed at this time, in the place of its value.
    pub(crate) fn observed(scope: Scope, name: Option<&str>, value: &str, at: i64) -> Self {
        Self {
            scope,
            slot: value.to_owned(),
            name: name.map(str::to_owned),
            value: value.to_owned(),
            source_type: SourceType::Observed,
            requested: false,
            position: at,
            first_stored_at: at,
            confirmed_at: at,
            origin: None,
        }
    }

    /// Reads a row of this table, which was sealed for this user.
    pub(super) fn from_row(row: &Row, user_key: &Hash, cipher: &UserCipher) -> Result<Self> {
        let scope = scope(row)?;
        let slot_hash = row.bytes("slot_hash")?;
        let sealed = row.bytes("sealed")?;
        // It was sealed under another key if the user's key was replaced since it was read.
        let text = cipher
            .open(&sealed_for(user_key, scope, &slot_hash), &sealed)
            .ok_or(StoreError::KeyReplaced)?;
        let (slot, name, value) = serde_json::from_slice(&text)
            .map_err(|_| StoreError::corrupt("facts", "sealed").in_row(user_key))?;
        Ok(Self {
            scope,
            slot,
            name,
            value,
            source_type: row.text("source_type")?.into(),
            requested: row.int("requested")? != 0,
            position: row.int("position")?,
            first_stored_at: row.int("first_stored_at")?,
            confirmed_at: row.int("confirmed_at")?,
            origin: None,
        })
    }

    /// The same with its origin, which is left out where nobody asks for it.
    pub(super) fn from_row_with_origin(
        row: &Row,
        user_key: &Hash,
        cipher: &UserCipher,
    ) -> Result<Self> {
        let fact = Self::from_row(row, user_key, cipher)?;
        let text = row.text_or_null("origin")?;
        let origin = text.and_then(|text| serde_json::from_str::<Origin>(&text).ok());
        Ok(Self {
            // It may have been noted of another value.
            origin: origin
                .filter(|origin| origin.at == fact.first_stored_at)
                .map(Box::new),
            ..fact
        })
    }

    /// What is stored of its origin.
    pub(super) fn origin_text(&self) -> Option<String> {
        let origin = self.origin.as_ref()?;
        serde_json::to_string(origin).ok()
    }

    /// By what the fact is found, and what is sealed of it.
    pub(super) fn seal(&self, user_key: &Hash, cipher: &UserCipher) -> Result<(SlotHash, Vec<u8>)> {
        let slot_hash = cipher.slot_hash(number(self.scope), &self.slot);
        let text = serde_json::to_vec(&(&self.slot, &self.name, &self.value))
            .map(Zeroizing::new)
            .map_err(|_| StoreError::corrupt("facts", "sealed"))?;
        let sealed = cipher.seal(&sealed_for(user_key, self.scope, &slot_hash), &text)?;
        Ok((slot_hash, sealed))
    }
}

/// The associated data of a fact, which ties what is sealed to its row.
pub(super) fn sealed_for(user_key: &Hash, scope: Scope, slot_hash: &[u8]) -> Vec<u8> {
    let scope = number(scope).to_be_bytes();
    [b"fact".as_slice(), user_key, &scope, slot_hash].concat()
}
