//! Extraction by a model behind an OpenAI-compatible endpoint: the call itself.
//!
//! The operator chose the endpoint, and it is still not trusted: time and size are limited,
//! redirects are not followed, and errors contain no text from the endpoint or from reqwest.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;

use super::figures::ModelRequest;
use super::{Candidate, ExtractError, Extractor, Interaction, ModelFigures};
use crate::probe::Probe;
use crate::traces::{self, step};
use ctxmem_extract::answer::{self, Completion};
use ctxmem_extract::prompt::Question;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long it is remembered whether the endpoint answers.
const PROBE_CACHE: Duration = Duration::from_secs(30);

/// How long a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// The largest answer that is read, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// About how many bytes of a refusal are read.
const MAX_REFUSAL: usize = 16 * 1024;

/// Words in a refusal that concerns the response format, in lower case.
const FORMAT_WORDS: &[&str] = &["schema", "grammar", "response_format"];

/// Where the model is and how to call it.
pub struct ModelConfig {
    /// Base of the endpoint, usually ending in `/v1`.
    pub url: Url,
    /// Name of the model.
    pub name: String,
    /// Sent as a bearer token.
    pub api_key: Option<SecretString>,
    /// For a whole extraction, including the fallback without a schema and the repair.
    pub timeout: Duration,
}

/// Extracts with a model.
pub struct Model {
    client: Client,
    completions: Url,
    models: Url,
    name: String,
    timeout: Duration,
    /// Cleared when the endpoint refuses a response format.
    structured: AtomicBool,
    /// Cleared while the model leaves out the requested quotes.
    quotes: AtomicBool,
    probe: Probe,
    figures: Arc<ModelFigures>,
}

/// A request whose answer has begun.
struct Sent<'f> {
    request: ModelRequest<'f>,
    response: Response,
}

/// The result of one extraction by a model.
pub(crate) struct Extraction {
    pub(crate) candidates: Vec<Candidate>,
    /// The tokens of the requests and of the answers, if the endpoint reports them.
    pub(crate) tokens: Option<(u64, u64)>,
}

impl Model {
    /// Prepares the client without calling the endpoint.
    ///
    /// # Errors
    ///
    /// When the URL can't have a path or the key can't be a header value.
    pub fn new(config: ModelConfig) -> Result<Self, ExtractError> {
        Self::counting(config, Arc::default())
    }

    /// The same, counting here.
    pub(super) fn counting(
        config: ModelConfig,
        figures: Arc<ModelFigures>,
    ) -> Result<Self, ExtractError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(key) = &config.api_key {
            let mut value = HeaderValue::try_from(format!("Bearer {}", key.expose_secret()))
                .map_err(|_| ExtractError::Request)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(config.timeout)
            .redirect(Policy::none())
            .no_proxy()
            .default_headers(headers)
            .build()
            .map_err(|_| ExtractError::Request)?;
        Ok(Self {
            client,
            completions: join(&config.url, &["chat", "completions"])?,
            models: join(&config.url, &["models"])?,
            name: config.name,
            timeout: config.timeout,
            structured: AtomicBool::new(true),
            quotes: AtomicBool::new(true),
            probe: Probe::new(PROBE_CACHE, PROBE_CACHE),
            figures,
        })
    }

    /// Extracts, and counts the tokens.
    ///
    /// Usually this takes one request. A second one follows if the endpoint accepts no response
    /// format, which is remembered, or if the answer can't be read or lacks the user's words for
    /// its facts. A model that leaves these out even then is not asked for them again.
    pub(crate) async fn find(
        &self,
        interaction: &Interaction<'_>,
    ) -> Result<Extraction, ExtractError> {
        let deadline = Instant::now() + self.timeout;
        let mark = format!("{:032x}", rand::random::<u128>());
        let question = Question::new(&self.name, interaction, &mark);
        let read = |text: &str| answer::candidates(text, question.known(), question.message());
        let asked = self.ask(&question);
        let first = timeout_at(deadline, asked)
            .await
            .unwrap_or(Err(ExtractError::TimedOut))?;
        let answer = read(&first.text);
        if let Some(answer) = &answer
            && (answer.quoted || !self.quotes.load(Ordering::Relaxed))
        {
            self.quotes.fetch_or(answer.quoted, Ordering::Relaxed);
            let (candidates, tokens) = (answer.candidates.clone(), first.tokens);
            return Ok(Extraction { candidates, tokens });
        }
        tracing::debug!("the model's answer is not of the agreed form; it is asked once more");
        let structured = self.structured.load(Ordering::Relaxed);
        let repair = question.repair(&first.text, structured);
        let repaired = async { self.complete(self.send(&repair).await?).await };
        let repaired = timeout_at(deadline, repaired)
            .await
            .unwrap_or(Err(ExtractError::TimedOut));
        let repaired = repaired.and_then(|second| {
            let repaired = read(&second.text).ok_or(ExtractError::Malformed)?;
            self.quotes.store(repaired.quoted, Ordering::Relaxed);
            let tokens = first.tokens.zip(second.tokens);
            let tokens = tokens.map(|(one, other)| (one.0 + other.0, one.1 + other.1));
            Ok(Extraction {
                candidates: repaired.candidates,
                tokens,
            })
        });
        // An answer that only lacks quotes is better than none.
        repaired.or_else(|error| {
            let candidates = answer.ok_or(error)?.candidates;
            Ok(Extraction {
                candidates,
                tokens: first.tokens,
            })
        })
    }

    /// The answer to a question, without a response format if the endpoint accepts none.
    async fn ask(&self, question: &Question<'_>) -> Result<Completion, ExtractError> {
        let structured = self.structured.load(Ordering::Relaxed);
        let mut sent = self.send(&question.body(structured)).await?;
        let status = sent.response.status();
        if structured && !status.is_success() {
            let refused = ExtractError::Status(status.as_u16());
            sent.request.end(&Err::<(), _>(refused));
            if !may_refuse_the_format(sent.response).await {
                return Err(refused);
            }
            sent = self.send(&question.body(false)).await?;
            // Only if the endpoint accepts the plain request was the format the problem.
            if sent.response.status().is_success() {
                self.structured.store(false, Ordering::Relaxed);
            }
        }
        self.complete(sent).await
    }

    /// Reads the answer, and counts its tokens.
    async fn complete(&self, sent: Sent<'_>) -> Result<Completion, ExtractError> {
        let completion = completion(sent.response).await;
        sent.request.end(&completion);
        if let Ok(Completion { tokens, .. }) = &completion
            && let Some((asked, answered)) = tokens
        {
            self.figures.tokens_in.add(*asked);
            self.figures.tokens_out.add(*answered);
        }
        completion
    }

    async fn send(&self, body: &Value) -> Result<Sent<'_>, ExtractError> {
        let span = step!("model request", otel.kind = "client");
        let request = self.figures.begin();
        let mut asking = self
            .client
            .post(self.completions.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        if let Some(parent) = span.in_scope(traces::traceparent) {
            asking = asking.header(traces::TRACEPARENT, parent);
        }
        let response = asking.send().instrument(span).await.map_err(failure);
        match response {
            Ok(response) => Ok(Sent { request, response }),
            Err(error) => {
                request.end(&Err::<(), _>(error));
                Err(error)
            }
        }
    }

    /// Whether the endpoint answers. Not every endpoint lists its models, so an unknown path counts
    /// as an answer. A refused key does not, because extraction would fail as well.
    async fn answers(&self) -> bool {
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
}

#[async_trait]
impl Extractor for Model {
    fn is_model(&self) -> bool {
        true
    }

    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError> {
        self.find(interaction).await.map(|found| found.candidates)
    }

    fn wants_known(&self) -> bool {
        true
    }

    fn model_figures(&self) -> Option<&ModelFigures> {
        Some(&self.figures)
    }

    async fn probe(&self) -> Option<bool> {
        Some(self.probe.check(|| self.answers()).await)
    }
}

/// The URL of a path below the base, whether or not the base ends in a slash.
fn join(base: &Url, path: &[&str]) -> Result<Url, ExtractError> {
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| ExtractError::Request)?
        .pop_if_empty()
        .extend(path);
    Ok(url)
}

/// The completion in the model's answer.
async fn completion(response: Response) -> Result<Completion, ExtractError> {
    if !response.status().is_success() {
        return Err(ExtractError::Status(response.status().as_u16()));
    }
    answer::completion(&read_body(response).await?).ok_or(ExtractError::Malformed)
}

/// Whether a refusal may concern the response format. Some endpoints answer with a server error;
/// then the text must mention the format.
async fn may_refuse_the_format(mut refusal: Response) -> bool {
    match refusal.status() {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => true,
        StatusCode::INTERNAL_SERVER_ERROR | StatusCode::NOT_IMPLEMENTED => {
            let mut text = Vec::new();
            while text.len() < MAX_REFUSAL
                && let Ok(Some(chunk)) = refusal.chunk().await
            {
                text.extend_from_slice(&chunk);
            }
            let text = String::from_utf8_lossy(&text).to_lowercase();
            FORMAT_WORDS.iter().any(|word| text.contains(word))
        }
        _ => false,
    }
}

/// Reads a body up to the limit.
async fn read_body(mut response: Response) -> Result<Vec<u8>, ExtractError> {
    let announced = response.content_length().unwrap_or_default();
    if usize::try_from(announced).map_or(true, |announced| announced > MAX_ANSWER) {
        return Err(ExtractError::TooLarge);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure)? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(ExtractError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Drops reqwest's error, which names the URL.
#[expect(
    clippy::needless_pass_by_value,
    reason = "used as a function in map_err"
)]
fn failure(error: reqwest::Error) -> ExtractError {
    if error.is_timeout() {
        ExtractError::TimedOut
    } else if error.is_builder() {
        ExtractError::Request
    } else {
        ExtractError::Unreachable
    }
}
