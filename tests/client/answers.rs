//! Successful answers that the client can't read.

use ctxmem_client::Error;
use ctxmem_client::error::DecodeProblem;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::raw::{Ending, RawServer};
use crate::support::{Deployment, USER, builder, json as answer, ok, user};

const LIMIT: usize = 8 * 1024 * 1024;

fn problem(error: Error) -> DecodeProblem {
    assert!(!error.is_retryable());
    match error {
        Error::Decode(error) => error.problem,
        other => panic!("{other:?}"),
    }
}

async fn inject(answer: ResponseTemplate) -> Error {
    let deployment = Deployment::injecting(answer).await;
    deployment.client().inject(&user(), "Hi").await.unwrap_err()
}

#[tokio::test]
async fn errors_name_the_path_and_what_was_expected() {
    let null = json!({"injectedPrompt": null, "cacheHint": {"recommended": "yes"}});
    for (body, expected) in [
        (json!({}), "injectedPrompt: a required field is missing"),
        (json!([]), "body: expected an object, found a list"),
        (
            json!({"injectedPrompt": 7}),
            "injectedPrompt: expected a string, found a number",
        ),
        (null, "injectedPrompt: expected a string, found null"),
    ] {
        let error = inject(ok(&body)).await.to_string();
        let expected = format!("the service answered 200, but not as expected: {expected}");
        assert_eq!(error, expected);
    }
}

#[tokio::test]
async fn errors_about_contexts_do_not_name_facts() {
    let path = format!("/api/context/{USER}");
    for (body, expected) in [
        (
            json!({"userId": USER, "ongoing_tasks": ["a", {"source_type": "observed"}]}),
            "ongoing_tasks[1].value: a required field is missing",
        ),
        (
            json!({"userId": USER, "preferences": {"therapist": {"value": 7}}}),
            "preferences.*.value: expected a string, found a number",
        ),
        (
            json!({"userId": "..", "preferences": {}}),
            "userId: expected 1 to 256 bytes of text without NUL, other than `.` and `..`",
        ),
        (
            json!({"userId": USER, "last_updated": "yesterday"}),
            "last_updated: expected an ISO 8601 timestamp such as 2026-03-01T09:30:00Z",
        ),
    ] {
        let deployment = Deployment::answering("GET", &path, ok(&body)).await;
        let error = deployment.client().context(&user()).await.unwrap_err();
        assert_eq!(problem(error).to_string(), expected);
    }
}

#[tokio::test]
async fn errors_about_syntax_name_the_position() {
    for (body, line, column) in [
        ("", 1, 0),
        ("<html></html>", 1, 1),
        (r#"{"injectedPrompt": "p"#, 1, 21),
        ("{\"injectedPrompt\": \"p\"}\n{}", 2, 1),
    ] {
        let error = inject(ResponseTemplate::new(200).set_body_string(body)).await;
        let expected = format!("body: expected JSON, broken at line {line} column {column}");
        assert_eq!(problem(error).to_string(), expected);
    }
}

#[tokio::test]
async fn errors_have_the_status_and_the_request_id() {
    let wrong = answer(201, &json!(7)).insert_header("x-request-id", "req-7");
    let error = inject(wrong).await;
    assert_eq!(error.status(), Some(201));
    assert_eq!(error.request_id(), Some("req-7"));
    assert_eq!(error.code(), None);
    assert_eq!(error.retry_after(), None);
}

#[tokio::test]
async fn bytes_that_are_not_utf8() {
    let body = b"{\"injectedPrompt\": \"\xff\"}".to_vec();
    let error = inject(ResponseTemplate::new(200).set_body_bytes(body)).await;
    assert!(matches!(problem(error), DecodeProblem::Json(_)));
}

#[tokio::test]
async fn json_nested_without_end() {
    let body = "[".repeat(100_000);
    let error = inject(ResponseTemplate::new(200).set_body_string(body)).await;
    assert!(matches!(problem(error), DecodeProblem::Json(_)));
}

#[tokio::test]
async fn the_content_type_does_not_matter() {
    let plain = ResponseTemplate::new(200).set_body_string(r#"{"injectedPrompt": "p Hi"}"#);
    let deployment = Deployment::injecting(plain).await;
    let injected = deployment.client().inject(&user(), "Hi").await.unwrap();
    assert_eq!(injected.prompt(), "p Hi");
}

#[tokio::test]
async fn large_answers_are_read_up_to_the_limit() {
    let overhead = r#"{"injectedPrompt":""}"#.len();
    let prompt = "p".repeat(LIMIT - overhead - 2) + "Hi";
    let answer = ok(&json!({"injectedPrompt": prompt}));
    let deployment = Deployment::injecting(answer).await;
    let injected = deployment.client().inject(&user(), "Hi").await.unwrap();
    assert_eq!(injected.prompt().len(), prompt.len());
}

#[tokio::test]
async fn an_announced_huge_answer_is_not_read() {
    // The announced bytes never come, so waiting for them would end in a timeout.
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 9000000000000\r\n\r\n";
    let server = RawServer::saying(head, Ending::Hang);
    let client = builder(&server.url).build().unwrap();
    let error = client.inject(&user(), "Hi").await.unwrap_err();
    assert_eq!(problem(error), too_large());
}

#[tokio::test]
async fn a_huge_answer_of_unknown_length_is_abandoned() {
    let mut chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let chunk = format!("100000\r\n{}\r\n", "p".repeat(0x10_0000));
    for _ in 0..9 {
        chunked.extend_from_slice(chunk.as_bytes());
    }
    // The last chunk never comes.
    let server = RawServer::saying(chunked, Ending::Hang);
    let client = builder(&server.url).build().unwrap();
    let error = client.inject(&user(), "Hi").await.unwrap_err();
    assert_eq!(error.status(), Some(200));
    assert_eq!(
        error.to_string(),
        "the service answered 200, but not as expected: more than 8388608 bytes"
    );
    assert_eq!(problem(error), too_large());
}

#[tokio::test]
async fn a_huge_error_is_still_that_error() {
    let huge = ResponseTemplate::new(502).set_body_bytes(vec![b' '; LIMIT + 1]);
    let error = inject(huge).await;
    assert!(matches!(error, Error::Api(_)));
    assert_eq!((error.status(), error.code()), (Some(502), None));
}

fn too_large() -> DecodeProblem {
    DecodeProblem::TooLarge { limit: LIMIT }
}
