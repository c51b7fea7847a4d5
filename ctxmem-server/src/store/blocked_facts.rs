//! Suppressed facts: those that agents must not save again, as a list of HMACs that is sealed under the user's key and
//! stored in the user's row. The key of the HMACs lies in the same list, so somebody who can't open the list can't
//! guess what an entry stands for either. It is derived from the index key and the user, so that the lists of a
//! database and of its backup can be merged. An erasure destroys the user's key.

use aws_lc_rs::hmac;
use ctxmem_types::{Scope, UserId};

use super::arg::args;
use super::facts::number;
use super::row::Row;
use super::statement::statements;
use super::user_keys::{UserCipher, hash_of_slot};
use super::{Hash, Result, StoreError, Tx, Who};

/// How many facts are kept out at most: the list is read with every update. The oldest entry makes
/// room.
const MAX_BLOCKED_FACTS: usize = 256;

const KEY_BYTES: usize = 32;
const HASH_BYTES: usize = 16;

/// The facts that agents must not save again, by their slots.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BlockedFacts {
    /// Empty where nothing can be kept out yet. Lists of former versions have a random one.
    key: Vec<u8>,
    /// The oldest first.
    hashes: Vec<[u8; HASH_BYTES]>,
}

statements! {
    FIND_BLOCKED_FACTS: "SELECT kept_out FROM users WHERE user_key = $1";
    PUT_BLOCKED_FACTS changes Facts: "UPDATE users SET kept_out = $2 WHERE user_key = $1";
}

impl BlockedFacts {
    pub(super) fn new(key: Hash) -> Self {
        Self {
            key: key.to_vec(),
            hashes: Vec::new(),
        }
    }

    /// Whether nothing is kept out.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// How many facts are kept out.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether what would stand in this slot is kept out.
    pub fn contains(&self, scope: Scope, slot: &str) -> bool {
        !self.is_empty() && self.hashes.contains(&self.hash(scope, slot))
    }

    /// Keeps out what would stand in this slot.
    pub fn add(&mut self, scope: Scope, slot: &str) {
        self.push(self.hash(scope, slot));
    }

    fn push(&mut self, hash: [u8; HASH_BYTES]) {
        self.hashes.retain(|kept| *kept != hash);
        self.hashes.push(hash);
        let over = self.hashes.len().saturating_sub(MAX_BLOCKED_FACTS);
        self.hashes.drain(..over);
    }

    /// Keeps out what another list of the same user keeps out, too. Answers whether that is more than
    /// before. Lists under different keys, which only former versions began, can't become one: then the
    /// one that keeps something out stays.
    pub(super) fn add_all(&mut self, other: &Self) -> bool {
        if self.is_empty() {
            self.key.clone_from(&other.key);
        } else if self.key != other.key {
            return false;
        }
        let before = self.hashes.clone();
        for hash in &other.hashes {
            if !before.contains(hash) {
                self.push(*hash);
            }
        }
        self.hashes != before
    }

    /// Lets what would stand in this slot in again.
    pub fn remove(&mut self, scope: Scope, slot: &str) {
        let hash = self.hash(scope, slot);
        self.hashes.retain(|kept| *kept != hash);
    }

    fn hash(&self, scope: Scope, slot: &str) -> [u8; HASH_BYTES] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.key);
        hash_of_slot(&key, number(scope), slot)
    }

    /// The list in a row that holds `blocked_facts`. One that was sealed under another key was left behind
    /// by a process of an older version, which replaced the key and knew of no list: it is gone.
    pub(super) fn from_row(
        row: &Row,
        user_key: &Hash,
        cipher: Option<&UserCipher>,
    ) -> Result<Self> {
        let sealed = row.bytes_or_null("kept_out")?;
        let opened = sealed.zip(cipher);
        let opened =
            opened.and_then(|(sealed, cipher)| cipher.open(&sealed_for(user_key), &sealed));
        Ok(opened.map_or_else(Self::default, |bytes| Self::from_bytes(&bytes)))
    }

    /// What [`to_bytes`](Self::to_bytes) made.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let (key, hashes) = bytes.split_at(KEY_BYTES.min(bytes.len()));
        let (hashes, _) = hashes.as_chunks();
        Self {
            key: key.to_vec(),
            hashes: hashes.to_vec(),
        }
    }

    /// The key and the hashes, one after the other.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let hashes = self.hashes.iter().flatten().copied();
        self.key.iter().copied().chain(hashes).collect()
    }
}

/// The associated data of a list, which ties what is sealed to its row.
fn sealed_for(user_key: &Hash) -> Vec<u8> {
    [b"kept out".as_slice(), user_key].concat()
}

impl Tx {
    /// Which facts of the user agents must not save again.
    pub async fn blocked_facts(&mut self, user_id: &UserId) -> Result<BlockedFacts> {
        let key = self.user_key(user_id);
        match self.cipher(&key).await {
            Ok(Some(cipher)) => self.blocked_facts_of(&key, &cipher).await,
            // An erasure that a restored database forgot.
            Ok(None) | Err(StoreError::KeyReplaced) => Ok(BlockedFacts::default()),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn blocked_facts_of(
        &mut self,
        user_key: &Hash,
        cipher: &UserCipher,
    ) -> Result<BlockedFacts> {
        if let Some(row) = self.find(FIND_BLOCKED_FACTS, args![user_key]).await? {
            let blocked_facts = BlockedFacts::from_row(&row, user_key, Some(cipher))?;
            if !blocked_facts.is_empty() {
                return Ok(blocked_facts);
            }
        }
        let key = self.keys.index_hash([b"kept out".as_slice(), user_key]);
        Ok(BlockedFacts::new(key))
    }

    /// Stores which facts of the user agents must not save again. Lock the user before.
    pub async fn put_blocked_facts(
        &mut self,
        who: impl Who,
        blocked_facts: &BlockedFacts,
    ) -> Result<()> {
        let user_key = &who.key(self);
        let cipher = self.cipher_to_write(user_key).await?;
        let sealed = cipher.seal(&sealed_for(user_key), &blocked_facts.to_bytes())?;
        let sealed = (!blocked_facts.is_empty()).then_some(&*sealed);
        let args = args![user_key, sealed];
        self.run_one(PUT_BLOCKED_FACTS, args, "users", user_key)
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{committed, on_sqlite};

    #[test]
    fn a_list_holds_what_was_added_last_and_no_text() {
        let mut blocked_facts = BlockedFacts::new([7; 32]);
        assert!(!blocked_facts.contains(Scope::Goals, "0"));
        for n in 0..=MAX_BLOCKED_FACTS {
            blocked_facts.add(Scope::Goals, &n.to_string());
            blocked_facts.add(Scope::Goals, &n.to_string());
        }
        assert_eq!(blocked_facts.len(), MAX_BLOCKED_FACTS);
        assert!(!blocked_facts.contains(Scope::Goals, "0"));
        assert!(blocked_facts.contains(Scope::Goals, "1"));
        assert!(!blocked_facts.contains(Scope::History, "1"));
        blocked_facts.remove(Scope::Goals, "1");
        assert!(!blocked_facts.contains(Scope::Goals, "1"));
        let size = KEY_BYTES + HASH_BYTES * (MAX_BLOCKED_FACTS - 1);
        assert_eq!(blocked_facts.to_bytes().len(), size);
    }

    #[tokio::test]
    async fn two_users_have_different_hashes_of_the_same_slot() {
        let opened = on_sqlite().await;
        let mut hashes = Vec::new();
        for user in ["ada", "eve"] {
            let user = UserId::new(user).unwrap();
            let added = committed!(&opened.db, [user], |tx| {
                tx.lock_or_add_user(&user).await?;
                let mut blocked_facts = tx.blocked_facts(&user).await?;
                blocked_facts.add(Scope::Goals, "quokka");
                Ok(blocked_facts.hashes)
            });
            hashes.push(added);
        }
        assert_ne!(hashes[0], hashes[1]);
    }
}
