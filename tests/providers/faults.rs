//! Endpoints that fail, hang, drip, flood or lead elsewhere.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use ctxmem_server::extract::{ExtractError, Model};
use secrecy::SecretString;
use wiremock::ResponseTemplate;

use crate::support::{Endpoint, assert_discreet, config, extract, good, model};

#[tokio::test]
async fn a_status_other_than_success_is_reported() {
    for status in [401, 403, 404, 500, 502] {
        let response = ResponseTemplate::new(status)
            .insert_header("retry-after", "1")
            .set_body_string("key sk-test-0123456789abcdef is wrong for Ada");
        let endpoint = Endpoint::answering(response).await;
        let error = endpoint.extract().await.expect_err("a failure");
        assert_eq!(error, ExtractError::Status(status));
        assert_discreet(error, &endpoint.url());
    }
}

#[tokio::test]
async fn a_request_that_is_refused_either_way_keeps_the_schema() {
    let endpoint = Endpoint::start().await;
    endpoint.on_completion(ResponseTemplate::new(400), 4).await;
    let model = endpoint.model();
    assert_eq!(extract(&model).await, Err(ExtractError::Status(400)));
    assert_eq!(extract(&model).await, Err(ExtractError::Status(400)));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for status in [301, 302, 307, 308] {
        let elsewhere = Endpoint::start().await;
        let response = ResponseTemplate::new(status)
            .insert_header("location", format!("{}/steal", elsewhere.url()).as_str());
        let endpoint = Endpoint::answering(response).await;
        assert_eq!(endpoint.extract().await, Err(ExtractError::Status(status)));
        assert!(elsewhere.requests().await.is_empty());
    }
}

#[tokio::test]
async fn pages_and_broken_json_are_malformed() {
    for body in [
        "<html>gateway</html>",
        "",
        "{\"choices\": [",
        "{\"choices\": []}",
        "null",
        "{\"choices\": [{\"message\": null}]}",
        "{\"error\": {\"message\": \"overloaded\"}}",
    ] {
        let endpoint = Endpoint::answering(ResponseTemplate::new(200).set_body_string(body)).await;
        let error = endpoint.extract().await.expect_err("a failure");
        assert_eq!(error, ExtractError::Malformed, "{body}");
        assert_discreet(error, &endpoint.url());
    }
}

#[tokio::test]
async fn a_hanging_endpoint_is_given_up_in_time() {
    let slow = good().set_delay(Duration::from_secs(20));
    let endpoint = Endpoint::answering(slow).await;
    let model = model(&endpoint.url(), Duration::from_millis(300));
    let started = Instant::now();
    let error = extract(&model).await.expect_err("a failure");
    assert_eq!(error, ExtractError::TimedOut);
    assert!(started.elapsed() < Duration::from_millis(1300));
    assert_discreet(error, &endpoint.url());
}

#[tokio::test]
async fn a_dripping_body_is_given_up_in_time() {
    let url = raw_endpoint(|mut stream| {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        for _ in 0..100 {
            stream.write_all(b" ")?;
            stream.flush()?;
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    });
    let model = model(&url, Duration::from_millis(400));
    let started = Instant::now();
    assert_eq!(extract(&model).await, Err(ExtractError::TimedOut));
    assert!(started.elapsed() < Duration::from_millis(1400));
}

#[tokio::test]
async fn a_huge_body_is_not_read() {
    let huge = ResponseTemplate::new(200).set_body_string(" ".repeat(2 * 1024 * 1024));
    let endpoint = Endpoint::answering(huge).await;
    assert_eq!(endpoint.extract().await, Err(ExtractError::TooLarge));
}

#[tokio::test]
async fn a_huge_body_without_a_length_is_cut_off() {
    let url = raw_endpoint(|mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
        let chunk = vec![b' '; 64 * 1024];
        for _ in 0..64 {
            stream.write_all(&chunk)?;
        }
        Ok(())
    });
    let model = model(&url, Duration::from_secs(5));
    assert_eq!(extract(&model).await, Err(ExtractError::TooLarge));
}

#[tokio::test]
async fn a_broken_connection_is_reported() {
    let url = raw_endpoint(|mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\"")
    });
    let model = model(&url, Duration::from_secs(5));
    assert_eq!(extract(&model).await, Err(ExtractError::Unreachable));
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let url = "http://127.0.0.1:1/v1";
    let nobody = model(url, Duration::from_secs(5));
    let error = extract(&nobody).await.expect_err("a failure");
    assert_eq!(error, ExtractError::Unreachable);
    assert_discreet(error, url);
}

#[test]
fn bytes_that_are_no_request_are_refused_at_once() {
    for (url, key) in [
        ("data:text/plain,x", "key"),
        ("http://localhost/v1", "two\nlines"),
    ] {
        let mut config = config(url, Duration::from_secs(1));
        config.api_key = Some(SecretString::from(key));
        let error = Model::new(config).err();
        assert_eq!(error, Some(ExtractError::Request), "{url}");
    }
}

/// An endpoint that answers one connection with these bytes, one by one.
fn raw_endpoint(answer: impl FnOnce(TcpStream) -> std::io::Result<()> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else {
            return;
        };
        // The whole request is small; one read takes its head, the rest may stay unread.
        let mut request = vec![0; 64 * 1024];
        let _ = stream.read(&mut request);
        // The client hangs up in the middle, so an error is expected.
        let _ = answer(stream);
    });
    url
}
