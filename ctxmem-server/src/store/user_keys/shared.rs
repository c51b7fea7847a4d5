//! What both engines of the keys keep in memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::hmac;

use super::aead::RawKey;
use super::ciphers::Ciphers;
use super::key::{FreshKey, IndexKey, KeyRef};
use super::wrapping::WrappingKeys;
use crate::store::disk_trouble::DiskTrouble;

/// What is in memory.
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
