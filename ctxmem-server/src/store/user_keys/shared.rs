//! What both engines of the keys have in common: what they do, and what they keep in memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use aws_lc_rs::hmac;

use super::aead::RawKey;
use super::ciphers::Ciphers;
use super::key::{FreshKey, IndexKey, KeyRef};
use super::master_key::MasterKey;
use super::wrapping::WrappingKeys;
use crate::locked;
use crate::store::Result;
use crate::store::disk_trouble::DiskTrouble;

/// A database of keys.
#[async_trait]
pub(super) trait KeyDatabase: Send + Sync {
    /// The key that lies there, unless it was destroyed.
    async fn key(&self, at: KeyRef) -> Result<Option<RawKey>>;

    /// A key from the supply, if it is there, or one of those that are made now.
    async fn fresh(&self) -> Result<FreshKey>;

    /// Whether it can be asked for keys, and on Postgres whether it takes changes of them.
    async fn is_healthy(&self) -> bool;

    /// Grows with every failover.
    fn generation(&self) -> u64 {
        0
    }

    /// Destroys these keys, as [`super::UserKeys::destroy`] does.
    async fn destroy(&self, keys: &[KeyRef]) -> Result<()>;

    /// Rewrites the tables if something was deleted in them since the last time. Where keys are
    /// overwritten, nothing is ever due.
    async fn rewrite_if_due(&self) -> Result<()> {
        Ok(())
    }

    /// Makes the wrapping key of a rotation, and answers its number.
    async fn add_wrapping_key(&self, new: Option<&MasterKey>) -> Result<i64>;

    /// Wraps the keys that follow this slot anew, as many as one step takes. Answers the last
    /// slot, or `None` if there were no more keys.
    async fn rewrap(&self, number: i64, after: i64) -> Result<Option<i64>>;

    /// Removes all wrapping keys but this one. Answers `false` if one is still in use.
    async fn retire_others(&self, number: i64) -> Result<bool>;

    /// Removes the bytes of what a rotation has retired.
    async fn forget_retired(&self) -> Result<()>;

    async fn close(&self, unused: Vec<KeyRef>);
}

pub(super) struct Shared {
    pub(super) wrapping: WrappingKeys,
    pub(super) index: hmac::Key,
    /// The same key, for exports.
    pub(super) index_key: IndexKey,
    pub(super) ciphers: Ciphers,
    pub(super) unused: Unused,
    /// Which generation of the database on Postgres both are from.
    generation: AtomicU64,
    /// Of the keys' disk, and of that with the rows.
    pub(super) trouble: DiskTrouble,
}

impl Shared {
    pub(super) fn new(wrapping: WrappingKeys, index: RawKey) -> Self {
        Self {
            wrapping,
            index: hmac::Key::new(hmac::HMAC_SHA256, index.as_slice()),
            index_key: IndexKey(index),
            ciphers: Ciphers::default(),
            unused: Unused::default(),
            generation: AtomicU64::default(),
            trouble: DiskTrouble::default(),
        }
    }

    /// Drops from memory the keys of another generation: a failover may have lost them.
    pub(super) fn begin(&self, generation: u64) {
        if self.generation.load(Ordering::SeqCst) != generation {
            self.unused.take_all();
            self.ciphers.forget_all();
            self.generation.store(generation, Ordering::SeqCst);
        }
    }
}

/// Durable keys for users to come.
#[derive(Default)]
pub(super) struct Unused(Mutex<Vec<FreshKey>>);

impl Unused {
    fn keys(&self) -> MutexGuard<'_, Vec<FreshKey>> {
        locked(&self.0)
    }

    pub(super) fn take(&self) -> Option<FreshKey> {
        self.keys().pop()
    }

    pub(super) fn put(&self, keys: impl IntoIterator<Item = FreshKey>) {
        self.keys().extend(keys);
    }

    pub(super) fn take_all(&self) -> Vec<KeyRef> {
        self.keys().drain(..).map(|key| key.at).collect()
    }
}
