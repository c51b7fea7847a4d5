//! The client, and the one place that sends requests and reads responses.
//!
//! `error` decides what a failed response means, the module of each noun what a successful one
//! does, and `retry` whether a call is retried.

mod builder;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ctxmem_types::json;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use reqwest::{Method, Request, Response, StatusCode, Url};
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use crate::call_options::{CallOptions, IDEMPOTENCY_KEY};
use crate::circuit_breaker::CircuitBreaker;
use crate::error::{ApiError, DecodeError, DecodeProblem, Error, InvalidCall, TransportError};
use crate::problem_log::ProblemLog;
use crate::retry::RetryPolicy;
use crate::retry_budget::RetryBudget;
use crate::time::{self, Instant, SystemTime};
use crate::transport::{OnHeaders, Sender};
use crate::user_client::UserClient;

pub use builder::{BuildError, ClientBuilder};

/// The most bytes of a response body that the client reads.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// A client of one deployment, for one agent. A signed-in user has a [`UserClient`], the operator's application an
/// [`OperatorClient`](crate::OperatorClient).
///
/// Cloning is cheap, and clones share their connections: make one client and keep it.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    options: Option<Arc<CallOptions>>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) http: Sender,
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) credential: Option<Credential>,
    /// Sent with every request.
    pub(crate) headers: HeaderMap,
    pub(crate) on_headers: Option<OnHeaders>,
    pub(crate) with_demo: bool,
    pub(crate) agent_id: Option<String>,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry: RetryPolicy,
    pub(crate) user_agent: HeaderValue,
    /// Shared with clients for other sessions, because they call the same service.
    pub(crate) retry_budget: Arc<RetryBudget>,
    pub(crate) circuit_breaker: Arc<CircuitBreaker>,
    pub(crate) problem_log: Arc<ProblemLog>,
}

/// What a client proves itself by. It has one, so that it is clear who is calling.
#[derive(Clone)]
pub(crate) enum Credential {
    Key(HeaderValue),
    Session(HeaderValue),
    /// The operator's secret for sign-in links.
    SignInSecret(HeaderValue),
}

/// How long calls may take, including retries and the waits between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub(crate) inject: Duration,
    pub(crate) update: Duration,
    pub(crate) management: Duration,
}

impl Timeouts {
    fn of(self, operation: Operation) -> Duration {
        match operation {
            Operation::Inject => self.inject,
            Operation::Update => self.update,
            Operation::Management | Operation::Health => self.management,
        }
    }
}

impl Client {
    pub(crate) fn new(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
            options: None,
        }
    }

    /// Starts building a client.
    ///
    /// ```
    /// use ctxmem_client::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .api_key("ctxm_example")
    ///     .build()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Makes a client from the environment: `CTXMEM_BASE_URL` and `CTXMEM_API_KEY`.
    ///
    /// [`ClientBuilder::from_env`] leaves room for further settings.
    ///
    /// # Errors
    ///
    /// A [`BuildError`] that names the variable which is missing or can't be used.
    ///
    /// ```no_run
    /// use ctxmem_client::Client;
    ///
    /// let client = Client::from_env()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn from_env() -> Result<Self, BuildError> {
        ClientBuilder::from_env()?.build()
    }

    /// A client for a signed-in user, whose session is given as the `name=value` of its cookie. It shares
    /// connections with this one, and not the key.
    ///
    /// # Errors
    ///
    /// [`BuildError::InvalidSessionCookie`] if the text is not one `name=value` pair.
    ///
    /// ```
    /// use ctxmem_client::{BuildError, Client, UserClient};
    ///
    /// fn for_session(client: &Client, session_id: &str) -> Result<UserClient, BuildError> {
    ///     client.as_user(format!("session={session_id}"))
    /// }
    /// ```
    pub fn as_user(&self, session: impl Into<SecretString>) -> Result<UserClient, BuildError> {
        let mut inner = Inner::clone(&self.inner);
        inner.credential = Some(Credential::Session(builder::cookie(&session.into())?));
        Ok(UserClient::new(Self {
            inner: Arc::new(inner),
            options: self.options.clone(),
        }))
    }

    /// The same client with these options, for one call or for several. Connections, budget and
    /// circuit breaker are shared.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use ctxmem_client::{CallOptions, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let quick = CallOptions::new().timeout(Duration::from_millis(200));
    /// let system = client.with_options(quick).inject_or_base(&user, "Be brief.").await;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_options(&self, options: CallOptions) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            options: Some(Arc::new(options)),
        }
    }

    pub(crate) fn agent_id(&self) -> Option<String> {
        self.inner.agent_id.clone()
    }

    /// The `Authorization` header of the agent's key.
    pub(crate) fn key(&self) -> Option<&HeaderValue> {
        match &self.inner.credential {
            Some(Credential::Key(key)) => Some(key),
            _ => None,
        }
    }

    pub(crate) fn circuit_breaker(&self) -> &CircuitBreaker {
        &self.inner.circuit_breaker
    }

    pub(crate) fn with_demo(&self) -> bool {
        self.inner.with_demo
    }

    /// The idempotency key among the options of this call.
    pub(crate) fn idempotency_key(&self) -> Option<&str> {
        self.options.as_ref()?.idempotency_key.as_deref()
    }

    /// Sends a request and reads the body of a success. What fails is logged.
    pub(crate) async fn call<T: DeserializeOwned>(&self, request: ApiRequest) -> Result<T, Error> {
        let (route, operation) = (request.route, request.operation);
        let result = match self.send(request).await {
            Ok(response) => response.json(),
            Err(error) => Err(error),
        };
        if let Err(error) = &result {
            self.log_problem(route, operation, error);
        }
        result
    }

    /// Deletes what is at this path, with the idempotency key among the options of the call or one of its own.
    pub(crate) async fn delete<T: DeserializeOwned>(
        &self,
        route: &'static str,
        path: String,
    ) -> Result<T, Error> {
        let key = self.idempotency_key().map(ToOwned::to_owned);
        let key = key.unwrap_or_else(|| Uuid::new_v4().to_string());
        let request = ApiRequest::delete(route, path, Auth::Own).with_idempotency_key(&key)?;
        self.call(request).await
    }

    /// Logs that a call failed, but not each time. That there is nothing to read, or no such
    /// grant, is an answer.
    pub(crate) fn log_problem(&self, route: &'static str, operation: Operation, error: &Error) {
        let is_answer = operation == Operation::Management && error.status() == Some(404);
        if !is_answer {
            self.inner.problem_log.log(route, error);
        }
    }

    /// Sends a request, retries it as the policy and the budget allow, and returns the
    /// response, whatever its status.
    pub(crate) async fn send(&self, request: ApiRequest) -> Result<ApiResponse, Error> {
        let started = Instant::now();
        let mut attempts = 0;
        let result = self
            .send_with_retries(&request, started, &mut attempts)
            .await;
        let (status, problem) = match &result {
            Ok(response) => (Some(response.status.as_u16()), None),
            Err(error) => (None, Some(error)),
        };
        tracing::debug!(
            method = request.method.as_str(),
            route = request.route,
            status,
            attempts,
            elapsed_ms = started.elapsed().as_millis(),
            request_id = result.as_ref().ok().and_then(ApiResponse::request_id),
            error = problem.map(tracing::field::display),
            "a call ended"
        );
        result
    }

    async fn send_with_retries(
        &self,
        request: &ApiRequest,
        started: Instant,
        attempts: &mut u32,
    ) -> Result<ApiResponse, Error> {
        let inner = &*self.inner;
        let deadline = started + self.timeout(request.operation);
        loop {
            *attempts += 1;
            let left = deadline.saturating_duration_since(Instant::now());
            let result = self.send_once(request, left, *attempts).await;
            let failure = match &result {
                Ok(response) if response.status.is_success() => {
                    inner.retry_budget.deposit();
                    return result;
                }
                _ if request.operation == Operation::Health => return result,
                Ok(response) => &response.api_error().into(),
                Err(error) => error,
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = inner
                .retry
                .wait(failure, *attempts, left, fastrand::f64())
                .filter(|_| inner.retry_budget.withdraw());
            let Some(wait) = wait else { return result };
            tracing::debug!(
                route = request.route,
                attempts = *attempts,
                ?wait,
                "retrying"
            );
            time::sleep(wait).await;
        }
    }

    /// One attempt, within what is left of the call's timeout.
    async fn send_once(
        &self,
        request: &ApiRequest,
        left: Duration,
        attempt: u32,
    ) -> Result<ApiResponse, Error> {
        let span = tracing::debug_span!(
            "ctxmem",
            method = request.method.as_str(),
            route = request.route,
            attempt,
            status = Empty,
            request_id = Empty,
        );
        let mut request = self.http_request(request, left)?;
        async {
            let inner = &*self.inner;
            if let Some(on_headers) = &inner.on_headers {
                on_headers(request.headers_mut());
            }
            let response = inner.http.execute(request).await?;
            let span = Span::current();
            span.record("status", response.status().as_u16());
            let response = ApiResponse::read(response).await?;
            if !span.is_disabled()
                && let Some(request_id) = response.request_id()
            {
                span.record("request_id", request_id);
            }
            Ok(response)
        }
        .instrument(span)
        .await
    }

    fn timeout(&self, operation: Operation) -> Duration {
        let own = self.options.as_ref().and_then(|options| options.timeout);
        own.unwrap_or_else(|| self.inner.timeouts.of(operation))
    }

    fn http_request(&self, request: &ApiRequest, left: Duration) -> Result<Request, Error> {
        let inner = &*self.inner;
        let url = Url::parse(&format!("{}{}", inner.base_url, request.path))
            .map_err(|_| InvalidCall::Address)?;
        let mut http_request = Request::new(request.method.clone(), url);
        *http_request.timeout_mut() = Some(left);
        let headers = http_request.headers_mut();
        headers.insert(USER_AGENT, inner.user_agent.clone());
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some((name, value)) = inner.credential(request.auth)? {
            headers.insert(name, value.clone());
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(key) = &request.idempotency_key {
            headers.insert(IDEMPOTENCY_KEY, key.clone());
        }
        add(headers, &inner.headers);
        if let Some(options) = self.options.as_deref() {
            if let Some(problem) = options.problem {
                return Err(problem.into());
            }
            add(headers, &options.headers);
        }
        if let Some(body) = &request.body {
            *http_request.body_mut() = Some(body.clone().into());
        }
        Ok(http_request)
    }
}

/// Whether an id can stand in a path. URL parsers drop other segments, so the call would go to another address.
pub(crate) fn is_segment(id: &str) -> bool {
    !matches!(id, "" | "." | "..")
}

/// Adds headers, in place of those with the same names.
fn add(headers: &mut HeaderMap, more: &HeaderMap) {
    for (name, value) in more {
        headers.insert(name, value.clone());
    }
}

impl Inner {
    /// The credential to send.
    fn credential(&self, auth: Auth) -> Result<Option<(HeaderName, &HeaderValue)>, InvalidCall> {
        match (auth, &self.credential) {
            (Auth::None, _) => Ok(None),
            (Auth::Own, Some(Credential::Session(cookie))) => Ok(Some((COOKIE, cookie))),
            (Auth::Own, Some(Credential::Key(secret) | Credential::SignInSecret(secret))) => {
                Ok(Some((AUTHORIZATION, secret)))
            }
            (Auth::Own, None) => Err(InvalidCall::MissingApiKey),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.inner.base_url)
            .field("has_credential", &self.inner.credential.is_some())
            .field("agent_id", &self.inner.agent_id)
            .field("timeouts", &self.inner.timeouts)
            .field("retry", &self.inner.retry)
            .finish_non_exhaustive()
    }
}

/// Whether an endpoint takes a credential.
#[derive(Clone, Copy)]
pub(crate) enum Auth {
    /// None: the endpoint is open.
    None,
    /// That of the client.
    Own,
}

/// A request to the service, before the client's settings are applied.
pub(crate) struct ApiRequest {
    method: Method,
    /// The path with its parameters in braces. It holds no ids, so it may be logged.
    pub(crate) route: &'static str,
    path: String,
    auth: Auth,
    operation: Operation,
    idempotency_key: Option<HeaderValue>,
    body: Option<Bytes>,
}

impl ApiRequest {
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
        Self::post_to(path, path, auth, body)
    }

    /// A POST whose path has parameters.
    pub(crate) fn post_to(
        route: &'static str,
        path: impl Into<String>,
        auth: Auth,
        body: &impl Serialize,
    ) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(|_| InvalidCall::Body)?;
        Ok(Self {
            body: Some(body.into()),
            ..Self::new(Method::POST, route, path, auth)
        })
    }

    /// Retries send the same key.
    pub(crate) fn with_idempotency_key(mut self, key: &str) -> Result<Self, Error> {
        let key = HeaderValue::from_str(key).map_err(|_| InvalidCall::IdempotencyKey)?;
        self.idempotency_key = Some(key);
        Ok(self)
    }

    pub(crate) fn operation(mut self, operation: Operation) -> Self {
        self.operation = operation;
        self
    }

    fn new(method: Method, route: &'static str, path: impl Into<String>, auth: Auth) -> Self {
        Self {
            method,
            route,
            path: path.into(),
            auth,
            operation: Operation::Management,
            idempotency_key: None,
            body: None,
        }
    }
}

/// What a request does. It decides the timeout and whether the request is retried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Inject,
    Update,
    /// Reading and deleting contexts, and grants.
    Management,
    /// Never retried: a health check that fails is a result as well.
    Health,
}

/// A response of the service, whatever its status.
pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Result<Vec<u8>, TooLarge>,
    received_at: SystemTime,
}

/// The body has more than [`MAX_BODY`] bytes.
struct TooLarge;

impl ApiResponse {
    /// Reads the whole response. If the body breaks off, that is an error only for a success:
    /// for any other status, the status says enough.
    async fn read(response: Response) -> Result<Self, TransportError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let received_at = SystemTime::now();
        let body = match read_body(response).await {
            Ok(body) => body,
            Err(error) if status.is_success() => return Err(TransportError::from(error)),
            Err(_) => Ok(Vec::new()),
        };
        Ok(Self {
            status,
            headers,
            body,
            received_at,
        })
    }

    /// The body of a success; any other status is an error.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
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
        Err(self.problem(problem))
    }

    /// An error about the body of this response.
    pub(crate) fn problem(&self, problem: DecodeProblem) -> Error {
        DecodeError::new(self.status, &self.headers, problem).into()
    }

    /// The body, as long as it could be read; empty otherwise.
    pub(crate) fn body(&self) -> &[u8] {
        self.body.as_deref().unwrap_or_default()
    }

    /// The body if it has this form, whatever the status.
    pub(crate) fn peek<T: DeserializeOwned>(&self) -> Option<T> {
        let body = self.body.as_ref().ok()?;
        json::from_slice(body).ok()
    }

    fn api_error(&self) -> ApiError {
        let body = self.body.as_deref().unwrap_or_default();
        ApiError::read(self.status, &self.headers, body, self.received_at)
    }

    fn request_id(&self) -> Option<String> {
        crate::error::request_id(&self.headers)
    }
}

#[cfg(not(target_family = "wasm"))]
async fn read_body(mut response: Response) -> Result<Result<Vec<u8>, TooLarge>, reqwest::Error> {
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

/// Browsers return a body in one piece.
#[cfg(target_family = "wasm")]
async fn read_body(response: Response) -> Result<Result<Vec<u8>, TooLarge>, reqwest::Error> {
    let body = response.bytes().await?;
    Ok(if body.len() > MAX_BODY {
        Err(TooLarge)
    } else {
        Ok(body.into())
    })
}
