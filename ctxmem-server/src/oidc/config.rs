//! What the operator says of a provider.

use std::time::Duration;

use secrecy::SecretString;

/// A provider at which people can sign in.
#[derive(Clone, Debug)]
pub struct OidcConfig {
    /// The provider's address, as it stands in its ID tokens.
    pub issuer: String,
    /// What the provider calls this server.
    pub client_id: String,
    /// Shown to the provider, unless it takes public clients.
    pub client_secret: Option<SecretString>,
    /// The claim that is the user id.
    pub user_claim: String,
    /// What the provider is asked to tell, besides `openid`.
    pub scopes: Vec<String>,
    /// What people call the provider.
    pub name: String,
    /// How long the provider may take, in all, each time that it is asked.
    pub timeout: Duration,
}

impl OidcConfig {
    /// The claim that is the user id when nothing else is said.
    pub const USER_CLAIM: &str = "sub";
    /// What the provider is asked to tell when nothing else is said.
    pub const SCOPES: &str = "openid email profile";
    /// What people call the provider when nothing else is said.
    pub const NAME: &str = "single sign-on";
    /// How long the provider may take.
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
