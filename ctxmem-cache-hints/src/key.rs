//! The key under which a model provider groups one user's calls.

use std::fmt;

use ctxmem_types::UserId;
use hmac_sha256::{HMAC, Hash};
use uuid::Uuid;

/// Names the use, so that a hash made for something else is never the same.
const PURPOSE: &[u8] = b"ctxmem prompt cache key\0";

/// A key for one user's calls of a model provider. It stays the same as long as the agent's API
/// key does, and doesn't reveal the user.
///
/// It is the first 128 bits of an HMAC-SHA-256 of the user's id, keyed with the agent's API key.
/// A plain hash of the id would not do: whoever guesses an id could check the guess. Agents with
/// different API keys have different keys for the same user.
///
/// ctxmem-client derives it for each answer.
#[derive(Clone, PartialEq, Eq)]
pub struct CacheKey(Uuid);

impl CacheKey {
    /// Derives the key of this user from a secret that only you know.
    ///
    /// ```
    /// use ctxmem_cache_hints::{CacheKey, UserId};
    ///
    /// let ada = UserId::new("ada@example.com")?;
    /// let key = CacheKey::derive(b"a secret", &ada);
    /// assert_eq!(key.to_string().len(), 36);
    /// assert!(key == CacheKey::derive(b"a secret", &ada));
    /// assert!(key != CacheKey::derive(b"another secret", &ada));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn derive(secret: &[u8], user_id: &UserId) -> Self {
        let mut mac = HMAC::new(Hash::hash(secret));
        mac.update(PURPOSE);
        mac.update(user_id.as_str());
        let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _]: [u8; 32] = mac.finalize();
        Self(Uuid::from_bytes(first))
    }
}

/// The key as it is sent: 36 characters.
impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// `Debug` does not show the key, because it ends up in logs and stands for a user.
impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CacheKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str) -> UserId {
        UserId::new(id).unwrap()
    }

    #[test]
    fn it_is_stable_and_differs_by_user_and_secret() {
        let key = CacheKey::derive(b"ctxm_a", &user("ada"));
        assert_eq!(key, CacheKey::derive(b"ctxm_a", &user("ada")));
        assert_ne!(key, CacheKey::derive(b"ctxm_a", &user("bob")));
        assert_ne!(key, CacheKey::derive(b"ctxm_b", &user("ada")));
        assert_eq!(format!("{key:?}"), "CacheKey(..)");
    }

    // Providers keep what was cached under a key only as long as the key stays the same, so a
    // new release must derive the same one. Computed with Python's hmac and hashlib.
    #[test]
    fn it_is_the_same_in_every_release() {
        let key = CacheKey::derive(b"ctxm_a", &user("ada"));
        assert_eq!(key.to_string(), "4b60fd45-ce10-6a57-ad90-c6e3e093cc52");
    }
}
