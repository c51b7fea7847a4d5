//! A request in the hands of a handler: who calls, and what they sent.

use std::sync::Arc;

use bytes::Bytes;
use ctxmem_types::{JsonError, UserId, json, path};
use http::{Method, StatusCode, header};
use serde::de::DeserializeOwned;

use super::Api;
use super::body::{self, BodyStream};
use super::error::HttpError;
use super::exchange::Exchange;
use crate::core::{Core, Error, IdempotencyKey, Key};
use crate::store::Developer;

/// One call of an endpoint. Its methods are called in the order of judgement: who calls,
/// then what they sent.
pub(super) struct Call {
    pub(super) api: Arc<Api>,
    pub(super) exchange: Arc<Exchange>,
    /// The raw last segment of the path, where the route has a parameter.
    pub(super) param: Option<String>,
    pub(super) body: BodyStream,
}

impl Call {
    pub(super) fn core(&self) -> &Arc<Core> {
        &self.api.core
    }

    /// The caller's API key, accepted and within its rate limit.
    pub(super) async fn key(&self) -> Result<Key, HttpError> {
        let shown = self.exchange.bearer().ok_or(Error::InvalidKey)?;
        let key = self.core().authenticate(shown).await?;
        self.admit(&key)?;
        Ok(key)
    }

    /// Takes one of the key's requests.
    fn admit(&self, key: &Key) -> Result<(), HttpError> {
        // Each is set once a request, so a second value can't occur.
        let _ = self.exchange.agent_id.set(Arc::clone(&key.agent_id));
        if let Some(limiter) = &self.api.limiter {
            let state = limiter.take(&key.id);
            let _ = self.exchange.rate.set(state);
            if !state.admitted {
                return Err(HttpError::RateLimited);
            }
        }
        Ok(())
    }

    /// The caller's API key and what they sent, for what `core` answers only after it has
    /// looked whether the key is good: a key that was good a moment ago is taken for good
    /// until then. Whoever is refused before that is looked at first.
    pub(super) async fn presumed<T, F>(
        self,
        read: impl FnOnce(Self) -> F,
    ) -> Result<(Key, T), HttpError>
    where
        F: Future<Output = Result<T, HttpError>>,
    {
        let shown = self.exchange.bearer().ok_or(Error::InvalidKey)?;
        let Some(key) = self.core().presume(shown) else {
            let key = self.key().await?;
            return Ok((key, read(self).await?));
        };
        let (api, exchange) = (Arc::clone(&self.api), Arc::clone(&self.exchange));
        let sent = match self.admit(&key) {
            Ok(()) => read(self).await,
            Err(refused) => Err(refused),
        };
        match sent {
            Ok(sent) => Ok((key, sent)),
            Err(refused) => {
                let shown = exchange.bearer().ok_or(Error::InvalidKey)?;
                api.core.authenticate(shown).await?;
                Err(refused)
            }
        }
    }

    /// Whoever knows the sign-in secret speaks for the operator.
    pub(super) fn operator(&self) -> Result<(), HttpError> {
        let secret = self.api.sign_in_secret.as_ref();
        let shown = self.exchange.bearer();
        match (secret, shown) {
            (Some(secret), Some(shown)) if secret.is(shown) => Ok(()),
            _ => Err(HttpError::InvalidSecret),
        }
    }

    /// The session cookie, good or not.
    pub(super) fn session_cookie(&self) -> Option<&str> {
        self.exchange.cookie(self.api.site.cookie_name())
    }

    /// The user who is signed in.
    pub(super) async fn user(&self) -> Result<UserId, HttpError> {
        let session = self.session_cookie().ok_or(Error::NotSignedIn)?;
        self.same_site()?;
        Ok(self.core().signed_in(session).await?)
    }

    /// The session cookie of a developer, good or not.
    pub(super) fn developer_cookie(&self) -> Option<&str> {
        self.exchange.cookie(self.api.site.developer_cookie_name())
    }

    /// The developer who is signed in.
    pub(super) async fn developer(&self) -> Result<Developer, HttpError> {
        let session = self.developer_cookie().ok_or(Error::NotSignedIn)?;
        self.same_site()?;
        Ok(self.core().signed_in_developer(session).await?)
    }

    /// Refuses what another site makes a browser send.
    pub(super) fn same_site(&self) -> Result<(), HttpError> {
        let safe = self.exchange.method == Method::GET;
        if safe || self.api.site.is_own(&self.exchange) {
            Ok(())
        } else {
            Err(HttpError::Refused(
                StatusCode::FORBIDDEN,
                "This request comes from another site.",
            ))
        }
    }

    /// The user id in the path.
    pub(super) fn user_id(&self) -> Result<UserId, HttpError> {
        let segment = self.param.as_deref().unwrap_or_default();
        path::decode_user_id(segment)
            .map_err(|error| Error::BadRequest(format!("userId: {error}")).into())
    }

    /// By what the caller calls this request, so as to be able to send it again.
    pub(super) fn idempotency_key(&self) -> Result<Option<IdempotencyKey>, HttpError> {
        let mut found = self.exchange.headers.get_all("idempotency-key").iter();
        let Some(first) = found.next() else {
            return Ok(None);
        };
        match (IdempotencyKey::new(first.as_bytes()), found.next()) {
            (Some(key), None) => Ok(Some(key)),
            _ => Err(HttpError::Refused(
                StatusCode::BAD_REQUEST,
                "Idempotency-Key: expected 1 to 255 visible ASCII characters, once.",
            )),
        }
    }

    /// The JSON body.
    pub(super) async fn json<T: DeserializeOwned>(self) -> Result<T, HttpError> {
        let bytes = self
            .bytes(
                "application/json",
                "Content-Type: expected application/json.",
            )
            .await?;
        json::from_slice(&bytes)
            .map_err(|error: JsonError| Error::BadRequest(error.to_string()).into())
    }

    /// The fields of a form, in the order in which they came.
    pub(super) async fn form(self) -> Result<Vec<(String, String)>, HttpError> {
        let bytes = self
            .bytes(
                "application/x-www-form-urlencoded",
                "Content-Type: expected application/x-www-form-urlencoded.",
            )
            .await?;
        Ok(form_urlencoded::parse(&bytes).into_owned().collect())
    }

    async fn bytes(self, content_type: &str, expected: &'static str) -> Result<Bytes, HttpError> {
        let found = self
            .exchange
            .header(&header::CONTENT_TYPE)
            .unwrap_or_default();
        let essence = found.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(content_type) {
            return Err(HttpError::Refused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                expected,
            ));
        }
        let limits = self.api.limits;
        // A client that waits to be asked for its body need not send it to be refused.
        let announced = self.exchange.header(&header::CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limits.body_bytes) {
            return Err(body::TOO_LARGE);
        }
        body::read(self.body, limits.body_bytes, limits.body_time).await
    }
}
