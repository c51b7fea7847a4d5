//! Network failures.

use std::time::{Duration, Instant};

use ctxmem_client::{Client, Error};
use serde_json::json;

use crate::faulty::{Fault, Faulty};
use crate::raw::{Ending, RawServer, json_answer};
use crate::support::{Deployment, builder as client, everything_printed, ok, user};

async fn fail(client: Client) -> Error {
    let error = client.inject(&user(), "Hi").await.unwrap_err();
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert_eq!(error.status(), None);
    assert_eq!(error.code(), None);
    assert_eq!(error.message(), None);
    assert_eq!(error.request_id(), None);
    assert_eq!(error.retry_after(), None);
    assert!(error.is_retryable());
    error
}

#[tokio::test]
async fn nobody_listens() {
    let nobody = Faulty::start(Fault::Refused);
    let error = fail(client(&nobody.url).build().unwrap()).await;
    assert!(error.is_connect());
    assert!(!error.is_timeout());
    let words = "could not connect to the service: ";
    assert!(error.to_string().starts_with(words));
    assert!(everything_printed(&error).contains("Connection refused"));
}

#[tokio::test]
async fn a_name_that_does_not_exist() {
    let error = fail(client("http://ctxmem.invalid").build().unwrap()).await;
    assert!(error.is_connect());
}

/// A listener whose backlog is full, because nobody accepts: Linux then ignores new connections.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connecting_that_takes_too_long() {
    use std::net::TcpStream;

    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let queued: Vec<_> = (0..16)
        .map_while(|_| TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok())
        .collect();
    assert!(queued.len() < 16, "the queue is never full");

    let client = client(format!("http://{address}")).connect_timeout(Duration::from_millis(200));
    let start = Instant::now();
    let client = client.inject_timeout(Duration::from_secs(10));
    let error = fail(client.build().unwrap()).await;
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(error.is_connect());
    assert!(error.is_timeout());
    let words = "could not connect to the service in time";
    assert_eq!(error.to_string(), words);
}

#[tokio::test]
async fn an_answer_that_does_not_come() {
    let answer = ok(&json!({"injectedPrompt": "p"})).set_delay(Duration::from_secs(30));
    let deployment = Deployment::injecting(answer).await;
    let client = deployment.builder().inject_timeout(Duration::from_secs(1));
    let start = Instant::now();
    let error = fail(client.build().unwrap()).await;
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(error.is_timeout());
    assert!(!error.is_connect());
    assert_eq!(error.to_string(), "the service did not answer in time");
}

#[tokio::test]
async fn an_answer_that_stalls_halfway() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"injected";
    let server = RawServer::saying(head, Ending::Hang);
    let client = client(&server.url).inject_timeout(Duration::from_millis(300));
    assert!(fail(client.build().unwrap()).await.is_timeout());
}

#[tokio::test]
async fn timeouts_apply_to_a_custom_http_client() {
    let server = RawServer::saying("", Ending::Hang);
    let own = reqwest::Client::builder().build().unwrap();
    let client = client(&server.url)
        .http_client(own)
        .inject_timeout(Duration::from_millis(200));
    assert!(fail(client.build().unwrap()).await.is_timeout());
}

#[tokio::test]
async fn a_connection_that_breaks() {
    for bytes in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"injected",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"inj",
        "220 mail.example.com ESMTP\r\n",
    ] {
        let server = RawServer::saying(bytes, Ending::Close);
        let error = fail(client(&server.url).build().unwrap()).await;
        assert!(!error.is_timeout(), "{bytes}");
        assert!(!error.is_connect(), "{bytes}");
        assert_eq!(error.to_string(), "the connection to the service failed");
    }
}

#[tokio::test]
async fn an_error_whose_body_breaks_is_still_that_error() {
    let head = "HTTP/1.1 401 Unauthorized\r\nx-request-id: req-7\r\ncontent-length: 100\r\n\r\n{";
    for then in [Ending::Close, Ending::Hang] {
        let server = RawServer::saying(head, then);
        let client = client(&server.url).inject_timeout(Duration::from_secs(1));
        let error = client.build().unwrap().inject(&user(), "Hi").await;
        let error = error.unwrap_err();
        assert_eq!(error.status(), Some(401));
        assert_eq!(error.request_id(), Some("req-7"));
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn a_call_can_run_on_any_thread() {
    let answer = json_answer("200 OK", r#"{"injectedPrompt": "Hi"}"#);
    let server = RawServer::saying(answer, Ending::Close);
    let client = client(&server.url).build().unwrap();
    let call = tokio::spawn(async move { client.inject(&user(), "Hi").await });
    assert_eq!(call.await.unwrap().unwrap().prompt(), "Hi");
}
