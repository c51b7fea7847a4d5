//! The fake memory that the client offers to tests, and the server: both answer the same requests
//! with the same status, headers and fields. Texts are not compared.

use std::time::Duration;

use ctxmem_client::ErrorCode;
use ctxmem_client::test_utils::{FakeAnswer, FakeFact, FakeMemory, Route};
use ctxmem_server::core::FirstGrant::Ask;
use ctxmem_types::Scope;
use ctxmem_types::path::{INJECT, UPDATE};
use serde_json::{Value, json};

use crate::suite::support::{Agent, HELLO, RawRequest, RawResponse, Server, Setup, user};

struct Pair {
    server: Server,
    agent: Agent,
    fake: FakeMemory,
}

impl Pair {
    /// A server whose demo has ended, and a fake.
    async fn start(setup: Setup) -> Self {
        let (server, agent) = setup.start_with_agent().await;
        Self {
            fake: FakeMemory::start().await,
            server,
            agent,
        }
    }

    async fn get(&self, path: &str) {
        self.agree("GET", [path; 2], &self.agent.key, Value::Null)
            .await;
    }

    async fn post(&self, path: &str, body: Value) {
        self.agree("POST", [path; 2], &self.agent.key, body).await;
    }

    /// Both answer this in the same form. The paths are those at the server and at the fake.
    async fn agree(&self, method: &str, paths: [&str; 2], key: &str, body: Value) {
        let fake_url = self.fake.server().uri();
        let mut forms = Vec::new();
        for (url, path) in [&self.server.url, &fake_url].into_iter().zip(paths) {
            let request = RawRequest::new(url, method, path).key(key);
            let request = if body.is_null() {
                request
            } else {
                request.json(&body)
            };
            forms.push(form(&request.send().await));
        }
        assert_eq!(forms[1], forms[0], "{method} {} {body}", paths[0]);
    }

    /// The id of the first fact about Ada, at the server and at the fake.
    async fn first_fact(&self) -> [String; 2] {
        let own = self.fake.client().facts(&user("ada")).await.unwrap();
        let real = self.agent.facts(&user("ada")).await.unwrap();
        [real, own].map(|facts| format!("/api/context/ada/facts/{}", facts[0].id))
    }
}

/// Status, headers and fields of an answer.
fn form(answer: &RawResponse) -> Value {
    let mut headers = vec!["content-type", "x-request-id", "retry-after"];
    // In other answers of the server they tell what is left.
    if answer.status == 429 {
        headers.extend([
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
        ]);
    }
    headers.retain(|name| answer.header(name).is_some());
    json!({"status": answer.status, "headers": headers, "body": fields(&answer.json())})
}

fn fields(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let field = |(name, value): (&String, &Value)| match &**name {
                // For programs, not for people.
                "reason" | "code" | "outcome" | "retention" | "scope" | "source_type" => {
                    (name.clone(), value.clone())
                }
                _ => (name.clone(), fields(value)),
            };
            object.iter().map(field).collect()
        }
        Value::Array(list) => list.first().map(fields).into_iter().collect(),
        Value::String(_) => "a text".into(),
        other => other.clone(),
    }
}

fn inject() -> Value {
    json!({"userId": "ada", "basePrompt": "Be brief."})
}

fn update() -> Value {
    json!({"userId": "ada", "userMessage": HELLO, "agentResponse": "Noted."})
}

#[tokio::test]
async fn answers_about_known_facts() {
    let pair = Pair::start(Setup::auto()).await;
    // A first fact ends the demo.
    pair.agent.tells(&user("bob"), HELLO).await;
    pair.post(INJECT, inject()).await;
    pair.fake.learns_next([
        FakeFact::named(Scope::General, "name", "Ada"),
        FakeFact::named(Scope::General, "location", "Lisbon"),
        FakeFact::named(Scope::Preferences, "editor", "Helix"),
    ]);
    pair.post(UPDATE, update()).await;
    pair.post(UPDATE, update()).await;
    for about in [json!(null), json!("Where do I live?")] {
        let mut inject = inject();
        inject["message"] = about;
        pair.post(INJECT, inject).await;
    }
    pair.get("/api/context/ada").await;
    pair.get("/api/context/ada/facts").await;
    let search = json!({"query": "my name"});
    pair.post("/api/context/ada/facts/search", search).await;
    let [real, own] = pair.first_fact().await;
    for _ in ["is there", "is deleted"] {
        let key = &pair.agent.key;
        pair.agree("DELETE", [&real, &own], key, Value::Null).await;
    }
    let grant = json!({"userId": "ada", "agentId": pair.agent.id, "scopes": ["goals", "general"]});
    pair.post("/api/grants", grant).await;
    pair.get("/api/health").await;
    let all = ["/api/context/ada"; 2];
    pair.agree("DELETE", all, &pair.agent.key, Value::Null)
        .await;

    // Everything that was granted has ended.
    pair.fake.answer_always(FakeAnswer::NoGrant);
    assert_without_access(&pair).await;
}

#[tokio::test]
async fn answers_where_the_user_has_to_be_asked() {
    let pair = Pair::start(Setup::new().first_grant(Ask)).await;
    pair.fake.answer_always(FakeAnswer::ConsentRequired);
    assert_without_access(&pair).await;
}

async fn assert_without_access(pair: &Pair) {
    pair.post(INJECT, inject()).await;
    pair.post(UPDATE, update()).await;
    pair.get("/api/context/ada").await;
    pair.get("/api/context/ada/facts").await;
    let search = json!({"query": "my name"});
    pair.post("/api/context/ada/facts/search", search).await;
    let grant = json!({"userId": "ada", "agentId": pair.agent.id, "scopes": ["goals"]});
    pair.post("/api/grants", grant).await;
}

#[tokio::test]
async fn refusals() {
    let pair = Pair::start(Setup::auto().monthly_quota(1)).await;
    pair.agent.tells(&user("ada"), HELLO).await;
    pair.fake
        .answer_next(Route::Update, FakeAnswer::QuotaExhausted);
    pair.post(UPDATE, update()).await;
    let half = json!({"userId": "ada"});
    pair.post(INJECT, half.clone()).await;
    pair.post(UPDATE, half).await;
    pair.get("/api/context").await;
    pair.fake
        .answer_next(Route::Inject, ErrorCode::Unauthorized);
    pair.agree("POST", [INJECT; 2], "ctxm_wrong", inject())
        .await;

    let pair = Pair::start(Setup::auto().rate_limit(1)).await;
    pair.agent.tells(&user("ada"), HELLO).await;
    pair.agent.injects(&user("ada")).await;
    let retry_after = Duration::from_secs(30);
    let limited = FakeAnswer::RateLimited { retry_after };
    pair.fake.answer_next(Route::Inject, limited);
    pair.post(INJECT, inject()).await;
}
