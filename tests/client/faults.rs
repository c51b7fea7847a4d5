//! Faults of the service: whatever it does, the agent has a prompt in time.

use std::fmt::Debug;
use std::time::{Duration, Instant, SystemTime};

use ctxmem_client::{
    Client, ClientBuilder, Error, ErrorCode, Fallback, Injected, Outage, RetryPolicy,
};
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer};

use crate::faulty::{Fault, Faulty};
use crate::support::{KEY, answering, is_soak, json, ok, user};

const BASE: &str = "You help.";
const DEADLINE: Duration = Duration::from_millis(800);
const ENRICHED: &str = "System:\ncanary\n\nYou help.";

/// A client with the deadlines and retries that it has by itself.
fn builder(url: &str, http: &reqwest::Client) -> ClientBuilder {
    let client = Client::builder().base_url(url).api_key(KEY);
    client.http_client(http.clone())
}

fn http() -> reqwest::Client {
    let none = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().redirect(none);
    client.build().unwrap()
}

async fn answer(server: &MockServer, status: u16, body: &Value) {
    let answer = Mock::given(any()).respond_with(json(status, body));
    answer.mount(server).await;
}

/// A server, and a socket that reserves its port after the server is dropped. Otherwise the server of another test
/// could get the port, and with it calls that are meant for nobody.
async fn server_with_reserved_port() -> (MockServer, TcpSocket) {
    let shared = || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseport(true).unwrap();
        socket
    };
    let (serving, reserving) = (shared(), shared());
    serving.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    reserving.bind(serving.local_addr().unwrap()).unwrap();
    let listener = serving.listen(128).unwrap().into_std().unwrap();
    let server = MockServer::builder().listener(listener).start().await;
    (server, reserving)
}

/// A thousand calls, fifty at a time. Each uses a new client, because the circuit breaker of a
/// client that has seen failures would be open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_faulty_calls_give_a_thousand_prompts_in_time() {
    let http = http();
    let servers = Fault::ALL.map(|fault| (fault, Faulty::start(fault)));
    let mut calls = JoinSet::new();
    let mut done = Vec::new();
    for n in 0..1000 {
        let (fault, server) = &servers[n % servers.len()];
        let client = builder(&server.url, &http).build().unwrap();
        let fault = *fault;
        if calls.len() == 50 {
            done.push(calls.join_next().await.unwrap().unwrap());
        }
        calls.spawn(async move {
            let start = Instant::now();
            let injected = client.inject_or_base(&user(), BASE).await;
            (start.elapsed(), is_base(fault, &injected))
        });
    }
    done.extend(calls.join_all().await);
    let prompts = done.iter().filter(|(_, is_base)| *is_base).count();
    let slowest = done.iter().map(|(took, _)| *took).max().unwrap();
    println!(
        "figure: 1,000 faulty calls: prompts {prompts}, slowest {} ms, deadline {} ms",
        slowest.as_millis(),
        DEADLINE.as_millis()
    );
    assert_eq!(prompts, 1000);
    // A test run shares its machine; a soak run does not.
    let grace = if is_soak() { 50 } else { 10_000 };
    let deadline = DEADLINE + Duration::from_millis(grace);
    assert!(slowest <= deadline, "{slowest:?}");
}

/// The outage for which a prompt is the base prompt, when this happens.
fn outage(injected: &Injected, when: impl Debug) -> &Outage {
    match injected.fallback() {
        Some(Fallback::Outage(why)) => why,
        _ => panic!("{when:?}: {injected:?}"),
    }
}

/// Checks that the prompt is the base prompt, for the reason that the fault should have.
fn is_base(fault: Fault, injected: &Injected) -> bool {
    let why = outage(injected, fault);
    let fits = match fault {
        Fault::Refused | Fault::Reset | Fault::Truncated | Fault::NotHttp => {
            matches!(why, Outage::Unreachable(_))
        }
        Fault::Hung | Fault::Dripped => matches!(why, Outage::TimedOut(_)),
        Fault::Status(_) => matches!(why, Outage::Failing(_)),
        Fault::Garbage => matches!(why, Outage::Unreadable(_)),
        Fault::None => false,
    };
    assert!(fits, "{fault:?}: {why:?}");
    injected.prompt() == BASE && injected.cache_hint().is_none()
}

#[tokio::test]
async fn a_thousand_calls_to_a_dead_server_make_few_retries() {
    let server = Faulty::start(Fault::Reset);
    let retry = RetryPolicy::default().initial_backoff(Duration::from_millis(1));
    let client = builder(&server.url, &http()).retry(retry);
    let client = client.build().unwrap();
    for _ in 0..1000 {
        client.context(&user()).await.unwrap_err();
    }
    let requests = server.requests();
    println!("figure: 1,000 calls into a dead server: {requests} requests");
    assert!((1000..=1100).contains(&requests), "{requests}");

    // With `inject_or_base` the circuit breaker opens, and no more requests are sent.
    for _ in 0..1000 {
        client.inject_or_base(&user(), BASE).await;
    }
    let more = server.requests() - requests;
    assert!(more <= 10, "{more}");
}

#[tokio::test]
async fn a_rejection_is_not_an_outage_and_earlier_facts_are_not_reused() {
    let http = http();
    let (good, _port) = server_with_reserved_port().await;
    answer(&good, 200, &json!({"injectedPrompt": ENRICHED})).await;
    let client = builder(&good.uri(), &http).build().unwrap();
    assert!(client.inject_or_base(&user(), BASE).await.is_enriched());

    let mut earlier_facts = 0;
    for (status, code) in [(401, ErrorCode::Unauthorized), (403, ErrorCode::Forbidden)] {
        good.reset().await;
        answer(&good, status, &json!({"error": "No.", "code": code})).await;
        for _ in 0..50 {
            let injected = client.inject_or_base(&user(), BASE).await;
            earlier_facts += usize::from(injected.prompt().contains("canary"));
            let Some(Fallback::Rejected(error)) = injected.fallback() else {
                panic!("{injected:?}");
            };
            assert_eq!(error.status(), Some(status));
            assert_eq!(injected.prompt(), BASE);
        }
    }
    // Neither are they when the service goes down afterwards.
    drop(good);
    for _ in 0..50 {
        let injected = client.inject_or_base(&user(), BASE).await;
        assert!(matches!(injected.fallback(), Some(Fallback::Outage(_))));
        earlier_facts += usize::from(injected.prompt().contains("canary"));
    }
    println!("figure: earlier facts after a 401 or 403: {earlier_facts}");
    assert_eq!(earlier_facts, 0);
}

#[tokio::test]
async fn answers_about_consent_are_not_fallbacks() {
    for reason in ["no_grant", "no_scopes", "empty", "empty_capsule"] {
        let answer = json!({"injectedPrompt": BASE, "reason": reason});
        let server = answering(ok(&answer)).await;
        let client = builder(&server.uri(), &http()).build().unwrap();
        let injected = client.inject_or_base(&user(), BASE).await;
        assert!(injected.fallback().is_none());
        assert_eq!(injected.reason().unwrap().as_str(), reason);
    }
}

#[tokio::test]
async fn an_invalid_call_is_a_rejection() {
    let unknown = json!({"error": "No.", "code": "NOT_FOUND"});
    let server = answering(json(404, &unknown)).await;
    let client = builder(&server.uri(), &http()).build().unwrap();
    let injected = client.inject_or_base(&user(), BASE).await;
    let rejected = injected.fallback();
    assert!(matches!(rejected, Some(Fallback::Rejected(Error::Api(_)))));
    let keyless = Client::builder().base_url(server.uri()).build().unwrap();
    let injected = keyless.inject_or_base(&user(), BASE).await;
    let invalid = injected.fallback();
    assert!(matches!(
        invalid,
        Some(Fallback::Rejected(Error::Invalid(_)))
    ));
}

#[tokio::test]
async fn an_answer_without_the_base_prompt_is_not_used() {
    for prompt in ["", "System:\nsomething else"] {
        let server = answering(ok(&json!({"injectedPrompt": prompt}))).await;
        let client = builder(&server.uri(), &http()).build().unwrap();
        let injected = client.inject_or_base(&user(), BASE).await;
        assert_eq!(injected.prompt(), BASE);
        let why = outage(&injected, prompt);
        assert!(matches!(why, Outage::Incomplete), "{why:?}");
    }
}

#[tokio::test]
async fn nothing_is_sent_until_a_rate_limit_resets() {
    let server = MockServer::builder().start().await;
    let limited = json!({"error": "Rate limit exceeded.", "code": "RATE_LIMITED"});
    let limited = json(429, &limited).insert_header("retry-after", "1");
    let limited = Mock::given(any()).respond_with(limited).up_to_n_times(1);
    limited.expect(1).mount(&server).await;
    let good = ok(&json!({"injectedPrompt": ENRICHED}));
    let good = Mock::given(any()).respond_with(good);
    good.expect(1).mount(&server).await;
    let client = builder(&server.uri(), &http()).build().unwrap();
    let first = client.inject_or_base(&user(), BASE).await;
    let limited = outage(&first, "the first");
    assert!(matches!(limited, Outage::RateLimited { .. }));
    let until = limited.retry_at().unwrap();
    // The circuit breaker is open, so nothing is sent.
    let second = client.inject_or_base(&user(), BASE).await;
    let open = outage(&second, "the second");
    assert!(matches!(open, Outage::CircuitOpen { .. }));
    // It says what the reason was.
    assert_eq!(open.error().and_then(Error::status), Some(429));
    let words = "too many requests, so no call is sent for a moment";
    assert_eq!(open.to_string(), words);
    let wait = until.duration_since(SystemTime::now()).unwrap_or_default();
    tokio::time::sleep(wait + Duration::from_millis(50)).await;
    assert!(client.inject_or_base(&user(), BASE).await.is_enriched());
}
