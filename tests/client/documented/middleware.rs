use ctxmem_client::error::TransportError;
use ctxmem_client::reqwest::redirect::Policy;
use ctxmem_client::reqwest::{Client as HttpClient, Request, Response};
use ctxmem_client::{BoxFuture, BuildError, Client, ClientBuilder, Transport};
use reqwest_middleware::{ClientWithMiddleware, Error, Middleware};

// An HTTP client with middleware around it.
struct Stack(ClientWithMiddleware);

impl Transport for Stack {
    fn execute(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let result = self.0.execute(request).await;
            result.map_err(|error| match error {
                Error::Reqwest(error) => error.into(),
                Error::Middleware(_) => TransportError::failed(),
            })
        })
    }
}

fn connect(service: ClientBuilder, middleware: impl Middleware) -> Result<Client, BuildError> {
    // As the client's own: the key goes only to the base URL.
    let http = HttpClient::builder().redirect(Policy::none()).build();
    let http = http.map_err(BuildError::HttpClient)?;
    let http = reqwest_middleware::ClientBuilder::new(http).with(middleware);
    service.transport(Stack(http.build())).build()
}

// What is shown ends here.

use async_trait::async_trait;
use http::Extensions;
use reqwest_middleware::{Next, Result as Answer};
use serde_json::json;
use wiremock::{MockServer, ResponseTemplate};

use crate::support::{
    KEY, answering, builder, everything_printed, failing, header, json as answer, requests, user,
};

/// Adds a header, and sends what failed once more.
struct Again;

#[async_trait]
impl Middleware for Again {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Answer<Response> {
        let headers = request.headers_mut();
        headers.insert("x-tenant", "acme".parse().unwrap());
        let again = request.try_clone().unwrap();
        let response = next.clone().run(request, extensions).await?;
        if response.status().is_server_error() {
            return next.run(again, extensions).await;
        }
        Ok(response)
    }
}

/// Has an error of its own, which quotes what it saw.
struct Refusing;

#[async_trait]
impl Middleware for Refusing {
    async fn handle(&self, request: Request, _: &mut Extensions, _: Next<'_>) -> Answer<Response> {
        let key = request.headers()["authorization"].to_str().unwrap();
        Err(Error::middleware(std::io::Error::other(key.to_owned())))
    }
}

fn service(server: &MockServer) -> ClientBuilder {
    builder(server.uri()).timeout(std::time::Duration::from_secs(10))
}

#[tokio::test]
async fn middleware_retries_and_adds_a_header() {
    let no = json!({"error": "No.", "code": "INTERNAL_ERROR"});
    let server = failing(1, answer(503, &no)).await;
    let client = connect(service(&server), Again).unwrap();
    let injected = client.inject(&user(), "Hi").await.unwrap();
    assert_eq!(injected.prompt(), "Hi");
    let requests = requests(&server).await;
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(header(&request, "x-tenant"), "acme");
        assert_eq!(header(&request, "authorization"), format!("Bearer {KEY}"));
    }
}

#[tokio::test]
async fn an_error_of_the_middleware_is_an_outage_without_its_text() {
    let server = MockServer::builder().start().await;
    let client = connect(service(&server), Refusing).unwrap();
    let error = client.inject(&user(), "Hi").await.unwrap_err();
    assert!(matches!(error, ctxmem_client::Error::Transport(_)));
    assert!(!everything_printed(&error).contains(KEY));
}

#[tokio::test]
async fn a_network_that_fails_below_the_middleware_is_named() {
    let client = connect(builder("http://127.0.0.1:1"), Again).unwrap();
    assert!(client.context(&user()).await.unwrap_err().is_connect());
}

#[tokio::test]
async fn it_follows_no_redirect() {
    let elsewhere = ResponseTemplate::new(302).insert_header("location", "/elsewhere");
    let server = answering(elsewhere).await;
    let client = connect(service(&server), Again).unwrap();
    assert!(client.context(&user()).await.is_err());
    assert_eq!(requests(&server).await.len(), 1);
}
