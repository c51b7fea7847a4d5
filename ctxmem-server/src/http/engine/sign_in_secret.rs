//! The secret with which the operator's application requests sign-in links.

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

/// The secret as a hash, so that the time of a comparison reveals nothing about it.
pub(crate) struct SignInSecret([u8; 32]);

impl SignInSecret {
    pub(crate) fn new(secret: &SecretString) -> Self {
        Self(Sha256::digest(secret.expose_secret()).into())
    }

    pub(crate) fn matches(&self, shown: &str) -> bool {
        self.0 == <[u8; 32]>::from(Sha256::digest(shown))
    }
}
