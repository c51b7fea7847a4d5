//! The client, and the one place that sends requests and reads answers.
//!
//! What an answer means is decided in `error` (failures) and in the module of each noun.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ctxmem_types::json;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::builder::{self, BuildError, ClientBuilder};
use crate::error::{ApiError, DecodeError, DecodeProblem, Error, InvalidCall, TransportError};

/// The most that is read of an answer.
const MAX_BODY: usize = 8 * 1024 * 1024;

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
    pub(crate) timeout: Duration,
    pub(crate) user_agent: HeaderValue,
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

    /// Sends a call and reads the answer, whatever its status.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, Error> {
        let inner = &*self.inner;
        let mut request = inner
            .http
            .request(call.method, format!("{}{}", inner.base_url, call.path))
            .timeout(inner.timeout)
            .header(reqwest::header::USER_AGENT, &inner.user_agent)
            .header(ACCEPT, "application/json");
        if let Some((name, value)) = inner.credential(call.auth)? {
            request = request
                .header(name, value)
                .header(CONTENT_TYPE, "application/json");
        }
        if let Some(body) = call.body {
            request = request.body(body);
        }
        let response = request.send().await.map_err(TransportError::new)?;
        Ok(Answer {
            status: response.status(),
            headers: response.headers().clone(),
            body: read(response).await,
        })
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
            .field("timeout", &self.inner.timeout)
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

/// One request, before the client's settings are added.
pub(crate) struct Call {
    method: Method,
    path: String,
    auth: Auth,
    body: Option<Vec<u8>>,
}

impl Call {
    pub(crate) fn get(path: impl Into<String>, auth: Auth) -> Self {
        Self::new(Method::GET, path, auth)
    }

    pub(crate) fn delete(path: impl Into<String>, auth: Auth) -> Self {
        Self::new(Method::DELETE, path, auth)
    }

    pub(crate) fn post(
        path: impl Into<String>,
        auth: Auth,
        body: &impl Serialize,
    ) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(|_| InvalidCall::Body)?;
        Ok(Self {
            body: Some(body),
            ..Self::new(Method::POST, path, auth)
        })
    }

    fn new(method: Method, path: impl Into<String>, auth: Auth) -> Self {
        Self {
            method,
            path: path.into(),
            auth,
            body: None,
        }
    }
}

/// What came back: the status counts even when the body could not be read.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Result<Vec<u8>, Unread>,
}

impl Answer {
    /// The body of a success; any other status is an error.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, Error> {
        if !self.status.is_success() {
            return Err(self.into_api_error().into());
        }
        let problem = match self.body {
            Ok(body) => match json::from_slice(&body) {
                Ok(value) => return Ok(value),
                Err(error) => DecodeProblem::Json(error),
            },
            Err(Unread::TooLarge) => DecodeProblem::TooLarge { limit: MAX_BODY },
            Err(Unread::Broken(error)) => return Err(TransportError::new(error).into()),
        };
        Err(DecodeError::new(self.status, &self.headers, problem).into())
    }

    /// The body, when it is of this form, whatever the status.
    pub(crate) fn peek<T: DeserializeOwned>(&self) -> Option<T> {
        let body = self.body.as_ref().ok()?;
        json::from_slice(body).ok()
    }

    fn into_api_error(self) -> ApiError {
        let body = self.body.unwrap_or_default();
        ApiError::new(self.status, &self.headers, &body, SystemTime::now())
    }
}

/// Why a body could not be read.
enum Unread {
    TooLarge,
    Broken(reqwest::Error),
}

async fn read(mut response: Response) -> Result<Vec<u8>, Unread> {
    let announced = response.content_length().unwrap_or(0);
    if announced > MAX_BODY as u64 {
        return Err(Unread::TooLarge);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Unread::Broken)? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(Unread::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
