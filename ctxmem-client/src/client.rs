//! The client, and the one place that sends requests and reads answers.
//!
//! What an answer means is decided in `error` (failures) and in the module of each noun;
//! whether a call is tried again, in `retry`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ctxmem_types::json;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use reqwest::{Method, Response, StatusCode};
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::budget::Budget;
use crate::builder::{self, BuildError, ClientBuilder};
use crate::error::{ApiError, DecodeError, DecodeProblem, Error, InvalidCall, TransportError};
use crate::pause::Pause;
use crate::retry::{self, RetryPolicy};
use crate::time::{self, Instant, SystemTime};

/// The most that is read of an answer.
const MAX_BODY: usize = 8 * 1024 * 1024;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A client of one deployment, for one agent.
///
/// Cloning is cheap, and clones share their connections: make one client and keep it.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) http: reqwest::Client,
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) cookie: Option<HeaderValue>,
    pub(crate) agent_id: Option<String>,
    pub(crate) times: Times,
    pub(crate) retry: RetryPolicy,
    pub(crate) user_agent: HeaderValue,
    pub(crate) shared: Arc<Shared>,
}

/// How long calls may take, all tries and waits included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) inject: Duration,
    pub(crate) update: Duration,
    pub(crate) other: Duration,
}

/// What all clones of a client know of how the service fares.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) budget: Budget,
    pub(crate) pause: Pause,
}

impl Client {
    pub(crate) fn new(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Settings to make a client from.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A client with the settings of the environment: `CTXMEM_BASE_URL`, `CTXMEM_API_KEY`
    /// and, where it is set, `CTXMEM_SESSION_COOKIE`. An error names the variable.
    ///
    /// [`ClientBuilder::from_env`] lets more be set.
    pub fn from_env() -> Result<Self, BuildError> {
        ClientBuilder::from_env()?.build()
    }

    /// The same client with the session of a signed-in user, given as the `name=value` of
    /// its cookie: one client serves many users. Connections are shared.
    ///
    /// With it, grants are made and revoked in the user's name instead of the agent's.
    pub fn with_session_cookie(
        &self,
        session_cookie: impl Into<SecretString>,
    ) -> Result<Self, BuildError> {
        let mut inner = Inner::clone(&self.inner);
        inner.cookie = Some(builder::cookie(&session_cookie.into())?);
        Ok(Self::new(inner))
    }

    pub(crate) fn agent_id(&self) -> Option<String> {
        self.inner.agent_id.clone()
    }

    pub(crate) fn pause(&self) -> &Pause {
        &self.inner.shared.pause
    }

    /// Sends a call until it is answered for good, and reads the answer, whatever its
    /// status.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, Error> {
        let times = &self.inner.times;
        let deadline = Instant::now()
            + match call.kind {
                Kind::Inject => times.inject,
                Kind::Update => times.update,
                Kind::Other | Kind::Once => times.other,
            };
        let mut tries = 0;
        loop {
            tries += 1;
            let left = deadline.saturating_duration_since(Instant::now());
            let outcome = self.send_once(&call, left, tries).await;
            let failure = match &outcome {
                Ok(answer) if answer.status.is_success() => {
                    self.inner.shared.budget.earn();
                    return outcome;
                }
                _ if call.kind == Kind::Once => return outcome,
                Ok(answer) => &answer.api_error().into(),
                Err(error) => error,
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = self.inner.retry.wait(failure, tries, left, retry::chance());
            match wait.filter(|_| self.inner.shared.budget.spend()) {
                None => return outcome,
                Some(wait) => {
                    tracing::debug!(route = call.route, tries, ?wait, "trying again");
                    time::sleep(wait).await;
                }
            }
        }
    }

    /// One try, within the time that the call has left.
    async fn send_once(&self, call: &Call, left: Duration, tries: u32) -> Result<Answer, Error> {
        let request = self.request(call, left)?;
        let span = tracing::debug_span!(
            "ctxmem",
            method = call.method.as_str(),
            route = call.route,
            attempt = tries,
            status = Empty,
            request_id = Empty,
        );
        async {
            let response = request.send().await.map_err(TransportError::new)?;
            let span = Span::current();
            span.record("status", response.status().as_u16());
            let answer = Answer::read(response).await?;
            if let Some(request_id) = answer.request_id() {
                span.record("request_id", request_id);
            }
            Ok(answer)
        }
        .instrument(span)
        .await
    }

    fn request(&self, call: &Call, left: Duration) -> Result<reqwest::RequestBuilder, Error> {
        let inner = &*self.inner;
        let mut request = inner
            .http
            .request(
                call.method.clone(),
                format!("{}{}", inner.base_url, call.path),
            )
            .timeout(left)
            .header(USER_AGENT, &inner.user_agent)
            .header(ACCEPT, "application/json");
        if let Some((name, value)) = inner.credential(call.auth)? {
            request = request
                .header(name, value)
                .header(CONTENT_TYPE, "application/json");
        }
        if let Some(key) = &call.idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        Ok(request)
    }
}

impl Inner {
    /// The one credential that a call carries: who acts is never ambiguous.
    fn credential(
        &self,
        auth: Auth,
    ) -> Result<Option<(reqwest::header::HeaderName, &HeaderValue)>, InvalidCall> {
        let key = self.authorization.as_ref().map(|key| (AUTHORIZATION, key));
        let session = self.cookie.as_ref().map(|cookie| (COOKIE, cookie));
        match auth {
            Auth::None => Ok(None),
            Auth::Key => key.ok_or(InvalidCall::MissingApiKey).map(Some),
            Auth::Session => session.ok_or(InvalidCall::MissingSessionCookie).map(Some),
            Auth::SessionOrKey => session.or(key).ok_or(InvalidCall::MissingApiKey).map(Some),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.inner.base_url)
            .field("has_api_key", &self.inner.authorization.is_some())
            .field("has_session_cookie", &self.inner.cookie.is_some())
            .field("agent_id", &self.inner.agent_id)
            .field("times", &self.inner.times)
            .field("retry", &self.inner.retry)
            .finish_non_exhaustive()
    }
}

/// What proves who calls.
#[derive(Clone, Copy)]
pub(crate) enum Auth {
    /// Nothing: the endpoint is open.
    None,
    /// The agent's key.
    Key,
    /// The session of a signed-in user.
    Session,
    /// The session where there is one, else the agent's key.
    SessionOrKey,
}

/// One call, before the client's settings are added.
pub(crate) struct Call {
    method: Method,
    /// The path with its parameters in braces: what may be logged.
    route: &'static str,
    path: String,
    auth: Auth,
    kind: Kind,
    idempotency_key: Option<HeaderValue>,
    body: Option<Bytes>,
}

impl Call {
    pub(crate) fn get(route: &'static str, path: impl Into<String>, auth: Auth) -> Self {
        Self::new(Method::GET, route, path, auth)
    }

    pub(crate) fn delete(route: &'static str, path: impl Into<String>, auth: Auth) -> Self {
        Self::new(Method::DELETE, route, path, auth)
    }

    pub(crate) fn post(
        path: &'static str,
        auth: Auth,
        body: &impl Serialize,
    ) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(|_| InvalidCall::Body)?;
        Ok(Self {
            body: Some(body.into()),
            ..Self::new(Method::POST, path, path, auth)
        })
    }

    /// The same key in every try.
    pub(crate) fn with_idempotency_key(mut self, key: &str) -> Result<Self, Error> {
        let key = HeaderValue::from_str(key).map_err(|_| InvalidCall::IdempotencyKey)?;
        self.idempotency_key = Some(key);
        Ok(self)
    }

    pub(crate) fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    fn new(method: Method, route: &'static str, path: impl Into<String>, auth: Auth) -> Self {
        Self {
            method,
            route,
            path: path.into(),
            auth,
            kind: Kind::Other,
            idempotency_key: None,
            body: None,
        }
    }
}

/// How much time a call has, and whether it is tried again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Inject,
    Update,
    Other,
    /// As any other, but one try is all.
    Once,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Result<Vec<u8>, TooLarge>,
    received: SystemTime,
}

/// A body of more than [`MAX_BODY`] bytes.
struct TooLarge;

impl Answer {
    /// Reads the whole answer. A body that breaks off is an error only with a success:
    /// any other status counts without it.
    async fn read(response: Response) -> Result<Self, TransportError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let received = SystemTime::now();
        let body = match body(response).await {
            Ok(body) => body,
            Err(error) if status.is_success() => return Err(TransportError::new(error)),
            Err(_) => Ok(Vec::new()),
        };
        Ok(Self {
            status,
            headers,
            body,
            received,
        })
    }

    /// The body of a success; any other status is an error.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, Error> {
        if !self.status.is_success() {
            return Err(self.api_error().into());
        }
        let problem = match &self.body {
            Ok(body) => match json::from_slice(body) {
                Ok(value) => return Ok(value),
                Err(error) => DecodeProblem::Json(error),
            },
            Err(TooLarge) => DecodeProblem::TooLarge { limit: MAX_BODY },
        };
        Err(DecodeError::new(self.status, &self.headers, problem).into())
    }

    /// The body, when it is of this form, whatever the status.
    pub(crate) fn peek<T: DeserializeOwned>(&self) -> Option<T> {
        let body = self.body.as_ref().ok()?;
        json::from_slice(body).ok()
    }

    fn api_error(&self) -> ApiError {
        let body = self.body.as_deref().unwrap_or_default();
        ApiError::read(self.status, &self.headers, body, self.received)
    }

    fn request_id(&self) -> Option<String> {
        crate::error::request_id(&self.headers)
    }
}

#[cfg(not(target_family = "wasm"))]
async fn body(mut response: Response) -> Result<Result<Vec<u8>, TooLarge>, reqwest::Error> {
    let announced = response.content_length().unwrap_or(0);
    if announced > MAX_BODY as u64 {
        return Ok(Err(TooLarge));
    }
    let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_BODY {
            return Ok(Err(TooLarge));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Ok(body))
}

/// In browsers a body comes in one piece.
#[cfg(target_family = "wasm")]
async fn body(response: Response) -> Result<Result<Vec<u8>, TooLarge>, reqwest::Error> {
    let body = response.bytes().await?;
    Ok(if body.len() > MAX_BODY {
        Err(TooLarge)
    } else {
        Ok(body.into())
    })
}
