//! The transport of the suite's clients: compares what goes over the wire with the OpenAPI
//! document. Where a user has to consent first, they do, and the call is made again.

use ctxmem_client::error::TransportError;
use ctxmem_client::reqwest::redirect::Policy;
use ctxmem_client::reqwest::{Body, Client, Request, Response};
use ctxmem_client::{BoxFuture, Transport};

use super::documented::{self, Exchange};
use super::first_grant;

pub(super) struct Tapped {
    http: Client,
    url: String,
}

impl Tapped {
    /// For the clients of a server at this address.
    pub(super) fn at(url: &str) -> Self {
        let http = Client::builder()
            .redirect(Policy::none())
            .tls_certs_only([]);
        Self {
            http: http.build().unwrap(),
            url: url.to_owned(),
        }
    }

    async fn exchange(
        &self,
        request: Request,
    ) -> Result<(http::response::Parts, Vec<u8>), TransportError> {
        let copy = request.try_clone().unwrap();
        let answer: http::Response<Body> = self.http.execute(request).await?.into();
        let (head, body) = answer.into_parts();
        let body = Response::from(http::Response::new(body)).bytes().await?;
        let headers = head.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), value)
        });
        documented::check(&Exchange {
            method: copy.method().as_str(),
            path: copy.url().path(),
            request: copy.body().and_then(Body::as_bytes).unwrap_or_default(),
            status: head.status.as_u16(),
            headers: headers.collect(),
            answer: &body,
        });
        Ok((head, body.to_vec()))
    }
}

impl Transport for Tapped {
    fn execute(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let again = request.try_clone().unwrap();
            let (head, body) = self.exchange(request).await?;
            let sent = again.body().and_then(Body::as_bytes).unwrap_or_default();
            if first_grant::consents(&self.url, sent, &body).await {
                let (head, body) = self.exchange(again).await?;
                return Ok(http::Response::from_parts(head, body).into());
            }
            Ok(http::Response::from_parts(head, body).into())
        })
    }
}
