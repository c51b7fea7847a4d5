//! The provider: discovery, the address to send browsers to, and the exchange of codes.

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

/// How long the result of discovery is kept.
const CACHE_HOURS: i64 = 1;

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
    /// Locked during discovery, so that of many concurrent sign-ins only one fetches it.
    discovery: Mutex<Option<Arc<Discovery>>>,
}

/// The provider's metadata and keys.
pub struct Discovery {
    metadata: CoreProviderMetadata,
    at: DateTime<Utc>,
}

/// The secrets of a sign-in in progress, which only this server knows.
pub struct SignInSecrets<'a> {
    /// The nonce that the ID token must contain.
    pub nonce: &'a SecretString,
    /// The PKCE verifier, sent with the code.
    pub verifier: &'a SecretString,
}

impl Provider {
    /// Prepares the client without calling the provider, which sends browsers back to
    /// `callback`.
    ///
    /// # Errors
    ///
    /// When the issuer or the callback is not a usable address.
    pub fn new(config: OidcConfig, callback: String) -> Result<Self, OidcError> {
        const ISSUER: OidcError = OidcError::Config(
            "--oidc-issuer: expected an https:// address (http:// on this machine only)",
        );
        let issuer = IssuerUrl::new(config.issuer.clone()).map_err(|_| ISSUER)?;
        if !is_safe(issuer.url()) {
            return Err(ISSUER);
        }
        let callback = RedirectUrl::new(callback).map_err(|_| {
            OidcError::Config("--public-url: the provider can't return to this address")
        })?;
        Ok(Self {
            issuer,
            callback,
            transport: Transport::new(config.timeout)?,
            config,
            discovery: Mutex::default(),
        })
    }

    /// The provider's name, for people.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The claim that holds the user id.
    pub fn user_claim(&self) -> &str {
        &self.config.user_claim
    }

    /// The provider's metadata and keys, at most an hour old.
    ///
    /// # Errors
    ///
    /// When discovery fails or takes too long.
    pub async fn discovery(&self, now: DateTime<Utc>) -> Result<Arc<Discovery>, OidcError> {
        self.with_timeout(self.discover(now)).await
    }

    /// The address to which a browser goes to sign in. It comes back with `state`.
    pub fn sign_in_url(
        &self,
        discovery: &Discovery,
        state: &SecretString,
        sign_in: &SignInSecrets<'_>,
    ) -> Url {
        let (state, nonce) = (state.expose_secret().to_owned(), sign_in.nonce());
        let client = self.client(discovery);
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

    /// The identity of whoever came back with this code.
    ///
    /// # Errors
    ///
    /// When the provider refuses the code, fails or takes too long, or its ID token is not valid.
    pub async fn identity(
        &self,
        code: &str,
        sign_in: &SignInSecrets<'_>,
        now: DateTime<Utc>,
    ) -> Result<Identity, OidcError> {
        self.with_timeout(async {
            let discovery = self.discover(now).await?;
            let token = self.exchange(&discovery, code, sign_in).await?;
            let nonce = sign_in.nonce();
            let check = |keys: &CoreJsonWebKeySet| {
                let (client, issuer) = (self.client_id(), self.issuer.clone());
                token::verify(&token, client, issuer, keys, &nonce, now)
            };
            let claims = match check(discovery.metadata.jwks()) {
                // The provider may have a new key, so fetch its keys once more.
                Err(error) if token::is_about_keys(&error) => {
                    let again = self.with_new_keys(&discovery).await?;
                    check(again.metadata.jwks())
                }
                other => other,
            };
            let claims = claims.map_err(|error| OidcError::Token(token::problem(&error)))?;
            Identity::new(claims).ok_or(OidcError::Malformed("the ID token"))
        })
        .await
    }

    /// Limits the total time. The client's own timeout is per request, and there may be several,
    /// plus a wait for the lock.
    async fn with_timeout<T>(
        &self,
        work: impl Future<Output = Result<T, OidcError>>,
    ) -> Result<T, OidcError> {
        tokio::time::timeout(self.config.timeout, work)
            .await
            .unwrap_or(Err(OidcError::TimedOut))
    }

    async fn discover(&self, now: DateTime<Utc>) -> Result<Arc<Discovery>, OidcError> {
        let mut kept = self.discovery.lock().await;
        if let Some(kept) = &*kept
            && now - kept.at < Duration::hours(CACHE_HOURS)
        {
            return Ok(Arc::clone(kept));
        }
        let metadata = CoreProviderMetadata::discover_async(self.issuer.clone(), &self.transport)
            .await
            .map_err(|error| discovery_failed(&error))?;
        if !is_safe(metadata.authorization_endpoint().url()) {
            return Err(OidcError::Insecure);
        }
        let discovery = Arc::new(Discovery { metadata, at: now });
        *kept = Some(Arc::clone(&discovery));
        Ok(discovery)
    }

    /// The same metadata with the provider's current keys.
    async fn with_new_keys(&self, old: &Discovery) -> Result<Arc<Discovery>, OidcError> {
        let keys: CoreJsonWebKeySet =
            JsonWebKeySet::fetch_async(old.metadata.jwks_uri(), &self.transport)
                .await
                .map_err(|error| discovery_failed(&error))?;
        let discovery = Arc::new(Discovery {
            metadata: old.metadata.clone().set_jwks(keys),
            at: old.at,
        });
        *self.discovery.lock().await = Some(Arc::clone(&discovery));
        Ok(discovery)
    }

    fn client(&self, discovery: &Discovery) -> OidcClient {
        let secret = self.config.client_secret.as_ref();
        let client = OidcClient::from_provider_metadata(
            discovery.metadata.clone(),
            self.client_id(),
            secret.map(|secret| ClientSecret::new(secret.expose_secret().to_owned())),
        );
        // In the header, unless the provider accepts the secret only in the body.
        let methods = discovery.metadata.token_endpoint_auth_methods_supported();
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
        discovery: &Discovery,
        code: &str,
        sign_in: &SignInSecrets<'_>,
    ) -> Result<Token, OidcError> {
        let client = self.client(discovery);
        let answer = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|_| OidcError::Malformed("the provider's metadata"))?
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

impl SignInSecrets<'_> {
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
        _ => OidcError::Malformed("the provider's metadata"),
    }
}
