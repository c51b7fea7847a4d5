//! The provider: the address to send browsers to, and the exchange of codes.

use std::iter;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Duration, Utc};
use form_urlencoded::{Serializer, byte_serialize};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;

use super::discovery;
use super::token::{self, Expected};
use super::transport::{Transport, is_safe};
use super::{Discovery, Identity, OidcConfig, OidcError};

const CACHE_HOURS: i64 = 1;

/// A provider at which people can sign in.
pub struct Provider {
    config: OidcConfig,
    /// Where the provider sends browsers back to.
    callback: String,
    transport: Transport,
    /// Locked during discovery, so that of many concurrent sign-ins only one fetches it.
    discovery: Mutex<Option<Arc<Discovery>>>,
}

/// The secrets of a sign-in in progress, which only this server knows.
pub struct SignInSecrets<'a> {
    /// The nonce that the ID token must contain.
    pub nonce: &'a SecretString,
    /// The PKCE verifier, sent with the code.
    pub verifier: &'a SecretString,
}

/// What the provider gives for a code.
#[derive(Deserialize)]
struct Tokens {
    id_token: Option<String>,
}

/// Why the provider gives nothing for a code.
#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl Provider {
    /// Prepares the client without calling the provider, which sends browsers back to
    /// `callback`.
    pub fn new(config: OidcConfig, callback: String) -> Result<Self, OidcError> {
        if !Url::parse(&config.issuer).is_ok_and(|issuer| is_safe(&issuer)) {
            return Err(OidcError::Config(
                "--oidc-issuer: expected an https:// address (http:// on this machine only)",
            ));
        }
        if Url::parse(&callback).is_err() {
            return Err(OidcError::Config(
                "--public-url: the provider can't return to this address",
            ));
        }
        Ok(Self {
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
        let verifier = sign_in.verifier.expose_secret();
        let scopes = self.config.scopes.iter().map(String::as_str);
        let scopes = iter::once("openid").chain(scopes.filter(|scope| *scope != "openid"));
        let mut url = discovery.authorization_endpoint.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.config.client_id)
            .append_pair("state", state.expose_secret())
            .append_pair(
                "code_challenge",
                &URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)),
            )
            .append_pair("code_challenge_method", "S256")
            .append_pair("redirect_uri", &self.callback)
            .append_pair("scope", &scopes.collect::<Vec<_>>().join(" "))
            .append_pair("nonce", sign_in.nonce.expose_secret());
        url
    }

    /// The identity of whoever came back with this code.
    pub async fn identity(
        &self,
        code: &str,
        sign_in: &SignInSecrets<'_>,
        now: DateTime<Utc>,
    ) -> Result<Identity, OidcError> {
        self.with_timeout(async {
            let discovery = self.discover(now).await?;
            let token = self.exchange(&discovery, code, sign_in).await?;
            let expected = Expected {
                issuer: &self.config.issuer,
                client_id: &self.config.client_id,
                nonce: sign_in.nonce.expose_secret(),
            };
            match token::verify(&token, &discovery.keys, &expected, now) {
                // The provider may have a new key, so fetch its keys once more.
                Err(token::UNVERIFIED) => {
                    let again = self.with_new_keys(&discovery).await?;
                    token::verify(&token, &again.keys, &expected, now)
                }
                other => other,
            }
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
        let discovery = Discovery::fetch(&self.transport, &self.config.issuer, now).await?;
        let discovery = Arc::new(discovery);
        *kept = Some(Arc::clone(&discovery));
        Ok(discovery)
    }

    async fn with_new_keys(&self, old: &Discovery) -> Result<Arc<Discovery>, OidcError> {
        let discovery = Arc::new(old.with_new_keys(&self.transport).await?);
        *self.discovery.lock().await = Some(Arc::clone(&discovery));
        Ok(discovery)
    }

    /// The ID token that the provider gives for this code.
    async fn exchange(
        &self,
        discovery: &Discovery,
        code: &str,
        sign_in: &SignInSecrets<'_>,
    ) -> Result<String, OidcError> {
        const MALFORMED: OidcError = OidcError::Malformed("the provider's answer to the code");
        let endpoint = discovery.token_endpoint.as_deref();
        let endpoint = endpoint.ok_or(discovery::MALFORMED)?;
        let (form, credentials) = self.token_request(code, sign_in, discovery.secret_in_body);
        let answer = self.transport.post(endpoint, form, credentials).await?;
        if answer.status.is_success() {
            let tokens: Tokens = answer.json().ok_or(MALFORMED)?;
            return tokens.id_token.ok_or(OidcError::Token("there is none"));
        }
        let refusal: Refusal = answer.json().ok_or(MALFORMED)?;
        Err(match &*refusal.error {
            "invalid_grant" => OidcError::Code,
            _ => OidcError::Client,
        })
    }

    /// The form that exchanges a code, and what goes into the header. A public client has no
    /// secret and only says its id.
    fn token_request(
        &self,
        code: &str,
        sign_in: &SignInSecrets<'_>,
        secret_in_body: bool,
    ) -> (String, Option<[String; 2]>) {
        let id = &*self.config.client_id;
        let secret = self.config.client_secret.as_ref();
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("code_verifier", sign_in.verifier.expose_secret())
            .append_pair("redirect_uri", &self.callback);
        match secret.map(SecretString::expose_secret) {
            Some(secret) if !secret_in_body => {
                // OAuth has both encoded before they are joined (RFC 6749, section 2.3.1).
                let credentials =
                    [id, secret].map(|text| byte_serialize(text.as_bytes()).collect());
                return (form.finish(), Some(credentials));
            }
            Some(secret) => {
                form.append_pair("client_secret", secret);
            }
            None => {}
        }
        form.append_pair("client_id", id);
        (form.finish(), None)
    }
}
