//! Rules common to all endpoints: who may call, what a body must look like, and what a refusal
//! looks like.

use std::collections::HashSet;

use ctxmem_server::http::ROUTES;
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, RawRequest, RawResponse, Server, Setup, Text as _, exact, refused, user,
};

/// A word in every value that must not be repeated.
const CANARY: &str = "canary";

/// The exact body of a 401 of an endpoint for agents.
fn invalid_key() -> Value {
    json!({"error": "Invalid API key.", "code": "UNAUTHORIZED"})
}

/// An endpoint that takes a body: its fields, required ones first, and a good body.
struct WithBody<'a> {
    agent: &'a Agent,
    path: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    good: Value,
}

fn with_body(agent: &Agent) -> [WithBody<'_>; 3] {
    [
        WithBody {
            agent,
            path: "/api/context/inject",
            required: &["userId", "basePrompt"],
            optional: &["agentId"],
            good: json!({"userId": "ada", "basePrompt": "Be brief.", "agentId": agent.id}),
        },
        WithBody {
            agent,
            path: "/api/context/update",
            required: &["userId", "userMessage", "agentResponse"],
            optional: &["agentId"],
            good: json!({
                "userId": "ada",
                "userMessage": "Hello.",
                "agentResponse": "Hello.",
                "agentId": agent.id,
            }),
        },
        WithBody {
            agent,
            path: "/api/grants",
            required: &["userId", "agentId", "scopes"],
            optional: &["expiresAt"],
            good: json!({
                "userId": "ada",
                "agentId": agent.id,
                "scopes": ["goals"],
                "expiresAt": "2100-01-01T00:00:00Z",
            }),
        },
    ]
}

impl WithBody<'_> {
    fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }

    /// The good body with another value in this field.
    fn with(&self, field: &str, value: Value) -> Value {
        let mut body = self.good.clone();
        body[field] = value;
        body
    }

    /// The good body without this field.
    fn without(&self, field: &str) -> Value {
        let mut body = self.good.clone();
        body.as_object_mut().unwrap().shift_remove(field);
        body
    }

    fn post(&self, body: impl Into<Vec<u8>>) -> RawRequest {
        let post = self.agent.raw("POST", self.path);
        post.header("content-type", "application/json").body(body)
    }

    /// Posts a body that must be refused with a text that begins like this.
    async fn assert_bad(&self, body: impl Into<Vec<u8>>, expected: &str) {
        let body = body.into();
        let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        let text = self.post(body).gets_error(400).await;
        assert!(text.starts_with(expected), "{}: {shown}: {text}", self.path);
        assert!(!text.contains(CANARY), "{}: {shown}: {text}", self.path);
    }

    async fn assert_good(&self, body: impl Into<Vec<u8>>) {
        self.post(body).gets(200).await;
    }
}

/// Every endpoint that takes an API key, called correctly but without one.
fn for_keys(server: &Server, agent: &Agent) -> Vec<(String, RawRequest)> {
    let posts = with_body(agent).map(|endpoint| {
        let call = server.raw("POST", endpoint.path).json(&endpoint.good);
        (format!("POST {}", endpoint.path), call)
    });
    let others = ["GET", "DELETE"].map(|method| {
        let call = server.raw(method, "/api/context/ada");
        (format!("{method} /api/context/ada"), call)
    });
    posts.into_iter().chain(others).collect()
}

// ---- who calls -----------------------------------------------------------------------

#[tokio::test]
async fn without_an_accepted_key_the_answer_is_always_the_same() {
    let (server, agent, revoked, _) = Server::with_two_agents().await;
    server.revoke_key(&revoked.key_id).await;
    let key = &agent.key;
    let headers = [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some(format!("Bearer {}", revoked.key)),
        Some(format!("Bearer {key}x")),
        Some(format!("Bearer {}", &key[..key.len() - 1])),
        Some(format!("Bearer {}", key.to_uppercase())),
        Some(format!("Bearer {key} {key}")),
        Some(format!("Bearer {key}, Bearer {key}")),
        Some(format!("Bearer \"{key}\"")),
        Some(format!("Bearer{key}")),
        Some(format!("Basic {key}")),
        Some(format!("Token {key}")),
        Some(key.clone()),
        Some("Bearer ctxm_".to_owned()),
        Some("Bearer ctxm_é".to_owned()),
        Some("Bearer ' OR '1'='1".to_owned()),
        Some(format!("Bearer {}", agent.id)),
        Some(format!("Bearer {}", agent.key_id)),
        Some(format!("Bearer {}", "a".repeat(20_000))),
    ];
    for header in headers {
        for (name, mut call) in for_keys(&server, &agent) {
            if let Some(header) = &header {
                call = call.header("authorization", header);
            }
            let answer = call.send().await;
            answer.assert_error(401);
            assert_eq!(answer.json(), invalid_key(), "{name} with {header:?}");
        }
    }
}

#[tokio::test]
async fn a_key_is_accepted_in_its_header_only() {
    let (server, agent) = Server::with_agent().await;
    let session = server.sign_in(&user("ada")).await;
    let query = format!("/api/context/ada?api_key={0}&key={0}", agent.key);
    for call in [
        server.get(&query),
        server
            .get("/api/context/ada")
            .header("x-api-key", &agent.key),
        server
            .get("/api/context/ada")
            .cookie(&format!("ctxmem_session={}", agent.key)),
        server.get("/api/context/ada").cookie(&session),
    ] {
        assert_eq!(call.send().await.json(), invalid_key());
    }
}

#[tokio::test]
async fn the_name_of_the_scheme_may_be_written_in_any_case() {
    let (server, agent) = Server::with_agent().await;
    agent.inject(&user("ada"), "").await.unwrap();
    for header in ["Bearer", "bearer", "BEARER", "Bearer "] {
        let header = format!("{header} {}", agent.key);
        let call = server.get("/api/context/ada");
        call.header("authorization", &header).gets(200).await;
    }
}

#[tokio::test]
async fn every_route_but_the_public_ones_asks_who_calls() {
    const OPEN: [(&str, &str, u16); 38] = [
        ("GET", "/api/health", 200),
        ("GET", "/api/openapi.json", 200),
        ("GET", "/api/docs", 200),
        ("GET", "/livez", 200),
        ("GET", "/readyz", 200),
        ("GET", "/sign-in", 410),
        ("POST", "/sign-in", 415),
        ("POST", "/sign-out", 303),
        // Without a provider there is nothing.
        ("GET", "/sign-in/oidc", 404),
        ("GET", "/sign-in/oidc/callback", 404),
        ("GET", "/dashboard/sign-in/oidc", 404),
        ("POST", "/dashboard/sign-in", 415),
        // Without a password before there is nothing to show.
        ("GET", "/dashboard/sign-in/code", 303),
        ("POST", "/dashboard/sign-in/code", 415),
        ("POST", "/dashboard/sign-out", 303),
        // Without an invitation there is nothing to join, and without a provider nowhere to go.
        ("GET", "/dashboard/join", 410),
        ("POST", "/dashboard/join", 415),
        ("GET", "/dashboard/join/oidc", 404),
        ("GET", "/", 200),
        ("GET", "/account/", 303),
        ("GET", "/dashboard/", 303),
        ("GET", "/about", 200),
        ("POST", "/language", 415),
        // Without a contact there is none.
        ("GET", "/.well-known/security.txt", 404),
        // Without the flag there is nothing.
        ("POST", "/mcp", 404),
        ("POST", "/mcp/", 404),
        ("POST", "/mcp/users/userId", 404),
        ("GET", "/.well-known/oauth-protected-resource", 404),
        ("GET", "/.well-known/oauth-protected-resource/mcp", 404),
        ("GET", "/.well-known/oauth-authorization-server", 404),
        ("POST", "/oauth/register", 404),
        ("GET", "/oauth/authorize", 404),
        ("POST", "/oauth/authorize", 404),
        ("POST", "/oauth/token", 404),
        ("POST", "/oauth/revoke", 404),
        ("GET", "/style.css", 200),
        ("GET", "/script.js", 200),
        ("GET", "/favicon.svg", 200),
    ];
    let server = Server::start().await;
    for route in ROUTES {
        let path = route.template().replace(['{', '}'], "");
        let answer = server.raw(route.method(), &path).send().await;
        let expected = OPEN
            .into_iter()
            .find(|(method, open, _)| (*method, *open) == (route.method(), &*path))
            .map_or(401, |(_, _, status)| status);
        assert_eq!(answer.status, expected, "{} {path}", route.method());
    }
}

#[tokio::test]
async fn the_key_is_checked_before_the_body() {
    let (server, agent) = Server::with_agent().await;
    let too_large = vec![b'{'; (1 << 20) + 1];
    for endpoint in with_body(&agent) {
        let raw = || server.raw("POST", endpoint.path).key("ctxm_unknown");
        let typed = || raw().header("content-type", "application/json");
        for call in [
            raw(),
            raw().body("{}"),
            raw().header("content-type", "text/plain").body("{}"),
            typed().body("{"),
            typed().body("[]"),
            typed().body(too_large.clone()),
        ] {
            assert_eq!(call.send().await.json(), invalid_key());
        }
    }
    let call = server.get("/api/context/%00").key("ctxm_unknown");
    assert_eq!(call.send().await.json(), invalid_key());
}

#[tokio::test]
async fn the_rate_limit_is_checked_before_the_body() {
    let (_server, agent) = Setup::auto().rate_limit(1).start_with_agent().await;
    agent.inject(&user("ada"), "").await.unwrap();
    // Updates have a bucket of their own.
    agent.update(&user("ada"), "Hi", "Hello").await.unwrap();
    for endpoint in with_body(&agent) {
        for call in [
            endpoint.post("{"),
            endpoint.post(vec![b'{'; (1 << 20) + 1]),
            agent.raw("POST", endpoint.path),
        ] {
            call.send().await.assert_error(429);
        }
    }
    let call = agent.raw("GET", "/api/context/%00");
    call.send().await.assert_error(429);
}

#[tokio::test]
async fn the_request_is_validated_before_the_user_it_names() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        let mut body = endpoint.with("agentId", json!("another"));
        let answer = endpoint.post(body.to_string()).send().await;
        answer.assert_error(403).assert_begins("agentId: ");
        body["userId"] = json!(7);
        let expected = "userId: expected a string";
        endpoint.assert_bad(body.to_string(), expected).await;
    }
}

// ---- bodies --------------------------------------------------------------------------

#[tokio::test]
async fn a_body_that_is_no_json_is_refused() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        let good = endpoint.good.to_string();
        let tail = good.strip_prefix('{').unwrap();
        let utf16: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let deep = 100_000;
        let bodies: Vec<Vec<u8>> = vec![
            String::new(),
            " \n".into(),
            CANARY.into(),
            "{".into(),
            format!("{{\"{CANARY}"),
            format!("{{{CANARY}: 1}}"),
            format!("{{'userId': '{CANARY}'}}"),
            format!("{{\"userId\" \"{CANARY}\"}}"),
            good.strip_suffix('}').unwrap().into(),
            good.replace('}', ",}"),
            format!("{good} {CANARY}"),
            format!("{good}{good}"),
            format!("{good}\0"),
            format!("\u{feff}{good}"),
            format!("// {CANARY}\n{good}"),
            format!("{{\"x\": NaN, {tail}"),
            format!("{{\"x\": 01, {tail}"),
            format!("{{\"x\": 1e999, {tail}"),
            format!("{{\"x\": \"\\x{CANARY}\", {tail}"),
            format!("{{\"x\": \"{CANARY}\n\", {tail}"),
            format!("{{\"x\": {}{}, {tail}", "[".repeat(deep), "]".repeat(deep)),
            format!("{{\"x\": {}", "{\"x\":".repeat(deep)),
            "[".repeat(deep),
        ]
        .into_iter()
        .map(String::into_bytes)
        .chain([utf16, b"\x00\xff".to_vec()])
        .chain([[b"{\"x\": \"\xff\", ", tail.as_bytes()].concat()])
        .collect();
        for body in bodies {
            endpoint.assert_bad(body, "body: expected ").await;
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        for body in [
            "null",
            "true",
            "7",
            "-1.5e3",
            "\"canary\"",
            "[]",
            "[\"canary\"]",
        ] {
            let expected = "body: expected an object, found ";
            endpoint.assert_bad(body, expected).await;
        }
        // A list of the values in the order of the fields is no object either.
        let values: Vec<&Value> = endpoint.good.as_object().unwrap().values().collect();
        let body = json!(values).to_string();
        endpoint.assert_bad(body, "body: expected an object").await;
    }
}

#[tokio::test]
async fn a_missing_field_is_named() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        for field in endpoint.required {
            let body = endpoint.without(field).to_string();
            let expected = format!("{field}: a required field is missing");
            endpoint.assert_bad(body, &expected).await;
        }
        for field in endpoint.optional {
            let body = endpoint.without(field).to_string();
            endpoint.assert_good(body).await;
        }
        let expected = format!("{}: ", endpoint.required[0]);
        endpoint.assert_bad("{}", &expected).await;
    }
}

#[tokio::test]
async fn a_field_of_the_wrong_type_is_named_with_what_was_expected() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        for field in endpoint.fields() {
            let (expected, wrong) = if field == "scopes" {
                ("a list", json!(CANARY))
            } else {
                ("a string", json!([CANARY]))
            };
            for value in [
                wrong,
                json!(7),
                json!(-0.5),
                json!(true),
                json!({CANARY: CANARY}),
            ] {
                let body = endpoint.with(field, value).to_string();
                let text = format!("{field}: expected {expected}");
                endpoint.assert_bad(body, &text).await;
            }
        }
    }
}

#[tokio::test]
async fn null_is_no_value_but_may_stand_for_a_field_that_is_left_out() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        for field in endpoint.required {
            let body = endpoint.with(field, Value::Null).to_string();
            let expected = format!("{field}: expected ");
            endpoint.assert_bad(body, &expected).await;
        }
        for field in endpoint.optional {
            let body = endpoint.with(field, Value::Null).to_string();
            endpoint.assert_good(body).await;
        }
    }
}

#[tokio::test]
async fn each_scope_must_be_a_text() {
    let (_server, agent) = Server::with_agent().await;
    let [_, _, grants] = with_body(&agent);
    for value in [
        json!(7),
        json!(null),
        json!([CANARY]),
        json!({"name": CANARY}),
    ] {
        let body = grants.with("scopes", json!(["goals", value])).to_string();
        let expected = "scopes[1]: expected a string";
        grants.assert_bad(body, expected).await;
    }
}

#[tokio::test]
async fn a_field_that_is_there_twice_is_named() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        for field in endpoint.fields() {
            let value = &endpoint.good[field];
            let rest = endpoint.good.to_string();
            let tail = rest.strip_prefix('{').unwrap();
            let expected = format!("{field}: ");
            // The second name is the first one in another spelling.
            let first = field.chars().next().unwrap();
            let spelled = format!("\\u{:04x}{}", u32::from(first), &field[1..]);
            for name in [field, &spelled] {
                let body = format!("{{\"{name}\": {value}, {tail}");
                endpoint.assert_bad(body, &expected).await;
            }
        }
    }
}

#[tokio::test]
async fn a_user_id_that_cannot_be_one_is_named() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        for id in ["", ".", "..", "canary\0", &CANARY.repeat(100)] {
            let body = endpoint.with("userId", json!(id)).to_string();
            let expected = "userId: expected 1 to 256 bytes";
            endpoint.assert_bad(body, expected).await;
        }
        let tail = endpoint.without("userId").to_string();
        let tail = tail.strip_prefix('{').unwrap();
        // Two of them would become one.
        for lone in ["\\ud800", "\\udfff", "\\ud83d\\u0041", "\\udc00\\ud800"] {
            let body = format!("{{\"userId\": \"{CANARY}{lone}\", {tail}");
            let expected = "userId: expected whole characters";
            endpoint.assert_bad(body, expected).await;
        }
        // A pair is a character like any other.
        let body = format!("{{\"userId\": \"\\ud83d\\ude80\", {tail}");
        endpoint.assert_good(body).await;
    }
}

#[tokio::test]
async fn fields_that_nobody_knows_do_no_harm() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        let mut body = endpoint.good.clone();
        for (n, value) in [
            json!(null),
            json!(1.5e300),
            json!([{"a": [1, 2]}]),
            json!("x\0y"),
        ]
        .into_iter()
        .enumerate()
        {
            body[format!("unknown{n}")] = value;
        }
        body["user_id"] = json!("bob");
        body["USERID"] = json!(7);
        body[""] = json!("");
        endpoint.assert_good(body.to_string()).await;
        let twice = body.to_string().replacen('{', "{\"x\": 1, \"x\": 2, ", 1);
        endpoint.assert_good(twice).await;
    }
    refused(agent.context(&user("bob")).await, 403);
}

#[tokio::test]
async fn texts_may_hold_any_character() {
    let (_server, agent) = Server::with_agent().await;
    let any = "\0\u{1}\u{7f}\u{85}\u{2028}\u{202e}\u{feff}\u{fffe}\u{10ffff}👩🏽‍🚀\r\n\\\"";
    let injected = agent.inject(&user("ada"), any).await.unwrap();
    assert!(injected.prompt().ends_with(any));
    agent.update(&user("ada"), any, any).await.unwrap();
    let message = format!("I live in Lis{any}bon.");
    agent.update(&user("ada"), message, "").await.unwrap();
    agent.context(&user("ada")).await.unwrap();
}

// ---- content types and sizes ---------------------------------------------------------

#[tokio::test]
async fn only_json_is_taken() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        let send = async |content_type: Option<&str>| {
            let mut call = agent.raw("POST", endpoint.path);
            if let Some(content_type) = content_type {
                call = call.header("content-type", content_type);
            }
            call.body(endpoint.good.to_string()).send().await
        };
        for taken in [
            "application/json",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "Application/JSON",
        ] {
            assert_eq!(send(Some(taken)).await.status, 200, "{taken}");
        }
        for refused in [
            None,
            Some(""),
            Some("json"),
            Some("text/json"),
            Some("text/plain; application/json"),
            Some("application/jsonx"),
            Some("application/json-patch+json"),
            Some("application/x-www-form-urlencoded"),
            Some("multipart/form-data; boundary=x"),
            Some("*/*"),
        ] {
            let text = send(refused).await.assert_error(415);
            text.assert_has("application/json");
        }
    }
}

/// A good inject whose body is of this size.
fn of_size(endpoint: &WithBody<'_>, bytes: usize) -> String {
    let empty = endpoint.with(endpoint.required[1], json!("")).to_string();
    let padding = "x".repeat(bytes - empty.len());
    endpoint
        .with(endpoint.required[1], json!(padding))
        .to_string()
}

#[tokio::test]
async fn a_body_may_have_a_mebibyte_and_no_more() {
    let (_server, agent) = Server::with_agent().await;
    let [inject, update, grants] = with_body(&agent);
    for endpoint in [inject, update] {
        let post = |bytes| endpoint.post(of_size(&endpoint, bytes));
        for taken in [
            post(1 << 20).send().await,
            post(1 << 20).send_chunked().await,
        ] {
            assert_eq!(taken.status, 200, "{}", endpoint.path);
        }
        let beyond = (1 << 20) + 1;
        for answer in [post(beyond).send().await, post(beyond).send_chunked().await] {
            answer.assert_error(413);
        }
    }
    let beyond = vec![b' '; (1 << 20) + 1];
    let answer = grants.post(beyond).send_chunked().await;
    answer.assert_error(413);
}

const HUGE: usize = 20 << 20;

#[tokio::test]
async fn a_huge_body_is_refused_and_the_refusal_arrives() {
    let (_server, agent) = Server::with_agent().await;
    for endpoint in with_body(&agent) {
        let post = || endpoint.post(vec![b' '; HUGE]);
        post().send().await.assert_error(413);
        post().send_chunked().await.assert_error(413);
    }
}

#[tokio::test]
async fn the_client_gets_to_know_that_its_prompt_is_too_large() {
    let (_server, agent) = Server::with_agent().await;
    // More than the system holds between the two, so the client is still sending when it is refused.
    let prompt = "x".repeat(4 << 20);
    for _ in 0..20 {
        refused(agent.inject(&user("ada"), &prompt).await, 413).assert_begins("body: ");
    }
    // The connection is still good, or another one is opened.
    agent.injects(&user("ada")).await;
}

#[tokio::test]
async fn the_client_learns_why_a_huge_body_is_refused() {
    let (server, agent) = Setup::auto().rate_limit(1).start_with_agent().await;
    agent.inject(&user("ada"), "").await.unwrap();
    let stranger = exact(&server.url).api_key("ctxm_unknown").build().unwrap();
    let prompt = "x".repeat(HUGE);
    for _ in 0..2 {
        refused(agent.inject(&user("ada"), &prompt).await, 429);
        refused(stranger.inject(&user("ada"), &prompt).await, 401);
    }
    let huge = |method, path| server.raw(method, path).body(vec![b' '; HUGE]);
    huge("POST", "/nowhere").send().await.assert_error(404);
    huge("PUT", "/api/grants").send().await.assert_error(405);
    let plain = huge("POST", "/api/grants").key(&server.agent().await.key);
    plain.send_chunked().await.assert_error(415);
    assert_eq!(huge("GET", "/api/health").send().await.status, 200);
}

// ---- paths and methods ---------------------------------------------------------------

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let (_server, agent) = Server::with_agent().await;
    for path in [
        "/api",
        "/api/",
        "/nowhere",
        "/api/health/",
        "/api//health",
        "//api/health",
        "/API/health",
        "/api/healthz",
        "/api/health/live",
        "/api/%68ealth",
        "/api/./health",
        "/api/x/../health",
        "/api/context",
        "/api/context/",
        "/api/context//",
        "/api/context/ada/",
        "/api/context/ada/facts/",
        "/api/context/ada/fact",
        "/api/context/ada/facts/1/2",
        "/api/docs/",
        "/api/docs/index.html",
        "/api/context/inject/",
        "/api/context//inject",
        "/api/grants/",
        "/api/grants/a/b",
        "/sign-in/",
        "/account/nothing",
        "/canary/%3Cscript%3E",
    ] {
        for method in ["GET", "POST", "DELETE", "PUT", "OPTIONS"] {
            let answer = agent.raw(method, path).gets(404).await;
            let text = answer.assert_error(404);
            assert!(!text.contains(CANARY) && !text.contains("script"), "{text}");
            assert_eq!(answer.header("allow"), None);
        }
    }
}

/// Every path and the methods that it takes.
const ALLOWED: [(&str, &str); 18] = [
    ("/api/context/inject", "DELETE, GET, HEAD, POST"),
    ("/api/context/update", "DELETE, GET, HEAD, POST"),
    ("/api/context/ada", "DELETE, GET, HEAD"),
    ("/api/context/%69nject", "DELETE, GET, HEAD"),
    ("/api/context/Inject", "DELETE, GET, HEAD"),
    ("/api/context/a%2Fb", "DELETE, GET, HEAD"),
    ("/api/context/ada/facts", "GET, HEAD"),
    ("/api/context/ada/facts/any", "DELETE"),
    ("/api/grants", "POST"),
    ("/api/grants/any", "DELETE"),
    ("/api/health", "GET, HEAD"),
    ("/livez", "GET, HEAD"),
    ("/readyz", "GET, HEAD"),
    ("/sign-in", "GET, HEAD, POST"),
    ("/sign-out", "POST"),
    ("/account", "GET, HEAD"),
    ("/account/allow", "POST"),
    ("/account/revoke", "POST"),
];

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let (_server, agent) = Server::with_agent().await;
    for (path, allow) in ALLOWED {
        let allowed: Vec<&str> = allow.split(", ").collect();
        for method in [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "BREW",
        ] {
            let answer = agent.raw(method, path).send().await;
            if allowed.contains(&method) {
                assert_ne!(answer.status, 405, "{method} {path}");
                assert_eq!(answer.header("allow"), None);
                continue;
            }
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
            if method != "HEAD" {
                answer.assert_error(405);
            }
        }
    }
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let (server, agent) = Server::with_agent().await;
    agent.inject(&user("ada"), "").await.unwrap();
    for path in [
        "/api/context/ada",
        "/api/context/bob",
        "/api/context/%00",
        "/account",
        "/sign-in",
        "/style.css",
        "/nowhere",
    ] {
        let call = |method| agent.raw(method, path);
        let (get, head) = (call("GET").send().await, call("HEAD").send().await);
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.body, "");
        for header in ["content-type", "content-length", "cache-control"] {
            assert_eq!(
                head.header(header),
                get.header(header),
                "{header} of {path}"
            );
        }
    }
    let head = server.raw("HEAD", "/api/health").send().await;
    assert_eq!((head.status, &*head.body), (200, ""));
}

// ---- what every answer carries -------------------------------------------------------

/// One answer of every kind.
async fn answers(server: &Server, agent: &Agent) -> Vec<RawResponse> {
    let cookie = server.sign_in(&user("ada")).await;
    let [inject, ..] = with_body(agent);
    let calls = [
        (inject.post(inject.good.to_string()), 200),
        (server.get("/api/context/ada").key(&agent.key), 200),
        (server.get("/api/health"), 200),
        (server.get("/account").cookie(&cookie), 200),
        (server.get("/style.css"), 200),
        (inject.post("{"), 400),
        (server.get("/api/context/ada"), 401),
        (server.get("/account"), 401),
        (server.get("/api/context/bob").key(&agent.key), 403),
        (server.get("/nowhere"), 404),
        (server.raw("DELETE", "/api/grants/x").cookie(&cookie), 404),
        (server.raw("PUT", "/api/grants"), 405),
        (server.get("/sign-in?token=x"), 410),
        (inject.post(vec![b' '; 2 << 20]), 413),
        (server.raw("POST", "/api/grants").key(&agent.key), 415),
        (
            server
                .raw("POST", "/sign-out")
                .cookie(&cookie)
                .made_for(&server.mark(&user("ada"))),
            303,
        ),
    ];
    let mut answers = Vec::new();
    for (call, status) in calls {
        answers.push(call.header("x-request-id", CANARY).gets(status).await);
    }
    answers
}

#[tokio::test]
async fn every_answer_carries_a_request_id_of_the_servers_own() {
    let (server, agent) = Server::with_agent().await;
    let answers = answers(&server, &agent).await;
    let ids: HashSet<&str> = answers
        .iter()
        .map(|answer| answer.header("x-request-id").unwrap())
        .collect();
    assert_eq!(ids.len(), answers.len());
    assert!(ids.iter().all(|id| id.len() >= 16 && !id.contains(CANARY)));
    // The client passes it on to whoever asks the operator.
    let error = agent.context(&user("nobody")).await.unwrap_err();
    assert!(error.request_id().is_some());
}

#[tokio::test]
async fn no_answer_may_be_kept_or_guessed_at() {
    let (server, agent) = Server::with_agent().await;
    for answer in answers(&server, &agent).await {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(answer.header("content-type").is_some());
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(answer.header("server"), None);
    }
}
