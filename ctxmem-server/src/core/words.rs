//! What users search for. It stands in addresses, which are logged and remembered in many places, so
//! it is sealed there: only the session for which it was sealed opens it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Core, Error};
use crate::store::Token;

/// What the words are sealed for.
const PURPOSE: &str = "words";

impl Core {
    /// Seals words for a session, in characters that an address may hold.
    ///
    /// # Errors
    ///
    /// When the cryptographic library fails.
    pub fn seal_words(&self, session: &str, words: &str) -> Result<String, Error> {
        Ok(URL_SAFE_NO_PAD.encode(Token::new(session)?.seal_text(PURPOSE, words)?))
    }

    /// The words that were sealed for this session; `None` for anything else.
    pub fn open_words(&self, session: &str, sealed: &str) -> Option<String> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let words = Token::new(session).ok()?.open_text(PURPOSE, &sealed)?;
        Some(words.as_str().to_owned())
    }
}
