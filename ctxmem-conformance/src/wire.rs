//! Requests built by hand and unchanged answers, for what the client refuses to send and for
//! what it reads in several forms.
//!
//! It records what rules about all answers need. It also waits when the rate limit is exceeded,
//! so that rules need not handle that.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Method;
use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

use crate::target::{Secrets, Target};
use crate::verdict::{Finding, Verdict};

/// How many characters of an answer are shown.
const MAX_SHOWN: usize = 240;
const TIMEOUT: Duration = Duration::from_secs(90);
/// How often a call is retried that exceeds the rate limit.
pub(crate) const RATE_LIMIT_RETRIES: u32 = 5;
/// The longest wait for a rate limit.
const MAX_WAIT: Duration = Duration::from_secs(65);

/// Who makes a request.
#[derive(Clone, Copy)]
pub(crate) enum Caller<'a> {
    Nobody,
    Key(&'a SecretString),
    Session(&'a SecretString),
    /// An `Authorization` header with this text.
    Authorization(&'a str),
}

/// The body of a request.
#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    None,
    Json(&'a Value),
    Text(&'static str),
}

pub(crate) struct Wire {
    http: reqwest::Client,
    base: String,
    secrets: Secrets,
    observations: Mutex<Observations>,
}

/// What rules about all answers need.
#[derive(Default)]
pub(crate) struct Observations {
    /// Every answer that is not a success, with the request.
    pub(crate) errors: Vec<(String, Answer)>,
    /// The first answer that is not JSON.
    pub(crate) not_json: Option<String>,
    /// The first answer that contains a key.
    pub(crate) key_echoed: Option<String>,
    /// The first `X-RateLimit-Reset`.
    pub(crate) reset: Option<String>,
    /// The first 429.
    pub(crate) limited: Option<Answer>,
}

impl Wire {
    pub(crate) fn new(target: &Target) -> Self {
        Self {
            http: target.http.clone(),
            base: target.url.clone(),
            secrets: target.secrets.clone(),
            observations: Mutex::default(),
        }
    }

    pub(crate) fn observations(&self) -> MutexGuard<'_, Observations> {
        let observations = self.observations.lock();
        observations.unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request, and retries it while the rate limit is exceeded.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        caller: Caller<'_>,
        body: Body<'_>,
    ) -> Result<Answer, Verdict> {
        for _ in 0..RATE_LIMIT_RETRIES {
            let answer = self.send_once(method.clone(), path, caller, body).await?;
            if answer.status != 429 {
                return Ok(answer);
            }
            tokio::time::sleep(answer.wait()).await;
        }
        self.send_once(method, path, caller, body).await
    }

    /// Sends a request once, whatever the answer is.
    pub(crate) async fn send_once(
        &self,
        method: Method,
        path: &str,
        caller: Caller<'_>,
        body: Body<'_>,
    ) -> Result<Answer, Verdict> {
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}", self.base))
            .timeout(TIMEOUT);
        request = match caller {
            Caller::Nobody => request,
            Caller::Key(key) => request.bearer_auth(key.expose_secret()),
            Caller::Session(cookie) => request.header("cookie", cookie.expose_secret()),
            Caller::Authorization(text) => request.header("authorization", text),
        };
        request = match body {
            Body::None => request,
            Body::Json(json) => request.body(json.to_string()),
            Body::Text(text) => request.body(text),
        };
        if !matches!((caller, body), (Caller::Nobody, Body::None)) {
            request = request.header("content-type", "application/json");
        }
        let call = format!("{method} {path}");
        let answer = self
            .exchange(request)
            .await
            .map_err(|error| Verdict::fail(format!("an answer to {call}"), describe(&error)))?;
        self.record(call, &answer);
        Ok(answer)
    }

    async fn exchange(&self, request: reqwest::RequestBuilder) -> reqwest::Result<Answer> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?;
        let text = String::from_utf8_lossy(&body);
        let holds = |text: &[u8]| self.secrets.are_in(&String::from_utf8_lossy(text));
        // The service may renew a session.
        let mut held = headers.iter().filter(|(name, _)| *name != "set-cookie");
        let holds_key = holds(&body) || held.any(|(_, value)| holds(value.as_bytes()));
        Ok(Answer {
            status,
            headers,
            json: serde_json::from_slice(&body).ok(),
            shown: shorten(&self.secrets.scrub(&text)),
            holds_key,
        })
    }

    fn record(&self, call: String, answer: &Answer) {
        let mut observations = self.observations();
        let described = || format!("{answer} to {call}");
        if answer.json.is_none() {
            observations.not_json.get_or_insert_with(described);
        }
        if answer.holds_key {
            observations.key_echoed.get_or_insert_with(described);
        }
        if let Some(reset) = answer.header("x-ratelimit-reset") {
            observations.reset.get_or_insert_with(|| reset.to_owned());
        }
        let limited = answer.status == 429;
        if limited {
            observations.limited.get_or_insert_with(|| answer.clone());
        }
        if !answer.is_success() && !limited {
            observations.errors.push((call, answer.clone()));
        }
    }
}

/// An unchanged answer.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) json: Option<Value>,
    /// The body to show to people: shortened, without secrets.
    shown: String,
    holds_key: bool,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.json.as_ref()?.get(name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_str()
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.field(name) == Some(&Value::Bool(true))
    }

    /// The prompt of an inject.
    pub(crate) fn prompt(&self) -> &str {
        self.text("injectedPrompt").unwrap_or_default()
    }

    /// What an update has stored.
    pub(crate) fn delta(&self) -> Option<&Map<String, Value>> {
        self.field("delta")?.as_object()
    }

    /// The object of a success. Anything else fails the rule that is being checked.
    pub(crate) fn object(&self) -> Result<&Map<String, Value>, Verdict> {
        let object = self.json.as_ref().and_then(Value::as_object);
        object
            .filter(|_| self.is_success())
            .ok_or_else(|| Verdict::fail("a success with a JSON object", self))
    }

    /// Whether it is an error with this status and code, and has a message.
    pub(crate) fn is_error(&self, status: u16, code: &str) -> bool {
        self.status == status && self.text("code") == Some(code) && self.text("error").is_some()
    }

    /// Passes if it is an error with this status and code.
    pub(crate) fn must_be(&self, status: u16, code: &str) -> Finding {
        let expected = format!("{status} {{error, code: {code:?}}}");
        Verdict::of(self.is_error(status, code), expected, self)
    }

    /// How long a 429 asks to wait.
    pub(crate) fn wait(&self) -> Duration {
        let seconds = |name| self.header(name)?.trim().parse::<f64>().ok();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_secs_f64();
        let wait = seconds("retry-after").or_else(|| {
            let reset = seconds("x-ratelimit-reset")?;
            // Small numbers are seconds from now, large ones Unix times.
            Some(if reset > 1e9 { reset - now } else { reset })
        });
        Duration::try_from_secs_f64(wait.unwrap_or(2.0))
            .unwrap_or_default()
            .clamp(Duration::from_millis(250), MAX_WAIT)
    }
}

/// Status and body, without secrets.
impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.status, self.shown)
    }
}

fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "with an empty body".to_owned(),
        None => line,
    }
}

fn describe(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "a broken connection"
    }
}
