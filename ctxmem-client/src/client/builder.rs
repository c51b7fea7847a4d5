//! The settings of a client, checked when it is built.

use std::env::VarError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use super::{Credential, Inner, Timeouts};
use crate::call_options;
use crate::operator_client::OperatorClient;
use crate::retry::RetryPolicy;
use crate::transport::{OnHeaders, Sender};
use crate::user_client::UserClient;
use crate::{Client, Transport};

const BASE_URL: &str = "CTXMEM_BASE_URL";
const API_KEY: &str = "CTXMEM_API_KEY";

/// People take their time between two turns, and a new TLS connection takes a part of the 800 ms. So
/// idle connections are kept for as long as the proxies in front of a service usually keep them (75 s
/// in nginx, for example), less a little. One that the server closes earlier is noticed and dropped.
const IDLE_TIMEOUT: Duration = Duration::from_secs(70);

const INJECT_TIMEOUT: Duration = Duration::from_millis(800);
const UPDATE_TIMEOUT: Duration = Duration::from_mins(1);
const MANAGEMENT_TIMEOUT: Duration = Duration::from_secs(10);

const USER_AGENT: &str = concat!("ctxmem-client/", env!("CARGO_PKG_VERSION"));

/// Builds a [`Client`].
///
/// ```
/// use std::time::Duration;
/// use ctxmem_client::Client;
///
/// let client = Client::builder()
///     .base_url("https://memory.example.com")
///     .api_key("ctxm_example")
///     .inject_timeout(Duration::from_millis(500))
///     .build()?;
/// # Ok::<(), ctxmem_client::BuildError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct ClientBuilder {
    base_url: Option<String>,
    api_key: Option<SecretString>,
    agent_id: Option<String>,
    timeout: Option<Duration>,
    inject_timeout: Option<Duration>,
    update_timeout: Option<Duration>,
    management_timeout: Option<Duration>,
    connect_timeout: Duration,
    pool_idle_timeout: Option<Duration>,
    pool_max_idle: usize,
    retry: RetryPolicy,
    user_agent: Option<String>,
    headers: HeaderMap,
    has_bad_header: bool,
    on_headers: Option<OnHeaders>,
    with_demo: bool,
    http: Option<Sender>,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            agent_id: None,
            timeout: None,
            inject_timeout: None,
            update_timeout: None,
            management_timeout: None,
            connect_timeout: Duration::from_secs(3),
            pool_idle_timeout: Some(IDLE_TIMEOUT),
            pool_max_idle: usize::MAX,
            retry: RetryPolicy::default(),
            user_agent: None,
            headers: HeaderMap::new(),
            has_bad_header: false,
            on_headers: None,
            with_demo: false,
            http: None,
        }
    }
}

impl ClientBuilder {
    /// Reads the settings from the environment: `CTXMEM_BASE_URL` and `CTXMEM_API_KEY`.
    ///
    /// # Errors
    ///
    /// A [`BuildError`] that names the variable which is missing or can't be used.
    ///
    /// ```no_run
    /// use ctxmem_client::{ClientBuilder, RetryPolicy};
    ///
    /// let client = ClientBuilder::from_env()?.retry(RetryPolicy::none()).build()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn from_env() -> Result<Self, BuildError> {
        Self::from_vars(|name| std::env::var(name))
    }

    fn from_vars(var: impl Fn(&str) -> Result<String, VarError>) -> Result<Self, BuildError> {
        let base_url = required(&var, BASE_URL)?;
        parse_base_url(&base_url).map_err(|problem| in_variable(BASE_URL, problem))?;
        let api_key = SecretString::from(required(&var, API_KEY)?);
        bearer(&api_key).map_err(|problem| in_variable(API_KEY, problem))?;
        Ok(Self {
            base_url: Some(base_url),
            api_key: Some(api_key),
            ..Self::default()
        })
    }

    /// The address of the service, such as `https://memory.example.com`. If it has a path,
    /// every request's path is appended to that.
    ///
    /// Over `http://` the key and the users' memory travel unencrypted. Use it only on this
    /// machine, or on a network that you trust as much.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The agent's API key.
    pub fn api_key(mut self, api_key: impl Into<SecretString>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// The agent's id. If it is set, inject and update send it, and the service rejects the
    /// call when the key belongs to another agent.
    pub fn agent_id(mut self, agent_id: impl Into<String>) -> Self {
        self.agent_id = Some(agent_id.into());
        self
    }

    /// Leaves in prompts what a new server says of everybody until its developer has stored a first fact ("You live
    /// in Lisbon"). Without it users get the base prompt until then, with the reason `empty`.
    ///
    /// ```
    /// use ctxmem_client::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .with_demo()
    ///     .build()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn with_demo(mut self) -> Self {
        self.with_demo = true;
        self
    }

    /// The timeout of every call, including retries and the waits between them, unless one of
    /// [`inject_timeout`](Self::inject_timeout), [`update_timeout`](Self::update_timeout) and
    /// [`management_timeout`](Self::management_timeout) is set. The order of these settings does
    /// not matter.
    ///
    /// An update may take as long as the language model that the service calls: better leave its
    /// timeout at a minute.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ctxmem_client::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .timeout(Duration::from_secs(2))
    ///     .update_timeout(Duration::from_secs(60))
    ///     .build()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The timeout of an inject, including retries, because a user waits for it. Default: 800 ms.
    pub fn inject_timeout(mut self, timeout: Duration) -> Self {
        self.inject_timeout = Some(timeout);
        self
    }

    /// The timeout of an update, during which the service may call a language model.
    /// Default: 60 seconds.
    pub fn update_timeout(mut self, timeout: Duration) -> Self {
        self.update_timeout = Some(timeout);
        self
    }

    /// The timeout of every call other than inject and update: reading and deleting contexts,
    /// creating and revoking grants, sign-in links, health. Default: 10 seconds.
    pub fn management_timeout(mut self, timeout: Duration) -> Self {
        self.management_timeout = Some(timeout);
        self
    }

    /// For how long a connection is kept while it is idle; `None` for as long as the server keeps
    /// it. Default: 70 seconds, so that the next turn of a person need not connect anew. Set it a
    /// little below the time for which your service, or the proxy in front of it, keeps
    /// connections. An HTTP client or transport of your own uses its own setting.
    pub fn pool_idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.pool_idle_timeout = timeout.into();
        self
    }

    /// How many idle connections are kept. Default: any number. An HTTP client or transport of
    /// your own uses its own setting.
    pub fn pool_max_idle(mut self, connections: usize) -> Self {
        self.pool_max_idle = connections;
        self
    }

    /// Adds a header to every request, for example for a gateway in front of the service.
    ///
    /// [`build`](Self::build) fails with [`BuildError::InvalidHeader`] if it can't be a header, or
    /// is one that the client sets itself, such as `Authorization`.
    ///
    /// ```
    /// use ctxmem_client::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .header("x-tenant", "acme")
    ///     .build()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn header(
        mut self,
        name: impl TryInto<HeaderName>,
        value: impl TryInto<HeaderValue>,
    ) -> Self {
        match call_options::header(name, value) {
            Some((name, value)) => {
                self.headers.insert(name, value);
            }
            None => self.has_bad_header = true,
        }
        self
    }

    /// A function that may add headers to each attempt of each call, such as the `traceparent` of
    /// the current trace. It is called in the `tracing` span of the attempt, just before the
    /// request is sent.
    ///
    /// With `tracing-opentelemetry`: see
    /// [the page about calls](https://docs.rs/ctxmem-client/latest/ctxmem_client/guide/calls/).
    ///
    /// ```
    /// use ctxmem_client::Client;
    ///
    /// # fn current_traceparent() -> Option<String> { None }
    /// let client = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .on_headers(|headers| {
    ///         if let Some(parent) = current_traceparent().and_then(|text| text.parse().ok()) {
    ///             headers.insert("traceparent", parent);
    ///         }
    ///     })
    ///     .build()?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn on_headers(
        mut self,
        on_headers: impl Fn(&mut HeaderMap) + Send + Sync + 'static,
    ) -> Self {
        self.on_headers = Some(Arc::new(on_headers));
        self
    }

    /// How failed calls are retried. Default: [`RetryPolicy::default`], at most two retries.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// The timeout for opening a connection. Default: 3 seconds. An HTTP client set by
    /// [`http_client`](Self::http_client) uses its own.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Text to append to the `User-Agent` header, such as `my-agent/1.2`.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// An HTTP client of your own, for a proxy, a private certificate authority or shared
    /// connections.
    ///
    /// Turn redirects off in it (`redirect(Policy::none())`), as this crate does in its own.
    /// The timeouts of calls still apply.
    pub fn http_client(mut self, http_client: reqwest::Client) -> Self {
        self.http = Some(Sender::Reqwest(http_client));
        self
    }

    /// Sends requests through this instead, such as an HTTP client with middleware around it. It
    /// takes the place of an [`http_client`](Self::http_client).
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.http = Some(Sender::Custom(Arc::new(transport)));
        self
    }

    /// Checks the settings and makes the client. Nothing is sent yet.
    ///
    /// A client without an API key can ask for the health of the service. Its other calls fail with
    /// [`InvalidCall::MissingApiKey`](crate::error::InvalidCall::MissingApiKey).
    ///
    /// # Errors
    ///
    /// A [`BuildError`] if a setting is missing or can't be used, or if the HTTP client can't
    /// be set up.
    pub fn build(self) -> Result<Client, BuildError> {
        let key = self.api_key.as_ref().map(bearer).transpose()?;
        self.build_with(key.map(Credential::Key))
    }

    /// The same for a signed-in user, whose session is given as the `name=value` of its cookie. An API key is not
    /// used.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build), and if the cookie can't be sent.
    ///
    /// ```
    /// use ctxmem_client::Client;
    ///
    /// let ada = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .build_user("session=4f3c9a")?;
    /// # Ok::<(), ctxmem_client::BuildError>(())
    /// ```
    pub fn build_user(self, session: impl Into<SecretString>) -> Result<UserClient, BuildError> {
        let session = Credential::Session(cookie(&session.into())?);
        self.build_with(Some(session)).map(UserClient::new)
    }

    /// The same for the operator's application, with its secret for sign-in links (`CTXMEM_SIGN_IN_SECRET` of the
    /// server). Keep it out of agents: it signs in any user.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build), and if the secret can't be sent.
    ///
    /// ```no_run
    /// use ctxmem_client::Client;
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let operator = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .build_operator(std::env::var("CTXMEM_SIGN_IN_SECRET")?)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn build_operator(
        self,
        sign_in_secret: impl Into<SecretString>,
    ) -> Result<OperatorClient, BuildError> {
        let secret = bearer(&sign_in_secret.into());
        let secret = secret.map_err(|_| BuildError::InvalidSignInSecret)?;
        let client = self.build_with(Some(Credential::SignInSecret(secret)))?;
        Ok(OperatorClient::new(client))
    }

    fn build_with(self, credential: Option<Credential>) -> Result<Client, BuildError> {
        let base_url = parse_base_url(&self.base_url.ok_or(BuildError::MissingBaseUrl)?)?;
        let or_all = |own: Option<Duration>, default| own.or(self.timeout).unwrap_or(default);
        let timeouts = Timeouts {
            inject: or_all(self.inject_timeout, INJECT_TIMEOUT),
            update: or_all(self.update_timeout, UPDATE_TIMEOUT),
            management: or_all(self.management_timeout, MANAGEMENT_TIMEOUT),
        };
        let all = [timeouts.inject, timeouts.update, timeouts.management];
        if self.connect_timeout.is_zero() || all.iter().any(Duration::is_zero) {
            return Err(BuildError::ZeroTimeout);
        }
        if self.has_bad_header {
            return Err(BuildError::InvalidHeader);
        }
        let user_agent = user_agent(self.user_agent.as_deref())?;
        let http = match self.http {
            Some(http) => http,
            None => Sender::Reqwest(
                http_client(
                    self.connect_timeout,
                    self.pool_idle_timeout,
                    self.pool_max_idle,
                )
                .map_err(BuildError::HttpClient)?,
            ),
        };
        Ok(Client::new(Inner {
            http,
            base_url,
            credential,
            headers: self.headers,
            on_headers: self.on_headers,
            with_demo: self.with_demo,
            agent_id: self.agent_id,
            timeouts,
            retry: self.retry,
            user_agent,
            retry_budget: Arc::default(),
            circuit_breaker: Arc::default(),
            problem_log: Arc::default(),
        }))
    }
}

/// `Debug` does not show the base URL: it has not been checked and may contain a password.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("has_api_key", &self.api_key.is_some())
            .field("agent_id", &self.agent_id)
            .field("timeout", &self.timeout)
            .field("inject_timeout", &self.inject_timeout)
            .field("update_timeout", &self.update_timeout)
            .field("management_timeout", &self.management_timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("pool_idle_timeout", &self.pool_idle_timeout)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// Why a client could not be built. No error repeats the value of a setting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No base URL was given.
    #[error("the base URL is missing")]
    MissingBaseUrl,
    /// Paths can't be appended to the base URL.
    #[error("the base URL {0}")]
    InvalidBaseUrl(&'static str),
    /// The API key can't be sent in a header.
    #[error("the API key is empty or contains something other than visible ASCII characters")]
    InvalidApiKey,
    /// The session cookie is not one `name=value` pair.
    #[error("the session cookie is not one `name=value` pair of visible ASCII characters")]
    InvalidSessionCookie,
    /// The secret for sign-in links can't be sent in a header.
    #[error(
        "the sign-in secret is empty or contains something other than visible ASCII characters"
    )]
    InvalidSignInSecret,
    /// A header can't be sent, or is one that the client sets itself.
    #[error("a header can't be sent, or is one that the client sets itself")]
    InvalidHeader,
    /// The text to append to the user agent can't be sent in a header.
    #[error("the user agent contains something other than printable ASCII characters")]
    InvalidUserAgent,
    /// With a timeout of zero no call could succeed.
    #[error("a timeout is zero")]
    ZeroTimeout,
    /// An environment variable is missing.
    #[error("the environment variable {variable} is not set")]
    MissingVariable {
        /// Its name.
        variable: &'static str,
    },
    /// An environment variable can't be used.
    #[error("the environment variable {variable} can't be used: {problem}")]
    InvalidVariable {
        /// Its name.
        variable: &'static str,
        /// What is wrong with it.
        problem: Box<BuildError>,
    },
    /// The value is not Unicode.
    #[error("the value is not Unicode text")]
    NotUnicode,
    /// The HTTP client could not be set up, for example for lack of certificates.
    #[error("the HTTP client could not be set up")]
    HttpClient(#[source] reqwest::Error),
    /// The thread of a blocking client could not be started.
    #[error("the thread of the blocking client could not be started")]
    Thread(#[source] std::io::Error),
}

fn in_variable(variable: &'static str, problem: BuildError) -> BuildError {
    BuildError::InvalidVariable {
        variable,
        problem: Box::new(problem),
    }
}

/// An empty variable counts as not set.
fn optional(
    var: impl Fn(&str) -> Result<String, VarError>,
    variable: &'static str,
) -> Result<Option<String>, BuildError> {
    match var(variable) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        // The standard library's error holds the value. Ours must not.
        Err(VarError::NotUnicode(_)) => Err(in_variable(variable, BuildError::NotUnicode)),
    }
}

fn required(
    var: impl Fn(&str) -> Result<String, VarError>,
    variable: &'static str,
) -> Result<String, BuildError> {
    optional(var, variable)?.ok_or(BuildError::MissingVariable { variable })
}

#[cfg(not(target_family = "wasm"))]
fn http_client(
    connect_timeout: Duration,
    idle_timeout: Option<Duration>,
    max_idle: usize,
) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(idle_timeout)
        .pool_max_idle_per_host(max_idle)
        .build()
}

/// Browsers manage connections and redirects themselves.
#[cfg(target_family = "wasm")]
fn http_client(_: Duration, _: Option<Duration>, _: usize) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder().build()
}

/// The base URL without a slash at its end.
fn parse_base_url(text: &str) -> Result<String, BuildError> {
    let invalid = |problem| Err(BuildError::InvalidBaseUrl(problem));
    let Ok(url) = Url::parse(text.trim()) else {
        return invalid("is not an absolute URL such as https://memory.example.com");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return invalid("does not start with https:// or http://");
    }
    // reqwest would send them as a second `Authorization` header.
    if !url.username().is_empty() || url.password().is_some() {
        return invalid("contains a user name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return invalid("contains a query or fragment");
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn bearer(api_key: &SecretString) -> Result<HeaderValue, BuildError> {
    let api_key = api_key.expose_secret();
    if api_key.is_empty() || !is_visible(api_key) {
        return Err(BuildError::InvalidApiKey);
    }
    sensitive(&format!("Bearer {api_key}")).ok_or(BuildError::InvalidApiKey)
}

/// The `Cookie` header that carries a session.
pub(crate) fn cookie(session_cookie: &SecretString) -> Result<HeaderValue, BuildError> {
    let pair = session_cookie.expose_secret();
    match pair.split_once('=') {
        Some((name, value))
            if !name.is_empty() && !value.is_empty() && is_visible(pair) && !pair.contains(';') =>
        {
            sensitive(pair).ok_or(BuildError::InvalidSessionCookie)
        }
        _ => Err(BuildError::InvalidSessionCookie),
    }
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn user_agent(suffix: Option<&str>) -> Result<HeaderValue, BuildError> {
    match suffix {
        None => Ok(HeaderValue::from_static(USER_AGENT)),
        Some(suffix)
            if !suffix
                .bytes()
                .all(|byte| byte == b' ' || byte.is_ascii_graphic()) =>
        {
            Err(BuildError::InvalidUserAgent)
        }
        Some(suffix) => HeaderValue::from_str(format!("{USER_AGENT} {suffix}").trim_end())
            .map_err(|_| BuildError::InvalidUserAgent),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn from_pairs(pairs: &[(&str, &str)]) -> Result<Client, BuildError> {
        ClientBuilder::from_vars(|name| {
            pairs
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
                .ok_or(VarError::NotPresent)
        })?
        .build()
    }

    #[test]
    fn the_environment_makes_a_client() {
        let pairs = [(BASE_URL, "http://localhost:8080"), (API_KEY, "ctxm_k")];
        assert!(from_pairs(&pairs).is_ok());
    }

    #[test]
    fn errors_of_the_environment_name_the_variable_but_not_its_value() {
        let url = (BASE_URL, "http://localhost:8080");
        let key = (API_KEY, "ctxm_k");
        for (pairs, expected) in [
            (
                vec![key],
                "the environment variable CTXMEM_BASE_URL is not set",
            ),
            (
                vec![url, (API_KEY, "")],
                "the environment variable CTXMEM_API_KEY is not set",
            ),
            (
                vec![(BASE_URL, "canary"), key],
                "the environment variable CTXMEM_BASE_URL can't be used: the base URL is not an \
                 absolute URL such as https://memory.example.com",
            ),
            (
                vec![url, (API_KEY, "canary\n")],
                "the environment variable CTXMEM_API_KEY can't be used: the API key is empty or \
                 contains something other than visible ASCII characters",
            ),
        ] {
            let error = from_pairs(&pairs).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert!(!format!("{error:?}").contains("canary"));
        }
    }

    #[test]
    fn a_variable_that_is_not_unicode_is_not_repeated() {
        let error =
            ClientBuilder::from_vars(|_| Err(VarError::NotUnicode(OsString::from("canary"))))
                .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the environment variable CTXMEM_BASE_URL can't be used: the value is not Unicode text"
        );
        assert!(!format!("{error:?}").contains("canary"));
    }

    #[test]
    fn base_urls_lose_the_slashes_at_their_end() {
        for (text, expected) in [
            ("https://m.example", "https://m.example"),
            ("https://m.example/", "https://m.example"),
            (" https://M.example:443/ ", "https://m.example"),
            (
                "http://127.0.0.1:8080/memory//",
                "http://127.0.0.1:8080/memory",
            ),
            ("http://[::1]:8080/a/b/", "http://[::1]:8080/a/b"),
        ] {
            assert_eq!(parse_base_url(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn unusable_base_urls_are_refused() {
        for text in [
            "",
            "memory.example.com",
            "/api",
            "ftp://m.example",
            "file:///etc",
            "https://user:canary@m.example",
            "https://user@m.example",
            "https://m.example?key=canary",
            "https://m.example/#canary",
        ] {
            let error = Client::builder().base_url(text).build().unwrap_err();
            assert!(matches!(error, BuildError::InvalidBaseUrl(_)), "{text}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{text}");
        }
        assert!(matches!(
            Client::builder().build(),
            Err(BuildError::MissingBaseUrl)
        ));
    }

    #[test]
    fn unusable_keys_cookies_user_agents_and_timeouts_are_rejected() {
        let builder = || Client::builder().base_url("http://localhost");
        for key in ["", "a b", "a\r\nX: y", "ключ"] {
            let built = builder().api_key(key).build();
            assert!(matches!(built, Err(BuildError::InvalidApiKey)), "{key:?}");
        }
        for cookie in ["", "value", "=value", "name=", "a=1; b=2", "a=\n", "a=é"] {
            let built = builder().build_user(cookie);
            assert!(
                matches!(built, Err(BuildError::InvalidSessionCookie)),
                "{cookie:?}"
            );
        }
        assert!(matches!(
            builder().user_agent("a\nb").build(),
            Err(BuildError::InvalidUserAgent)
        ));
        for built in [
            builder().management_timeout(Duration::ZERO).build(),
            builder().connect_timeout(Duration::ZERO).build(),
        ] {
            assert!(matches!(built, Err(BuildError::ZeroTimeout)));
        }
    }

    #[test]
    fn headers_that_hold_secrets_are_marked() {
        let key = bearer(&"ctxm_canary".into()).unwrap();
        assert_eq!(key, "Bearer ctxm_canary");
        assert!(key.is_sensitive());
        let session = cookie(&"session=canary".into()).unwrap();
        assert_eq!(session, "session=canary");
        assert!(session.is_sensitive());
    }

    #[test]
    fn debug_shows_no_secret() {
        let builder = Client::builder()
            .base_url("https://user:canary@m.example")
            .api_key("canary-key");
        assert!(!format!("{builder:?}").contains("canary"));
        let builder = Client::builder().base_url("https://m.example");
        let user = builder.clone().build_user("session=canary").unwrap();
        let operator = builder.build_operator("canary-secret").unwrap();
        assert!(!format!("{user:?} {operator:?}").contains("canary"));
    }
}
