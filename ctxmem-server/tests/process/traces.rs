//! Traces by OTLP: what a collector gets, and what it never gets.

use std::collections::BTreeMap;
use std::time::Duration;

use ctxmem_test_outside::{FakeModel, MODEL_KEY};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::process::{Home, ServerProcess, assert_lacks, browser, user};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

/// Stands for a collector somewhere else.
async fn collector(status: u16) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .and(path("/v1/traces"))
        .respond_with(ResponseTemplate::new(status))
        .mount(&server)
        .await;
    server
}

/// The spans that a collector got, by their names, and the bytes in which they came.
async fn spans(collector: &MockServer) -> (BTreeMap<String, Vec<Span>>, Vec<u8>) {
    let (mut spans, mut bytes) = (BTreeMap::<String, Vec<Span>>::new(), Vec::new());
    for request in collector.received_requests().await.unwrap() {
        let kind = request.headers.get("content-type").unwrap();
        assert_eq!(kind, "application/x-protobuf");
        bytes.extend(&request.body);
        let batch = ExportTraceServiceRequest::decode(&*request.body).unwrap();
        for resource in batch.resource_spans {
            for scope in resource.scope_spans {
                for span in scope.spans {
                    spans.entry(span.name.clone()).or_default().push(span);
                }
            }
        }
    }
    (spans, bytes)
}

/// The attributes of a span as text.
fn attributes(span: &Span) -> BTreeMap<&str, String> {
    let text = |value: &Value| match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    let attributes = span.attributes.iter().map(|attribute| {
        let value = attribute.value.as_ref().unwrap().value.as_ref().unwrap();
        (&*attribute.key, text(value))
    });
    attributes.collect()
}

/// An update within a trace. Answers the id of the request.
async fn update(serving: &ServerProcess, flags: &str) -> String {
    let body = json!({
        "userId": "user-canary",
        "userMessage": "I have been learning the message-canary for a year.",
        "agentResponse": "The answer-canary.",
    });
    let answer = browser()
        .post(format!("{}/api/context/update?query-canary", serving.url()))
        .bearer_auth(serving.key())
        .header("traceparent", format!("00-{TRACE}-{CALLER}-{flags}"))
        .header("tracestate", "vendor=state-canary")
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let id = answer.headers()["x-request-id"].to_str();
    id.unwrap().to_owned()
}

/// The flag that has a server send its spans there.
fn to(collector: &MockServer) -> String {
    format!("--otlp-url {}", collector.uri())
}

async fn serve_with_model(home: &Home, model: &FakeModel, flags: &str) -> ServerProcess {
    let mut command = home.serving(&format!("{} --log trace {flags}", model.flags()));
    command.env("CTXMEM_MODEL_API_KEY", MODEL_KEY);
    home.start(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_a_span_in_the_trace_of_its_caller_and_goes_on_at_the_model() {
    let (home, model, collector) = (Home::new(), FakeModel::start().await, collector(200).await);
    model.finds([json!({ "scope": "knowledge", "value": "fact-canary" })]);
    let serving = serve_with_model(&home, &model, &to(&collector)).await;
    let request_id = update(&serving, "01").await;
    let nowhere = format!("{}/path-canary", serving.url());
    let odd = reqwest::Method::from_bytes(b"METHODCANARY").unwrap();
    browser().request(odd, nowhere).send().await.unwrap();
    let [key, agent] = [serving.key(), serving.agent()].map(str::to_owned);
    let log = serving.stop().await;

    let (spans, bytes) = spans(&collector).await;
    let names: Vec<&str> = spans.keys().map(String::as_str).collect();
    let expected_names = [
        "POST /api/context/update",
        "database read",
        "database write",
        "extraction",
        "model request",
        "other other",
    ];
    assert_eq!(names, expected_names);
    let root = &spans["POST /api/context/update"][0];
    assert_eq!(hex::encode(&root.trace_id), TRACE);
    assert_eq!(hex::encode(&root.parent_span_id), CALLER);
    let expected = [
        ("ctxmem.request_id", request_id),
        ("http.request.method", "POST".to_owned()),
        ("http.response.status_code", "200".to_owned()),
        ("http.route", "/api/context/update".to_owned()),
    ];
    assert_eq!(attributes(root), expected.into());
    for name in &expected_names[1..5] {
        for span in &spans[*name] {
            assert_eq!(hex::encode(&span.trace_id), TRACE, "{name}");
            assert_eq!(attributes(span), BTreeMap::new(), "{name}");
        }
    }
    let (extraction, asked) = (&spans["extraction"][0], &spans["model request"][0]);
    assert_eq!(extraction.parent_span_id, root.span_id);
    assert_eq!(asked.parent_span_id, extraction.span_id);
    let other = &spans["other other"][0];
    assert_eq!(attributes(other)["http.response.status_code"], "404");
    assert_ne!(hex::encode(&other.trace_id), TRACE);

    let requests = model.requests().await;
    let [to_model] = &requests[..] else {
        panic!("{} requests to the model", requests.len());
    };
    let parent = format!("00-{TRACE}-{}-01", hex::encode(&asked.span_id));
    assert_eq!(to_model.headers.get("traceparent").unwrap(), &*parent);
    assert!(!to_model.headers.contains_key("tracestate"));

    // No contents, nobody, no secret; and the log shows nothing of spans, not even at trace.
    let sent = String::from_utf8_lossy(&bytes);
    let private = [
        "canary",
        "METHODCANARY",
        "test-model",
        MODEL_KEY,
        &key,
        &agent,
    ];
    assert_lacks(&sent, &private);
    assert_lacks(&log, &["ctxmem_trace", "model request"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_request_is_marked_as_one() {
    let (home, model, collector) = (Home::new(), FakeModel::start().await, collector(200).await);
    model.answers(ResponseTemplate::new(500));
    let serving = serve_with_model(&home, &model, &to(&collector)).await;
    let said = "I have been learning Portuguese for a year.";
    let body = json!({ "userId": "ada", "userMessage": said, "agentResponse": "Ok." });
    let url = format!("{}/api/context/update", serving.url());
    let asked = browser().post(url).bearer_auth(serving.key()).json(&body);
    assert_eq!(asked.send().await.unwrap().status(), 502);
    serving.stop().await;
    let (spans, _) = spans(&collector).await;
    let root = &spans["POST /api/context/update"][0];
    assert_eq!(attributes(root)["http.response.status_code"], "502");
    // 2 stands for an error.
    assert_eq!(root.status.as_ref().unwrap().code, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_collector_nothing_is_handed_on() {
    let (home, model) = (Home::new(), FakeModel::start().await);
    let serving = serve_with_model(&home, &model, "").await;
    update(&serving, "01").await;
    let requests = model.requests().await;
    assert_eq!(requests.len(), 1);
    assert!(!requests[0].headers.contains_key("traceparent"));
    assert!(!serving.stderr().contains("model request"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_caller_does_not_record_is_not_sent() {
    let (home, model, collector) = (Home::new(), FakeModel::start().await, collector(200).await);
    let serving = serve_with_model(&home, &model, &to(&collector)).await;
    update(&serving, "00").await;
    // One that is recorded shows that what was not sent would have arrived.
    let recorded = reqwest::get(format!("{}/livez", serving.url())).await;
    recorded.unwrap();
    serving.stop().await;
    let (spans, _) = spans(&collector).await;
    let names: Vec<&String> = spans.keys().collect();
    assert_eq!(names, ["GET /livez"]);
    // The model is told that it is not recorded.
    let requests = model.requests().await;
    let parent = requests[0].headers["traceparent"].to_str().unwrap();
    assert!(parent.starts_with(&format!("00-{TRACE}-")), "{parent}");
    assert!(parent.ends_with("-00"), "{parent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_fails_or_is_gone_holds_up_nobody_and_is_told_once() {
    let failing = collector(400).await;
    let failing = failing.uri();
    for url in [&*failing, "http://127.0.0.1:9"] {
        let home = Home::new();
        let mut command = home.serving(&["--otlp-url", url]);
        // Every span is sent at once.
        command.env("OTEL_BSP_SCHEDULE_DELAY", "10");
        let serving = home.start(command).await;
        let client = serving.client(None);
        for _ in 0..20 {
            client.inject(&user("ada"), "Hi").await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let told = "the collector takes no traces";
        serving.logs(told).await;
        let log = serving.stop().await;
        assert_eq!(log.matches(told).count(), 1, "{log}");
        assert!(!log.contains("127.0.0.1:9/"), "{log}");
    }
}

#[test]
fn an_address_that_can_be_no_collector_is_refused() {
    let home = Home::new();
    for (url, status) in [
        ("collector:4318", 2),
        ("ftp://collector", 2),
        ("http://me:secret@collector", 1),
    ] {
        let said = home.refused(&["--otlp-url", url], status, "--otlp-url");
        assert_lacks(&said, &["secret@"]);
    }
}
