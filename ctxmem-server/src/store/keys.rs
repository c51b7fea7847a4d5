//! API keys, kept as hashes only.

use ctxmem_types::ScopeSet;

use super::arg::args;
use super::row::from_row;
use super::statement::statements;
use super::{DeveloperId, Hash, Result, Tx};

/// One API key, without the key. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// A UUID.
    pub id: String,
    /// The agent that it belongs to.
    pub agent_id: String,
    /// The first characters of the key, to tell keys apart.
    pub prefix: String,
    /// The scopes that it allows.
    pub scopes: ScopeSet,
    /// When it was created.
    pub created_at: i64,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<i64>,
    /// When it was revoked, or when it expired once that was noted.
    pub revoked_at: Option<i64>,
    /// What its developer calls it.
    pub name: Option<String>,
    /// When it stops working.
    pub expires_at: Option<i64>,
    /// The id of the key that takes its place.
    pub replaced_by: Option<String>,
}

impl KeyRow {
    /// Whether the key works at this instant.
    pub fn works_at(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// A key to store.
#[derive(Clone)]
pub struct NewKey {
    /// A UUID.
    pub id: String,
    /// The agent that it belongs to.
    pub agent_id: String,
    /// The SHA-256 of the key.
    pub hash: Hash,
    /// The first characters of the key.
    pub prefix: String,
    /// The scopes that it allows.
    pub scopes: ScopeSet,
    /// What its developer calls it.
    pub name: Option<String>,
    /// When it stops working, in milliseconds since 1970.
    pub expires_at: Option<i64>,
}

statements! {
    // The keys of a deleted agent count as deleted too, although their rows stay.
    FIND_KEY:
        "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                k.name, k.expires_at, k.replaced_by
         FROM api_keys k JOIN agents a ON a.id = k.agent_id
         WHERE k.hash = $1 AND a.deleted_at IS NULL";
    FIND_KEY_BY_ID:
        "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                k.name, k.expires_at, k.replaced_by
         FROM api_keys k JOIN agents a ON a.id = k.agent_id
         WHERE k.id = $1 AND a.deleted_at IS NULL";
    FIND_KEY_OF_DEVELOPER:
        "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                k.name, k.expires_at, k.replaced_by
         FROM api_keys k JOIN agents a ON a.id = k.agent_id
         WHERE k.id = $1 AND a.developer_id = $2 AND a.deleted_at IS NULL";
    LIST_KEYS:
        "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                k.name, k.expires_at, k.replaced_by
         FROM api_keys k JOIN agents a ON a.id = k.agent_id
         WHERE a.deleted_at IS NULL ORDER BY k.created_at, k.id";
    LIST_KEYS_OF_DEVELOPER:
        "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                k.name, k.expires_at, k.replaced_by
         FROM api_keys k JOIN agents a ON a.id = k.agent_id
         WHERE a.developer_id = $1 AND a.deleted_at IS NULL ORDER BY k.created_at, k.id";
    LIST_LIVE_KEYS:
        "SELECT MIN(id) AS id, scopes FROM api_keys
         WHERE agent_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
         GROUP BY scopes ORDER BY scopes DESC";
    INSERT_KEY:
        "INSERT INTO api_keys (id, agent_id, hash, prefix, scopes, created_at, name, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    // Whatever end it has, a replaced key never gets a later one.
    SUPERSEDE_KEY:
        "UPDATE api_keys SET replaced_by = $2,
                expires_at = CASE WHEN expires_at < CAST($3 AS BIGINT) OR CAST($3 AS BIGINT) IS NULL
                                  THEN expires_at ELSE CAST($3 AS BIGINT) END
         WHERE id = $1 AND revoked_at IS NULL AND replaced_by IS NULL";
    FIND_EXPIRED_KEY:
        "SELECT id FROM api_keys WHERE revoked_at IS NULL AND expires_at <= $1 LIMIT 1";
    END_EXPIRED_KEYS:
        "UPDATE api_keys SET revoked_at = expires_at WHERE revoked_at IS NULL AND expires_at <= $1";
    REVOKE_KEY: "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    USE_KEY changes Nothing:
        "UPDATE api_keys SET last_used_at = $2
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
}

impl Tx {
    /// The key with this hash, revoked or not; `None` when its agent was deleted.
    pub async fn key(&mut self, hash: &Hash) -> Result<Option<KeyRow>> {
        self.find_as(FIND_KEY, args![hash]).await
    }

    /// The key with this id, revoked or not.
    pub async fn key_by_id(&mut self, id: &str) -> Result<Option<KeyRow>> {
        self.find_as(FIND_KEY_BY_ID, args![id]).await
    }

    /// The key with this id when it belongs to an agent of this developer.
    pub async fn key_of_developer(
        &mut self,
        id: &str,
        developer: &DeveloperId,
    ) -> Result<Option<KeyRow>> {
        let args = args![id, developer];
        self.find_as(FIND_KEY_OF_DEVELOPER, args).await
    }

    /// Every key of this developer's agents, oldest first.
    pub async fn keys_of_developer(&mut self, developer: &DeveloperId) -> Result<Vec<KeyRow>> {
        self.list_as(LIST_KEYS_OF_DEVELOPER, args![developer]).await
    }

    /// Every key, oldest first.
    pub async fn keys(&mut self) -> Result<Vec<KeyRow>> {
        self.list_as(LIST_KEYS, &[]).await
    }

    /// Of the agent's keys that work at this instant, one for each set of scopes: its id and the
    /// scopes. The widest come first, more or less.
    pub async fn live_keys(&mut self, agent_id: &str, now: i64) -> Result<Vec<(String, ScopeSet)>> {
        self.list_with(LIST_LIVE_KEYS, args![agent_id, now], |row| {
            Ok((row.text("id")?, row.scopes("api_keys", "scopes")?))
        })
        .await
    }

    /// Adds a key.
    pub async fn insert_key(&mut self, key: &NewKey, now: i64) -> Result<()> {
        let args = args![
            &key.id,
            &key.agent_id,
            &key.hash,
            &key.prefix,
            key.scopes,
            now,
            &key.name,
            key.expires_at
        ];
        self.run(INSERT_KEY, args).await
    }

    /// Revokes a key. Returns whether it worked until now.
    pub async fn revoke_key(&mut self, id: &str, now: i64) -> Result<bool> {
        Ok(self.execute(REVOKE_KEY, args![id, now]).await? > 0)
    }

    /// Notes that another key takes the place of this one, which works until `end` at the latest
    /// where there is such an end.
    /// Returns whether it worked until now and was not replaced before.
    pub async fn supersede_key(&mut self, id: &str, by: &str, end: Option<i64>) -> Result<bool> {
        Ok(self.execute(SUPERSEDE_KEY, args![id, by, end]).await? > 0)
    }

    /// Whether a key has expired at this instant and is not noted as such.
    pub async fn has_expired_keys(&mut self, now: i64) -> Result<bool> {
        Ok(self.find(FIND_EXPIRED_KEY, args![now]).await?.is_some())
    }

    /// Notes which keys have expired at this instant, as if they had been revoked then: for
    /// processes that know of no expiry, and in case the clock is set back.
    pub async fn end_expired_keys(&mut self, now: i64) -> Result<()> {
        self.run(END_EXPIRED_KEYS, args![now]).await
    }

    /// Notes when a key was last used.
    pub async fn use_key(&mut self, id: &str, at: i64) -> Result<()> {
        self.run(USE_KEY, args![id, at]).await
    }
}

from_row! {
    KeyRow in "api_keys":
    id, agent_id, prefix, scopes, created_at, last_used_at, revoked_at, name, expires_at, replaced_by
}
