//! The provider: what it says of itself, where browsers are sent, and what a code is worth.

use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod,
    CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey, CoreJsonWebKeySet,
    CoreJweContentEncryptionAlgorithm, CoreProviderMetadata, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AuthType, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken, DiscoveryError,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, IssuerUrl, JsonWebKeySet, Nonce,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope,
    StandardErrorResponse, StandardTokenResponse, TokenResponse as _,
};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;

use super::identity::OtherClaims;
use super::token::{self, Token, TokenFields};
use super::transport::{Transport, is_safe};
use super::{Identity, OidcConfig, OidcError};

/// How long what the provider says of itself is kept.
const KEPT_HOURS: i64 = 1;

type OidcClient = Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<TokenFields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// A provider at which people can sign in.
pub struct Provider {
    config: OidcConfig,
    issuer: IssuerUrl,
    /// Where the provider sends browsers back to.
    callback: RedirectUrl,
    transport: Transport,
    /// Held while it is fetched: of many who sign in at once, one asks.
    discovered: Mutex<Option<Arc<Discovered>>>,
}

/// What the provider says of itself.
pub struct Discovered {
    metadata: CoreProviderMetadata,
    at: DateTime<Utc>,
}

/// What this server knows of a sign-in under way, and nobody else.
pub struct SignIn<'a> {
    /// Stands in the ID token.
    pub nonce: &'a SecretString,
    /// Shown with the code.
    pub verifier: &'a SecretString,
}

impl Provider {
    /// Prepares the client; nothing is called yet. The provider sends browsers back to the
    /// `callback`.
    pub fn new(config: OidcConfig, callback: String) -> Result<Self, OidcError> {
        const ISSUER: OidcError = OidcError::Config(
            "--oidc-issuer: expected an https:// address (http:// on this machine only)",
        );
        let issuer = IssuerUrl::new(config.issuer.clone()).map_err(|_| ISSUER)?;
        if !is_safe(issuer.url()) {
            return Err(ISSUER);
        }
        let callback = RedirectUrl::new(callback)
            .map_err(|_| OidcError::Config("--public-url: it can't be an address to return to"))?;
        Ok(Self {
            issuer,
            callback,
            transport: Transport::new(config.timeout)?,
            config,
            discovered: Mutex::default(),
        })
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The claim that is the user id.
    pub fn user_claim(&self) -> &str {
        &self.config.user_claim
    }

    /// What the provider says of itself, now or within the last hour.
    pub async fn discovered(&self, now: DateTime<Utc>) -> Result<Arc<Discovered>, OidcError> {
        self.in_time(self.discover(now)).await
    }

    /// Where a browser goes to sign in. The state comes back with it.
    pub fn sign_in_url(
        &self,
        discovered: &Discovered,
        state: &SecretString,
        sign_in: &SignIn<'_>,
    ) -> Url {
        let (state, nonce) = (state.expose_secret().to_owned(), sign_in.nonce());
        let client = self.client(discovered);
        let mut request = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                || CsrfToken::new(state),
                || nonce,
            )
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(
                &sign_in.verifier(),
            ));
        for scope in self.config.scopes.iter().filter(|scope| *scope != "openid") {
            request = request.add_scope(Scope::new(scope.clone()));
        }
        request.url().0
    }

    /// Who came back with this code.
    pub async fn identity(
        &self,
        code: &str,
        sign_in: &SignIn<'_>,
        now: DateTime<Utc>,
    ) -> Result<Identity, OidcError> {
        self.in_time(async {
            let discovered = self.discover(now).await?;
            let token = self.exchange(&discovered, code, sign_in).await?;
            let nonce = sign_in.nonce();
            let check = |keys: &CoreJsonWebKeySet| {
                let (client, issuer) = (self.client_id(), self.issuer.clone());
                token::verify(&token, client, issuer, keys, &nonce, now)
            };
            let claims = match check(discovered.metadata.jwks()) {
                // The provider may have a new key.
                Err(error) if token::is_about_keys(&error) => {
                    let again = self.with_new_keys(&discovered).await?;
                    check(again.metadata.jwks())
                }
                other => other,
            };
            let claims = claims.map_err(|error| OidcError::Token(token::problem(&error)))?;
            Identity::new(claims).ok_or(OidcError::Malformed("the ID token"))
        })
        .await
    }

    /// The client's timeout is for one request; there may be several, and a wait for others'.
    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, OidcError>>,
    ) -> Result<T, OidcError> {
        tokio::time::timeout(self.config.timeout, work)
            .await
            .unwrap_or(Err(OidcError::TimedOut))
    }

    async fn discover(&self, now: DateTime<Utc>) -> Result<Arc<Discovered>, OidcError> {
        let mut kept = self.discovered.lock().await;
        if let Some(kept) = &*kept
            && now - kept.at < Duration::hours(KEPT_HOURS)
        {
            return Ok(Arc::clone(kept));
        }
        let metadata = CoreProviderMetadata::discover_async(self.issuer.clone(), &self.transport)
            .await
            .map_err(|error| discovery_failed(&error))?;
        if !is_safe(metadata.authorization_endpoint().url()) {
            return Err(OidcError::Insecure);
        }
        let discovered = Arc::new(Discovered { metadata, at: now });
        *kept = Some(Arc::clone(&discovered));
        Ok(discovered)
    }

    /// The same with the keys that the provider has now.
    async fn with_new_keys(&self, old: &Discovered) -> Result<Arc<Discovered>, OidcError> {
        let keys: CoreJsonWebKeySet =
            JsonWebKeySet::fetch_async(old.metadata.jwks_uri(), &self.transport)
                .await
                .map_err(|error| discovery_failed(&error))?;
        let discovered = Arc::new(Discovered {
            metadata: old.metadata.clone().set_jwks(keys),
            at: old.at,
        });
        *self.discovered.lock().await = Some(Arc::clone(&discovered));
        Ok(discovered)
    }

    fn client(&self, discovered: &Discovered) -> OidcClient {
        let secret = self.config.client_secret.as_ref();
        let client = OidcClient::from_provider_metadata(
            discovered.metadata.clone(),
            self.client_id(),
            secret.map(|secret| ClientSecret::new(secret.expose_secret().to_owned())),
        );
        // In the header, unless the provider takes the secret in the body only.
        let methods = discovered.metadata.token_endpoint_auth_methods_supported();
        let in_body = methods.is_some_and(|methods| {
            methods.contains(&CoreClientAuthMethod::ClientSecretPost)
                && !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
        });
        client
            .set_auth_type(if in_body {
                AuthType::RequestBody
            } else {
                AuthType::BasicAuth
            })
            .set_redirect_uri(self.callback.clone())
    }

    fn client_id(&self) -> ClientId {
        ClientId::new(self.config.client_id.clone())
    }

    async fn exchange(
        &self,
        discovered: &Discovered,
        code: &str,
        sign_in: &SignIn<'_>,
    ) -> Result<Token, OidcError> {
        let client = self.client(discovered);
        let answer = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|_| OidcError::Malformed("what the provider says of itself"))?
            .set_pkce_verifier(sign_in.verifier())
            .request_async(&self.transport)
            .await
            .map_err(|error| match error {
                RequestTokenError::Request(error) => error,
                RequestTokenError::ServerResponse(refusal) => match refusal.error() {
                    CoreErrorResponseType::InvalidGrant => OidcError::Code,
                    _ => OidcError::Client,
                },
                _ => OidcError::Malformed("the provider's answer to the code"),
            })?;
        let token = answer.id_token().cloned();
        token.ok_or(OidcError::Token("there is none"))
    }
}

impl SignIn<'_> {
    fn nonce(&self) -> Nonce {
        Nonce::new(self.nonce.expose_secret().to_owned())
    }

    fn verifier(&self) -> PkceCodeVerifier {
        PkceCodeVerifier::new(self.verifier.expose_secret().to_owned())
    }
}

fn discovery_failed(error: &DiscoveryError<OidcError>) -> OidcError {
    match error {
        DiscoveryError::Request(error) => *error,
        DiscoveryError::Response(status, ..) if status.is_client_error() => {
            OidcError::Status(status.as_u16())
        }
        DiscoveryError::Validation(_) => OidcError::OtherIssuer,
        _ => OidcError::Malformed("what the provider says of itself"),
    }
}
