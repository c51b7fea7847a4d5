//! A deployment with one answer, which fails the test on any other request.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use ctxmem_client::{Client, ClientBuilder, RetryPolicy, UserId};
use serde_json::{Value, json};
use wiremock::matchers::{any, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

pub(crate) const KEY: &str = "ctxm_0123456789";
pub(crate) const SESSION: &str = "__Host-session=s3ss10n";
pub(crate) const USER: &str = "3f0e0a52-6f0c-4f43-9f4c-2a1d1b7f9f10";
pub(crate) const AGENT: &str = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";

/// A deployment that expects exactly one request.
pub(crate) struct Deployment(MockServer);

impl Deployment {
    /// Answers this request. Dropping the deployment fails the test unless this request, and no
    /// other, came exactly once.
    pub(crate) async fn answering(
        verb: &str,
        encoded_path: &str,
        answer: ResponseTemplate,
    ) -> Self {
        let server = MockServer::builder().start().await;
        Mock::given(method(verb))
            .and(path(encoded_path))
            .respond_with(answer)
            .expect(1)
            .named(format!("{verb} {encoded_path}"))
            .mount(&server)
            .await;
        Self::with_catch_all(server).await
    }

    /// Expects no request.
    pub(crate) async fn silent() -> Self {
        Self::with_catch_all(MockServer::builder().start().await).await
    }

    /// A deployment that answers each inject with this.
    pub(crate) async fn injecting(answer: ResponseTemplate) -> Self {
        Self::answering("POST", "/api/context/inject", answer).await
    }

    async fn with_catch_all(server: MockServer) -> Self {
        Mock::given(any())
            .respond_with(ResponseTemplate::new(599).set_body_string("unexpected request"))
            .with_priority(u8::MAX)
            .expect(0)
            .named("any other request")
            .mount(&server)
            .await;
        Self(server)
    }

    pub(crate) fn url(&self) -> String {
        self.0.uri()
    }

    /// A client with the settings of most tests: a key, and no retries.
    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        builder(self.url())
    }

    pub(crate) async fn request(&self) -> Request {
        let mut requests = self.0.received_requests().await.unwrap();
        let came = requests
            .iter()
            .map(|one| format!("{} {}", one.method, one.url.path()));
        assert_eq!(requests.len(), 1, "{:?}", came.collect::<Vec<_>>());
        requests.remove(0)
    }

    /// Method, encoded path and body of the received request.
    pub(crate) async fn sent(&self) -> (String, String, String) {
        let request = self.request().await;
        let body = String::from_utf8(request.body).unwrap();
        let path = request.url.path().to_owned();
        (request.method.to_string(), path, body)
    }

    pub(crate) async fn body(&self) -> String {
        self.sent().await.2
    }
}

/// A client with a key, and without retries.
pub(crate) fn builder(url: impl Into<String>) -> ClientBuilder {
    Client::builder()
        .base_url(url)
        .api_key(KEY)
        .retry(RetryPolicy::none())
}

/// The same, which waits for prompts as long as for everything else: the machine may be busy.
pub(crate) fn patient(url: impl Into<String>) -> ClientBuilder {
    builder(url).inject_timeout(Duration::from_secs(10))
}

/// A server that answers every request so.
pub(crate) async fn answering(answer: impl Respond + 'static) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

/// A server that answers so often so, and then everything as it should.
pub(crate) async fn failing(times: u64, failure: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    fails(&server, times, failure).await;
    Mock::given(any())
        .respond_with(answer_to_all())
        .with_priority(u8::MAX)
        .mount(&server)
        .await;
    server
}

/// From now on the server answers so often so.
pub(crate) async fn fails(server: &MockServer, times: u64, failure: ResponseTemplate) {
    if times > 0 {
        let failing = Mock::given(any()).respond_with(failure);
        failing.up_to_n_times(times).mount(server).await;
    }
}

/// The requests that came.
pub(crate) async fn requests(server: &MockServer) -> Vec<Request> {
    server.received_requests().await.unwrap()
}

pub(crate) fn json(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

pub(crate) fn ok(body: &Value) -> ResponseTemplate {
    json(200, body)
}

/// The forms of an answer that the types know, by the names of their golden files.
pub(crate) fn forms(of: &str) -> BTreeMap<String, String> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("ctxmem-types/tests/golden");
    let files = std::fs::read_dir(golden.join(of)).unwrap();
    let forms = files.map(|file| {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        (name, std::fs::read_to_string(file.path()).unwrap())
    });
    forms.collect()
}

pub(crate) fn user() -> UserId {
    UserId::new(USER).unwrap()
}

/// A header of a request as text; empty if it is absent.
pub(crate) fn header(request: &Request, name: &str) -> String {
    let value = request.headers.get(name);
    value.map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
}

/// An error and its causes, as a log would show them.
pub(crate) fn everything_printed(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        write!(text, "{error}\n{error:?}\n{error:#?}\n").unwrap();
        next = error.source();
    }
    text
}

/// Whether long tests run with full counts and strict bounds.
pub(crate) fn is_soak() -> bool {
    std::env::var_os("CTXMEM_SOAK").is_some()
}

/// An answer that is valid for every call.
pub(crate) fn answer_to_all() -> ResponseTemplate {
    ok(&json!({
        "injectedPrompt": "Hi", "updated": true, "delta": {}, "deleted": true, "revoked": true,
        "userId": "u", "status": "ok", "facts": [],
        "grant": {
            "id": "g", "user_id": "u", "agent_id": "a", "scopes": [], "expires_at": null,
            "revoked": false,
        },
    }))
}
