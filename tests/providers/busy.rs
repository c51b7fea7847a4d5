//! Endpoints that ask to be left alone for a while, and connections that break.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use ctxmem_server::extract::ExtractError;
use wiremock::ResponseTemplate;

use crate::support::{Endpoint, found, good, good_facts, model};

fn busy(status: u16, retry_after: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).insert_header("retry-after", retry_after)
}

#[tokio::test]
async fn a_wait_that_fits_is_waited_for() {
    for status in [429, 503, 529] {
        let endpoint = Endpoint::in_turn([busy(status, "1"), good()]).await;
        let begun = Instant::now();
        assert_eq!(endpoint.found().await, Ok(2));
        assert!(begun.elapsed() >= Duration::from_secs(1));
    }
    // Without a word about how long.
    let loading = || ResponseTemplate::new(503).set_body_string("Loading model");
    let endpoint = Endpoint::in_turn([loading(), loading(), good()]).await;
    assert_eq!(endpoint.found().await, Ok(2));
}

#[tokio::test]
async fn a_wait_that_does_not_fit_is_passed_on() {
    let endpoint = Endpoint::answering(busy(429, "20")).await;
    let retry_after = Some(Duration::from_secs(20));
    let error = ExtractError::Busy {
        status: 429,
        retry_after,
    };
    assert_eq!(endpoint.extract().await, Err(error));
    // Nor is it asked for ever.
    let endpoint = Endpoint::start().await;
    endpoint.on_completion(busy(503, "0"), 4).await;
    assert!(matches!(
        endpoint.extract().await,
        Err(ExtractError::Busy { status: 503, .. })
    ));
}

#[tokio::test]
async fn a_broken_connection_is_tried_once_again() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        // The first one breaks before a word is answered.
        let (first, _) = listener.accept().expect("a connection");
        drop(first);
        let (mut second, _) = listener.accept().expect("a connection");
        let _ = second.read(&mut vec![0; 64 * 1024]);
        let message = serde_json::json!({"content": good_facts().to_string()});
        let body = serde_json::json!({"choices": [{"message": message}]}).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        let _ = second.write_all((head + body.as_str()).as_bytes());
    });
    let model = model(&url, Duration::from_secs(5));
    assert_eq!(found(&model).await, Ok(2));
}
