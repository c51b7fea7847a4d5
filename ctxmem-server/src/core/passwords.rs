//! Passwords of developers: hashed with argon2id, a few at a time, outside of the threads that
//! answer requests. Whose turn it is, `password_queue` says.

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::OwnedSemaphorePermit;

use super::figures::QueueLength;
use super::password_queue::PasswordQueue;
use super::{Error, SignInOrigin};
use crate::store::StoreError;

/// Shorter passwords are easily guessed.
const MIN_CHARS: usize = 10;

/// A password is compared with this hash if the developer has none, so that both take the same
/// time. It is made of random bytes: nobody knows a password for it.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$T9jQMSVR2ASUbhuLjW77Rw$\
                       LMflcCG4o3wfw1lzmX1JqWSXZpsrUz7rlT5u2iX/yWo";

/// Hashes and verifies passwords.
#[derive(Default)]
pub(super) struct Passwords {
    queue: PasswordQueue,
}

impl Passwords {
    /// How many wait for their turn.
    pub(super) fn queue_length(&self) -> QueueLength {
        self.queue.length()
    }

    /// The hash of a new password, which an operator sets.
    pub(super) async fn hash(&self, password: SecretString) -> Result<String, Error> {
        check_length(&password)?;
        hash_in(self.queue.operators_turn().await?, password).await
    }

    /// The hash of a new password, which somebody sets who is not signed in yet.
    ///
    /// # Errors
    ///
    /// [`Error::Overloaded`] if too many of this origin wait already.
    pub(super) async fn hash_from(
        &self,
        password: SecretString,
        origin: &SignInOrigin,
    ) -> Result<String, Error> {
        check_length(&password)?;
        hash_in(self.queue.turn(origin).await?, password).await
    }

    /// Whether a password matches the stored hash. If none is stored it does not, and to find
    /// that out takes as long.
    ///
    /// # Errors
    ///
    /// [`Error::Overloaded`] if too many of this origin wait already.
    pub(super) async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
        origin: &SignInOrigin,
    ) -> Result<bool, Error> {
        let turn = self.queue.turn(origin).await?;
        work(turn, move || {
            let hash = stored.as_deref().unwrap_or(DUMMY_HASH);
            let verified =
                Argon2::default().verify_password(password.expose_secret().as_bytes(), hash);
            verified.is_ok() && stored.is_some()
        })
        .await
    }
}

fn check_length(password: &SecretString) -> Result<(), Error> {
    if password.expose_secret().chars().count() < MIN_CHARS {
        return Err(Error::BadRequest(format!(
            "password: expected at least {MIN_CHARS} characters"
        )));
    }
    Ok(())
}

async fn hash_in(turn: OwnedSemaphorePermit, password: SecretString) -> Result<String, Error> {
    let hash = work(turn, move || {
        let hash = Argon2::default().hash_password(password.expose_secret().as_bytes());
        hash.map(|hash| hash.to_string()).ok()
    })
    .await?;
    hash.ok_or_else(|| Error::BadRequest("password: it can't be hashed".to_owned()))
}

/// Works where no requests are answered. The turn ends with the work, even if the caller leaves
/// before.
async fn work<T: Send + 'static>(
    turn: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    Ok(done.await.map_err(|_| StoreError::Interrupted)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Network;

    fn somewhere() -> SignInOrigin {
        SignInOrigin::Network(Network::of([203, 0, 113, 7].into()))
    }

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
            let stored = Some(stored.clone());
            let verified = passwords.verify(tried.into(), stored, &somewhere()).await;
            assert_eq!(verified.unwrap(), right, "{tried}");
        }
        for stored in [None, Some("not a hash".to_owned())] {
            let origin = somewhere();
            let verified = passwords.verify("anything".into(), stored, &origin);
            assert!(!verified.await.unwrap());
        }
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
