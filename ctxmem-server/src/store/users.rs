//! Users: the row that outlives an erasure without naming anybody, and the erasure itself.

use ctxmem_types::{ScopeSet, UserId};

use super::arg::{BYTES, args};
use super::erasure::seal_user_id;
use super::row::{FromRow, Row};
use super::statement::statements;
use super::{Hash, Result, StoreError, Tx, Who, facts};
use crate::failpoint;

/// A user's row without what identifies the user.
#[derive(Clone, Copy, Debug)]
pub struct User {
    /// Grows at every erasure.
    pub epoch: i64,
    /// The position that the next new fact takes.
    pub next_position: i64,
    /// Whether the user has a key. After an erasure there is none until something is granted.
    pub has_key: bool,
    /// Whether the user wants to be asked before an agent gets access.
    pub asks: bool,
    /// Whether the user paused all access.
    pub paused: bool,
}

/// What an erasure removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    /// How many facts there were.
    pub facts: usize,
    /// The scopes that they were in.
    pub scopes: ScopeSet,
    /// How many grants it revoked, not counting those that were revoked before.
    pub grants: usize,
}

statements! {
    // A user who comes back after an erasure has a row without a key.
    ENSURE_USER changes Access:
        "INSERT INTO users (user_key, key_slot, key_id, sealed_user_id, epoch, next_position)
         VALUES ($1, $2, $3, $4, 0, 0)
         ON CONFLICT (user_key) DO UPDATE SET
             key_slot = excluded.key_slot, key_id = excluded.key_id,
             sealed_user_id = excluded.sealed_user_id
         WHERE users.key_slot IS NULL";
    // SQLite has one writer at a time anyway. On Postgres, statements after this one see everything
    // that was committed before the lock was acquired.
    LOCK_USER: {
        sqlite: "SELECT epoch, next_position, key_slot, key_id, asks, paused_at FROM users
                 WHERE user_key = $1",
        postgres: "SELECT epoch, next_position, key_slot, key_id, asks, paused_at FROM users
                   WHERE user_key = $1 FOR UPDATE",
    };
    // In a fixed order, so that two transactions can't deadlock.
    LOCK_USERS changes Nothing: {
        postgres: "SELECT user_key FROM users WHERE user_key = ANY($1::bytea[])
                   ORDER BY user_key FOR UPDATE",
    };
    TOUCH_USER changes Facts:
        "UPDATE users SET last_updated = $2, next_position = $3, version = version + 1
         WHERE user_key = $1";
    TOUCH_ACCESS changes Access: "UPDATE users SET version = version + 1 WHERE user_key = $1";
    NEXT_EPOCH changes Access:
        "UPDATE users SET epoch = epoch + 1, version = version + 1, key_slot = NULL, key_id = NULL,
                          sealed_user_id = NULL, kept_out = NULL, last_updated = NULL,
                          auto_delete = NULL, auto_delete_at = NULL
         WHERE user_key = $1";
    DELETE_FACTS changes Facts: "DELETE FROM facts WHERE user_key = $1 RETURNING scope";
    // Where it is no longer known when the erasure was, the grants end when they began.
    REVOKE_GRANTS changes Access:
        "UPDATE grants SET revoked_at = COALESCE($2, created_at)
         WHERE user_key = $1 AND revoked_at IS NULL";
}

impl Tx {
    /// Locks the user's row until the unit of work ends. Every unit that changes a user's facts or
    /// grants takes this lock first, so that these changes happen one after the other.
    pub async fn lock_user(&mut self, who: impl Who) -> Result<Option<User>> {
        let key = &who.key(self);
        match self.find_locked(key).await {
            Err(StoreError::KeyReplaced) => {
                self.erase_again(key).await?;
                self.find_locked(key).await
            }
            found => found,
        }
    }

    async fn find_locked(&mut self, key: &Hash) -> Result<Option<User>> {
        let Some(row) = self.find(LOCK_USER, args![key]).await? else {
            return Ok(None);
        };
        let cipher = self.cipher_of_row(&row).await?;
        self.cipher = cipher.map(|cipher| (*key, cipher));
        User::from_row(&row).map(Some)
    }

    /// Locks those of these users who have a row, on Postgres.
    pub(super) async fn lock_users<'k>(
        &mut self,
        keys: impl Iterator<Item = &'k Hash>,
    ) -> Result<()> {
        if self.is_distributed() {
            let mut keys: Vec<&Hash> = keys.collect();
            keys.sort_unstable();
            for key in keys {
                self.find(LOCK_USER, args![key]).await?;
            }
            return Ok(());
        }
        let keys: Vec<_> = keys.map(|key| [key.into()]).collect();
        self.list_of(LOCK_USERS, &keys, [BYTES]).await.map(drop)
    }

    /// Counts up the user's version because a grant changes. Work that has read the grant without a
    /// lock then finds another version. On SQLite no work does that.
    pub(super) async fn touch_access(&mut self, user_key: &Hash) -> Result<()> {
        if self.is_postgres() {
            self.run_one(TOUCH_ACCESS, args![user_key], "users", user_key)
                .await?;
        }
        Ok(())
    }

    /// Like [`Tx::lock_user`], for a user who may not have a row yet.
    pub async fn lock_or_add_user(&mut self, user_id: &UserId) -> Result<User> {
        let key = self.user_key(user_id);
        if let Some(user) = self.lock_user(user_id).await?
            && user.has_key
        {
            return Ok(user);
        }
        // The key is durable before the row that needs it.
        let fresh = self.keys.fresh().await?;
        failpoint::reach("before-row-of-new-key");
        let sealed = seal_user_id(&key, user_id, &fresh)?;
        let args = args![&key, fresh.at.slot, &fresh.at.id, &sealed];
        if self.execute(ENSURE_USER, args).await? == 0 {
            // Somebody else was faster.
            self.keys.give_back(fresh);
        }
        let user = self.lock_user(user_id).await?;
        user.ok_or_else(|| StoreError::corrupt("users", "user_key").in_row(&key))
    }

    /// Counts up the user's version because facts change. The user must have a row.
    pub async fn touch_user(
        &mut self,
        user_id: &UserId,
        now: i64,
        next_position: i64,
    ) -> Result<()> {
        let key = self.user_key(user_id);
        let args = args![&key, now, next_position];
        self.run_one(TOUCH_USER, args, "users", &key).await
    }

    /// Erases once more a user whose key was destroyed although the rows are there: the database was
    /// restored from a backup that is older than the erasure. Lock the user before.
    pub(super) async fn erase_again(&mut self, user_key: &Hash) -> Result<()> {
        tracing::warn!(
            "a user's key is gone: the database is older than an erasure, or the keys are older than \
             the database; the user is erased again"
        );
        self.erase_rows(user_key, None).await.map(drop)
    }

    /// Erases all facts about the user, revokes every grant, keeps the newest ones and answers what was removed. Raises
    /// the epoch, so that work in progress stores nothing more. The user's key is destroyed after the commit. Lock the
    /// user before.
    pub async fn erase_user(&mut self, who: impl Who, now: i64) -> Result<Erased> {
        let user_key = &who.key(self);
        self.retire_key(user_key).await?;
        self.erase_rows(user_key, Some(now)).await
    }

    async fn erase_rows(&mut self, user_key: &Hash, erased_at: Option<i64>) -> Result<Erased> {
        self.run(NEXT_EPOCH, args![user_key]).await?;
        let args = args![user_key, erased_at];
        let grants = self.execute(REVOKE_GRANTS, args).await?;
        self.drop_replaced_grants(user_key).await?;
        self.drop_consent_requests(user_key).await?;
        self.end_oauth_connections_of(user_key).await?;
        let facts = self.list(DELETE_FACTS, args![user_key]).await?;
        self.clear_idempotency_records(user_key).await?;
        Ok(Erased {
            facts: facts.len(),
            scopes: facts.iter().map(facts::scope).collect::<Result<_, _>>()?,
            grants: usize::try_from(grants).unwrap_or(usize::MAX),
        })
    }
}

impl FromRow for User {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            epoch: row.int("epoch")?,
            next_position: row.int("next_position")?,
            has_key: row.int_or_null("key_slot")?.is_some(),
            asks: row.int("asks")? != 0,
            paused: row.int_or_null("paused_at")?.is_some(),
        })
    }
}
