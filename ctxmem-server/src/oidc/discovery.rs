//! Discovery: what the provider publishes about itself, and its keys.

use chrono::{DateTime, Utc};
use jsonwebtoken::jwk::Jwk;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::OidcError;
use super::transport::{Transport, is_safe};

pub(super) const MALFORMED: OidcError = OidcError::Malformed("the provider's metadata");

/// The provider's metadata and keys.
#[derive(Clone)]
pub struct Discovery {
    /// Where browsers go to sign in.
    pub(super) authorization_endpoint: Url,
    /// Where codes are exchanged.
    pub(super) token_endpoint: Option<String>,
    /// Whether the provider accepts the client secret only in the body of requests.
    pub(super) secret_in_body: bool,
    pub(super) keys: Vec<Jwk>,
    jwks_uri: String,
    pub(super) at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: Option<String>,
    jwks_uri: String,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl Discovery {
    pub(super) async fn fetch(
        transport: &Transport,
        issuer: &str,
        now: DateTime<Utc>,
    ) -> Result<Self, OidcError> {
        let base = issuer.strip_suffix('/').unwrap_or(issuer);
        let address = format!("{base}/.well-known/openid-configuration");
        let metadata: Metadata = document(transport, &address).await?;
        if metadata.issuer != issuer {
            return Err(OidcError::OtherIssuer);
        }
        let authorization_endpoint =
            Url::parse(&metadata.authorization_endpoint).map_err(|_| MALFORMED)?;
        if !is_safe(&authorization_endpoint) {
            return Err(OidcError::Insecure);
        }
        let methods = metadata.token_endpoint_auth_methods_supported;
        let secret_in_body = methods.is_some_and(|methods| {
            let supports = |method: &str| methods.iter().any(|found| found == method);
            supports("client_secret_post") && !supports("client_secret_basic")
        });
        Ok(Self {
            authorization_endpoint,
            token_endpoint: metadata.token_endpoint,
            secret_in_body,
            keys: keys(transport, &metadata.jwks_uri).await?,
            jwks_uri: metadata.jwks_uri,
            at: now,
        })
    }

    /// The same metadata with the provider's current keys.
    pub(super) async fn with_new_keys(&self, transport: &Transport) -> Result<Self, OidcError> {
        Ok(Self {
            keys: keys(transport, &self.jwks_uri).await?,
            ..self.clone()
        })
    }
}

/// The keys at this address, without those of unknown kinds: tokens may be signed by the others.
async fn keys(transport: &Transport, address: &str) -> Result<Vec<Jwk>, OidcError> {
    let found: KeySet = document(transport, address).await?;
    let keys = found.keys.into_iter().map(serde_json::from_value);
    Ok(keys.filter_map(Result::ok).collect())
}

async fn document<T: DeserializeOwned>(
    transport: &Transport,
    address: &str,
) -> Result<T, OidcError> {
    let answer = transport.get(address).await?;
    if answer.status.is_client_error() {
        return Err(OidcError::Status(answer.status.as_u16()));
    }
    answer.json().ok_or(MALFORMED)
}
