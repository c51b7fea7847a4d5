//! AES-256-GCM with a random nonce for each message, and how its keys are derived.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};
use aws_lc_rs::rand;
use zeroize::Zeroizing;

use crate::store::{Result, StoreError};

const TAG_BYTES: usize = 16;

/// How many bytes a sealed message has more than a plain one.
pub(super) const OVERHEAD: usize = NONCE_LEN + TAG_BYTES;

/// The bytes of a key, gone when they are dropped.
pub(super) type RawKey = Zeroizing<[u8; 32]>;

impl From<Unspecified> for StoreError {
    fn from(_: Unspecified) -> Self {
        Self::Crypto
    }
}

pub(super) fn random_key() -> Result<RawKey> {
    let mut key = RawKey::default();
    rand::fill(key.as_mut_slice())?;
    Ok(key)
}

/// Derives keys from a secret by HKDF-SHA256, each for one purpose.
pub(super) struct Derivation(Prk);

impl Derivation {
    pub(super) fn from(secret: &[u8]) -> Self {
        Self(Salt::new(HKDF_SHA256, b"ctxmem").extract(secret))
    }

    pub(super) fn key(&self, purpose: &str) -> Result<RawKey> {
        let mut key = RawKey::default();
        self.0
            .expand(&[purpose.as_bytes()], HKDF_SHA256)?
            .fill(key.as_mut_slice())?;
        Ok(key)
    }
}

/// Seals messages under one key. Nonces are random, so one key must not seal more than 2^32
/// messages.
pub(super) struct Aead(LessSafeKey);

impl Aead {
    pub(super) fn new(key: &RawKey) -> Result<Self> {
        let key = UnboundKey::new(&AES_256_GCM, key.as_slice())?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Nonce, ciphertext, tag. Only who names the same context can open it.
    pub(super) fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        rand::fill(&mut nonce)?;
        // As long as it will be: a vector that grows leaves a copy of the plain text behind.
        let mut sealed = Vec::with_capacity(plain.len() + OVERHEAD);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let (_, text) = sealed.split_at_mut(NONCE_LEN);
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self
            .0
            .seal_in_place_separate_tag(nonce, Aad::from(context), text)?;
        sealed.extend_from_slice(tag.as_ref());
        Ok(sealed)
    }

    /// `None` if this was sealed under another key or in another context, or was changed.
    pub(super) fn open(&self, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, text) = sealed.split_first_chunk()?;
        let (text, tag) = text.split_last_chunk::<TAG_BYTES>()?;
        let mut plain = Zeroizing::new(vec![0; text.len()]);
        self.0
            .open_separate_gather(
                Nonce::assume_unique_for_key(*nonce),
                Aad::from(context),
                text,
                tag,
                &mut plain,
            )
            .ok()?;
        Some(plain)
    }
}
