//! OpenID Connect sign-ins: the state that is stored while somebody is at the provider.
//!
//! A sign-in can be completed once, within ten minutes, by the browser that began it. So nobody
//! can make another person's browser complete a sign-in that it did not begin.

use chrono::{DateTime, Duration, Utc};
use secrecy::{ExposeSecret as _, SecretString};

use super::{Error, SignIn, keys, unit};
use crate::store::{OidcSignInRow, Purpose, hash};

/// How long somebody may take at the provider.
const MINUTES: i64 = 10;

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

/// A sign-in whose browser has returned.
pub struct EndedOidcSignIn {
    /// Who wants to sign in.
    pub purpose: Purpose,
    /// The nonce that the ID token must contain.
    pub nonce: SecretString,
    /// The PKCE verifier that is sent with the code.
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
            nonce: begun.nonce.expose_secret().to_owned(),
            verifier: begun.verifier.expose_secret().to_owned(),
        };
        let now = self.clock.millis();
        let given = (state, browser, row);
        unit::write(&self.db, given, move |tx, (state, browser, row)| {
            Box::pin(tx.insert_oidc_sign_in(state, browser, row, now))
        })
        .await?;
        Ok(begun)
    }

    /// Ends a sign-in; `None` if this browser began none with this state, or too long ago.
    pub async fn end_oidc_sign_in(
        &self,
        state: &str,
        browser: &str,
    ) -> Result<Option<EndedOidcSignIn>, Error> {
        let given = (hash(state), hash(browser));
        let began_after = oldest(self.clock.millis());
        // Anybody can come back from nowhere. Somebody who began nothing does not wait for the
        // writer.
        let is_there = unit::read(&self.db, async |tx| {
            let (state, browser) = &given;
            tx.has_oidc_sign_in(state, browser, began_after).await
        });
        if !is_there.await? {
            return Ok(None);
        }
        let ended = unit::write(&self.db, given, move |tx, (state, browser)| {
            Box::pin(tx.end_oidc_sign_in(state, browser, began_after))
        })
        .await?;
        Ok(ended.map(|row| EndedOidcSignIn {
            purpose: row.purpose,
            nonce: row.nonce.into(),
            verifier: row.verifier.into(),
        }))
    }

    /// Deletes sign-ins that took too long.
    pub async fn drop_old_oidc_sign_ins(&self) -> Result<(), Error> {
        let until = oldest(self.clock.millis());
        unit::write(&self.db, (), move |tx, ()| {
            Box::pin(tx.drop_old_oidc_sign_ins(until))
        })
        .await
    }
}

/// Sign-ins that began at this instant or before are over.
fn oldest(now: i64) -> i64 {
    now - Duration::minutes(MINUTES).num_milliseconds()
}
