//! HTTP requests to the provider: without redirects, limited in time and size. Errors contain
//! nothing from reqwest.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

use super::OidcError;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The largest answer that is read, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// The HTTP client for the provider.
pub(super) struct Transport(Client);

impl Transport {
    pub(super) fn new(timeout: Duration) -> Result<Self, OidcError> {
        Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(timeout)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map(Self)
            .map_err(|_| OidcError::Config("TLS can't be set up"))
    }

    /// Sends one request. OAuth refuses with statuses from 400 to 499, so these are answers.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, OidcError> {
        let (head, body) = request.into_parts();
        let url = Url::parse(&head.uri.to_string()).map_err(|_| OidcError::Insecure)?;
        if !is_safe(&url) {
            return Err(OidcError::Insecure);
        }
        let response = self
            .0
            .request(head.method, url)
            .headers(head.headers)
            .body(body)
            .send()
            .await
            .map_err(|error| failure(&error))?;
        let status = response.status();
        if !status.is_success() && !status.is_client_error() {
            return Err(OidcError::Status(status.as_u16()));
        }
        let headers = response.headers().clone();
        let mut answer = HttpResponse::new(read_body(response).await?);
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

impl<'c> AsyncHttpClient<'c> for Transport {
    type Error = OidcError;
    type Future = BoxFuture<'c, Result<HttpResponse, OidcError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        self.send(request).boxed()
    }
}

/// Whether nobody in between can read what is sent to this address.
pub(super) fn is_safe(url: &Url) -> bool {
    use openidconnect::url::Host;
    match url.scheme() {
        "https" => true,
        "http" => match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        },
        _ => false,
    }
}

async fn read_body(mut response: Response) -> Result<Vec<u8>, OidcError> {
    let announced = response.content_length().unwrap_or_default();
    if usize::try_from(announced).map_or(true, |announced| announced > MAX_ANSWER) {
        return Err(OidcError::TooLarge);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(OidcError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Drops reqwest's error, which names the URL.
fn failure(error: &reqwest::Error) -> OidcError {
    if error.is_timeout() {
        OidcError::TimedOut
    } else {
        OidcError::Unreachable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_safe_without_tls() {
        for (url, safe) in [
            ("https://id.example.com", true),
            ("http://localhost:8080/x", true),
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:1", true),
            ("http://id.example.com", false),
            ("http://localhost.example.com", false),
            ("http://10.0.0.1", false),
            ("http://[::2]", false),
            ("ftp://localhost", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(is_safe(&url.parse().unwrap()), safe, "{url}");
        }
    }
}
