//! OpenID Connect sign-ins: the state that is stored while somebody is at the provider.
//!
//! A sign-in can be completed once, within ten minutes, by the browser that began it. So nobody
//! can make another person's browser complete a sign-in that it did not begin.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};

use super::{Error, SignIn, keys, unit};
use crate::store::{OidcSignInRow, Purpose, hash};

/// How long somebody may take at the provider.
const MILLIS: i64 = 10 * 60 * 1_000;

/// The secrets of a sign-in that has just begun.
pub struct OidcSignIn {
    /// Sent to the provider, which returns it.
    pub state: SecretString,
    /// Stays in the browser.
    pub browser: SecretString,
    /// Sent to the provider, which returns it in the ID token.
    pub nonce: SecretString,
    /// The PKCE verifier. The provider gets its hash first, and itself with the code.
    pub verifier: SecretString,
}

impl SignIn {
    /// The time now.
    pub fn time(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Begins a sign-in, for which the browser is sent to the provider.
    pub async fn begin_oidc_sign_in(&self, purpose: Purpose) -> Result<OidcSignIn, Error> {
        let secret = || SecretString::from(keys::secret());
        let begun = OidcSignIn {
            state: secret(),
            browser: secret(),
            nonce: secret(),
            verifier: secret(),
        };
        let state = hash(begun.state.expose_secret());
        let browser = hash(begun.browser.expose_secret());
        let row = OidcSignInRow {
            purpose,
            nonce: begun.nonce.clone(),
            verifier: begun.verifier.clone(),
        };
        let now = self.clock.millis();
        let given = (state, browser, row);
        unit::write(&self.db, async move |tx| {
            let (state, browser, row) = &given;
            tx.insert_oidc_sign_in(state, browser, row, now).await
        })
        .await?;
        Ok(begun)
    }

    /// Ends a sign-in; `None` if this browser began none with this state, or too long ago.
    pub async fn end_oidc_sign_in(
        &self,
        state: &str,
        browser: &str,
    ) -> Result<Option<OidcSignInRow>, Error> {
        let given = (hash(state), hash(browser));
        let began_after = self.clock.millis() - MILLIS;
        // Anybody can come back from nowhere. Somebody who began nothing does not wait for the
        // writer.
        let is_there = unit::read(&self.db, async |tx| {
            let (state, browser) = &given;
            tx.has_oidc_sign_in(state, browser, began_after).await
        });
        if !is_there.await? {
            return Ok(None);
        }
        unit::write(&self.db, async move |tx| {
            let (state, browser) = &given;
            tx.end_oidc_sign_in(state, browser, began_after).await
        })
        .await
    }

    /// Deletes sign-ins that took too long.
    pub async fn drop_old_oidc_sign_ins(&self) -> Result<(), Error> {
        let until = self.clock.millis() - MILLIS;
        unit::write(&self.db, async move |tx| {
            tx.drop_old_oidc_sign_ins(until).await
        })
        .await
    }
}
