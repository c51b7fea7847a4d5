//! A secret that the page behind a form shows once, such as a new API key.
//!
//! A form that answered with the page itself would make another key when the page is reloaded. So it
//! answers with a redirect, and the secret travels with it: in a cookie that the next page clears, so
//! that it stands in no address, and sealed, so that the browser keeps nothing readable. The key for
//! that is made of the session and of the key database. Nothing is stored here, and any process can
//! show the page.

use secrecy::{ExposeSecret as _, SecretString};

use super::{Console, Error};
use crate::store::Token;

/// For how long the next page may be asked for.
const MILLIS: i64 = 10 * 60 * 1_000;

impl Console {
    /// Seals a secret for the next page of this session, which shows what `purpose` names.
    pub fn seal_for_next_page(
        &self,
        session: &str,
        purpose: &str,
        secret: &SecretString,
    ) -> Result<SecretString, Error> {
        let text = format!("{} {}", self.clock.millis(), secret.expose_secret());
        let token = self.next_page_token(session)?;
        Ok(token.seal_for_browser(purpose, &text)?.into())
    }

    /// Opens it; `None` if it was sealed for another session or purpose, or too long ago.
    pub fn open_on_next_page(
        &self,
        session: &str,
        purpose: &str,
        sealed: &str,
    ) -> Option<SecretString> {
        let token = self.next_page_token(session).ok()?;
        let text = token.open_from_browser(purpose, sealed)?;
        let (at, secret) = text.split_once(' ')?;
        let age = self.clock.millis() - at.parse::<i64>().ok()?;
        (0..MILLIS).contains(&age).then(|| secret.into())
    }

    fn next_page_token(&self, session: &str) -> Result<Token, Error> {
        let secret = self.db.keyed_hash(&[Some("next page"), Some(session)]);
        Ok(Token::new(&hex::encode(secret))?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::core::Core;
    use crate::core::clock::StillClock;

    #[tokio::test]
    async fn only_the_session_for_which_it_was_sealed_reads_it_and_for_ten_minutes() {
        use secrecy::ExposeSecret as _;

        let folder = tempfile::tempdir().unwrap();
        let now = 1_772_323_200_000;
        let core_at =
            async |millis| Core::in_folder(&folder, Arc::new(StillClock::at(millis))).await;
        let core = core_at(now).await;
        let sealed = core
            .console
            .seal_for_next_page("session", "key 1", &"ctxm_canary".into())
            .unwrap();
        let sealed = sealed.expose_secret();
        assert!(!sealed.contains("canary") && !sealed.contains(' '));
        let open = |core: &Core, session: &str, purpose: &str| {
            let opened = core.console.open_on_next_page(session, purpose, sealed);
            opened.map(|secret| secret.expose_secret().to_owned())
        };
        assert_eq!(
            open(&core, "session", "key 1").as_deref(),
            Some("ctxm_canary")
        );
        assert_eq!(open(&core, "another", "key 1"), None);
        assert_eq!(open(&core, "session", "key 2"), None);
        assert!(
            core.console
                .open_on_next_page("session", "key 1", "made up")
                .is_none()
        );
        // Another process, with the same key database.
        let later = core_at(now + 599_999).await;
        assert_eq!(
            open(&later, "session", "key 1").as_deref(),
            Some("ctxm_canary")
        );
        let too_late = core_at(now + 600_000).await;
        assert_eq!(open(&too_late, "session", "key 1"), None);
    }
}
