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
/// Of an exchange that is larger than a service accepts, a megabyte, the answer is cut when it is sent, so that what
/// the user said is not lost with it.
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

/// What a server of ours accepts as a body, less room for the other fields and their names.
const MAX_TEXTS: usize = 1024 * 1024 - 4096;

/// Cuts the texts of an exchange to what a service accepts: the answer first, then the message.
pub(crate) fn cut_to_fit(user_message: &mut String, agent_response: &mut String) {
    let left = cut(user_message, MAX_TEXTS);
    cut(agent_response, left);
}

/// Cuts a text to so many bytes as a string in JSON, and answers how many are left.
fn cut(text: &mut String, most: usize) -> usize {
    let mut left = most;
    let mut taken = 0;
    for c in text.chars() {
        let length = match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            c if c < ' ' => 6,
            c => c.len_utf8(),
        };
        let Some(rest) = left.checked_sub(length) else {
            text.truncate(taken);
            break;
        };
        left = rest;
        taken += c.len_utf8();
    }
    left
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
    fn of_an_oversized_exchange_the_answer_is_cut_before_the_message() {
        let in_json = |text: &str| serde_json::to_string(text).unwrap().len() - 2;
        for letter in ["x", "é", "☂", "\n", "\0", "\"", "\\", "\u{1b}", "\u{7f}"] {
            let long = || letter.repeat(2_000_000);
            let (mut message, mut answer) = ("I moved.".to_owned(), long());
            cut_to_fit(&mut message, &mut answer);
            assert_eq!(message, "I moved.");
            let size = in_json(&answer) + message.len();
            assert!((MAX_TEXTS - 6..=MAX_TEXTS).contains(&size), "{letter:?}");
            let (mut message, mut answer) = (long(), "Enjoy it!".to_owned());
            cut_to_fit(&mut message, &mut answer);
            assert!(in_json(&message) + in_json(&answer) <= MAX_TEXTS && in_json(&answer) < 6);
        }
        let (mut message, mut answer) = ("Hi.".to_owned(), "Hello.".to_owned());
        cut_to_fit(&mut message, &mut answer);
        assert_eq!((&*message, &*answer), ("Hi.", "Hello."));
    }

    #[test]
    fn debug_shows_nothing_of_it() {
        assert!(!format!("{:?}", interaction()).contains("canary"));
    }
}
