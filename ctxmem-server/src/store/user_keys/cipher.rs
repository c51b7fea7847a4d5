//! The cipher under a user's key: seals what is stored about the user, and hashes the slots of
//! facts.

use aws_lc_rs::hmac;
use zeroize::Zeroizing;

use super::aead::{Aead, Derivation, RawKey};
use crate::store::Result;

/// Seals what is stored of one user, and hashes the slots of the user's facts. Both need the user's
/// key, so nobody can read or guess them when the key is destroyed.
pub(in crate::store) struct UserCipher {
    aead: Aead,
    slots: hmac::Key,
}

impl UserCipher {
    pub(super) fn new(key: &RawKey) -> Result<Self> {
        Self::derive(key.as_slice(), ["user: content", "user: slots"])
    }

    fn derive(secret: &[u8], [content, slots]: [&str; 2]) -> Result<Self> {
        let derivation = Derivation::from(secret);
        let slots = derivation.key(slots)?;
        Ok(Self {
            aead: Aead::new(&derivation.key(content)?)?,
            slots: hmac::Key::new(hmac::HMAC_SHA256, slots.as_slice()),
        })
    }

    /// Encrypts. What comes out is a nonce of 12 bytes, the ciphertext and a tag of 16 bytes. The
    /// context is what identifies the row: the same bytes in another row can't be opened.
    pub(in crate::store) fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>> {
        self.aead.seal(context, plain)
    }

    /// Decrypts. `None` if this was sealed under another key or in another context, or was
    /// changed.
    pub(in crate::store) fn open(
        &self,
        context: &[u8],
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        self.aead.open(context, sealed)
    }

    /// A hash by which the fact in this slot is found, the first 16 bytes of an HMAC-SHA256.
    /// Without the user's key it can't be told which slot it stands for.
    pub(in crate::store) fn slot_hash(&self, scope: i64, slot: &str) -> [u8; 16] {
        hash_of_slot(&self.slots, scope, slot)
    }
}

/// The first bytes of an HMAC of a slot.
pub(in crate::store) fn hash_of_slot(key: &hmac::Key, scope: i64, slot: &str) -> [u8; 16] {
    let mut context = hmac::Context::with_key(key);
    context.update(&scope.to_be_bytes());
    context.update(slot.as_bytes());
    let tag = context.sign();
    let mut hash = [0; 16];
    for (to, from) in hash.iter_mut().zip(tag.as_ref()) {
        *to = *from;
    }
    hash
}

/// A cipher under the random token of a sign-in link or a session: only somebody who has the token
/// can open what it sealed.
pub(in crate::store) fn token_cipher(token: &str) -> Result<UserCipher> {
    UserCipher::derive(token.as_bytes(), ["token: content", "token: slots"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_keys::aead::{OVERHEAD, random_key};

    fn cipher() -> UserCipher {
        UserCipher::new(&random_key().unwrap()).unwrap()
    }

    #[test]
    fn what_was_sealed_opens_again() {
        let cipher = cipher();
        for plain in [&b""[..], b"likes tea", &[7; 10_000]] {
            let sealed = cipher.seal(b"row 1", plain).unwrap();
            assert_eq!(sealed.len(), plain.len() + OVERHEAD);
            assert_eq!(*cipher.open(b"row 1", &sealed).unwrap(), plain);
        }
    }

    #[test]
    fn the_same_text_never_looks_the_same() {
        let cipher = cipher();
        let seal = || cipher.seal(b"row 1", b"likes tea").unwrap();
        assert_ne!(seal(), seal());
    }

    #[test]
    fn another_context_or_key_opens_nothing() {
        let ours = cipher();
        let sealed = ours.seal(b"row 1", b"likes tea").unwrap();
        assert!(ours.open(b"row 2", &sealed).is_none());
        assert!(ours.open(b"", &sealed).is_none());
        assert!(cipher().open(b"row 1", &sealed).is_none());
    }

    #[test]
    fn a_changed_byte_is_noticed_wherever_it_is() {
        let cipher = cipher();
        let sealed = cipher.seal(b"row 1", b"likes tea").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(cipher.open(b"row 1", &changed).is_none(), "byte {at}");
            assert!(
                cipher.open(b"row 1", &sealed[..at]).is_none(),
                "{at} bytes of it"
            );
        }
    }

    #[test]
    fn a_slot_has_one_hash_for_each_user_and_scope() {
        let key = random_key().unwrap();
        let [one, same] = [(); 2].map(|()| UserCipher::new(&key).unwrap());
        assert_eq!(one.slot_hash(1, "drink"), same.slot_hash(1, "drink"));
        assert_ne!(one.slot_hash(1, "drink"), one.slot_hash(2, "drink"));
        assert_ne!(one.slot_hash(1, "drink"), one.slot_hash(1, "food"));
        assert_ne!(one.slot_hash(1, "drink"), cipher().slot_hash(1, "drink"));
    }

    #[test]
    fn only_the_token_opens_what_was_sealed_under_it() {
        let sealed = token_cipher("token").unwrap().seal(b"", b"ada").unwrap();
        let open = |token| token_cipher(token).unwrap().open(b"", &sealed);
        assert_eq!(*open("token").unwrap(), b"ada");
        assert!(open("other").is_none());
    }
}
