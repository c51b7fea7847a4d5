//! Passwords of developers: hashed with argon2id, a few at a time, outside of the threads that
//! answer requests. `password_queue` decides whose turn it is.

use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::OwnedSemaphorePermit;

use super::password_queue::PasswordQueue;
use super::{Error, SignInOrigin};
use crate::store::StoreError;

/// Shorter passwords are easily guessed.
const MIN_CHARS: usize = 10;

/// What hashing a password takes.
#[derive(Clone, Copy, Debug)]
pub struct PasswordCost {
    /// Memory in KiB.
    memory: u32,
    passes: u32,
}

impl PasswordCost {
    /// As little as can be: for tests that are about something else.
    pub const LEAST: Self = Self {
        memory: Params::MIN_M_COST,
        passes: Params::MIN_T_COST,
    };

    fn argon2(self) -> Argon2<'static> {
        let params = Params::new(self.memory, self.passes, Params::DEFAULT_P_COST, None);
        Argon2::new(
            Algorithm::Argon2id,
            Version::V0x13,
            params.unwrap_or_default(),
        )
    }

    /// A password is compared with this hash if the developer has none, so that both take the same
    /// time. It is made of random bytes: nobody knows a password for it.
    fn dummy_hash(self) -> String {
        let Self { memory, passes } = self;
        format!(
            "$argon2id$v=19$m={memory},t={passes},p=1$T9jQMSVR2ASUbhuLjW77Rw$\
             LMflcCG4o3wfw1lzmX1JqWSXZpsrUz7rlT5u2iX/yWo"
        )
    }
}

/// What the crate `argon2` recommends, after OWASP's cheat sheet on storing passwords.
impl Default for PasswordCost {
    fn default() -> Self {
        Self {
            memory: Params::DEFAULT_M_COST,
            passes: Params::DEFAULT_T_COST,
        }
    }
}

#[derive(Default)]
pub(super) struct Passwords {
    cost: PasswordCost,
    pub(super) queue: PasswordQueue,
}

impl Passwords {
    pub(super) fn new(cost: PasswordCost) -> Self {
        Self {
            cost,
            queue: PasswordQueue::default(),
        }
    }

    /// The hash of a new password, which an operator sets.
    pub(super) async fn hash(&self, password: SecretString) -> Result<String, Error> {
        check_length(&password)?;
        self.hash_in(self.queue.operators_turn().await?, password)
            .await
    }

    /// The hash of a new password, which somebody sets who is not signed in yet. Fails with
    /// [`Error::Overloaded`] if too many of this origin wait already.
    pub(super) async fn hash_from(
        &self,
        password: SecretString,
        origin: &SignInOrigin,
    ) -> Result<String, Error> {
        check_length(&password)?;
        self.hash_in(self.queue.turn(origin).await?, password).await
    }

    /// Whether a password matches the stored hash. If none is stored it does not, and to find
    /// that out takes as long. Fails with [`Error::Overloaded`] if too many of this origin wait
    /// already.
    pub(super) async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
        origin: &SignInOrigin,
    ) -> Result<bool, Error> {
        let (turn, cost) = (self.queue.turn(origin).await?, self.cost);
        work(turn, move || {
            let is_stored = stored.is_some();
            let hash = stored.unwrap_or_else(|| cost.dummy_hash());
            // What it costs to verify a hash is said in the hash.
            let verified = Argon2::default()
                .verify_password(password.expose_secret().as_bytes(), hash.as_str());
            verified.is_ok() && is_stored
        })
        .await
    }

    async fn hash_in(
        &self,
        turn: OwnedSemaphorePermit,
        password: SecretString,
    ) -> Result<String, Error> {
        let argon2 = self.cost.argon2();
        let hash = work(turn, move || {
            let hash = argon2.hash_password(password.expose_secret().as_bytes());
            hash.map(|hash| hash.to_string()).ok()
        })
        .await?;
        hash.ok_or_else(|| Error::BadRequest("password: it can't be hashed".to_owned()))
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
        for cost in [PasswordCost::default(), PasswordCost::LEAST] {
            let stored = Passwords::new(cost).hash("correct horse".into()).await;
            let (stored, dummy) = (stored.unwrap(), cost.dummy_hash());
            assert_eq!(settings(&dummy), settings(&stored));
            let lengths = |hash: &str| hash.split('$').map(str::len).collect::<Vec<_>>();
            assert_eq!(lengths(&dummy), lengths(&stored));
            // It parses: a malformed hash would be refused without the work.
            let read: argon2::password_hash::phc::PasswordHash = dummy.parse().unwrap();
            assert!(read.salt.is_some() && read.hash.is_some());
        }
    }

    #[tokio::test]
    async fn unless_a_test_says_otherwise_a_password_costs_what_it_should() {
        let stored = Passwords::new(crate::core::Settings::default().password_cost)
            .hash("correct horse".into())
            .await;
        assert!(
            stored
                .unwrap()
                .starts_with("$argon2id$v=19$m=19456,t=2,p=1$")
        );
    }

    #[tokio::test]
    async fn short_passwords_are_refused() {
        let refused = Passwords::default().hash("123456789".into()).await;
        assert!(matches!(refused, Err(Error::BadRequest(_))));
    }
}
