//! The flags for sign-in at an OpenID Connect provider.

use clap::Args;
use secrecy::SecretString;

use super::CliError;
use crate::config::OidcConfig;

/// Sign-in by OpenID Connect.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the flags are made of them")]
pub(super) struct OidcArgs {
    /// Let people sign in at this OpenID Connect provider; register /sign-in/oidc/callback there as
    /// the redirect URI
    #[arg(long, env = "CTXMEM_OIDC_ISSUER", value_name = "URL")]
    oidc_issuer: Option<String>,
    /// This server's client id at the provider
    #[arg(long, env = "CTXMEM_OIDC_CLIENT_ID", value_name = "ID")]
    oidc_client_id: Option<String>,
    /// This server's client secret, unless it is a public client; prefer the environment variable
    #[arg(
        long,
        env = "CTXMEM_OIDC_CLIENT_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    oidc_client_secret: Option<SecretString>,
    /// The claim that holds the user id which agents send [default: sub]
    #[arg(long, env = "CTXMEM_OIDC_USER_CLAIM", value_name = "CLAIM")]
    oidc_user_claim: Option<String>,
    /// The scopes to request [default: openid email profile]
    #[arg(long, env = "CTXMEM_OIDC_SCOPES", value_name = "A B")]
    oidc_scopes: Option<String>,
    /// The provider's name on the button [default: single sign-on]
    #[arg(long, env = "CTXMEM_OIDC_NAME", value_name = "NAME")]
    oidc_name: Option<String>,
}

impl OidcArgs {
    pub(super) fn config(self) -> Result<Option<OidcConfig>, CliError> {
        let Some(issuer) = self.oidc_issuer else {
            return match self.first_of_the_rest() {
                None => Ok(None),
                Some(flag) => Err(CliError::Usage(format!(
                    "{flag}: needs --oidc-issuer as well"
                ))),
            };
        };
        let client_id = self.oidc_client_id.ok_or_else(|| {
            CliError::Usage("--oidc-client-id: needed by --oidc-issuer".to_owned())
        })?;
        let mut config = OidcConfig::new(issuer, client_id);
        config.client_secret = self.oidc_client_secret;
        if let Some(claim) = self.oidc_user_claim {
            config.user_claim = claim;
        }
        if let Some(scopes) = self.oidc_scopes {
            config.scopes = scopes.split_whitespace().map(ToOwned::to_owned).collect();
        }
        if let Some(name) = self.oidc_name {
            config.name = name;
        }
        Ok(Some(config))
    }

    /// The first flag that means nothing without an issuer.
    fn first_of_the_rest(&self) -> Option<&'static str> {
        [
            (self.oidc_client_id.is_some(), "--oidc-client-id"),
            (self.oidc_client_secret.is_some(), "--oidc-client-secret"),
            (self.oidc_user_claim.is_some(), "--oidc-user-claim"),
            (self.oidc_scopes.is_some(), "--oidc-scopes"),
            (self.oidc_name.is_some(), "--oidc-name"),
        ]
        .into_iter()
        .find_map(|(given, flag)| given.then_some(flag))
    }
}
