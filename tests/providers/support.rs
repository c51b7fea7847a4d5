//! A stand-in for a model endpoint, and shorthands that read as sentences.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_server::extract::{
    Candidate, ExtractError, Extractor, Interaction, Known, Model, ModelConfig,
};
use ctxmem_test_outside::completion;
use ctxmem_types::Scope;
use secrecy::SecretString;
use serde_json::{Value, json};
use wiremock::matchers::{any, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, Times};

pub(crate) const KEY: &str = "sk-test-0123456789abcdef";

pub(crate) const MESSAGE: &str = "I'm Ada and I edit in Helix";

pub(crate) const RESPONSE: &str = "Nice to meet you, Ada.";

/// An endpoint that fails the test on any request it wasn't told to expect.
pub(crate) struct Endpoint {
    server: MockServer,
}

impl Endpoint {
    pub(crate) async fn start() -> Self {
        let server = MockServer::start().await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(599))
            .with_priority(u8::MAX)
            .named("a request that nobody expects")
            .expect(0)
            .mount(&server)
            .await;
        Self { server }
    }

    /// An endpoint that answers completions once with this.
    pub(crate) async fn answering(response: ResponseTemplate) -> Self {
        let endpoint = Self::start().await;
        endpoint.on_completion(response, 1).await;
        endpoint
    }

    /// An endpoint whose model writes this.
    pub(crate) async fn saying(content: &str) -> Self {
        Self::answering(completion(content)).await
    }

    /// An endpoint that answers one completion after the other with these, and no more.
    pub(crate) async fn in_turn(responses: impl IntoIterator<Item = ResponseTemplate>) -> Self {
        let responses: Vec<ResponseTemplate> = responses.into_iter().collect();
        let endpoint = Self::start().await;
        let (next, count) = (AtomicUsize::new(0), responses.len() as u64);
        let answer = move |_: &Request| {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let over = || ResponseTemplate::new(599);
            responses.get(n).cloned().unwrap_or_else(over)
        };
        endpoint.on_completion(answer, count).await;
        endpoint
    }

    /// The bodies of the completions that were asked for.
    pub(crate) async fn bodies(&self) -> Vec<Value> {
        let requests = self.requests().await;
        requests
            .iter()
            .map(|request| request.body_json().expect("JSON"))
            .collect()
    }

    /// Answers completions so, which are asked for so often.
    pub(crate) async fn on_completion(
        &self,
        answer: impl Respond + 'static,
        times: impl Into<Times>,
    ) {
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(answer)
            .expect(times)
            .mount(&self.server)
            .await;
    }

    pub(crate) async fn mount(&self, mock: Mock) {
        mock.mount(&self.server).await;
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    pub(crate) fn model(&self) -> Model {
        model(&self.url(), Duration::from_secs(5))
    }

    pub(crate) async fn requests(&self) -> Vec<Request> {
        self.server
            .received_requests()
            .await
            .expect("wiremock records requests")
    }

    pub(crate) async fn extract(&self) -> Result<Vec<Candidate>, ExtractError> {
        extract(&self.model()).await
    }

    /// How many facts are found.
    pub(crate) async fn found(&self) -> Result<usize, ExtractError> {
        found(&self.model()).await
    }
}

pub(crate) fn config(url: &str, timeout: Duration) -> ModelConfig {
    let mut config = ModelConfig::new(url.parse().expect("a URL"), "small-model", timeout);
    config.api_key = Some(SecretString::from(KEY));
    config
}

pub(crate) fn model(url: &str, timeout: Duration) -> Model {
    Model::new(config(url, timeout)).expect("a model")
}

pub(crate) async fn extract(model: &Model) -> Result<Vec<Candidate>, ExtractError> {
    extract_from(model, MESSAGE, &[]).await
}

/// How many facts are found.
pub(crate) async fn found(model: &Model) -> Result<usize, ExtractError> {
    extract(model).await.map(|facts| facts.len())
}

/// What is found in this message on Thursday, 5 March 2026.
pub(crate) async fn extract_from(
    model: &Model,
    message: &str,
    known: &[Known],
) -> Result<Vec<Candidate>, ExtractError> {
    model
        .extract(&Interaction {
            user_message: message,
            agent_response: RESPONSE,
            known,
            today: chrono::NaiveDate::from_ymd_opt(2026, 3, 5).expect("a day"),
        })
        .await
}

pub(crate) fn known(scope: Scope, key: Option<&str>, value: &str) -> Known {
    Known {
        scope,
        slot: "not for the model".to_owned(),
        key: key.map(str::to_owned),
        value: value.to_owned(),
    }
}

/// What a well-behaved model writes about [`MESSAGE`].
pub(crate) fn good_facts() -> Value {
    json!({"facts": [
        {"scope": "general", "key": "name", "value": "Ada", "op": "set", "known": 0, "was": "",
            "quote": "I'm Ada"},
        {"scope": "preferences", "key": "editor", "value": "Helix", "op": "set", "known": 0,
            "was": "", "quote": "I edit in Helix"},
    ]})
}

/// The same as a completion.
pub(crate) fn good() -> ResponseTemplate {
    completion(&good_facts().to_string())
}

pub(crate) fn json(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

/// The same facts, each with [`MESSAGE`] as its quote where it has none.
pub(crate) fn quoting(mut facts: Value) -> Value {
    for fact in facts["facts"].as_array_mut().expect("facts") {
        if fact.get("quote").is_none() {
            fact["quote"] = MESSAGE.into();
        }
    }
    facts
}

/// An error text must not tell what was asked, answered or used as a key.
pub(crate) fn assert_discreet(error: ExtractError, endpoint: &str) {
    for text in [error.to_string(), format!("{error:?}")] {
        let of_conversation = [KEY, MESSAGE, RESPONSE, "Helix", "Ada"];
        let places = [endpoint, "127.0.0.1", "http"];
        for secret in of_conversation.into_iter().chain(places) {
            assert!(!text.contains(secret), "{text} tells {secret}");
        }
    }
}
