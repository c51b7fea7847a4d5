//! Passwords of developers: hashed with argon2id, a few at a time, outside of the threads that
//! answer requests.

use std::sync::Arc;

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Semaphore;

use super::Error;
use crate::store::StoreError;

/// Shorter passwords are easily guessed.
const MIN_CHARS: usize = 10;
/// How many are hashed at once. Each takes 19 MiB and occupies a core for a while.
const MAX_CONCURRENT: usize = 2;

/// A password is compared with this hash if the developer has none, so that both take the same
/// time. It is made of random bytes: nobody knows a password for it.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$T9jQMSVR2ASUbhuLjW77Rw$\
                       LMflcCG4o3wfw1lzmX1JqWSXZpsrUz7rlT5u2iX/yWo";

/// Hashes and verifies passwords.
pub(super) struct Passwords {
    permits: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        }
    }
}

impl Passwords {
    /// The hash of a new password.
    pub(super) async fn hash(&self, password: SecretString) -> Result<String, Error> {
        if password.expose_secret().chars().count() < MIN_CHARS {
            return Err(Error::BadRequest(format!(
                "password: expected at least {MIN_CHARS} characters"
            )));
        }
        let hash = self
            .work(move || {
                let hash = Argon2::default().hash_password(password.expose_secret().as_bytes());
                hash.map(|hash| hash.to_string()).ok()
            })
            .await?;
        hash.ok_or_else(|| Error::BadRequest("password: it can't be hashed".to_owned()))
    }

    /// Whether a password matches the stored hash. If none is stored it does not, and to find
    /// that out takes as long.
    pub(super) async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<bool, Error> {
        self.work(move || {
            let hash = stored.as_deref().unwrap_or(DUMMY_HASH);
            let verified =
                Argon2::default().verify_password(password.expose_secret().as_bytes(), hash);
            verified.is_ok() && stored.is_some()
        })
        .await
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| StoreError::Interrupted)?;
        // The permit is released after the work, even if the caller leaves before.
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        Ok(done.await.map_err(|_| StoreError::Interrupted)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters that decide how long verifying takes.
    fn settings(hash: &str) -> Vec<&str> {
        hash.split('$').take(4).collect()
    }

    #[tokio::test]
    async fn only_the_password_itself_is_right() {
        let passwords = Passwords::default();
        let stored = passwords
            .hash("correct horse battery".into())
            .await
            .unwrap();
        for (tried, right) in [
            ("correct horse battery", true),
            ("correct horse batterz", false),
            ("Correct horse battery", false),
            ("", false),
        ] {
            let verified = passwords.verify(tried.into(), Some(stored.clone())).await;
            assert_eq!(verified.unwrap(), right, "{tried}");
        }
        assert!(!passwords.verify("anything".into(), None).await.unwrap());
        let broken = Some("not a hash".to_owned());
        assert!(!passwords.verify("anything".into(), broken).await.unwrap());
    }

    #[tokio::test]
    async fn without_a_password_the_same_work_is_done() {
        let stored = Passwords::default()
            .hash("correct horse".into())
            .await
            .unwrap();
        assert_eq!(settings(DUMMY_HASH), settings(&stored));
        let lengths = |hash: &str| hash.split('$').map(str::len).collect::<Vec<_>>();
        assert_eq!(lengths(DUMMY_HASH), lengths(&stored));
        // It parses: a malformed hash would be refused without the work.
        let read: argon2::password_hash::phc::PasswordHash = DUMMY_HASH.parse().unwrap();
        assert!(read.salt.is_some() && read.hash.is_some());
    }

    #[tokio::test]
    async fn short_passwords_are_refused() {
        let refused = Passwords::default().hash("123456789".into()).await;
        assert!(matches!(refused, Err(Error::BadRequest(_))));
    }
}
