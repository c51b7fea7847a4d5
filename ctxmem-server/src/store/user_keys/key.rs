//! Where a user's key lies, keys that no user has yet, and the key of the index.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::aead::RawKey;
use super::cipher::UserCipher;

/// How many keys are made at once, to be given to new users. A process that dies leaves at most
/// these behind.
pub(super) const MADE_AT_ONCE: i64 = 64;

/// How many keys one step of a rotation wraps anew.
pub(super) const REWRAPPED_AT_ONCE: i64 = 500;

/// No slot is as low as this.
pub(super) const BEFORE_ALL: i64 = -1;

/// Where no key lies.
pub(super) const NOWHERE: KeyRef = KeyRef {
    slot: BEFORE_ALL,
    id: [0; 8],
};

/// Where a user's key lies, and which key it is: a slot is used again after its key was destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KeyRef {
    pub(in crate::store) slot: i64,
    /// Random; tells apart the keys that have lain in this place.
    pub(in crate::store) id: [u8; 8],
}

impl KeyRef {
    /// What a wrapped key is bound to. In another row it can't be unwrapped.
    pub(super) fn context(self) -> Vec<u8> {
        [self.slot.to_be_bytes(), self.id].concat()
    }
}

/// A durable key that no user has yet.
pub(in crate::store) struct FreshKey {
    pub(in crate::store) at: KeyRef,
    pub(in crate::store) cipher: Arc<UserCipher>,
}

/// The key under which users, and whatever else could be guessed, are hashed to be looked up. A
/// database that takes over all of another one takes over this key as well: only then it knows who was
/// erased there.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexKey(pub(super) RawKey);

impl IndexKey {
    /// In hexadecimal.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(self.0.as_slice()))
    }

    /// Of its text; `None` where that is none.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut key = RawKey::default();
        hex::decode_to_slice(text, key.as_mut_slice()).ok()?;
        Some(Self(key))
    }
}
