//! Wrapping keys: what users' keys are stored under.
//!
//! A user's key is stored wrapped, encrypted by a random wrapping key. The wrapping key lies beside
//! it: in plain, or wrapped itself by the master key. The master key can therefore be replaced
//! without touching what users have stored; only their keys are wrapped anew.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use zeroize::Zeroizing;

use super::aead::{self, Aead, RawKey};
use super::cipher::UserCipher;
use super::key::{FreshKey, IndexKey, KeyRef};
use super::master_key::MasterKey;
use crate::store::{OpenError, Result, StoreError};

/// Where the key lies from which the hashes of the index are made. No user has this slot.
pub(super) const INDEX_SLOT: i64 = 0;

/// A wrapping key as it is stored, once for each master key that opens it.
pub(super) struct StoredWrappingKey {
    pub(super) number: i64,
    /// Whether it is there for processes that have the former master key, until a process opens
    /// the database with the new one.
    pub(super) is_outgoing: bool,
    pub(super) is_protected: bool,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

pub(super) struct WrappingKey {
    pub(super) number: i64,
    aead: Aead,
}

impl WrappingKey {
    /// A random one, stored for those who have the new master key, and until it is in use for
    /// those who have the current one.
    pub(super) fn generate(
        number: i64,
        current: Option<&MasterKey>,
        new: Option<&MasterKey>,
    ) -> Result<Vec<StoredWrappingKey>> {
        let is_replaced = match (current, new) {
            (None, None) => false,
            (Some(current), Some(new)) => !current.is_same(new)?,
            _ => true,
        };
        let key = aead::random_key()?;
        let mut stored = vec![StoredWrappingKey::of(&key, number, new, false)?];
        if is_replaced {
            stored.push(StoredWrappingKey::of(&key, number, current, true)?);
        }
        Ok(stored)
    }

    /// Makes a key for the user whose key will lie in this slot, and what to store there.
    pub(super) fn new_user_key(&self, slot: i64) -> Result<(FreshKey, Vec<u8>)> {
        let at = KeyRef {
            slot,
            id: rand::random(),
        };
        let key = aead::random_key()?;
        let cipher = Arc::new(UserCipher::new(&key)?);
        Ok((FreshKey { at, cipher }, self.wrap(at, &key)?))
    }

    /// Makes the key of the index, or takes this one, and what to store in its slot.
    pub(super) fn new_index_key(&self, given: Option<IndexKey>) -> Result<(KeyRef, Vec<u8>)> {
        let at = KeyRef {
            slot: INDEX_SLOT,
            id: rand::random(),
        };
        let key = given.map_or_else(aead::random_key, |given| Ok(given.0))?;
        Ok((at, self.wrap(at, &key)?))
    }

    /// The number of the wrapping key, and the user's key encrypted by it.
    fn wrap(&self, at: KeyRef, key: &RawKey) -> Result<Vec<u8>> {
        let sealed = self.aead.seal(&at.context(), key.as_slice())?;
        Ok([&self.number.to_be_bytes(), sealed.as_slice()].concat())
    }
}

impl StoredWrappingKey {
    fn of(
        key: &RawKey,
        number: i64,
        master: Option<&MasterKey>,
        is_outgoing: bool,
    ) -> Result<Self> {
        let bytes = match master {
            Some(master) => master.aead().seal(&context(number), key.as_slice())?,
            // As long as a protected one, so that one can be overwritten by the other.
            None => [key.as_slice(), &[0; aead::OVERHEAD]].concat(),
        };
        Ok(Self {
            number,
            is_outgoing,
            is_protected: master.is_some(),
            bytes: Zeroizing::new(bytes),
        })
    }

    /// `None` if it is for those who have another master key.
    fn open(&self, master: Option<&MasterKey>) -> Option<WrappingKey> {
        let key = match (master, self.is_protected) {
            (None, false) => RawKey::new(*self.bytes.first_chunk()?),
            (Some(master), true) => {
                let plain = master.aead().open(&context(self.number), &self.bytes)?;
                RawKey::new(plain.as_slice().try_into().ok()?)
            }
            _ => return None,
        };
        Some(WrappingKey {
            number: self.number,
            aead: Aead::new(&key).ok()?,
        })
    }
}

fn context(number: i64) -> Vec<u8> {
    [b"wrapping key ", number.to_be_bytes().as_slice()].concat()
}

/// The number of the newest wrapping key, by which new keys are wrapped.
fn newest(stored: &[StoredWrappingKey]) -> Option<i64> {
    stored.iter().map(|stored| stored.number).max()
}

/// Refuses to go on with a rotation when another has begun since.
pub(super) fn check_newest(stored: &[StoredWrappingKey], number: i64) -> Result<()> {
    if newest(stored) == Some(number) {
        Ok(())
    } else {
        Err(StoreError::RotationSuperseded)
    }
}

pub(super) struct WrappingKeys {
    master: Option<MasterKey>,
    known: RwLock<HashMap<i64, Arc<WrappingKey>>>,
}

impl WrappingKeys {
    /// Opens all wrapping keys of a database with the master key of this process.
    pub(super) fn open(
        stored: &[StoredWrappingKey],
        master: Option<MasterKey>,
    ) -> Result<Self, OpenError> {
        let keys = Self {
            master,
            known: RwLock::default(),
        };
        let Some(newest) = newest(stored) else {
            return Err(StoreError::corrupt("wrapping_keys", "number").into());
        };
        keys.learn(stored);
        if keys.get(newest).is_none() {
            let mut newest = stored.iter().filter(|stored| stored.number == newest);
            return Err(match &keys.master {
                None => OpenError::MasterKeyMissing,
                Some(_) if newest.any(|stored| stored.is_protected) => OpenError::MasterKeyWrong,
                Some(_) => OpenError::NotProtected,
            });
        }
        if stored
            .iter()
            .any(|stored| keys.get(stored.number).is_none())
        {
            return Err(OpenError::RotationUnfinished);
        }
        Ok(keys)
    }

    pub(super) fn master(&self) -> Option<&MasterKey> {
        self.master.as_ref()
    }

    pub(super) fn get(&self, number: i64) -> Option<Arc<WrappingKey>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&number).cloned()
    }

    /// Opens those that the master key of this process opens.
    pub(super) fn learn(&self, stored: &[StoredWrappingKey]) {
        for stored in stored {
            if self.get(stored.number).is_none()
                && let Some(key) = stored.open(self.master.as_ref())
            {
                let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                known.insert(key.number, Arc::new(key));
            }
        }
    }

    pub(super) fn newest(&self, stored: &[StoredWrappingKey]) -> Result<Arc<WrappingKey>> {
        self.learn(stored);
        let newest = newest(stored).ok_or(StoreError::corrupt("wrapping_keys", "number"))?;
        self.get(newest).ok_or(StoreError::MasterKeyReplaced)
    }

    /// Whether what is there for the former master key has served its purpose: no rotation is under
    /// way, and this process has the new master key.
    pub(super) fn is_former_master_done(&self, stored: &[StoredWrappingKey]) -> bool {
        let newest = newest(stored);
        stored.iter().any(|stored| stored.is_outgoing)
            && stored.iter().all(|stored| {
                Some(stored.number) == newest
                    && (stored.is_outgoing || stored.open(self.master.as_ref()).is_some())
            })
    }

    /// The key in these bytes; `None` if the wrapping key is unknown to this process.
    pub(super) fn unwrap(&self, at: KeyRef, stored: &[u8]) -> Result<Option<RawKey>> {
        let corrupt = || StoreError::corrupt("user_keys", "sealed").in_row(at.slot);
        let (number, sealed) = stored.split_first_chunk().ok_or_else(corrupt)?;
        let Some(wrapping) = self.get(i64::from_be_bytes(*number)) else {
            return Ok(None);
        };
        let plain = wrapping.aead.open(&at.context(), sealed);
        let plain = plain.ok_or_else(corrupt)?;
        let key = plain.as_slice().try_into().map_err(|_| corrupt())?;
        Ok(Some(RawKey::new(key)))
    }

    /// The same key, wrapped by this wrapping key; `None` if it is already.
    pub(super) fn rewrap(
        &self,
        at: KeyRef,
        stored: &[u8],
        by: &WrappingKey,
    ) -> Result<Option<Vec<u8>>> {
        if stored.starts_with(&by.number.to_be_bytes()) {
            return Ok(None);
        }
        let key = self.unwrap(at, stored)?;
        let key = key.ok_or(StoreError::MasterKeyReplaced)?;
        by.wrap(at, &key).map(Some)
    }
}
