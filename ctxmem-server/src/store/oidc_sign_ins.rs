//! Sign-ins by OpenID Connect that are under way at the provider.

use super::statement::statement;
use super::{Hash, Statement, StoreError, Tx};

/// Who wants to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A user, to their account.
    User,
    /// A developer, to the dashboard.
    Developer,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Developer => "developer",
        }
    }
}

/// A sign-in that is under way.
#[derive(Clone)]
pub struct OidcSignInRow {
    /// Who wants to sign in.
    pub purpose: Purpose,
    /// What the ID token has to hold.
    pub nonce: String,
    /// What has to be shown with the code.
    pub verifier: String,
}

pub(super) const STATEMENTS: &[Statement] = &[
    INSERT_OIDC_SIGN_IN,
    END_OIDC_SIGN_IN,
    DROP_OLD_OIDC_SIGN_INS,
];

statement!(
    INSERT_OIDC_SIGN_IN,
    Nothing,
    "INSERT INTO oidc_sign_ins (state_hash, purpose, browser_hash, nonce, verifier, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)"
);
// Checking and using up are one statement: of many at once, one finds it.
statement!(
    END_OIDC_SIGN_IN,
    Nothing,
    "DELETE FROM oidc_sign_ins WHERE state_hash = $1 AND browser_hash = $2 AND created_at > $3
     RETURNING purpose, nonce, verifier"
);
statement!(
    DROP_OLD_OIDC_SIGN_INS,
    Nothing,
    "DELETE FROM oidc_sign_ins WHERE created_at <= $1"
);

impl Tx {
    /// Notes that a browser was sent to the provider.
    pub async fn insert_oidc_sign_in(
        &mut self,
        state: &Hash,
        browser: &Hash,
        row: &OidcSignInRow,
        now: i64,
    ) -> Result<(), StoreError> {
        self.run(
            INSERT_OIDC_SIGN_IN,
            &[
                state.into(),
                row.purpose.as_str().into(),
                browser.into(),
                (&row.nonce).into(),
                (&row.verifier).into(),
                now.into(),
            ],
        )
        .await?;
        Ok(())
    }

    /// Uses up the sign-in of this state and this browser that began after an instant; `None`
    /// when there is none (any more).
    pub async fn end_oidc_sign_in(
        &mut self,
        state: &Hash,
        browser: &Hash,
        began_after: i64,
    ) -> Result<Option<OidcSignInRow>, StoreError> {
        let args = [state.into(), browser.into(), began_after.into()];
        let Some(row) = self.find(END_OIDC_SIGN_IN, &args).await? else {
            return Ok(None);
        };
        Ok(Some(OidcSignInRow {
            purpose: match &*row.text("purpose")? {
                "user" => Purpose::User,
                "developer" => Purpose::Developer,
                _ => return Err(StoreError::Corrupt("purpose")),
            },
            nonce: row.text("nonce")?,
            verifier: row.text("verifier")?,
        }))
    }

    /// Forgets sign-ins that began at this instant or before.
    pub async fn drop_old_oidc_sign_ins(&mut self, until: i64) -> Result<(), StoreError> {
        self.run(DROP_OLD_OIDC_SIGN_INS, &[until.into()]).await?;
        Ok(())
    }
}
