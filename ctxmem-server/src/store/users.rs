//! Users: the opaque row that outlives an erasure, and the erasure itself.

use ctxmem_types::{ScopeSet, UserId};

use super::arrays::array;
use super::statement::{Row, statement};
use super::{Hash, Statement, StoreError, Tx, facts};

/// What is kept about a user besides facts and grants.
#[derive(Clone, Copy, Debug)]
pub struct User {
    /// Grows at every erasure.
    pub epoch: i64,
    /// The position that the next new fact takes.
    pub next_position: i64,
}

/// What an erasure took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    /// How many facts there were.
    pub facts: usize,
    /// The scopes that they were in.
    pub scopes: ScopeSet,
    /// How many grants it revoked; those that were revoked before do not count.
    pub grants: usize,
}

pub(super) const STATEMENTS: &[Statement] = &[
    ENSURE_USER,
    LOCK_USER,
    LOCK_USERS,
    TOUCH_USER,
    TOUCH_ACCESS,
    NEXT_EPOCH,
    DELETE_FACTS,
    REVOKE_GRANTS,
    NOTE_PURGE,
];

// The id is written again when a user comes back after an erasure.
statement!(
    ENSURE_USER,
    Access,
    "INSERT INTO users (user_key, user_id, epoch, next_position) VALUES ($1, $2, 0, 0)
     ON CONFLICT (user_key) DO UPDATE SET user_id = excluded.user_id
     WHERE users.user_id IS NULL"
);
// SQLite has one writer at a time anyway. On Postgres what follows in the transaction sees
// all that was committed before the lock was had.
statement!(
    LOCK_USER,
    sqlite: "SELECT epoch, next_position FROM users WHERE user_key = $1",
    postgres: "SELECT epoch, next_position FROM users WHERE user_key = $1 FOR UPDATE"
);
// In one order, so that two processes don't wait for each other.
statement!(
    LOCK_USERS, Nothing,
    postgres: "SELECT user_key FROM users WHERE user_key = ANY($1::bytea[])
               ORDER BY user_key FOR UPDATE"
);
statement!(
    TOUCH_USER,
    Facts,
    "UPDATE users SET last_updated = $2, next_position = $3, version = version + 1
     WHERE user_key = $1"
);
statement!(
    TOUCH_ACCESS,
    Access,
    "UPDATE users SET version = version + 1 WHERE user_key = $1"
);
statement!(
    NEXT_EPOCH,
    Access,
    "UPDATE users SET epoch = epoch + 1, version = version + 1, user_id = NULL,
                      last_updated = NULL
     WHERE user_key = $1"
);
statement!(
    DELETE_FACTS,
    Facts,
    "DELETE FROM facts WHERE user_key = $1 RETURNING scope"
);
statement!(
    REVOKE_GRANTS,
    Access,
    "UPDATE grants SET revoked_at = $2 WHERE user_key = $1 AND revoked_at IS NULL"
);

// The bytes go after the commit; this outlives a crash in between. Postgres removes them by
// itself, in its own time.
statement!(
    NOTE_PURGE, Nothing,
    sqlite: "INSERT INTO meta (name, value) VALUES ('purge_due', randomblob(16))
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    postgres: "SELECT 1"
);

impl Tx {
    /// The user's row, held until the unit of work ends: whatever changes a user's facts or
    /// grants holds it first, so that these changes come one after the other.
    pub async fn lock_user(&mut self, user_id: &UserId) -> Result<Option<User>, StoreError> {
        let key = self.user_key(user_id);
        let row = self.find(LOCK_USER, &[(&key).into()]).await?;
        row.as_ref().map(read).transpose()
    }

    /// Holds those of these users who have a row, on Postgres.
    pub(super) async fn lock_users<'k>(
        &mut self,
        keys: impl Iterator<Item = &'k Hash>,
    ) -> Result<(), StoreError> {
        self.list(LOCK_USERS, &[(&array(keys)).into()]).await?;
        Ok(())
    }

    /// Notes that what the user grants changes: work that has looked at it without holding the
    /// user finds another version. On SQLite nothing does.
    pub(super) async fn touch_access(&mut self, user_key: &Hash) -> Result<(), StoreError> {
        if self.is_postgres() {
            self.run(TOUCH_ACCESS, &[user_key.into()]).await?;
        }
        Ok(())
    }

    /// The same for a user who may not have a row yet.
    pub async fn lock_or_add_user(&mut self, user_id: &UserId) -> Result<User, StoreError> {
        let key = self.user_key(user_id);
        self.run(ENSURE_USER, &[(&key).into(), user_id.as_str().into()])
            .await?;
        let user = self.lock_user(user_id).await?;
        user.ok_or(StoreError::Corrupt("users"))
    }

    /// Notes that stored content changed.
    pub async fn touch_user(
        &mut self,
        user_id: &UserId,
        now: i64,
        next_position: i64,
    ) -> Result<(), StoreError> {
        let key = self.user_key(user_id);
        self.run(
            TOUCH_USER,
            &[(&key).into(), now.into(), next_position.into()],
        )
        .await?;
        Ok(())
    }

    /// Erases everything that is remembered of the user, revokes every grant and answers what
    /// went. The epoch moves first, so that work under way finds itself too late. Lock the user
    /// before; call [`super::Db::purge`] after the commit.
    pub async fn erase_user(&mut self, user_id: &UserId, now: i64) -> Result<Erased, StoreError> {
        let key = self.user_key(user_id);
        self.run(NEXT_EPOCH, &[(&key).into()]).await?;
        let grants = self
            .run(REVOKE_GRANTS, &[(&key).into(), now.into()])
            .await?;
        let facts = self.list(DELETE_FACTS, &[(&key).into()]).await?;
        self.leave_no_copy(user_id).await?;
        Ok(Erased {
            facts: facts.len(),
            scopes: facts.iter().map(facts::scope).collect::<Result<_, _>>()?,
            grants: usize::try_from(grants).unwrap_or(usize::MAX),
        })
    }

    /// Sees to it that nothing is left of facts of this user that were just removed: neither
    /// in recorded answers nor, once [`super::Db::purge_if_noted`] was called after the commit,
    /// in the files.
    pub async fn leave_no_copy(&mut self, user_id: &UserId) -> Result<(), StoreError> {
        let key = self.user_key(user_id);
        self.clear_key_records(&key).await?;
        self.run(NOTE_PURGE, &[]).await?;
        Ok(())
    }
}

fn read(row: &Row) -> Result<User, StoreError> {
    Ok(User {
        epoch: row.int("epoch")?,
        next_position: row.int("next_position")?,
    })
}
