//! OpenID Connect sign-ins that are in progress at the provider.

use secrecy::{ExposeSecret as _, SecretString};

use super::arg::args;
use super::row::{from_row, named};
use super::statement::statements;
use super::{Hash, Result, Tx};

named! {
    /// Who wants to sign in.
    Purpose {
        /// A user, to their account.
        User = "user",
        /// A developer, to the dashboard.
        Developer = "developer",
    }
}

/// A sign-in that is in progress.
#[derive(Clone)]
pub struct OidcSignInRow {
    /// Who wants to sign in.
    pub purpose: Purpose,
    /// The nonce that the ID token must contain.
    pub nonce: SecretString,
    /// The PKCE verifier that is sent with the code.
    pub verifier: SecretString,
}

statements! {
    INSERT_OIDC_SIGN_IN changes Nothing:
        "INSERT INTO oidc_sign_ins (state_hash, purpose, browser_hash, nonce, verifier, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)";
    FIND_OIDC_SIGN_IN:
        "SELECT purpose FROM oidc_sign_ins
         WHERE state_hash = $1 AND browser_hash = $2 AND created_at > $3";
    // One statement checks and uses the sign-in, so of many requests at once only one succeeds.
    END_OIDC_SIGN_IN changes Nothing:
        "DELETE FROM oidc_sign_ins WHERE state_hash = $1 AND browser_hash = $2 AND created_at > $3
         RETURNING purpose, nonce, verifier";
    DROP_OLD_OIDC_SIGN_INS changes Nothing: "DELETE FROM oidc_sign_ins WHERE created_at <= $1";
}

from_row! { OidcSignInRow in "oidc_sign_ins": purpose, nonce, verifier }

impl Tx {
    /// Notes that a browser was sent to the provider.
    pub async fn insert_oidc_sign_in(
        &mut self,
        state: &Hash,
        browser: &Hash,
        row: &OidcSignInRow,
        now: i64,
    ) -> Result<()> {
        let (nonce, verifier) = (row.nonce.expose_secret(), row.verifier.expose_secret());
        let args = args![state, row.purpose, browser, nonce, verifier, now];
        self.run(INSERT_OIDC_SIGN_IN, args).await
    }

    /// Whether this browser began a sign-in with this state after an instant, which was not used.
    pub async fn has_oidc_sign_in(
        &mut self,
        state: &Hash,
        browser: &Hash,
        began_after: i64,
    ) -> Result<bool> {
        let args = args![state, browser, began_after];
        Ok(self.find(FIND_OIDC_SIGN_IN, args).await?.is_some())
    }

    /// Uses the sign-in with this state and this browser if it began after an instant; `None` if
    /// there is none, or it was used before.
    pub async fn end_oidc_sign_in(
        &mut self,
        state: &Hash,
        browser: &Hash,
        began_after: i64,
    ) -> Result<Option<OidcSignInRow>> {
        let args = args![state, browser, began_after];
        self.find_as(END_OIDC_SIGN_IN, args).await
    }

    /// Deletes sign-ins that began at this instant or before.
    pub async fn drop_old_oidc_sign_ins(&mut self, until: i64) -> Result<()> {
        self.run(DROP_OLD_OIDC_SIGN_INS, args![until]).await
    }
}
