//! Options of calls, settings of clients, and what stands between the client and the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_client::error::{InvalidCall, TransportError};
use ctxmem_client::reqwest::{Client as HttpClient, Request, Response};
use ctxmem_client::test_utils::Route;
use ctxmem_client::{
    BoxFuture, BuildError, CallOptions, ClientBuilder, Error, Memory, RetryPolicy, Transport,
};
use serde_json::{Value, json};
use tracing::Instrument as _;
use wiremock::{MockServer, ResponseTemplate};

use crate::every_call::call;
use crate::support::{
    self, KEY, answer_to_all, answering, failing, header, json as answer, ok, patient, requests,
    user,
};

async fn service() -> MockServer {
    answering(answer_to_all()).await
}

fn builder(server: &MockServer) -> ClientBuilder {
    patient(server.uri())
}

/// A header of each request so far.
async fn sent(server: &MockServer, name: &str) -> Vec<String> {
    let requests = requests(server).await;
    let headers = requests.iter().map(|request| header(request, name));
    headers.collect()
}

#[tokio::test]
async fn a_call_has_headers_and_a_request_id_of_its_own() {
    let server = service().await;
    let client = builder(&server).header("x-tenant", "acme").build().unwrap();
    let options = CallOptions::new()
        .request_id("turn-7")
        .header("x-tenant", "other");
    let with_options = client.with_options(options);
    with_options.inject(&user(), "Hi").await.unwrap();
    client.inject(&user(), "Hi").await.unwrap();
    assert_eq!(sent(&server, "x-request-id").await, ["turn-7", ""]);
    assert_eq!(sent(&server, "x-tenant").await, ["other", "acme"]);
    let key = format!("Bearer {KEY}");
    assert_eq!(sent(&server, "authorization").await, [&*key, &key]);
}

#[tokio::test]
async fn an_idempotency_key_is_for_updates_and_deletions() {
    let server = service().await;
    let client = builder(&server).build().unwrap();
    let client = client.with_options(CallOptions::new().idempotency_key("m-1"));
    client.update(&user(), "Hi", "Hello").await.unwrap();
    client.delete_context(&user()).await.unwrap();
    client.context(&user()).await.unwrap();
    assert_eq!(sent(&server, "idempotency-key").await, ["m-1", "m-1", ""]);
}

#[tokio::test]
async fn what_can_not_be_sent_is_not() {
    let server = service().await;
    let client = builder(&server).build().unwrap();
    let new = CallOptions::new;
    let own_key = new().header("authorization", "Bearer x");
    for (options, expected) in [
        (own_key, InvalidCall::Header),
        (new().request_id("a\nb"), InvalidCall::Header),
        (new().idempotency_key(""), InvalidCall::IdempotencyKey),
    ] {
        let call = client.with_options(options);
        let error = call.inject(&user(), "Hi").await.unwrap_err();
        let is_so = matches!(&error, Error::Invalid(invalid) if *invalid == expected);
        assert!(is_so, "{expected:?}: {error}");
    }
    assert!(requests(&server).await.is_empty());
    let built = builder(&server).header("cookie", "a=b").build();
    assert!(matches!(built, Err(BuildError::InvalidHeader)));
}

#[tokio::test]
async fn a_timeout_is_for_every_call_and_others_are_more_precise() {
    let slow = answer_to_all().set_delay(Duration::from_secs(2));
    let server = answering(slow).await;
    let short = Duration::from_millis(100);
    let long = Duration::from_secs(30);
    let blank = || support::builder(server.uri());
    let all = blank().timeout(short).build().unwrap();
    for route in Route::ALL {
        let error = call(route, &all).await.unwrap();
        assert!(error.is_timeout(), "{route:?}");
    }
    // In whatever order they are set.
    for builder in [
        blank().timeout(short).update_timeout(long),
        blank().update_timeout(long).timeout(short),
    ] {
        let client = builder.build().unwrap();
        assert!(call(Route::Update, &client).await.is_none());
        assert!(call(Route::Inject, &client).await.unwrap().is_timeout());
    }
    // That of the call comes before all of them.
    let patient = all.with_options(CallOptions::new().timeout(long));
    assert!(call(Route::Inject, &patient).await.is_none());
    let zero = blank().timeout(Duration::ZERO).build();
    assert!(matches!(zero, Err(BuildError::ZeroTimeout)));
}

#[tokio::test]
async fn a_trace_goes_on_in_the_headers_of_each_attempt() {
    let server = failing(1, ResponseTemplate::new(503)).await;
    crate::logs::keep();
    let client = builder(&server)
        .retry(RetryPolicy::default().initial_backoff(Duration::ZERO))
        .on_headers(|headers| {
            // What a propagator would write: here the name of the current span.
            let span = tracing::Span::current();
            let name = span.metadata().map_or("none", tracing::Metadata::name);
            headers.insert("traceparent", name.parse().unwrap());
        })
        .build()
        .unwrap();
    let turn = tracing::info_span!("turn");
    client.context(&user()).instrument(turn).await.unwrap();
    assert_eq!(sent(&server, "traceparent").await, ["ctxmem", "ctxmem"]);
}

fn http() -> HttpClient {
    HttpClient::builder().build().unwrap()
}

/// Middleware that counts requests, and waits before each.
struct Counting {
    http: HttpClient,
    sent: Arc<AtomicUsize>,
    wait: Duration,
}

impl Transport for Counting {
    fn execute(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            self.sent.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(self.wait).await;
            Ok(self.http.execute(request).await?)
        })
    }
}

#[tokio::test]
async fn every_attempt_goes_through_the_transport() {
    let server = failing(2, ResponseTemplate::new(503)).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let counting = |wait| Counting {
        http: http(),
        sent: Arc::clone(&sent),
        wait,
    };
    let client = builder(&server)
        .retry(RetryPolicy::default().initial_backoff(Duration::ZERO))
        .transport(counting(Duration::ZERO))
        .build()
        .unwrap();
    client.context(&user()).await.unwrap();
    assert_eq!(sent.load(Ordering::SeqCst), 3);

    // The deadline of a call holds whatever the transport does.
    let stuck = builder(&server)
        .timeout(Duration::from_millis(100))
        .transport(counting(Duration::from_hours(1)))
        .build()
        .unwrap();
    let error = stuck.context(&user()).await.unwrap_err();
    assert!(error.is_timeout());
    let plain = builder(&server).transport(http()).build();
    plain.unwrap().context(&user()).await.unwrap();
}

#[tokio::test]
async fn errors_say_what_they_are() {
    for (status, code) in [
        (401, "UNAUTHORIZED"),
        (403, "FORBIDDEN"),
        (404, "NOT_FOUND"),
        (429, "RATE_LIMITED"),
        (500, "INTERNAL_ERROR"),
    ] {
        let no = json!({"error": "No.", "code": code});
        let server = answering(answer(status, &no)).await;
        let client = builder(&server).build().unwrap();
        let error = client.context(&user()).await.unwrap_err();
        let is = [
            error.is_unauthorized(),
            error.is_forbidden(),
            error.is_not_found(),
            error.is_rate_limited(),
        ];
        let expected = [401, 403, 404, 429].map(|known| known == status);
        assert_eq!(is, expected, "{status}");
    }
}

#[tokio::test]
async fn a_memory_learns_without_an_interaction() {
    let server = service().await;
    let memory: Arc<dyn Memory> = Arc::new(builder(&server).build().unwrap());
    let learned = memory.update(&user(), "I moved.", "Enjoy it!").await;
    learned.unwrap();
    let body: Value = requests(&server).await[0].body_json().unwrap();
    assert_eq!(body["userMessage"], "I moved.");
    assert_eq!(body["agentResponse"], "Enjoy it!");
}

#[tokio::test]
async fn demo_facts_are_left_out_where_the_client_says_so() {
    let seeded = json!({
        "injectedPrompt": "System:\nThe user lives in Lisbon.\n\nYou help.",
        "cacheHint": {"recommended": false},
        "reason": "seeded_demo", "notice": "Demo facts were merged.", "seeded": true,
        "relevant": "The user lives in Lisbon.",
    });
    let server = answering(ok(&seeded)).await;
    let shown = builder(&server).with_demo().build().unwrap();
    let shown = shown.inject(&user(), "You help.").await.unwrap();
    assert!(shown.is_seeded() && shown.prompt().contains("Lisbon"));

    let client = builder(&server).build().unwrap();
    let injected = client.inject(&user(), "You help.").await.unwrap();
    assert_eq!(injected.prompt(), "You help.");
    assert_eq!(injected.reason(), Some(&ctxmem_client::InjectReason::Empty));
    assert_eq!((injected.notice(), injected.relevant()), (None, None));
    assert!(!injected.is_seeded() && !injected.is_enriched());
}
