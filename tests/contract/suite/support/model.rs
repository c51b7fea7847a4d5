//! A model behind an OpenAI-compatible endpoint, played by wiremock.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use ctxmem_server::ExtractorConfig;
use ctxmem_types::Scope;
use reqwest::Url;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use wiremock::matchers::{any, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::Setup;

/// The key that the server shows to the model.
pub(crate) const MODEL_KEY: &str = "model-key-0123456789";

/// A model that answers as it was last told. At first it finds nothing.
pub(crate) struct Model {
    server: MockServer,
    mind: Arc<Mutex<Mind>>,
}

struct Mind {
    answer: Box<dyn Fn(&Value) -> ResponseTemplate + Send>,
    pause: Option<Pause>,
}

struct Pause {
    begun: oneshot::Sender<()>,
    over: mpsc::Receiver<()>,
}

impl Model {
    pub(crate) async fn start() -> Self {
        let server = MockServer::start().await;
        let mind = Arc::new(Mutex::new(Mind {
            answer: Box::new(|_| completion(&json!({"facts": []}).to_string())),
            pause: None,
        }));
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(Completions(Arc::clone(&mind)))
            .mount(&server)
            .await;
        Mock::given(method("GET"))
            .and(path("/v1/models"))
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({"data": []})))
            .mount(&server)
            .await;
        Self { server, mind }
    }

    /// A server that asks this model.
    pub(crate) fn setup(&self) -> Setup {
        Setup::new().model(self, Duration::from_secs(30))
    }

    /// The configuration by which a server asks this model.
    pub(super) fn config(&self, timeout: Duration) -> ExtractorConfig {
        ExtractorConfig::Model {
            url: Url::parse(&format!("{}/v1", self.server.uri())).unwrap(),
            name: "test-model".into(),
            api_key: Some(MODEL_KEY.into()),
            timeout,
        }
    }

    /// From now on it finds these facts in whatever is said.
    pub(crate) fn finds(&self, facts: impl IntoIterator<Item = Value>) {
        let facts: Vec<Value> = facts.into_iter().collect();
        self.hears(move |_| facts.clone());
    }

    /// From now on it finds what this function makes of the user's words, which it quotes where
    /// the function doesn't.
    pub(crate) fn hears(&self, facts: impl Fn(&str) -> Vec<Value> + Send + 'static) {
        self.thinks(move |request| {
            let said = request["messages"].as_array().unwrap().last().unwrap();
            let data = said["content"].as_str().unwrap().lines().nth(1).unwrap();
            let data: Value = serde_json::from_str(data).unwrap();
            let said = data["user"].as_str().unwrap();
            let mut facts = facts(said);
            for fact in facts.iter_mut().filter_map(Value::as_object_mut) {
                fact.entry("quote").or_insert_with(|| said.into());
            }
            completion(&json!({"facts": facts}).to_string())
        });
    }

    /// From now on it writes this text.
    pub(crate) fn says(&self, text: &str) {
        self.answers(completion(text));
    }

    /// From now on the endpoint gives this answer.
    pub(crate) fn answers(&self, answer: ResponseTemplate) {
        self.thinks(move |_| answer.clone());
    }

    /// From now on it answers what this function makes of the body of the request.
    pub(crate) fn thinks(&self, answer: impl Fn(&Value) -> ResponseTemplate + Send + 'static) {
        self.mind.lock().unwrap().answer = Box::new(answer);
    }

    /// The next completion is not given before the test says so.
    pub(crate) fn pauses(&self) -> Thinking {
        let (begun, has_begun) = oneshot::channel();
        let (end, over) = mpsc::channel();
        self.mind.lock().unwrap().pause = Some(Pause { begun, over });
        Thinking { has_begun, end }
    }

    /// From now on the whole endpoint, its list of models included, is out of order.
    pub(crate) async fn breaks(&self) {
        self.server.reset().await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(500))
            .mount(&self.server)
            .await;
    }

    /// The completions that were asked for.
    pub(crate) async fn asked(&self) -> Vec<Request> {
        let mut requests = self.server.received_requests().await.unwrap();
        requests.retain(|request| request.method == "POST");
        requests
    }
}

/// A completion under way. It ends with this value at the latest.
pub(crate) struct Thinking {
    has_begun: oneshot::Receiver<()>,
    end: mpsc::Sender<()>,
}

impl Thinking {
    /// Waits until the model was asked.
    pub(crate) async fn begun(&mut self) {
        (&mut self.has_begun).await.unwrap();
    }

    /// Lets the model answer.
    pub(crate) fn end(self) {
        self.end.send(()).unwrap();
    }
}

struct Completions(Arc<Mutex<Mind>>);

impl Respond for Completions {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let pause = self.0.lock().unwrap().pause.take();
        if let Some(pause) = pause {
            let _ = pause.begun.send(());
            // The endpoint has a thread of its own, so nobody else waits here.
            let _ = pause.over.recv();
        }
        let body: Value = request.body_json().unwrap();
        (self.0.lock().unwrap().answer)(&body)
    }
}

/// A completion that consists of this text.
pub(crate) fn completion(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"message": {"role": "assistant", "content": text}}],
    }))
}

/// A fact of a list or text scope, as a model writes it.
pub(crate) fn fact(scope: Scope, value: &str) -> Value {
    json!({"scope": scope.name(), "value": value})
}

/// A fact with a name, as a model writes it.
pub(crate) fn named(scope: Scope, name: &str, value: &str) -> Value {
    json!({"scope": scope.name(), "key": name, "value": value, "op": "set"})
}

/// That a fact no longer holds, as a model writes it.
pub(crate) fn no_longer(scope: Scope, value: &str) -> Value {
    json!({"scope": scope.name(), "value": value, "op": "remove"})
}
