//! Search terms of users, sealed. They stand in addresses, which are logged and remembered in many places, so only the
//! session for which they were sealed can open them.

use super::{Error, SignIn};
use crate::store::Token;

/// What the words are sealed for.
const PURPOSE: &str = "words";

impl SignIn {
    /// Seals words for a session, in characters that an address may hold.
    pub fn seal_words(&self, session: &str, words: &str) -> Result<String, Error> {
        Ok(Token::new(session)?.seal_for_browser(PURPOSE, words)?)
    }

    /// The words that were sealed for this session; `None` for anything else.
    pub fn open_words(&self, session: &str, sealed: &str) -> Option<String> {
        let token = Token::new(session).ok()?;
        let words = token.open_from_browser(PURPOSE, sealed)?;
        Some(words.as_str().to_owned())
    }
}
