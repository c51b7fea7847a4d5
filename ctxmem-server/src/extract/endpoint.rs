//! An OpenAI-compatible endpoint: its addresses, its headers and the requests to it.
//!
//! The operator chose it, and it is still not trusted: time and size are limited, redirects are not followed, and
//! errors contain no text from it or from reqwest.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ctxmem_extract::answer::{self, Completion};
use ctxmem_extract::dialect::Dialect;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tracing::Instrument as _;

use super::{ExtractError, ModelMetrics};
use crate::locked;
use crate::traces::{self, step};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// The largest answer that is read, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// The last part of the path to which questions go.
const COMPLETIONS: &str = "/chat/completions";

/// Where the model is and how to call it.
#[derive(Clone, Debug)]
pub struct ModelConfig {
    /// Base of the endpoint, usually ending in `/v1`, or the whole address ending in `/chat/completions`.
    pub url: Url,
    /// Name of the model.
    pub name: String,
    /// Sent as a bearer token, or as it is in [`ModelConfig::key_header`].
    pub api_key: Option<SecretString>,
    /// The header for the key, where it is no bearer token.
    pub key_header: Option<HeaderName>,
    /// Further headers, which gateways ask for.
    pub headers: Vec<(HeaderName, SecretString)>,
    /// The certificates of a private certificate authority, as PEM.
    pub ca: Option<Vec<u8>>,
    /// For a whole extraction, including what is asked again.
    pub timeout: Duration,
    /// What the endpoint takes, as far as that is known beforehand.
    pub dialect: Dialect,
}

impl ModelConfig {
    /// A model without a key.
    pub fn new(url: Url, name: impl Into<String>, timeout: Duration) -> Self {
        Self {
            url,
            name: name.into(),
            api_key: None,
            key_header: None,
            headers: Vec::new(),
            ca: None,
            timeout,
            dialect: Dialect::default(),
        }
    }
}

/// The endpoint of a model.
pub(super) struct Endpoint {
    client: Client,
    completions: Url,
    models: Url,
    timeout: Duration,
    metrics: Arc<ModelMetrics>,
    /// The last failure in the endpoint's own words, for a local command. A server keeps none: they may repeat
    /// what was asked.
    explanation: Option<Mutex<String>>,
}

/// What an endpoint answered.
pub(super) struct Reply {
    pub(super) status: StatusCode,
    /// How long it asks to be left alone.
    pub(super) retry_after: Option<Duration>,
    /// What the model wrote, if that is what it is.
    pub(super) completion: Option<Completion>,
    /// What it says otherwise.
    pub(super) words: String,
}

impl Endpoint {
    pub(super) fn new(
        config: &ModelConfig,
        metrics: Arc<ModelMetrics>,
        explains: bool,
    ) -> Result<Self, ExtractError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let key = config.api_key.iter().map(|key| {
            let key = key.expose_secret();
            match &config.key_header {
                Some(name) => (name.clone(), key.to_owned()),
                None => (AUTHORIZATION, format!("Bearer {key}")),
            }
        });
        let others = config
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), value.expose_secret().to_owned()));
        for (name, value) in key.chain(others) {
            let mut value = HeaderValue::try_from(value).map_err(|_| ExtractError::Request)?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let mut client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(config.timeout)
            .redirect(Policy::none())
            .default_headers(headers);
        // What runs beside the server is never behind the proxy of the environment.
        if is_local(&config.url) {
            client = client.no_proxy();
        }
        if let Some(ca) = &config.ca {
            let certificates = Certificate::from_pem_bundle(ca);
            for certificate in certificates.map_err(|_| ExtractError::Request)? {
                client = client.add_root_certificate(certificate);
            }
        }
        let (completions, models) = addresses(&config.url)?;
        Ok(Self {
            client: client.build().map_err(|_| ExtractError::Request)?,
            completions,
            models,
            timeout: config.timeout,
            metrics,
            explanation: explains.then(Mutex::default),
        })
    }

    /// Sends a question and reads the answer, whatever its status.
    pub(super) async fn ask(&self, body: &Value) -> Result<Reply, ExtractError> {
        let request = self.metrics.begin();
        let reply = self.exchange(body).await;
        let result = reply.as_ref().map_err(|error| *error);
        request.record_result(&result.and_then(|reply| match &reply.completion {
            Some(_) => Ok(()),
            None if reply.status.is_success() => Err(ExtractError::Malformed),
            None => Err(ExtractError::Status(reply.status.as_u16())),
        }));
        reply
    }

    async fn exchange(&self, body: &Value) -> Result<Reply, ExtractError> {
        let span = step!("model request", otel.kind = "client");
        let mut asking = self
            .client
            .post(self.completions.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        if let Some(parent) = span.in_scope(traces::traceparent) {
            asking = asking.header(traces::TRACEPARENT, parent);
        }
        let response = asking.send().instrument(span).await;
        let response = response.map_err(|error| self.failure(&error))?;
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let body = self.read_body(response).await?;
        let is_success = status.is_success();
        let completion = is_success.then(|| answer::completion(&body)).flatten();
        let mut words = String::new();
        if completion.is_none() {
            self.explain(|| format!("status {status}: {}", shortened(&body)));
            words = match answer::error(&body) {
                Some(error) => error,
                None if is_success => String::new(),
                None => String::from_utf8_lossy(&body).into_owned(),
            };
        }
        Ok(Reply {
            status,
            retry_after,
            completion,
            words,
        })
    }

    /// Whether the endpoint answers. Not every endpoint lists its models, so an unknown path counts
    /// as an answer. A refused key does not, because extraction would fail as well.
    pub(super) async fn answers(&self) -> bool {
        let sent = self
            .client
            .get(self.models.clone())
            .timeout(self.timeout.min(PROBE_TIMEOUT))
            .send()
            .await;
        sent.is_ok_and(|response| {
            let status = response.status();
            !status.is_server_error()
                && !status.is_redirection()
                && status != StatusCode::UNAUTHORIZED
                && status != StatusCode::FORBIDDEN
        })
    }

    /// Reads a body up to the limit.
    async fn read_body(&self, mut response: Response) -> Result<Vec<u8>, ExtractError> {
        let announced = response.content_length().unwrap_or_default();
        if usize::try_from(announced).map_or(true, |announced| announced > MAX_ANSWER) {
            return Err(ExtractError::TooLarge);
        }
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await;
            let Some(chunk) = chunk.map_err(|error| self.failure(&error))? else {
                return Ok(body);
            };
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(ExtractError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// Drops reqwest's error, which names the URL.
    fn failure(&self, error: &reqwest::Error) -> ExtractError {
        self.explain(|| {
            let mut text = String::new();
            let mut cause = std::error::Error::source(error);
            while let Some(inner) = cause {
                let _ = write!(text, "{}{inner}", if text.is_empty() { "" } else { ": " });
                cause = inner.source();
            }
            text
        });
        if error.is_timeout() {
            ExtractError::TimedOut
        } else if error.is_builder() {
            ExtractError::Request
        } else {
            ExtractError::Unreachable
        }
    }

    fn explain(&self, text: impl FnOnce() -> String) {
        if let Some(explanation) = &self.explanation {
            let text = format!("POST {}: {}", self.completions, text());
            *locked(explanation) = text;
        }
    }

    /// Where the last question went, and why it failed there.
    pub(super) fn explanation(&self) -> Option<String> {
        let explanation = self.explanation.as_ref()?;
        let text = locked(explanation).clone();
        (!text.is_empty()).then_some(text)
    }
}

/// Where questions go, and where the models are listed. A query stays, as Azure has one.
fn addresses(url: &Url) -> Result<(Url, Url), ExtractError> {
    let mut base = url.clone();
    if let Some(path) = url.path().trim_end_matches('/').strip_suffix(COMPLETIONS) {
        base.set_path(path);
    }
    let below = |path: &[&str]| {
        let mut url = base.clone();
        url.path_segments_mut()
            .map_err(|()| ExtractError::Request)?
            .pop_if_empty()
            .extend(path);
        Ok(url)
    };
    Ok((below(&["chat", "completions"])?, below(&["models"])?))
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// `Retry-After`, in seconds or as a date, or in milliseconds as some providers have it.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let value = text(RETRY_AFTER.as_str())?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = DateTime::parse_from_rfc2822(value).ok()?;
    (date.to_utc() - Utc::now()).to_std().ok()
}

/// The beginning of an answer, on one line.
fn shortened(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(500)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_whole_or_a_base() {
        let azure = "https://h/openai/deployments/d";
        let azure_whole = format!("{azure}/chat/completions?api-version=1");
        for (given, base, query) in [
            ("http://h/v1", "http://h/v1", ""),
            ("http://h/v1/", "http://h/v1", ""),
            ("http://h/v1/chat/completions", "http://h/v1", ""),
            (&*azure_whole, azure, "?api-version=1"),
            ("http://h", "http://h", ""),
        ] {
            let url = given.parse().expect("a URL");
            let (completions, models) = addresses(&url).expect("a base");
            let asked = format!("{base}/chat/completions{query}");
            assert_eq!(completions.as_str(), asked, "{given}");
            assert_eq!(models.as_str(), format!("{base}/models{query}"), "{given}");
        }
    }

    #[test]
    fn how_long_to_wait_is_told_in_several_ways() {
        let told = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            retry_after(&headers)
        };
        assert_eq!(told("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(told("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(
            told("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        let soon = (Utc::now() + Duration::from_mins(1)).to_rfc2822();
        assert!(told("retry-after", &soon).is_some_and(|wait| wait.as_secs() > 50));
        for odd in ["soon", "-1", "", "1e400", "Thu, 01 Jan 1970 00:00:00 GMT"] {
            assert_eq!(told("retry-after", odd), None, "{odd}");
        }
    }
}
