//! Logs at the finest level hold nothing of what people said, and no secret.

use std::io::Read as _;
use std::time::Duration;

use ctxmem_test_outside::sign_in;
use reqwest::Method;
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::model;
use crate::process::{Home, ServerProcess, browser, user};

/// Texts that must not turn up in any log, one for each way in.
struct Canaries {
    key: String,
    link: String,
    cookie: String,
}

const USER: &str = "canary-user-7f3a";
const PROMPT: &str = "canary-prompt-91bc";
const MESSAGE: &str = "canary-message-55de";
const ANSWER: &str = "canary-answer-c0a2";
const FACT: &str = "canary-fact-3e71";
const BROKEN: &str = "canary-broken-8d14";
const MODEL_KEY: &str = "canary-model-key-f00d";
const SIGN_IN_SECRET: &str = "canary-sign-in-secret-0123456789ab";
const CLIENT_SECRET: &str = "canary-client-secret-77e1";
const CODE: &str = "canary-code-b2d9";
const STATE: &str = "canary-state-60fa";

#[tokio::test(flavor = "multi_thread")]
async fn the_log_at_trace_holds_no_secret_and_no_fact() {
    let home = Home::new();
    let model = model::model(Duration::ZERO).await;
    let issuer = provider().await;
    let flags = format!(
        "{} --model-api-key {MODEL_KEY} --log trace --sign-in-secret {SIGN_IN_SECRET} --oidc-issuer {} \
         --oidc-client-id ctxmem --oidc-client-secret {CLIENT_SECRET}",
        model.flags(),
        issuer.uri()
    );
    let serving = home.serve(&flags).await;
    let canaries = live_through_everything(&home, &serving).await;
    let log = serving.stop().await;
    assert!(log.contains("TRACE"), "the log is not at its finest level");
    assert!(log.contains("route=\"/api/context/update\""), "{log}");
    assert!(log.contains("method=\"OTHER\""), "{log}");
    let secrets = [&canaries.key, &canaries.link, &canaries.cookie].map(String::as_str);
    let texts = [USER, PROMPT, MESSAGE, ANSWER, FACT, BROKEN, MODEL_KEY];
    let sign_in = [SIGN_IN_SECRET, CLIENT_SECRET, CODE, STATE];
    assert!(log.contains("a sign-in at the provider failed"), "{log}");
    for canary in secrets.into_iter().chain(texts).chain(sign_in) {
        let found = log.lines().find(|line| line.contains(canary));
        assert!(found.is_none(), "{canary} stands in the log: {found:?}");
    }
}

/// More log lines than a pipe and the buffer behind it hold.
const MORE_THAN_FITS: usize = 12_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_stderr_that_nobody_reads_holds_up_neither_requests_nor_the_end() {
    let home = Home::new();
    let mut command = home.serving(&["--rate-limit", "0"]);
    let (unread, stderr) = std::io::pipe().unwrap();
    command.stderr(stderr);
    let serving = home.start_with_own_stderr(command).await;
    answers_and_ends(serving).await;
    drop(unread);
}

/// A server that logs more than fits, and ends when it is told to.
async fn answers_and_ends(serving: ServerProcess) {
    let health = format!("{}/api/health", serving.url());
    let browser = browser();
    for _ in 0..MORE_THAN_FITS {
        let answer = browser.get(&health).timeout(Duration::from_secs(5)).send();
        assert!(answer.await.unwrap().status().is_success());
    }
    serving.stop().await;
}

/// As where a process manager gives both to one reader, which stops reading.
#[tokio::test(flavor = "multi_thread")]
async fn nor_does_one_that_stdout_goes_to_as_well() {
    let home = Home::new();
    let (mut read_once, write) = std::io::pipe().unwrap();
    let mut command = home.serving(&["--rate-limit", "0"]);
    command.stdout(write.try_clone().unwrap()).stderr(write);
    let child = command.spawn().unwrap();
    // The command holds the other ends of the pipe.
    drop(command);
    let mut said = String::new();
    let mut piece = vec![0; 4 << 10];
    let announced = loop {
        let read = read_once.read(&mut piece).unwrap();
        said.push_str(str::from_utf8(&piece[..read]).unwrap());
        let announced = said.lines().find(|line| line.starts_with('{'));
        let announced: Option<Value> = announced.and_then(|line| serde_json::from_str(line).ok());
        if let Some(announced) = announced {
            break announced;
        }
    };
    let no_log = home.path("stderr-elsewhere");
    std::fs::File::create(&no_log).unwrap();
    answers_and_ends(ServerProcess::new(child, announced, no_log)).await;
    drop(read_once);
}

#[tokio::test]
async fn json_logs_are_one_object_a_line_with_the_fields_that_matter() {
    let home = Home::new();
    let serving = home.serve(&["--log-format", "json"]).await;
    let client = serving.client(None);
    client.inject(&user("ada"), "Hello").await.unwrap();
    let agent = serving.agent().to_owned();
    let log = serving.stop().await;
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut answered = lines.filter(|line: &Value| line["message"] == "answered");
    let answered = answered.next().unwrap();
    assert_eq!(answered["route"], "/api/context/inject");
    assert_eq!(answered["status"], 200);
    assert_eq!(answered["agent_id"], *agent);
    assert!(answered["request_id"].is_string());
    assert!(answered["duration_ms"].is_number());
}

/// A provider that says of itself what it must, and then refuses every code with a text.
async fn provider() -> MockServer {
    let server = MockServer::start().await;
    let issuer = server.uri();
    let metadata = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/jwks"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
    });
    let refusal = json!({"error": "invalid_grant", "error_description": BROKEN});
    for (at, status, body) in [
        ("/.well-known/openid-configuration", 200, metadata),
        ("/jwks", 200, json!({"keys": []})),
        ("/token", 400, refusal),
    ] {
        let answer = ResponseTemplate::new(status).set_body_json(body);
        let mock = Mock::given(path(at)).respond_with(answer);
        mock.mount(&server).await;
    }
    server
}

/// A link by the operator's application, and visits to the provider that come to nothing.
async fn sign_in_in_other_ways(url: &str) {
    let browser = browser();
    let link = browser
        .post(format!("{url}/api/sign-in-links"))
        .bearer_auth(SIGN_IN_SECRET)
        .header("content-type", "application/json")
        .body(json!({"userId": USER}).to_string());
    assert!(link.send().await.unwrap().status().is_success());
    let visit = browser.get(format!("{url}/sign-in/oidc"));
    let begun = visit.send().await.unwrap();
    assert_eq!(begun.status(), 303);
    let cookie = begun.headers()["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let location = begun.headers()["location"].to_str().unwrap();
    let state = location.split("state=").nth(1).unwrap();
    let state = state.split('&').next().unwrap();
    for state in [STATE, state] {
        let callback = format!("{url}/sign-in/oidc/callback?code={CODE}&state={state}");
        let answer = browser.get(callback).header("cookie", cookie);
        assert_eq!(answer.send().await.unwrap().status(), 403);
    }
}

/// Every call of the interface, well-formed and broken, and a sign-in.
async fn live_through_everything(home: &Home, serving: &ServerProcess) -> Canaries {
    let ada = user(USER);
    let client = serving.client(None);
    client.inject(&ada, PROMPT).await.unwrap();
    let message = format!("I am good at fact:{FACT} these days, {MESSAGE}.");
    let answer = client.update(&ada, message, ANSWER).await.unwrap();
    assert!(!answer.delta.unwrap().is_empty());
    assert!(client.inject(&ada, PROMPT).await.unwrap().is_enriched());
    client.context(&ada).await.unwrap();

    let link = home.json(&["user", "sign-in-link", USER]);
    let token = link["url"].as_str().unwrap().split('=').nth(1).unwrap();
    let browser = browser();
    let url = serving.url();
    let page = browser.get(format!("{url}/sign-in?token={token}"));
    assert!(page.send().await.unwrap().status().is_success());
    let cookie = sign_in(url, token).await;
    let account = browser.get(format!("{url}/account"));
    let account = account.header("cookie", &cookie);
    assert!(account.send().await.unwrap().status().is_success());

    // A method that nobody knows is not repeated, whatever its length.
    for method in [BROKEN.to_owned(), BROKEN.repeat(200)] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let asked = browser.request(method, format!("{url}/api/health")).send();
        assert_eq!(asked.await.unwrap().status(), 405);
    }

    let key = serving.key();
    let no_prompt = json!({"userId": 1, "x": BROKEN});
    let wrong_prompt = json!({"userId": "u", "basePrompt": [BROKEN]});
    for (path, body) in [
        ("/api/context/inject", no_prompt.to_string()),
        ("/api/context/inject", wrong_prompt.to_string()),
        ("/api/context/update", BROKEN.to_owned()),
        ("/api/grants", json!({"scopes": [BROKEN]}).to_string()),
        ("/nowhere", BROKEN.to_owned()),
    ] {
        let answer = browser
            .post(format!("{url}{path}?q={BROKEN}"))
            .bearer_auth(key)
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .unwrap();
        assert!(answer.status().is_client_error());
        assert!(!answer.text().await.unwrap().contains(BROKEN));
    }
    let stranger = browser.get(format!("{url}/api/context/{USER}"));
    let refused = stranger.bearer_auth(BROKEN).send().await.unwrap();
    assert_eq!(refused.status(), 401);
    sign_in_in_other_ways(url).await;
    client.delete_context(&ada).await.unwrap();

    Canaries {
        key: key.to_owned(),
        link: token.to_owned(),
        cookie: cookie.split('=').nth(1).unwrap().to_owned(),
    }
}
