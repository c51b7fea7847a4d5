//! API keys, kept as hashes only.

use ctxmem_types::ScopeSet;

use super::statement::{Row, statement};
use super::{DeveloperId, Hash, Statement, StoreError, Tx};

/// One API key, without the key. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// A UUID.
    pub id: String,
    /// The agent that it belongs to.
    pub agent_id: String,
    /// The first characters of the key, to tell keys apart.
    pub prefix: String,
    /// The scopes that the agent can reach through it at most.
    pub scopes: ScopeSet,
    /// When it was created.
    pub created_at: i64,
    /// When it was last used, to the minute or so.
    pub last_used_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
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
    /// The scopes that the agent can reach through it at most.
    pub scopes: ScopeSet,
}

pub(super) const STATEMENTS: &[Statement] = &[
    FIND_KEY,
    FIND_KEY_BY_ID,
    FIND_KEY_OF_DEVELOPER,
    LIST_KEYS,
    LIST_KEYS_OF_DEVELOPER,
    LIST_LIVE_SCOPES,
    INSERT_KEY,
    REVOKE_KEY,
    USE_KEY,
];

// With an agent its keys are deleted, although their rows stay.
statement!(
    FIND_KEY,
    "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at
     FROM api_keys k JOIN agents a ON a.id = k.agent_id
     WHERE k.hash = $1 AND a.deleted_at IS NULL"
);
statement!(
    FIND_KEY_BY_ID,
    "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at
     FROM api_keys k JOIN agents a ON a.id = k.agent_id
     WHERE k.id = $1 AND a.deleted_at IS NULL"
);
statement!(
    FIND_KEY_OF_DEVELOPER,
    "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at
     FROM api_keys k JOIN agents a ON a.id = k.agent_id
     WHERE k.id = $1 AND a.developer_id = $2 AND a.deleted_at IS NULL"
);
statement!(
    LIST_KEYS,
    "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at
     FROM api_keys k JOIN agents a ON a.id = k.agent_id
     WHERE a.deleted_at IS NULL ORDER BY k.created_at, k.id"
);
statement!(
    LIST_KEYS_OF_DEVELOPER,
    "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at
     FROM api_keys k JOIN agents a ON a.id = k.agent_id
     WHERE a.developer_id = $1 AND a.deleted_at IS NULL ORDER BY k.created_at, k.id"
);
statement!(
    LIST_LIVE_SCOPES,
    "SELECT DISTINCT scopes FROM api_keys
     WHERE agent_id = $1 AND revoked_at IS NULL ORDER BY scopes DESC"
);
statement!(
    INSERT_KEY,
    "INSERT INTO api_keys (id, agent_id, hash, prefix, scopes, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)"
);
statement!(
    REVOKE_KEY,
    "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL"
);
statement!(
    USE_KEY,
    Nothing,
    "UPDATE api_keys SET last_used_at = $2
     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)"
);

impl Tx {
    /// The key with this hash, revoked or not; `None` when its agent was deleted.
    pub async fn key(&mut self, hash: &Hash) -> Result<Option<KeyRow>, StoreError> {
        let row = self.find(FIND_KEY, &[hash.into()]).await?;
        row.as_ref().map(read).transpose()
    }

    /// The key with this id, revoked or not.
    pub async fn key_by_id(&mut self, id: &str) -> Result<Option<KeyRow>, StoreError> {
        let row = self.find(FIND_KEY_BY_ID, &[id.into()]).await?;
        row.as_ref().map(read).transpose()
    }

    /// The key with this id when it belongs to an agent of this developer.
    pub async fn key_of_developer(
        &mut self,
        id: &str,
        developer: &DeveloperId,
    ) -> Result<Option<KeyRow>, StoreError> {
        let row = self
            .find(
                FIND_KEY_OF_DEVELOPER,
                &[id.into(), developer.as_str().into()],
            )
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Every key of this developer's agents, oldest first.
    pub async fn keys_of_developer(
        &mut self,
        developer: &DeveloperId,
    ) -> Result<Vec<KeyRow>, StoreError> {
        let rows = self
            .list(LIST_KEYS_OF_DEVELOPER, &[developer.as_str().into()])
            .await?;
        rows.iter().map(read).collect()
    }

    /// Every key, oldest first.
    pub async fn keys(&mut self) -> Result<Vec<KeyRow>, StoreError> {
        let rows = self.list(LIST_KEYS, &[]).await?;
        rows.iter().map(read).collect()
    }

    /// The sets of scopes that the agent's good keys have, each once, the widest first or so.
    pub async fn live_scopes(&mut self, agent_id: &str) -> Result<Vec<ScopeSet>, StoreError> {
        let rows = self.list(LIST_LIVE_SCOPES, &[agent_id.into()]).await?;
        rows.iter().map(|row| row.scopes("scopes")).collect()
    }

    /// Adds a key.
    pub async fn insert_key(&mut self, key: &NewKey, now: i64) -> Result<(), StoreError> {
        self.run(
            INSERT_KEY,
            &[
                (&key.id).into(),
                (&key.agent_id).into(),
                (&key.hash).into(),
                (&key.prefix).into(),
                i64::from(key.scopes.bits()).into(),
                now.into(),
            ],
        )
        .await?;
        Ok(())
    }

    /// Revokes a key and answers whether it was live.
    pub async fn revoke_key(&mut self, id: &str, now: i64) -> Result<bool, StoreError> {
        Ok(self.run(REVOKE_KEY, &[id.into(), now.into()]).await? > 0)
    }

    /// Notes when a key was last used.
    pub async fn use_key(&mut self, id: &str, at: i64) -> Result<(), StoreError> {
        self.run(USE_KEY, &[id.into(), at.into()]).await?;
        Ok(())
    }
}

fn read(row: &Row) -> Result<KeyRow, StoreError> {
    Ok(KeyRow {
        id: row.text("id")?,
        agent_id: row.text("agent_id")?,
        prefix: row.text("prefix")?,
        scopes: row.scopes("scopes")?,
        created_at: row.int("created_at")?,
        last_used_at: row.int_or_null("last_used_at")?,
        revoked_at: row.int_or_null("revoked_at")?,
    })
}
