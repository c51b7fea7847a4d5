//! Signing in at a provider: what is kept while somebody is there.
//!
//! A sign-in can be ended once, within ten minutes, by the browser that began it. So nobody
//! can make somebody else's browser end a sign-in that is not its own.

use chrono::{DateTime, Duration, Utc};
use secrecy::{ExposeSecret as _, SecretString};

use super::{Core, Error, keys};
use crate::store::{OidcSignInRow, Purpose, hash};

/// How long somebody may take at the provider.
const MINUTES: i64 = 10;

/// A sign-in that just began: the secrets that belong to it.
pub struct OidcSignIn {
    /// Goes to the provider and comes back.
    pub state: SecretString,
    /// Stays in the browser.
    pub browser: SecretString,
    /// Goes to the provider and comes back in the ID token.
    pub nonce: SecretString,
    /// Stays here; the provider gets its hash first and then, with the code, itself.
    pub verifier: SecretString,
}

/// A sign-in whose browser came back.
pub struct EndedOidcSignIn {
    /// Who wants to sign in.
    pub purpose: Purpose,
    /// What the ID token has to hold.
    pub nonce: SecretString,
    /// What has to be shown with the code.
    pub verifier: SecretString,
}

impl Core {
    /// The time, for what is told when it was made.
    pub fn time(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Notes that a browser is sent to the provider.
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
        let now = self.now();
        self.db
            .write(move |tx| {
                let row = row.clone();
                Box::pin(async move {
                    Ok::<_, Error>(tx.insert_oidc_sign_in(&state, &browser, &row, now).await?)
                })
            })
            .await?;
        Ok(begun)
    }

    /// Uses a sign-in up; `None` when this browser began none with this state, or too long
    /// ago.
    pub async fn end_oidc_sign_in(
        &self,
        state: &str,
        browser: &str,
    ) -> Result<Option<EndedOidcSignIn>, Error> {
        let (state, browser) = (hash(state), hash(browser));
        let began_after = oldest(self.now());
        let ended = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    Ok::<_, Error>(tx.end_oidc_sign_in(&state, &browser, began_after).await?)
                })
            })
            .await?;
        Ok(ended.map(|row| EndedOidcSignIn {
            purpose: row.purpose,
            nonce: row.nonce.into(),
            verifier: row.verifier.into(),
        }))
    }

    /// Forgets sign-ins that took too long.
    pub async fn drop_old_oidc_sign_ins(&self) -> Result<(), Error> {
        let until = oldest(self.now());
        self.db
            .write(move |tx| Box::pin(async move { Ok(tx.drop_old_oidc_sign_ins(until).await?) }))
            .await
    }
}

/// Sign-ins from then or before are over.
fn oldest(now: i64) -> i64 {
    now - Duration::minutes(MINUTES).num_milliseconds()
}
