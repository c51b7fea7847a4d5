//! An endpoint of a model provider or of a deployment.

use async_openai::Client as OpenAi;
use async_openai::config::OpenAIConfig;
use ctxmem_client::UserId;
use serde_json::Value;
use wiremock::matchers::{any, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// An endpoint that fails the test unless it is asked exactly once, and nothing else is asked of it.
pub(crate) struct Endpoint(MockServer);

impl Endpoint {
    pub(crate) async fn answering(at: &str, answer: &Value) -> Self {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .and(path(at))
            .respond_with(ResponseTemplate::new(200).set_body_json(answer))
            .expect(1)
            .mount(&server)
            .await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(599))
            .with_priority(u8::MAX)
            .expect(0)
            .mount(&server)
            .await;
        Self(server)
    }

    pub(crate) fn url(&self) -> String {
        self.0.uri()
    }

    /// The client whose calls it answers.
    pub(crate) fn openai(&self) -> OpenAi<OpenAIConfig> {
        let config = OpenAIConfig::new()
            .with_api_base(format!("{}/v1", self.url()))
            .with_api_key("sk-test");
        OpenAi::with_config(config)
    }

    /// The body that it received.
    pub(crate) async fn body(&self) -> Value {
        let requests = self.0.received_requests().await.unwrap();
        assert_eq!(requests.len(), 1);
        serde_json::from_slice(&requests[0].body).unwrap()
    }
}

pub(crate) fn user() -> UserId {
    UserId::new("ada").unwrap()
}
