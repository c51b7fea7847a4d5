//! The fake memory that the client offers to tests, and the server: both answer the same requests
//! with the same status, headers and fields. Texts are not compared.

use std::time::Duration;

use ctxmem_client::ErrorCode;
use ctxmem_client::test_utils::{FakeAnswer, FakeFact, FakeMemory, Route};
use ctxmem_server::core::FirstGrant::{Ask, Auto};
use ctxmem_types::Scope;
use serde_json::{Value, json};

use crate::suite::support::{Agent, HELLO, RawRequest, RawResponse, Server, Setup, user};

/// Fields whose texts are for programs.
const CODES: [&str; 8] = [
    "reason",
    "code",
    "outcome",
    "retention",
    "prompt_cache_retention",
    "scope",
    "name",
    "source_type",
];

struct Pair {
    server: Server,
    agent: Agent,
    fake: FakeMemory,
}

impl Pair {
    /// A server whose demo has ended, and a fake.
    async fn start(setup: Setup) -> Self {
        let server = setup.start().await;
        let agent = server.agent().await;
        Self {
            fake: FakeMemory::start().await,
            server,
            agent,
        }
    }

    /// Both answer this in the same form.
    async fn agree(&self, method: &str, path: &str, body: Value) {
        self.agree_at(method, [path, path], &self.agent.key, body)
            .await;
    }

    /// The same where the path is another one at the fake.
    async fn agree_at(&self, method: &str, paths: [&str; 2], key: &str, body: Value) {
        let fake_url = self.fake.url();
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
        let real = self.agent.client.facts(&user("ada")).await.unwrap();
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
        Value::Object(object) => object
            .iter()
            .map(
                |(name, value)| match CODES.contains(&&**name) && value.is_string() {
                    true => (name.clone(), value.clone()),
                    false => (name.clone(), fields(value)),
                },
            )
            .collect(),
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
    let pair = Pair::start(Setup::new().first_grant(Auto)).await;
    // A first fact ends the demo.
    pair.agent.tells(&user("bob"), HELLO).await;
    pair.agree("POST", "/api/context/inject", inject()).await;
    pair.fake.learns_next([
        FakeFact::named(Scope::General, "name", "Ada"),
        FakeFact::named(Scope::General, "location", "Lisbon"),
        FakeFact::named(Scope::Preferences, "editor", "Helix"),
    ]);
    pair.agree("POST", "/api/context/update", update()).await;
    pair.agree("POST", "/api/context/update", update()).await;
    for about in [json!(null), json!("Where do I live?")] {
        let mut inject = inject();
        inject["message"] = about;
        pair.agree("POST", "/api/context/inject", inject).await;
    }
    pair.agree("GET", "/api/context/ada", json!(null)).await;
    pair.agree("GET", "/api/context/ada/facts", json!(null))
        .await;
    let search = json!({"query": "my name"});
    pair.agree("POST", "/api/context/ada/facts/search", search)
        .await;
    let [real, own] = pair.first_fact().await;
    for _ in ["is there", "is deleted"] {
        let key = &pair.agent.key;
        pair.agree_at("DELETE", [&real, &own], key, json!(null))
            .await;
    }
    let grant = json!({"userId": "ada", "agentId": pair.agent.id, "scopes": ["goals", "general"]});
    pair.agree("POST", "/api/grants", grant).await;
    pair.agree("GET", "/api/health", json!(null)).await;
    pair.agree("DELETE", "/api/context/ada", json!(null)).await;

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
    pair.agree("POST", "/api/context/inject", inject()).await;
    pair.agree("POST", "/api/context/update", update()).await;
    pair.agree("GET", "/api/context/ada", json!(null)).await;
    pair.agree("GET", "/api/context/ada/facts", json!(null))
        .await;
    let search = json!({"query": "my name"});
    pair.agree("POST", "/api/context/ada/facts/search", search)
        .await;
    let grant = json!({"userId": "ada", "agentId": pair.agent.id, "scopes": ["goals"]});
    pair.agree("POST", "/api/grants", grant).await;
}

#[tokio::test]
async fn refusals() {
    let pair = Pair::start(Setup::new().first_grant(Auto).monthly_quota(1)).await;
    pair.agent.tells(&user("ada"), HELLO).await;
    pair.fake
        .answer_next(Route::Update, FakeAnswer::QuotaExhausted);
    pair.agree("POST", "/api/context/update", update()).await;
    let half = json!({"userId": "ada"});
    pair.agree("POST", "/api/context/inject", half.clone())
        .await;
    pair.agree("POST", "/api/context/update", half).await;
    pair.agree("GET", "/api/context", json!(null)).await;
    pair.fake
        .answer_next(Route::Inject, ErrorCode::Unauthorized);
    let path = "/api/context/inject";
    pair.agree_at("POST", [path, path], "ctxm_wrong", inject())
        .await;

    let pair = Pair::start(Setup::new().first_grant(Auto).rate_limit(1)).await;
    pair.agent.tells(&user("ada"), HELLO).await;
    let retry_after = Duration::from_secs(30);
    let limited = FakeAnswer::RateLimited { retry_after };
    pair.fake.answer_next(Route::Inject, limited);
    pair.agree("POST", path, inject()).await;
}
