//! Extraction by a model behind an OpenAI-compatible endpoint: what is asked, and asked again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use ctxmem_extract::answer::{self, Completion};
use ctxmem_extract::dialect::Dialect;
use ctxmem_extract::prompt::Question;
use prometheus::proto::MetricFamily;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};

use super::endpoint::{Endpoint, ModelConfig, Reply};
use super::{Candidate, ExtractError, Extractor, Interaction, ModelMetrics};
use crate::locked;
use crate::probe::Probe;

/// How long it is remembered whether the endpoint answers.
const PROBE_CACHE: Duration = Duration::from_secs(30);

/// How long it is remembered what the endpoint refused: it may be replaced by a better one.
const REFUSED_FOR: Duration = Duration::from_hours(1);

/// How often one question may be refused and asked in another form.
const MOST_FORMS: usize = 9;

/// How often one question is asked again because the endpoint was busy or the connection broke.
const MOST_WAITS: u32 = 3;

/// How long to wait before that at first, where the endpoint doesn't say; then twice as long each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// What is left of the time after a wait, at least: nothing is answered sooner.
const LEAST_LEFT: Duration = Duration::from_millis(200);

/// Extracts with a model.
pub struct Model {
    endpoint: Endpoint,
    name: String,
    timeout: Duration,
    /// What the endpoint takes, as configured, and what was learned of it and when.
    dialect: Dialect,
    learned: Mutex<Option<(Dialect, Instant)>>,
    /// Cleared while the model leaves out the requested quotes.
    quotes: AtomicBool,
    probe: Probe,
    metrics: Arc<ModelMetrics>,
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
    /// When the URL can't have a path, a key or header can't be sent, or the certificates can't be read.
    pub fn new(config: ModelConfig) -> Result<Self, ExtractError> {
        Self::with_metrics(config, Arc::default(), false)
    }

    /// The same for a local command, which may repeat what the endpoint says: [`Model::explanation`].
    pub(crate) fn explaining(config: ModelConfig) -> Result<Self, ExtractError> {
        Self::with_metrics(config, Arc::default(), true)
    }

    /// The same, recording its requests in these metrics.
    pub(super) fn with_metrics(
        config: ModelConfig,
        metrics: Arc<ModelMetrics>,
        explains: bool,
    ) -> Result<Self, ExtractError> {
        Ok(Self {
            endpoint: Endpoint::new(&config, Arc::clone(&metrics), explains)?,
            name: config.name,
            timeout: config.timeout,
            dialect: config.dialect,
            learned: Mutex::new(None),
            quotes: AtomicBool::new(true),
            probe: Probe::new(PROBE_CACHE, PROBE_CACHE),
            metrics,
        })
    }

    /// Where the last question went, and why it failed there.
    pub(crate) fn explanation(&self) -> Option<String> {
        self.endpoint.explanation()
    }

    /// Extracts, and counts the tokens.
    ///
    /// Usually this takes one request. A second one follows if the answer can't be read or lacks the user's words
    /// for its facts. A model that leaves these out even then is not asked for them again. What the endpoint
    /// refuses is left out and the question asked again; where it is busy, after a while.
    pub(crate) async fn find(
        &self,
        interaction: &Interaction<'_>,
    ) -> Result<Extraction, ExtractError> {
        let deadline = Instant::now() + self.timeout;
        let mark = format!("{:032x}", rand::random::<u128>());
        let question = Question::new(&self.name, interaction, &mark);
        let read = |text: &str| {
            let (known, message) = (question.known(), question.message());
            answer::candidates(text, known, message, interaction.today)
        };
        let first = self.ask(|dialect| question.body(dialect), deadline).await?;
        let answer = read(&first.text);
        if let Some(answer) = &answer
            && (answer.quoted || !self.quotes.load(Ordering::Relaxed))
        {
            self.quotes.fetch_or(answer.quoted, Ordering::Relaxed);
            let (candidates, tokens) = (answer.candidates.clone(), first.tokens);
            return Ok(Extraction { candidates, tokens });
        }
        tracing::debug!("the model's answer is not of the agreed form; it is asked once more");
        let repair = |dialect| question.repair(&first.text, dialect);
        let repaired = self.ask(repair, deadline).await.and_then(|second| {
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

    /// The answer to a question until the deadline.
    async fn ask(
        &self,
        body: impl Fn(Dialect) -> Value,
        deadline: Instant,
    ) -> Result<Completion, ExtractError> {
        timeout_at(deadline, self.ask_until(body, deadline))
            .await
            .unwrap_or(Err(ExtractError::TimedOut))
    }

    async fn ask_until(
        &self,
        body: impl Fn(Dialect) -> Value,
        deadline: Instant,
    ) -> Result<Completion, ExtractError> {
        let mut dialect = self.dialect();
        let (mut forms, mut waits) = (0, 0);
        loop {
            let reply = self.endpoint.ask(&body(dialect)).await;
            let is_broken = reply.is_err();
            let (error, wait) = match reply {
                Ok(Reply {
                    completion: Some(completion),
                    ..
                }) => {
                    self.learn(dialect);
                    self.record_tokens(&completion);
                    return Ok(completion);
                }
                Ok(reply) if is_busy(&reply) => {
                    let status = reply.status.as_u16();
                    let retry_after = reply.retry_after;
                    (
                        ExtractError::Busy {
                            status,
                            retry_after,
                        },
                        retry_after,
                    )
                }
                Ok(reply) => {
                    let status = reply.status.as_u16();
                    let next = dialect.after_refusal(status, &reply.words);
                    let Some(next) = next.filter(|_| forms < MOST_FORMS) else {
                        return Err(if reply.status.is_success() {
                            ExtractError::Malformed
                        } else {
                            ExtractError::Status(status)
                        });
                    };
                    forms += 1;
                    dialect = next;
                    continue;
                }
                Err(ExtractError::Unreachable) => (ExtractError::Unreachable, None),
                Err(error) => return Err(error),
            };
            // A broken connection is tried once again, a busy endpoint a few times.
            let most = if is_broken { 1 } else { MOST_WAITS };
            let wait = wait.unwrap_or(FIRST_WAIT * 2_u32.pow(waits));
            if waits >= most || Instant::now() + wait + LEAST_LEFT > deadline {
                return Err(error);
            }
            waits += 1;
            sleep(wait).await;
        }
    }

    fn record_tokens(&self, completion: &Completion) {
        if let Some((asked, answered)) = completion.tokens {
            self.metrics.record_tokens(asked, answered);
        }
    }

    fn dialect(&self) -> Dialect {
        let learned = *locked(&self.learned);
        learned
            .filter(|(_, since)| since.elapsed() < REFUSED_FOR)
            .map_or(self.dialect, |(dialect, _)| dialect)
    }

    /// Keeps what the endpoint took after it had refused something.
    fn learn(&self, dialect: Dialect) {
        if dialect != self.dialect() {
            let mut learned = locked(&self.learned);
            *learned = Some((dialect, Instant::now()));
        }
    }
}

/// Whether an endpoint asks to be left alone for a while. An account without money is not busy.
fn is_busy(reply: &Reply) -> bool {
    let words = reply.words.to_lowercase();
    let is_out_of_money = ["insufficient_quota", "billing", "credit"]
        .iter()
        .any(|word| words.contains(word));
    // The last is "overloaded", as Anthropic has it.
    matches!(reply.status.as_u16(), 429 | 503 | 529) && !is_out_of_money
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

    fn gather_metrics(&self) -> Vec<MetricFamily> {
        self.metrics.gather()
    }

    async fn probe(&self) -> Option<bool> {
        Some(self.probe.check(|| self.endpoint.answers()).await)
    }
}
