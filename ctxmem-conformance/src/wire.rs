//! Requests built by hand and answers as they came, for what the client refuses to send and
//! for what it reads in more than one form.
//!
//! Every answer is remembered as far as rules about all answers need it. A refusal for too
//! many requests is waited out here, so that no rule has to think of it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Method;
use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

use crate::rule::{Finding, Verdict};
use crate::target::{Secrets, Target};

/// How much of an answer is shown.
const SHOWN: usize = 240;
const TIMEOUT: Duration = Duration::from_secs(90);
/// How often, and how long at a time, a rate limit is waited for.
pub(crate) const PATIENCE: u32 = 5;
const LONGEST_WAIT: Duration = Duration::from_secs(65);

/// Who calls.
#[derive(Clone, Copy)]
pub(crate) enum As<'a> {
    Nobody,
    Key(&'a SecretString),
    Session(&'a SecretString),
    /// An `Authorization` header of this text.
    Authorization(&'a str),
}

/// What is sent.
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
    seen: Mutex<Seen>,
}

/// What rules about all answers look at.
#[derive(Default)]
pub(crate) struct Seen {
    /// Every answer that is not a success, and to what.
    pub(crate) errors: Vec<(String, Answer)>,
    /// The first answer that is not JSON.
    pub(crate) not_json: Option<String>,
    /// The first answer that holds a key.
    pub(crate) key_echoed: Option<String>,
    /// The first `X-RateLimit-Reset`.
    pub(crate) reset: Option<String>,
    /// The first refusal for too many requests.
    pub(crate) limited: Option<Answer>,
}

impl Wire {
    pub(crate) fn new(target: &Target) -> Self {
        Self {
            http: target.http.clone(),
            base: target.url.clone(),
            secrets: target.secrets.clone(),
            seen: Mutex::default(),
        }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits out rate limits.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        caller: As<'_>,
        body: Body<'_>,
    ) -> Result<Answer, Verdict> {
        for _ in 0..PATIENCE {
            let answer = self.send_once(method.clone(), path, caller, body).await?;
            if answer.status != 429 {
                return Ok(answer);
            }
            tokio::time::sleep(answer.wait()).await;
        }
        self.send_once(method, path, caller, body).await
    }

    /// Sends a request once, whatever comes.
    pub(crate) async fn send_once(
        &self,
        method: Method,
        path: &str,
        caller: As<'_>,
        body: Body<'_>,
    ) -> Result<Answer, Verdict> {
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}", self.base))
            .timeout(TIMEOUT);
        request = match caller {
            As::Nobody => request,
            As::Key(key) => request.bearer_auth(key.expose_secret()),
            As::Session(cookie) => request.header("cookie", cookie.expose_secret()),
            As::Authorization(text) => request.header("authorization", text),
        };
        request = match body {
            Body::None => request,
            Body::Json(json) => request.body(json.to_string()),
            Body::Text(text) => request.body(text),
        };
        if !matches!((caller, body), (As::Nobody, Body::None)) {
            request = request.header("content-type", "application/json");
        }
        let call = format!("{method} {path}");
        let answer = self
            .exchange(request)
            .await
            .map_err(|error| Verdict::fail(format!("an answer to {call}"), no_answer(&error)))?;
        self.remember(call, &answer);
        Ok(answer)
    }

    async fn exchange(&self, request: reqwest::RequestBuilder) -> reqwest::Result<Answer> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?;
        let text = String::from_utf8_lossy(&body);
        let holds_key = self.secrets.are_in(&text)
            || headers
                .iter()
                // A session may be renewed under its name.
                .filter(|(name, _)| *name != "set-cookie")
                .any(|(_, value)| {
                    self.secrets
                        .are_in(&String::from_utf8_lossy(value.as_bytes()))
                });
        Ok(Answer {
            status,
            headers,
            json: serde_json::from_slice(&body).ok(),
            shown: shorten(&self.secrets.scrub(&text)),
            holds_key,
        })
    }

    fn remember(&self, call: String, answer: &Answer) {
        let mut seen = self.seen();
        let first = |place: &mut Option<String>, text: &dyn Fn() -> String| {
            place.get_or_insert_with(text);
        };
        if answer.json.is_none() {
            first(&mut seen.not_json, &|| format!("{answer} to {call}"));
        }
        if answer.holds_key {
            first(&mut seen.key_echoed, &|| format!("{answer} to {call}"));
        }
        if let Some(reset) = answer.header("x-ratelimit-reset") {
            first(&mut seen.reset, &|| reset.to_owned());
        }
        let limited = answer.status == 429;
        if limited && seen.limited.is_none() {
            seen.limited = Some(answer.clone());
        }
        if !answer.is_success() && !limited {
            seen.errors.push((call, answer.clone()));
        }
    }
}

/// An answer, as it came.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) json: Option<Value>,
    /// The body for people: shortened, without secrets.
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

    /// The object of a success; anything else breaks whatever rule is being checked.
    pub(crate) fn object(&self) -> Result<&Map<String, Value>, Verdict> {
        let object = self.json.as_ref().and_then(Value::as_object);
        match object {
            Some(object) if self.is_success() => Ok(object),
            _ => Err(Verdict::fail(
                "a success with a JSON object",
                self.to_string(),
            )),
        }
    }

    /// Whether it is an error of this status and code, and says something.
    pub(crate) fn is_error(&self, status: u16, code: &str) -> bool {
        self.status == status && self.text("code") == Some(code) && self.text("error").is_some()
    }

    /// Pass when it is an error of this status and code.
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
            // Small numbers are spans, large ones instants.
            Some(if reset > 1e9 { reset - now } else { reset })
        });
        Duration::try_from_secs_f64(wait.unwrap_or(2.0))
            .unwrap_or_default()
            .clamp(Duration::from_millis(250), LONGEST_WAIT)
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
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "with an empty body".to_owned(),
        None => line,
    }
}

fn no_answer(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "a broken connection"
    }
}
