//! One exchange between a user and an agent, from which the service learns.

use std::fmt;

use ctxmem_types::{Timestamp, UserId};
use uuid::Uuid;

use crate::error::InvalidCall;

/// One exchange between a user and an agent, as [`update`](crate::Memory::update_with)
/// sends it.
///
/// It carries its idempotency key from the start, so the service learns from it only once,
/// whether the client retries it or you send it again. (Services keep a key for 24 hours; not
/// every deployment supports them.)
///
/// ```
/// use ctxmem_client::{Interaction, UserId};
///
/// let user = UserId::new("ada")?;
/// let interaction = Interaction::new(user, "I moved to Lisbon.", "Enjoy it!");
/// assert!(!interaction.idempotency_key().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Interaction {
    /// The user who talked to the agent.
    pub user_id: UserId,
    /// What the user said.
    pub user_message: String,
    /// What the agent answered.
    pub agent_response: String,
    /// When that was, if not just now: "tomorrow" is the day after it. A service refuses a time that
    /// lies ahead of its clock.
    ///
    /// A queue of [`Updates`](crate::Updates) sets it where it is absent, and sends it with what goes
    /// out later than a minute after it. Other deployments ignore it.
    pub at: Option<Timestamp>,
    idempotency_key: String,
}

impl Interaction {
    /// An exchange of just now, with a new idempotency key, a random UUID.
    pub fn new(
        user_id: UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Self {
        Self {
            user_id,
            user_message: user_message.into(),
            agent_response: agent_response.into(),
            at: None,
            idempotency_key: Uuid::new_v4().to_string(),
        }
    }

    /// Says when the exchange was, such as for one from an older conversation.
    ///
    /// ```
    /// use ctxmem_client::{Interaction, UserId};
    ///
    /// let said = "My exam is tomorrow.";
    /// let interaction = Interaction::new(UserId::new("ada")?, said, "Good luck!")
    ///     .with_time("2026-03-01T09:30:00Z".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_time(mut self, at: Timestamp) -> Self {
        self.at = Some(at);
        self
    }

    /// Sets an idempotency key of your own, such as the id of a stored message.
    ///
    /// # Errors
    ///
    /// [`InvalidCall::IdempotencyKey`] unless the key is 1 to 255 visible ASCII characters.
    ///
    /// ```
    /// use ctxmem_client::{Interaction, UserId};
    ///
    /// let interaction = Interaction::new(UserId::new("ada")?, "I moved to Lisbon.", "Enjoy it!")
    ///     .with_idempotency_key("message-4711")?;
    /// assert_eq!(interaction.idempotency_key(), "message-4711");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Result<Self, InvalidCall> {
        let key = key.into();
        if !is_idempotency_key(&key) {
            return Err(InvalidCall::IdempotencyKey);
        }
        self.idempotency_key = key;
        Ok(self)
    }

    /// Identifies this interaction among all interactions of the agent.
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// The size of its texts, in bytes.
    pub fn size(&self) -> usize {
        self.user_id.as_str().len()
            + self.user_message.len()
            + self.agent_response.len()
            + self.idempotency_key.len()
    }
}

/// Whether it can be sent as one.
pub(crate) fn is_idempotency_key(key: &str) -> bool {
    (1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

/// `Debug` shows neither the user nor the conversation, because it ends up in logs.
impl fmt::Debug for Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interaction")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interaction() -> Interaction {
        Interaction::new(UserId::new("canary").unwrap(), "canary", "canary")
    }

    #[test]
    fn each_has_a_key_of_its_own() {
        assert_ne!(
            interaction().idempotency_key(),
            interaction().idempotency_key()
        );
    }

    #[test]
    fn keys_are_short_visible_ascii() {
        let longest = "k".repeat(255);
        for key in ["m-1", longest.as_str()] {
            let named = interaction().with_idempotency_key(key).unwrap();
            assert_eq!(named.idempotency_key(), key);
        }
        let too_long = "k".repeat(256);
        for key in ["", "a b", "a\n", "ключ", too_long.as_str()] {
            let rejected = interaction().with_idempotency_key(key);
            assert_eq!(rejected, Err(InvalidCall::IdempotencyKey), "{key:?}");
        }
    }

    #[test]
    fn debug_shows_nothing_of_it() {
        assert!(!format!("{:?}", interaction()).contains("canary"));
    }
}
