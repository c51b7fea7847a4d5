//! The store: where everything that outlives a request is kept.
//!
//! One body of code serves SQLite and Postgres. Reads take a connection from a pool. Writes are units of work handed to [`Db::write`]:
//! they run in a task of their own and end in one commit, so a unit is
//! finished or undone even when the client that asked for it has gone, and no caller can
//! hold a transaction open. One file a table group; the SQL stands beside the function that
//! runs it. The store knows neither HTTP nor the rules of grants.

mod admission;
mod agents;
mod arrays;
mod audit;
mod developer_sessions;
mod developers;
mod direct;
mod error;
mod facts;
mod fresh;
mod grants;
mod group;
mod idempotency;
mod journal;
mod keys;
mod lessons;
mod oidc_sign_ins;
mod open;
mod postgres;
mod quota;
mod remembered;
mod rows;
mod sessions;
mod sqlite;
mod statement;
#[cfg(test)]
mod tests;
mod touched;
mod turn;
mod tx;
mod unchanged;
mod usage;
mod users;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use ctxmem_types::UserId;
use sha2::{Digest, Sha256};

pub use admission::{Admission, Asked, Wanted};
pub use agents::{Agent, AgentSummary};
pub use audit::{Action, Actor, AuditEvent, AuditRow, Outcome};
pub use developers::{Developer, DeveloperId};
pub use error::{OpenError, StoreError};
pub use facts::{Capsule, StoredFact, scopes};
pub use fresh::Stamp;
pub use grants::{Access, GrantRow, MadeBy, Terms};
pub use idempotency::{KeyRecord, NewKeyRecord};
pub use journal::LastUse;
pub use keys::{KeyRow, NewKey};
pub use lessons::{LessonAsked, LessonSeen, LessonStored};
pub use oidc_sign_ins::{OidcSignInRow, Purpose};
pub use remembered::{Author, Remembered};
pub use sessions::{Owner, SessionRow};
pub use statement::Statement;
pub use tx::Tx;
pub use unchanged::LessonUnchanged;
pub use usage::Usage;
pub use users::{Erased, User};

/// A SHA-256, by which secrets and user ids are looked up.
pub type Hash = [u8; 32];

/// Random bytes of this database, mixed into every hash of what could be guessed.
type Salt = [u8; 32];

/// The future of a unit of work.
pub type Unit<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

/// An open database.
#[derive(Clone)]
pub struct Db {
    engine: Engine,
    salt: Salt,
}

#[derive(Clone)]
enum Engine {
    Sqlite(sqlite::Engine),
    Postgres(postgres::Engine),
}

impl Db {
    /// Reads. Each statement sees a snapshot of its own.
    pub async fn read<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> Unit<'t, T, E>,
        E: From<StoreError>,
    {
        // On the heap, so that those who ask do not carry it along while they do other things.
        let reading = Box::pin(async {
            let inner = match &self.engine {
                Engine::Sqlite(engine) => engine.read().await.map_err(StoreError::from)?,
                Engine::Postgres(engine) => engine.read().await?,
            };
            unit(&mut Tx::new(inner, self.salt)).await
        });
        self.within_patience(reading).await
    }

    /// Whether what was looked at can be stored upon by one statement that proves it unchanged,
    /// and so without a transaction. On SQLite a transaction costs less than that.
    pub fn can_prove(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// Runs a unit of work of which each statement is a transaction of its own, in the hands of
    /// the caller.
    pub async fn apart<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> Unit<'t, T, E>,
        E: From<StoreError>,
    {
        // Nothing of it leaves a connection in a transaction: those that read will do.
        self.read(unit).await
    }

    /// Runs a unit of work in a transaction: committed when it answers `Ok`, undone when it
    /// answers `Err`. It runs to its end even when the caller stops waiting. It may be run
    /// more than once, should the database ask for that, and on SQLite others that are asked
    /// for at the same time share the transaction, so it must neither act on nor wait for
    /// anything but the database.
    pub async fn write<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match &self.engine {
            // A file either works or fails; waiting for its lock is bounded already.
            Engine::Sqlite(engine) => engine.queue.write(unit, self.salt).await,
            Engine::Postgres(engine) => {
                let (engine, salt) = (engine.clone(), self.salt);
                // A client that disconnects drops the future that waits here, not this task.
                let task = tokio::spawn(async move { engine.write(unit, salt).await });
                self.within_patience(async { task.await.map_err(|_| StoreError::Interrupted)? })
                    .await
            }
        }
    }

    /// Stops waiting for a database that has stopped answering. What it was asked to write
    /// may still come about; nobody was told so.
    async fn within_patience<T, E: From<StoreError>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        match &self.engine {
            // A file either works or fails; waiting for its lock is bounded already.
            Engine::Sqlite(_) => work.await,
            Engine::Postgres(_) => tokio::time::timeout(postgres::PATIENCE, work)
                .await
                .unwrap_or_else(|_| Err(StoreError::Unavailable.into())),
        }
    }

    /// Removes the bytes of what was erased, as far as the engine can. On SQLite the file is
    /// rewritten, which takes about 5 ms a megabyte; it waits for readers that still look at
    /// an older state for as long as a connection waits for a lock, and
    /// [`Db::purge_if_due`] then tries again. On Postgres the bytes go when the server
    /// vacuums.
    pub async fn purge(&self) -> Result<(), StoreError> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.purge().await,
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// Purges where an earlier attempt failed.
    pub async fn purge_if_due(&self) -> Result<(), StoreError> {
        match &self.engine {
            Engine::Sqlite(engine) if engine.is_purge_due() => engine.purge().await,
            _ => Ok(()),
        }
    }

    /// Purges where something was deleted since the last purge, by this process or another.
    pub async fn purge_if_noted(&self) -> Result<(), StoreError> {
        match &self.engine {
            Engine::Sqlite(engine) if engine.is_purge_noted().await? => engine.purge().await,
            _ => Ok(()),
        }
    }

    /// A hash of these texts, in this order, that says nothing to whom does not have this
    /// database. It never equals that of other texts, nor the key of a user: a length begins
    /// with a zero byte, which no user id holds.
    pub fn salted_hash(&self, texts: &[Option<&str>]) -> Hash {
        let mut hash = Sha256::new_with_prefix(self.salt);
        for text in texts {
            match text {
                None => hash.update([0]),
                Some(text) => {
                    hash.update([1]);
                    hash.update((text.len() as u64).to_be_bytes());
                    hash.update(text);
                }
            }
        }
        hash.finalize().into()
    }

    /// As of when something of this user is that is read from now on; `None` where the
    /// database has to be asked each time. What is committed and acknowledged before this is
    /// called and may concern the user, or any key or agent, gives another stamp.
    pub fn stamp(&self, user_key: &Hash) -> Option<Stamp> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.fresh.stamp(user_key),
            Engine::Postgres(_) => None,
        }
    }

    /// The key under which everything of this user is stored.
    pub fn user_key(&self, user_id: &UserId) -> Hash {
        user_key(&self.salt, user_id)
    }

    /// Whether the database answers within two seconds, and takes writes.
    pub async fn is_healthy(&self) -> bool {
        let probe = async {
            match &self.engine {
                Engine::Sqlite(engine) => engine.is_healthy().await,
                Engine::Postgres(engine) => engine.is_healthy().await,
            }
        };
        tokio::time::timeout(Duration::from_secs(2), probe)
            .await
            .unwrap_or(false)
    }

    /// Closes every connection; what was acknowledged is already durable.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.close().await,
            Engine::Postgres(engine) => engine.close().await,
        }
    }
}

impl Tx {
    /// The key under which everything of this user is stored, to change something of the user.
    fn user_key(&mut self, user_id: &UserId) -> Hash {
        let key = user_key(&self.salt, user_id);
        self.name_user(key);
        key
    }
}

fn user_key(salt: &Salt, user_id: &UserId) -> Hash {
    Sha256::new()
        .chain_update(salt)
        .chain_update(user_id.as_str())
        .finalize()
        .into()
}

/// The hash by which a secret (an API key, a session, a sign-in link) is looked up. The
/// secrets are random and long, so it needs no salt.
pub fn hash(secret: &str) -> Hash {
    Sha256::digest(secret).into()
}

/// Every statement of the store, by file.
pub fn statements() -> impl Iterator<Item = Statement> {
    [
        admission::STATEMENTS,
        agents::STATEMENTS,
        audit::STATEMENTS,
        developer_sessions::STATEMENTS,
        developers::STATEMENTS,
        facts::STATEMENTS,
        grants::STATEMENTS,
        group::STATEMENTS,
        idempotency::STATEMENTS,
        journal::STATEMENTS,
        keys::STATEMENTS,
        lessons::STATEMENTS,
        lessons::singly::STATEMENTS,
        oidc_sign_ins::STATEMENTS,
        open::STATEMENTS,
        quota::STATEMENTS,
        remembered::STATEMENTS,
        sessions::STATEMENTS,
        unchanged::STATEMENTS,
        usage::STATEMENTS,
        users::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
