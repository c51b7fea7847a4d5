//! The secret by which the operator's application has sign-in links made.

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

/// The secret, as a hash: how long a comparison takes tells nothing of it.
pub(crate) struct SignInSecret([u8; 32]);

impl SignInSecret {
    pub(crate) fn new(secret: &SecretString) -> Self {
        Self(Sha256::digest(secret.expose_secret()).into())
    }

    /// Whether this is the secret.
    pub(crate) fn is(&self, shown: &str) -> bool {
        self.0 == <[u8; 32]>::from(Sha256::digest(shown))
    }
}
