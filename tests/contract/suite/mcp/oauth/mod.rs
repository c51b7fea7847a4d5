//! OAuth 2.1 for clients of the Model Context Protocol: a program registers, a user lets it in on the
//! page of consent, and it calls by tokens.

mod attacks;
mod connections;
mod flow;
mod requests;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::request::{self, ToolAnswer};
use super::setup;
use crate::suite::account::browser::Browser;
use crate::suite::support::{RawRequest, RawResponse, Server, Setup, TestClock, Text as _};

const CLAUDE: &str = "https://claude.ai/api/mcp/auth_callback";
const VERIFIER: &str = "a-verifier-of-a-program-that-is-long-enough-for-anybody";
const ALL: [&str; 7] = [
    "general",
    "communication_style",
    "preferences",
    "knowledge",
    "relationships",
    "history",
    "goals",
];

/// What a user decides who lets a program in.
const ALLOW: [(&str, &str); 3] = [
    ("decision", "allow"),
    ("until", "never"),
    ("scope", "goals"),
];

fn setup_with_oauth() -> Setup {
    setup().with(|config| config.mcp_oauth = true)
}

async fn server() -> Server {
    setup_with_oauth().start().await
}

/// A server, a user, and a program that may ask to be let in.
async fn ada_and_claude() -> (Server, Browser, Program) {
    let server = server().await;
    let (ada, claude) = ada_and_claude_on(&server).await;
    (server, ada, claude)
}

/// The same by a clock.
async fn at_nine() -> (Arc<TestClock>, Server, Browser, Program) {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let server = setup_with_oauth().clock(&clock).start().await;
    let (ada, claude) = ada_and_claude_on(&server).await;
    (clock, server, ada, claude)
}

async fn ada_and_claude_on(server: &Server) -> (Browser, Program) {
    let claude = Program::claude(server).await;
    (Browser::of_ada(server).await, claude)
}

/// A program's request to register.
fn registers(server: &Server, sent: &Value) -> RawRequest {
    server.raw("POST", "/oauth/register").json(sent)
}

/// A program that is registered.
struct Program {
    server: Server,
    client_id: String,
    redirect: &'static str,
}

/// What a program has got.
#[derive(Clone, Debug)]
struct Tokens {
    access: String,
    refresh: String,
    scope: String,
}

impl Program {
    async fn register(server: &Server, name: &str, redirect: &'static str) -> Self {
        let sent = json!({ "client_name": name, "redirect_uris": [redirect] });
        let answer = registers(server, &sent).gets(201).await;
        Self {
            server: server.clone(),
            client_id: answer.json()["client_id"].as_str().unwrap().to_owned(),
            redirect,
        }
    }

    async fn claude(server: &Server) -> Self {
        Self::register(server, "Claude", CLAUDE).await
    }

    /// The query with which it asks, with these fields in place of its own. Without a value a field is
    /// left out.
    fn query(&self, changes: &[(&str, &str)]) -> String {
        let challenge = challenge(VERIFIER);
        let own = [
            ("response_type", "code"),
            ("client_id", &*self.client_id),
            ("redirect_uri", self.redirect),
            ("code_challenge", &*challenge),
            ("code_challenge_method", "S256"),
            ("state", "a state"),
        ];
        let kept = own
            .iter()
            .filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        let fields = kept.chain(changes).filter(|(_, value)| !value.is_empty());
        let url = Url::parse_with_params("http://query", fields).unwrap();
        url.query().unwrap_or_default().to_owned()
    }

    fn page(&self, changes: &[(&str, &str)]) -> String {
        format!("/oauth/authorize?{}", self.query(changes))
    }

    /// What the user decides on the page.
    async fn decides(&self, browser: &Browser, decision: &[(&str, &str)]) -> RawResponse {
        let query = self.query(&[]);
        let fields = [&[("request", &*query)], decision].concat();
        browser.post("/oauth/authorize", &fields).await
    }

    /// The code that it gets when the user ticks these scopes.
    async fn code(&self, browser: &Browser, scopes: &[&str]) -> String {
        let mut decision = vec![("decision", "allow"), ("until", "never")];
        decision.extend(scopes.iter().map(|scope| ("scope", *scope)));
        let answer = self.decides(browser, &decision).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let back = back(&answer);
        assert!(back.as_str().starts_with(self.redirect), "{back}");
        field(&back, "code").unwrap()
    }

    fn exchange(&self, code: &str, verifier: &str) -> RawRequest {
        self.server.raw("POST", "/oauth/token").form(&[
            ("grant_type", "authorization_code"),
            ("client_id", &self.client_id),
            ("redirect_uri", self.redirect),
            ("code", code),
            ("code_verifier", verifier),
        ])
    }

    async fn redeem(&self, code: &str) -> Tokens {
        Tokens::of(&self.exchange(code, VERIFIER).send().await)
    }

    async fn renewal(&self, refresh: &str) -> RawResponse {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", &*self.client_id),
            ("refresh_token", refresh),
        ];
        let request = self.server.raw("POST", "/oauth/token").form(&form);
        request.send().await
    }

    /// Checks that nothing is got for this token.
    async fn assert_renews_nothing(&self, refresh: &str) {
        let renewal = self.renewal(refresh).await;
        assert_eq!(refusal(&renewal), "invalid_grant");
    }

    async fn renew(&self, refresh: &str) -> Tokens {
        Tokens::of(&self.renewal(refresh).await)
    }

    /// The tokens that it gets when the user ticks these scopes.
    async fn connect(&self, browser: &Browser, scopes: &[&str]) -> Tokens {
        let code = self.code(browser, scopes).await;
        self.redeem(&code).await
    }
}

/// A server, Ada, a program that she let in to everything, and what it got.
async fn connected() -> (Server, Browser, Program, Tokens) {
    let (server, ada, claude) = ada_and_claude().await;
    let tokens = claude.connect(&ada, &ALL).await;
    (server, ada, claude, tokens)
}

impl Tokens {
    #[track_caller]
    fn of(answer: &RawResponse) -> Self {
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let answer = answer.json();
        assert_eq!(answer["token_type"], "Bearer");
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
            scope: text("scope"),
        }
    }
}

/// A call of a tool by a token, which names no user.
fn calling(server: &Server, token: &str, tool: &str, arguments: &Value) -> RawRequest {
    request::call(server.raw("POST", "/mcp").key(token), "", tool, arguments)
}

async fn call(server: &Server, token: &str, tool: &str, arguments: Value) -> ToolAnswer {
    ToolAnswer::of(&calling(server, token, tool, &arguments).send().await)
}

/// The facts that a token's holder sees, as text.
async fn seen(server: &Server, token: &str) -> String {
    let answer = call(server, token, "get_context", json!({})).await;
    answer.text().to_owned()
}

async fn remembers(server: &Server, token: &str, text: &str) {
    let answer = call(server, token, "remember", json!({ "text": text })).await;
    assert!(!answer.is_refused(), "{}", answer.text());
}

/// Whether a token no longer works, and says so in the terms of OAuth.
async fn is_over(server: &Server, token: &str) -> bool {
    let answer = calling(server, token, "list_facts", &json!({}));
    let answer = answer.send().await;
    if answer.status == 200 {
        return false;
    }
    answer.assert_error(401);
    let asks = answer.header("www-authenticate").unwrap();
    asks.assert_has("error=\"invalid_token\"");
    true
}

/// The error of a refusal in the terms of OAuth.
#[track_caller]
fn refusal(answer: &RawResponse) -> String {
    assert_eq!(answer.status, 400, "{}", answer.body);
    let answer = answer.json();
    assert!(answer["error_description"].is_string(), "{answer}");
    answer["error"].as_str().unwrap().to_owned()
}

/// Where an answer sends the browser.
#[track_caller]
fn back(answer: &RawResponse) -> Url {
    Url::parse(answer.header("location").unwrap()).unwrap()
}

fn field(url: &Url, name: &str) -> Option<String> {
    let mut pairs = url.query_pairs();
    pairs
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}

fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}
