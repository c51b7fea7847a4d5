//! The context of a handler: one request to one endpoint, with its caller and what they sent.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use ctxmem_types::{JsonError, UserId, path};
use http::{Method, StatusCode, header};
use serde::de::DeserializeOwned;
use warp::reply::Response;

use super::body_budget::BodyPermit;
use super::cookie::Cookie;
use super::error::HttpError;
use super::known_fields::{self, Body};
use super::rate_limit::Bucket;
use super::request_context::RequestContext;
use super::state::ServerState;
use super::{body, cookie, form, form_mark, lone_surrogates, reply};
use crate::core::{Caller, Core, Developer, Error, IdempotencyKey, Key, SignInOrigin};

/// The largest form that is read before it is known who sends it, in bytes. Anybody can hold many
/// of them half sent, each in memory.
const MAX_STRANGERS_FORM: usize = 16 << 10;
/// The largest form of somebody who is signed in, in bytes.
const MAX_FORM: usize = 64 << 10;

pub(crate) type HandlerResult = Result<Response, HttpError>;

/// One request to one endpoint. Handlers call the methods in the order in which a request is
/// judged: first who calls, then what they sent.
#[derive(Clone)]
pub(crate) struct HandlerContext {
    pub(crate) state: Arc<ServerState>,
    pub(crate) request: Arc<RequestContext>,
    /// The segments of the path that stand where the route has parameters, still encoded.
    pub(crate) params: Vec<String>,
}

impl HandlerContext {
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.state.core
    }

    /// The caller's API key, once it is authenticated and within its rate limit.
    pub(crate) async fn key(&self) -> Result<Key, HttpError> {
        let key = self.key_uncounted().await?;
        self.check_rate_limit(&key, Bucket::Others)?;
        Ok(key)
    }

    /// The caller's API key, once it is authenticated. Whoever calls this counts the request.
    pub(crate) async fn key_uncounted(&self) -> Result<Key, HttpError> {
        if let Some(key) = self.request.key.get() {
            return Ok(key.clone());
        }
        let shown = self.request.bearer().ok_or(Error::InvalidKey)?;
        Ok(self.core().grants.authenticate(shown).await?)
    }

    /// Like [`key`](Self::key), for a request that erases: it has a stricter limit as well.
    pub(crate) async fn key_to_erase(&self) -> Result<Key, HttpError> {
        let key = self.key_uncounted().await?;
        if let Some(limiter) = self.state.erasure_limiter.get() {
            let state = limiter.take(key.limited_as(), Bucket::Others);
            if !state.admitted {
                let _ = self.request.agent_id.set(Arc::clone(&key.agent_id));
                let _ = self.request.rate.set(state);
                return Err(HttpError::RateLimited(state.wait));
            }
        }
        self.check_rate_limit(&key, Bucket::Others)?;
        Ok(key)
    }

    /// Counts a request against the key's rate limit.
    pub(crate) fn check_rate_limit(&self, key: &Key, bucket: Bucket) -> Result<(), HttpError> {
        // Both are set once per request, so there is never a second value.
        let _ = self.request.agent_id.set(Arc::clone(&key.agent_id));
        if let Some(limiter) = self.state.limiter.get() {
            let state = limiter.take(key.limited_as(), bucket);
            let _ = self.request.rate.set(state);
            if !state.admitted {
                return Err(HttpError::RateLimited(state.wait));
            }
        }
        Ok(())
    }

    /// The caller's API key and what they sent, with optimistic (cached) authentication: a key
    /// that was valid a moment ago is accepted for now, because `core` reads the key again,
    /// together with everything else, before it answers. This saves the hot routes a statement
    /// of their own. If the request is refused before it reaches `core`, the key is
    /// authenticated first, so that nobody learns more than with a fresh check.
    pub(crate) async fn with_cached_key<T>(
        &self,
        bucket: Bucket,
        read: impl AsyncFnOnce(&Self) -> Result<T, HttpError>,
    ) -> Result<(Key, T), HttpError> {
        let known = if let Some(key) = self.request.key.get() {
            Some(key.clone())
        } else {
            let shown = self.request.bearer().ok_or(Error::InvalidKey)?;
            self.core().grants.cached_key(shown)
        };
        let Some(key) = known else {
            let key = self.key_uncounted().await?;
            self.check_rate_limit(&key, bucket)?;
            return Ok((key, read(self).await?));
        };
        let sent = match self.check_rate_limit(&key, bucket) {
            Ok(()) => read(self).await,
            Err(refused) => Err(refused),
        };
        if sent.is_err() {
            self.key_uncounted().await?;
        }
        Ok((key, sent?))
    }

    /// Refuses callers that don't know the sign-in secret, which only the operator has.
    pub(crate) fn operator(&self) -> Result<(), HttpError> {
        let secret = self.state.sign_in_secret.as_ref();
        let shown = self.request.bearer();
        match (secret, shown) {
            (Some(secret), Some(shown)) if secret.matches(shown) => Ok(()),
            _ => Err(HttpError::InvalidSecret),
        }
    }

    /// The address of the client, also behind a proxy that is trusted.
    pub(crate) fn client(&self) -> IpAddr {
        let request = &self.request;
        self.state
            .trusted_proxies
            .client(request.peer, &request.headers)
    }

    /// A cookie of ours, valid or not.
    pub(crate) fn cookie(&self, cookie: &Cookie) -> Option<&str> {
        let name = cookie.name(self.state.site.is_https());
        self.request.cookie(&name)
    }

    /// The answer with a cookie.
    pub(crate) fn with_cookie(
        &self,
        mut response: Response,
        cookie: &Cookie,
        value: &str,
    ) -> Response {
        self.state.site.set_cookie(&mut response, cookie, value);
        response
    }

    /// The answer, after which a browser no longer has the cookie.
    pub(crate) fn without_cookie(&self, mut response: Response, cookie: &Cookie) -> Response {
        self.state.site.remove_cookie(&mut response, cookie);
        response
    }

    /// From where somebody signs in with this address: a device that is known, or a network.
    pub(crate) fn sign_in_origin(&self, email: &str) -> SignInOrigin {
        let device = self.cookie(&cookie::DEVICE);
        let sign_in = &self.core().sign_in;
        sign_in.sign_in_origin(email, device, self.client())
    }

    /// The session of the user, valid or not; empty without one.
    pub(crate) fn session(&self) -> &str {
        self.cookie(&cookie::SESSION).unwrap_or_default()
    }

    /// The user who is signed in.
    pub(crate) async fn user(&self) -> Result<UserId, HttpError> {
        let session = self.cookie(&cookie::SESSION).ok_or(Error::NotSignedIn)?;
        self.same_site()?;
        let user_id = self.core().sign_in.signed_in(session).await?;
        // Set once, because a request has one session that counts.
        let _ = self
            .request
            .form_mark
            .set(self.core().sign_in.user_form_mark(&user_id));
        Ok(user_id)
    }

    /// The developer who is signed in.
    pub(crate) async fn developer(&self) -> Result<Developer, HttpError> {
        let session = self.cookie(&cookie::DEVELOPER);
        let session = session.ok_or(Error::NotSignedIn)?;
        self.same_site()?;
        let developer = self.core().console.signed_in_developer(session).await?;
        let mark = self.core().sign_in.mark_of_developer(&developer.member);
        let _ = self.request.form_mark.set(mark);
        Ok(developer)
    }

    /// The user who is signed in; `None` where nobody is.
    pub(crate) async fn user_or_nobody(&self) -> Result<Option<UserId>, HttpError> {
        or_nobody(self.user().await)
    }

    /// The developer who is signed in; `None` where nobody is.
    pub(crate) async fn developer_or_nobody(&self) -> Result<Option<Developer>, HttpError> {
        or_nobody(self.developer().await)
    }

    /// Whether a user calls, by their session, where an agent may as well. If there is an
    /// `Authorization` header, it alone counts; without any credential the answer is the one that
    /// agents get.
    pub(crate) fn is_by_session(&self) -> bool {
        let has_key = self.request.headers.contains_key(header::AUTHORIZATION);
        !has_key && self.cookie(&cookie::SESSION).is_some()
    }

    /// The user who is signed in, or the agent by its key.
    pub(crate) async fn caller(&self) -> Result<Caller, HttpError> {
        if self.is_by_session() {
            Ok(Caller::User(self.user().await?))
        } else {
            Ok(Caller::Key(self.key().await?))
        }
    }

    /// Refuses requests that another site makes a browser send.
    pub(crate) fn same_site(&self) -> Result<(), HttpError> {
        let safe = self.request.method == Method::GET;
        if safe || self.state.site.is_same_site(&self.request) {
            Ok(())
        } else {
            Err(HttpError::Refused(
                StatusCode::FORBIDDEN,
                "This request comes from another site.",
            ))
        }
    }

    /// The last segment of the path that stands where the route has a parameter, still encoded.
    pub(crate) fn param(&self) -> String {
        self.params.last().cloned().unwrap_or_default()
    }

    /// The user id in the path: the first parameter.
    pub(crate) fn user_id(&self) -> Result<UserId, HttpError> {
        let segment = self.params.first().map(String::as_str).unwrap_or_default();
        path::decode_user_id(segment)
            .map_err(|error| Error::BadRequest(format!("userId: {error}")).into())
    }

    /// The caller's `Idempotency-Key`, under which the same request may be sent again.
    pub(crate) fn idempotency_key(&self) -> Result<Option<IdempotencyKey>, HttpError> {
        let mut found = self.request.headers.get_all("idempotency-key").iter();
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

    /// The JSON body, without the fields that are not known.
    pub(crate) async fn json<T: Body>(&self) -> Result<T, HttpError> {
        let limit = self.state.limits.max_body_bytes;
        let bytes = self.json_text_within(limit).await?;
        lone_surrogates::check_user_id(&bytes)?;
        known_fields::read(&bytes)
            .map_err(|error: JsonError| Error::BadRequest(error.to_string()).into())
    }

    /// The JSON body, of at most so many bytes.
    pub(crate) async fn json_text_within(&self, limit: usize) -> Result<Bytes, HttpError> {
        let limit = limit.min(self.state.limits.max_body_bytes);
        let expected = "Content-Type: expected application/json.";
        let bytes = self.bytes("application/json", expected, limit).await?;
        Ok(lone_surrogates::replaced(bytes))
    }

    pub(crate) fn query<T: DeserializeOwned>(&self) -> Result<T, Error> {
        form::parse(self.request.query().as_bytes())
    }

    /// The fields of the form in the body, of somebody who is signed in. It is refused unless it was
    /// made for them: see `core::form_mark`.
    pub(crate) async fn form<T: DeserializeOwned>(&self) -> Result<T, HttpError> {
        Ok(form::parse(&self.own_form().await?)?)
    }

    /// The one field of such a form.
    pub(crate) async fn field(&self, name: &str) -> Result<String, HttpError> {
        Ok(form::field(&self.own_form().await?, name)?)
    }

    async fn own_form(&self) -> Result<Bytes, HttpError> {
        let mark = self.request.form_mark.get().ok_or(Error::NotSignedIn)?;
        let bytes = self.form_within(MAX_FORM).await?;
        // A request has one body.
        let _ = self.request.form.set(bytes.clone());
        form_mark::check(&bytes, mark)?;
        Ok(bytes)
    }

    /// The fields of the form in the body, while nobody knows who sends it.
    pub(crate) async fn strangers_form<T: DeserializeOwned>(&self) -> Result<T, HttpError> {
        Ok(form::parse(&self.form_within(MAX_STRANGERS_FORM).await?)?)
    }

    /// The form that a handler refused unread, because nobody is signed in.
    pub(crate) async fn unread_form(&self) -> Result<Bytes, HttpError> {
        self.form_within(MAX_STRANGERS_FORM).await
    }

    async fn form_within(&self, limit: usize) -> Result<Bytes, HttpError> {
        let limit = limit.min(self.state.limits.max_body_bytes);
        self.bytes(
            "application/x-www-form-urlencoded",
            "Content-Type: expected application/x-www-form-urlencoded.",
            limit,
        )
        .await
    }

    /// A page that was found.
    pub(crate) fn page(&self, page: &impl askama::Template) -> HandlerResult {
        self.page_of(StatusCode::OK, page)
    }

    #[expect(clippy::unnecessary_wraps, reason = "handlers end with it")]
    pub(crate) fn page_of(
        &self,
        status: StatusCode,
        page: &impl askama::Template,
    ) -> HandlerResult {
        Ok(reply::page(&self.request, status, page))
    }

    /// Takes the memory for a request of this process, which has no body.
    pub(crate) fn hold(&self, bytes: usize) -> Result<(), HttpError> {
        let mut permit = self.permit();
        permit.grow(bytes)?;
        self.request.hold(permit);
        Ok(())
    }

    fn permit(&self) -> BodyPermit {
        let agent_id = self.request.agent_id.get();
        self.state.body_budget.permit(agent_id.cloned())
    }

    async fn bytes(
        &self,
        content_type: &str,
        expected: &'static str,
        limit: usize,
    ) -> Result<Bytes, HttpError> {
        let found = self
            .request
            .header(&header::CONTENT_TYPE)
            .unwrap_or_default();
        let essence = found.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(content_type) {
            return Err(HttpError::Refused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                expected,
            ));
        }
        // A client that waits for `100 Continue` is refused before it sends the body.
        let announced = self.request.header(&header::CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.parse::<usize>().ok());
        let mut permit = self.permit();
        let Some(body) = self.request.take_body() else {
            return Ok(Bytes::new());
        };
        let bytes = body::read(
            body,
            limit,
            self.state.limits.body_timeout,
            announced,
            &mut permit,
        )
        .await?;
        // A request has one body.
        self.request.hold(permit);
        Ok(bytes)
    }
}

fn or_nobody<T>(found: Result<T, HttpError>) -> Result<Option<T>, HttpError> {
    match found {
        Err(HttpError::Core(Error::NotSignedIn)) => Ok(None),
        found => found.map(Some),
    }
}
