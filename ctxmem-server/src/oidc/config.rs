//! The configuration of an OpenID Connect provider.

use std::time::Duration;

use secrecy::SecretString;

/// A provider at which people can sign in.
#[derive(Clone, Debug)]
pub struct OidcConfig {
    /// The provider's address, exactly as in its ID tokens.
    pub issuer: String,
    /// This server's client id at the provider.
    pub client_id: String,
    /// This server's client secret; `None` for a public client.
    pub client_secret: Option<SecretString>,
    /// The claim that holds the user id.
    pub user_claim: String,
    /// The scopes to request, besides `openid`.
    pub scopes: Vec<String>,
    /// The provider's name, for people.
    pub name: String,
    /// How long the provider may take in total for discovery, or for a code.
    pub timeout: Duration,
}

impl OidcConfig {
    /// The default claim of the user id.
    pub const USER_CLAIM: &str = "sub";
    /// The default scopes.
    pub const SCOPES: &str = "openid email profile";
    /// The default name of the provider.
    pub const NAME: &str = "single sign-on";
    /// The default timeout.
    pub const TIMEOUT: Duration = Duration::from_secs(10);

    /// The defaults, for a public client.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            client_id: client_id.into(),
            client_secret: None,
            user_claim: Self::USER_CLAIM.to_owned(),
            scopes: Self::SCOPES
                .split_whitespace()
                .map(ToOwned::to_owned)
                .collect(),
            name: Self::NAME.to_owned(),
            timeout: Self::TIMEOUT,
        }
    }
}
