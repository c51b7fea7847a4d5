//! Relevant facts: those that bear on the user's message and did not fit into the system prompt.

use std::borrow::Cow;

use crate::Injected;
use crate::parts::BLANK_LINE;

/// How much of a message the service reads, in bytes. A longer one would only make the call slow.
const MAX_MESSAGE: usize = 16 * 1024;

/// What is sent of a message; nothing if it has no words.
pub(crate) fn to_send(mut message: String) -> Option<String> {
    message.truncate(message.floor_char_boundary(MAX_MESSAGE));
    (!message.trim().is_empty()).then_some(message)
}

impl Injected {
    /// Facts that bear on the user's message and that the prompt has no room for: a text of at most
    /// some 200 tokens, which says that it is data. `None` unless the inject was one
    /// [for a message](crate::Client::inject_for), as those of [`Turns`](crate::Turns) are; and
    /// often then, too, because the prompt has room for everything or nothing else bears on the
    /// message.
    ///
    /// Put it beside the user's message and never into the system prompt, whose bytes then stay the
    /// same from turn to turn, so that the model provider's cache keeps it.
    /// [`user_message`](Self::user_message) does that, and [`place_in`](Self::place_in) for the body
    /// of a model call.
    pub fn relevant(&self) -> Option<&str> {
        let relevant = self.response().relevant.as_deref();
        relevant.filter(|text| !text.trim().is_empty())
    }

    /// What the model gets as the user's message: what was said, after what bears on it
    /// ([`relevant`](Self::relevant)), if there is anything.
    ///
    /// It is for this call alone. Keep what was said itself in the history of the conversation:
    /// what a user has deleted since can't come back from there.
    ///
    /// ```
    /// # fn example(system: &ctxmem_client::Injected, said: &str) -> serde_json::Value {
    /// serde_json::json!([
    ///     {"role": "system", "content": system.prompt()},
    ///     {"role": "user", "content": system.user_message(said)},
    /// ])
    /// # }
    /// ```
    pub fn user_message<'a>(&self, said: &'a str) -> Cow<'a, str> {
        match self.relevant() {
            Some(relevant) => format!("{relevant}{BLANK_LINE}{said}").into(),
            None => said.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use ctxmem_types::InjectResponse;

    use super::*;

    fn answered(relevant: Option<&str>) -> Injected {
        let mut response = InjectResponse::unchanged("Be brief.");
        response.relevant = relevant.map(Into::into);
        Injected::answered("Be brief.", response)
    }

    #[test]
    fn what_bears_on_a_message_stands_before_it() {
        let system = answered(Some("Notes:\n- Keeps bees"));
        assert_eq!(system.relevant(), Some("Notes:\n- Keeps bees"));
        assert_eq!(
            system.user_message("And my bees?"),
            "Notes:\n- Keeps bees\n\nAnd my bees?"
        );
        assert_eq!(system.prompt(), "Be brief.");
        for nothing in [None, Some(""), Some(" \n")] {
            let system = answered(nothing);
            assert_eq!(system.relevant(), None);
            assert_eq!(system.user_message("And my bees?"), "And my bees?");
        }
    }

    #[test]
    fn of_a_long_message_the_beginning_is_sent() {
        assert_eq!(to_send("bees".into()).as_deref(), Some("bees"));
        assert_eq!(to_send(" \n".into()), None);
        // The limit is in the middle of a character.
        let long = format!("a{}", "é".repeat(MAX_MESSAGE));
        let sent = to_send(long.clone()).unwrap();
        assert_eq!(sent.len(), MAX_MESSAGE - 1);
        assert!(long.starts_with(&sent));
    }
}
