//! The users' keys. Each user has a random key under which what is known of the user is stored
//! encrypted. Erasing the user means destroying the key: whatever copies of the rest remain, in
//! unused parts of files, logs or backups, nobody can read them any more.
//!
//! So the keys are few bytes that are kept where bytes can be destroyed: on SQLite in a small
//! database of their own (`sqlite.rs`), on Postgres in a table that is rewritten after destructions
//! (`postgres.rs`). They are stored wrapped (`wrapping.rs`), and a master key can protect all of
//! them (`master_key.rs`).

mod aead;
mod cipher;
mod ciphers;
mod key;
mod master_key;
mod postgres;
mod shared;
mod sqlite;
#[cfg(test)]
mod tests;
mod wrapping;

use std::path::Path;
use std::sync::Arc;

use aws_lc_rs::hmac;
use sqlx::PgConnection;

use super::disk_trouble::DiskTrouble;
use super::postgres::{Hosts, KEYS_APPLICATION, Primary};
use super::{Hash, OpenError, Result};
use crate::failpoint;
use key::BEFORE_ALL;
use shared::{KeyDatabase, Shared};

pub(in crate::store) use cipher::{UserCipher, hash_of_slot, token_cipher};
pub use key::IndexKey;
pub(in crate::store) use key::{FreshKey, KeyRef};
pub use master_key::{MasterKey, MasterKeyError};
pub(in crate::store) use sqlite::{CopiedKeys, key_file};

#[derive(Clone)]
pub(in crate::store) struct UserKeys {
    engine: Arc<dyn KeyDatabase>,
    shared: Arc<Shared>,
}

impl UserKeys {
    /// Drops from memory the keys that nobody has used in a while.
    pub(in crate::store) fn evict_idle(&self) {
        self.shared.ciphers.evict_idle();
    }

    /// Opens the keys of a SQLite database, whose file this is. They lie in a database of their
    /// own beside it, which is created if it is missing, with this key of the index if one is given.
    pub(in crate::store) async fn open_sqlite(
        file: &Path,
        master: Option<&MasterKey>,
        index: Option<IndexKey>,
    ) -> Result<Self, OpenError> {
        let opened = sqlite::Engine::open(file, master.cloned(), index).await;
        let (engine, shared) = opened.map_err(|error| error.of_file(&key_file(file)))?;
        Ok(Self {
            engine: Arc::new(engine),
            shared,
        })
    }

    /// Opens the keys in a Postgres database. Their tables are created if they are missing, with this
    /// key of the index if one is given.
    pub(in crate::store) async fn open_postgres(
        hosts: Hosts,
        master: Option<&MasterKey>,
        index: Option<IndexKey>,
    ) -> Result<Self, OpenError> {
        let place = Primary::connect(hosts, KEYS_APPLICATION).await?;
        Self::open_beside(place, master, index).await
    }

    /// The same where a connection is open already, which is used and closed.
    pub(in crate::store) async fn open_beside(
        place: (Arc<Primary>, PgConnection),
        master: Option<&MasterKey>,
        index: Option<IndexKey>,
    ) -> Result<Self, OpenError> {
        let (engine, shared) = postgres::Engine::open(place, master.cloned(), index).await?;
        Ok(Self {
            engine: Arc::new(engine),
            shared,
        })
    }

    pub(in crate::store) fn index_key(&self) -> &IndexKey {
        &self.shared.index_key
    }

    /// A hash by which something is looked up that could be guessed: an HMAC-SHA256 under a key of
    /// this deployment. The parts are joined as they are, so the caller sees to it that other parts
    /// don't give the same bytes.
    pub(in crate::store) fn index_hash(
        &self,
        parts: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Hash {
        let mut context = hmac::Context::with_key(&self.shared.index);
        for part in parts {
            context.update(part.as_ref());
        }
        let mut hash = Hash::default();
        hash.copy_from_slice(context.sign().as_ref());
        hash
    }

    /// A durable key that no user has yet. Most are taken from a supply in memory. On Postgres each costs a
    /// round trip.
    pub(in crate::store) async fn fresh(&self) -> Result<FreshKey> {
        self.leave_former_generation();
        let key = self.noted(self.engine.fresh().await)?;
        let ciphers = &self.shared.ciphers;
        ciphers.keep(key.at, &key.cipher, ciphers.now());
        Ok(key)
    }

    pub(in crate::store) fn trouble(&self) -> &DiskTrouble {
        &self.shared.trouble
    }

    /// Passes on the outcome of a change of keys.
    fn noted<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.inspect_err(|failure| self.shared.trouble.note(failure))
    }

    /// Takes back a key that wasn't used after all, because its unit of work was undone.
    pub(in crate::store) fn give_back(&self, key: FreshKey) {
        self.shared.unused.put([key]);
    }

    /// The cipher under this key; `None` if the key was destroyed, even if another lies in its
    /// place now. If another process destroyed it, its cipher may still be in the memory of this
    /// one. On SQLite this waits for no other task and no destruction.
    pub(in crate::store) async fn cipher(&self, at: KeyRef) -> Result<Option<Arc<UserCipher>>> {
        if let Some(cipher) = self.cached(at) {
            return Ok(Some(cipher));
        }
        let read = self.shared.ciphers.now();
        let Some(key) = self.engine.key(at).await? else {
            return Ok(None);
        };
        let cipher = Arc::new(UserCipher::new(&key)?);
        self.shared.ciphers.keep(at, &cipher, read);
        Ok(Some(cipher))
    }

    /// Whether the database can be asked for keys, and on Postgres whether it takes changes of them.
    pub(in crate::store) async fn is_healthy(&self) -> bool {
        self.engine.is_healthy().await
    }

    fn leave_former_generation(&self) {
        self.shared.begin(self.engine.generation());
    }

    /// The cipher under this key, if it is in memory.
    pub(in crate::store) fn cached(&self, at: KeyRef) -> Option<Arc<UserCipher>> {
        self.leave_former_generation();
        self.shared.ciphers.get(at)
    }

    /// Destroys these keys. Those that are gone already are left alone, and so are other keys in
    /// their places. It goes on when its caller stops waiting.
    ///
    /// On SQLite it returns when the keys can't be read from any file. On Postgres they are deleted
    /// then, and [`UserKeys::rewrite_if_due`] removes their bytes.
    ///
    /// It answers [`StoreError::Busy`] when someone from outside read the key database all the time. The keys
    /// are of no use from then on, but can still be read from the log; a later call, with these
    /// keys or others, removes them from there.
    pub(in crate::store) async fn destroy(&self, keys: &[KeyRef]) -> Result<()> {
        self.noted(self.engine.destroy(keys).await)
    }

    /// On Postgres, rewrites the tables of the keys if something in them was destroyed since the
    /// last time, by this process or another: what was deleted stays in a table's file otherwise.
    /// Changes of keys wait meanwhile, and readers only for the moment when the new table takes
    /// the place of the old one.
    pub(in crate::store) async fn rewrite_if_due(&self) -> Result<()> {
        self.engine.rewrite_if_due().await
    }

    /// Replaces the master key of this process by another, or by none, and wraps all keys anew.
    /// Servers may run meanwhile. Those with the former master key go on; the next process that
    /// opens the database with the new one removes what was left for them. If it is cut short, it
    /// has to run again.
    pub(in crate::store) async fn rotate(&self, new: Option<&MasterKey>) -> Result<()> {
        let number = self.engine.add_wrapping_key(new).await?;
        let mut is_done = false;
        while !is_done {
            let mut last = Some(BEFORE_ALL);
            while let Some(slot) = last {
                failpoint::reach("rotation-step");
                last = self.engine.rewrap(number, slot).await?;
            }
            failpoint::reach("rotation-before-retirement");
            is_done = self.engine.retire_others(number).await?;
        }
        failpoint::reach("rotation-retired");
        self.engine.forget_retired().await
    }

    /// Closes every connection. Keys that no user got are removed.
    pub(in crate::store) async fn close(&self) {
        self.engine.close(self.shared.unused.take_all()).await;
    }
}
