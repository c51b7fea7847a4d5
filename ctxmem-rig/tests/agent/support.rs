//! A model and a deployment that always give the same answer and keep their requests.

use std::time::Duration;

use ctxmem_client::{Client, RetryPolicy, Updates, UserId};
use ctxmem_rig::AgentMemory;
use ctxmem_test_outside::{FakeModel, completion_of};
use rig_agent::AgentBuilder;
use rig_agent::core::DynModel;
use rig_agent::core::operation::Completion;
use rig_agent::core::tool::{ToolContext, ToolExecutionError};
use rig_agent::tool::Tool;
use rig_core::providers::openai::{OpenAI, OpenAIConfig, Route};
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

pub(crate) const BASE: &str = "You are a helpful assistant.";
pub(crate) const GPT: &str = "gpt-5.4";

pub(crate) fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

/// What the deployment remembers about a user.
pub(crate) fn remembered(id: &str) -> String {
    format!("What you know of the user:\n- name: {id}\n\n")
}

/// A server at a new address. wiremock's pool reuses the addresses of old servers, so that a
/// new one might get the updates that an earlier test is still sending.
async fn server() -> MockServer {
    MockServer::builder().start().await
}

/// An OpenAI-compatible endpoint. It answers "Noted.", but calls the tool first if a message
/// contains "weather".
pub(crate) struct Model(FakeModel);

impl Model {
    pub(crate) async fn start() -> Self {
        Self::answering(answer).await
    }

    /// A model that fails every call.
    pub(crate) async fn broken() -> Self {
        Self::answering(|_| ResponseTemplate::new(400).set_body_json(json!({"error": {}}))).await
    }

    pub(crate) async fn answering(
        answer: impl Fn(&Value) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Self {
        let model = FakeModel::start().await;
        model.answers_with(answer);
        Self(model)
    }

    fn client(&self, route: Route) -> OpenAI {
        OpenAIConfig::new("sk-test")
            .with_base_url(self.0.url())
            .with_route(route)
            .client()
    }

    /// An agent that uses this model through Chat Completions, whose requests are the easiest to
    /// read.
    pub(crate) fn agent(&self, name: &str) -> AgentBuilder {
        self.agent_on(Route::Chat, name)
    }

    pub(crate) fn agent_on(&self, route: Route, name: &str) -> AgentBuilder {
        let model: DynModel<Completion> = self.client(route).completion(name).into();
        AgentBuilder::new(model).preamble(BASE)
    }

    /// The bodies of the calls so far.
    pub(crate) async fn calls(&self) -> Vec<Value> {
        self.0.bodies().await
    }
}

/// The messages of a call as `(role, text)`.
pub(crate) fn messages(call: &Value) -> Vec<(String, String)> {
    let text = |content: &Value| match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().unwrap())
            .collect(),
        other => other.to_string(),
    };
    let messages = call["messages"].as_array().unwrap().iter();
    messages
        .map(|message| {
            let role = message["role"].as_str().unwrap().to_owned();
            (role, text(&message["content"]))
        })
        .collect()
}

/// The system prompt of a call, which is its first message.
pub(crate) fn system(call: &Value) -> String {
    let (role, text) = messages(call).remove(0);
    assert_eq!(role, "system");
    text
}

fn answer(call: &Value) -> ResponseTemplate {
    let is_responses_api = call.get("input").is_some();
    let said = call.to_string();
    let message = if said.contains("Say nothing.") {
        json!({"role": "assistant", "content": ""})
    } else if said.contains("weather") && !said.contains("sunny") {
        json!({"role": "assistant", "content": null, "tool_calls": [{
            "id": "call_1",
            "type": "function",
            "function": {"name": "weather", "arguments": "{}"},
        }]})
    } else {
        json!({"role": "assistant", "content": "Noted."})
    };
    let finish_reason = if message.get("tool_calls").is_some() {
        "tool_calls"
    } else {
        "stop"
    };
    if !is_responses_api {
        return completion_of(&message, finish_reason);
    }
    ResponseTemplate::new(200).set_body_json(json!({
            "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
            "model": call["model"], "error": null, "incomplete_details": null,
            "output": [{
                "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Noted.", "annotations": []}],
            }],
        "tools": [], "usage": null,
    }))
}

/// A memory deployment. It puts [`remembered`] in front of every base prompt.
pub(crate) struct Deployment(MockServer);

impl Deployment {
    pub(crate) async fn start() -> Self {
        Self::hinting(json!({"recommended": false})).await
    }

    /// A deployment whose answers have this cache hint.
    pub(crate) async fn hinting(hint: Value) -> Self {
        Self::injecting(move |user, base| {
            ResponseTemplate::new(200).set_body_json(json!({
                "injectedPrompt": remembered(user) + base,
                "cacheHint": hint,
            }))
        })
        .await
    }

    /// A deployment that answers injects with this function of user and base prompt.
    pub(crate) async fn injecting(
        inject: impl Fn(&str, &str) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Self {
        let server = server().await;
        Mock::given(path("/api/context/inject"))
            .respond_with(move |request: &Request| {
                let body = body(request);
                inject(
                    body["userId"].as_str().unwrap(),
                    body["basePrompt"].as_str().unwrap(),
                )
            })
            .mount(&server)
            .await;
        Mock::given(path("/api/context/update"))
            .respond_with(
                ResponseTemplate::new(200).set_body_json(json!({"updated": false, "delta": {}})),
            )
            .mount(&server)
            .await;
        Self(server)
    }

    pub(crate) fn memory(&self) -> AgentMemory {
        let client = Client::builder()
            .base_url(self.0.uri())
            .api_key("ctxm_test")
            .inject_timeout(Duration::from_secs(5))
            .retry(RetryPolicy::none())
            .build()
            .unwrap();
        AgentMemory::new(Updates::builder(client).start())
    }

    /// Answers updates with 401 from now on.
    pub(crate) async fn reject_updates(&self) {
        let refusal = json!({"error": "canary-message", "code": "UNAUTHORIZED"});
        self.answer_updates(ResponseTemplate::new(401).set_body_json(refusal))
            .await;
    }

    /// Answers updates like this from now on.
    pub(crate) async fn answer_updates(&self, answer: ResponseTemplate) {
        Mock::given(path("/api/context/update"))
            .respond_with(answer)
            .with_priority(1)
            .mount(&self.0)
            .await;
    }

    async fn sent_to(&self, end: &str) -> Vec<Value> {
        let requests = self.0.received_requests().await.unwrap();
        requests
            .iter()
            .filter(|request| request.url.path().ends_with(end))
            .map(body)
            .collect()
    }

    /// The bodies of the injects so far.
    pub(crate) async fn injects(&self) -> Vec<Value> {
        self.sent_to("/inject").await
    }

    /// The bodies of the updates, once there are this many, because they come in the background.
    /// It waits a moment longer for an update that should not come.
    pub(crate) async fn updates(&self, count: usize) -> Vec<Value> {
        for _ in 0..200 {
            if self.sent_to("/update").await.len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let updates = self.sent_to("/update").await;
        assert_eq!(updates.len(), count, "updates");
        updates
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// The tool that the model calls.
pub(crate) struct Weather;

impl Tool for Weather {
    const NAME: &'static str = "weather";
    type Args = Value;
    type Output = String;
    type Error = ToolExecutionError;

    fn description(&self) -> String {
        "The weather now.".to_owned()
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {}})
    }

    async fn call(&self, _: &mut ToolContext, _: Value) -> Result<String, ToolExecutionError> {
        Ok("sunny".to_owned())
    }
}
