//! A model behind an OpenAI-compatible endpoint.

use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use wiremock::matchers::{any, method, path, path_regex};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::completion::{completion, extraction_data};

/// The key with which servers ask the model.
pub const MODEL_KEY: &str = "model-key-0123456789";

/// A model that answers as its test says. Until then it finds no facts.
pub struct FakeModel {
    server: MockServer,
    behaviour: Arc<Mutex<Behaviour>>,
}

struct Behaviour {
    answer: Arc<dyn Fn(&Value) -> ResponseTemplate + Send + Sync>,
    /// A message that says what it finds.
    said: String,
    /// Holds back the next answer.
    pause: Option<Pause>,
}

struct Pause {
    started: oneshot::Sender<()>,
    finished: mpsc::Receiver<()>,
}

impl FakeModel {
    /// Starts the endpoint.
    pub async fn start() -> Self {
        // An address of its own: wiremock's pool would give it to another endpoint later, which
        // would get requests that are still on their way.
        let server = MockServer::builder().start().await;
        let behaviour = Arc::new(Mutex::new(Behaviour {
            answer: Arc::new(|_| completion(&json!({"facts": []}).to_string())),
            said: String::new(),
            pause: None,
        }));
        Mock::given(method("POST"))
            .and(path_regex("^/v1/(chat/completions|responses)$"))
            .respond_with(Answers(Arc::clone(&behaviour)))
            .mount(&server)
            .await;
        Mock::given(method("GET"))
            .and(path("/v1/models"))
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({"data": []})))
            .mount(&server)
            .await;
        Self { server, behaviour }
    }

    /// The base URL of the endpoint.
    pub fn url(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    /// The flags with which the server's binary asks this model.
    pub fn flags(&self) -> String {
        let url = self.url();
        format!("--extractor model --model-name test-model --model-url {url}")
    }

    /// From now on it finds these facts in every message. What it makes up is left out: [`said`](Self::said) is
    /// a message that says them.
    pub fn finds(&self, facts: impl IntoIterator<Item = Value>) {
        let facts: Vec<Value> = facts.into_iter().collect();
        let values = facts.iter().filter_map(|fact| fact["value"].as_str());
        let sentences: Vec<&str> = std::iter::once("I use Helix as my editor")
            .chain(values)
            .collect();
        self.behaviour.lock().unwrap().said = sentences.join(".\n");
        self.finds_with(move |_| facts.clone());
    }

    /// A message that says what it was last told to find.
    pub fn said(&self) -> String {
        self.behaviour.lock().unwrap().said.clone()
    }

    /// From now on it finds what this function makes of the user's message. Facts without a
    /// quote quote the whole message.
    pub fn finds_with(&self, find: impl Fn(&str) -> Vec<Value> + Send + Sync + 'static) {
        self.answers_with(move |request| {
            let data = extraction_data(request);
            let message = data["user"].as_str().unwrap();
            let mut facts = find(message);
            for fact in facts.iter_mut().filter_map(Value::as_object_mut) {
                fact.entry("quote").or_insert_with(|| message.into());
            }
            completion(&json!({"facts": facts}).to_string())
        });
    }

    /// From now on it writes this text.
    pub fn writes(&self, text: &str) {
        self.answers(completion(text));
    }

    /// From now on the endpoint answers every completion with this.
    pub fn answers(&self, answer: ResponseTemplate) {
        self.answers_with(move |_| answer.clone());
    }

    /// From now on the endpoint answers what this function makes of the body of the request.
    pub fn answers_with(
        &self,
        answer: impl Fn(&Value) -> ResponseTemplate + Send + Sync + 'static,
    ) {
        self.behaviour.lock().unwrap().answer = Arc::new(answer);
    }

    /// Holds back the answer to the next completion until the test lets it finish.
    pub fn pause(&self) -> PausedCompletion {
        let (started, has_started) = oneshot::channel();
        let (finish, finished) = mpsc::channel();
        self.behaviour.lock().unwrap().pause = Some(Pause { started, finished });
        PausedCompletion {
            has_started,
            finish,
        }
    }

    /// From now on the whole endpoint fails, its list of models included.
    pub async fn breaks(&self) {
        self.server.reset().await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(500))
            .mount(&self.server)
            .await;
    }

    /// The requests for completions so far.
    pub async fn requests(&self) -> Vec<Request> {
        let mut requests = self.server.received_requests().await.unwrap();
        requests.retain(|request| request.method == "POST");
        requests
    }

    /// The bodies of the requests for completions so far.
    pub async fn bodies(&self) -> Vec<Value> {
        let requests = self.requests().await;
        requests.iter().map(body).collect()
    }
}

/// A completion that waits. It finishes when this value is dropped, at the latest.
pub struct PausedCompletion {
    has_started: oneshot::Receiver<()>,
    finish: mpsc::Sender<()>,
}

impl PausedCompletion {
    /// Waits until the model was asked.
    pub async fn started(&mut self) {
        (&mut self.has_started).await.unwrap();
    }

    /// Lets the model answer.
    pub fn finish(self) {
        self.finish.send(()).unwrap();
    }
}

struct Answers(Arc<Mutex<Behaviour>>);

impl Respond for Answers {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let pause = self.0.lock().unwrap().pause.take();
        if let Some(pause) = pause {
            let _ = pause.started.send(());
            // The endpoint has a thread of its own, so nobody else waits here.
            let _ = pause.finished.recv();
        }
        let answer = Arc::clone(&self.0.lock().unwrap().answer);
        answer(&body(request))
    }
}

fn body(request: &Request) -> Value {
    request.body_json().unwrap()
}
