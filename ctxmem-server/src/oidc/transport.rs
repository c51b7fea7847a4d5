//! HTTP requests to the provider: without redirects, limited in time and size. Errors contain
//! nothing from reqwest.

use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;

use super::OidcError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The largest answer that is read, in bytes.
const MAX_ANSWER: usize = 1 << 20;

pub(super) struct Transport(Client);

/// An answer of the provider. OAuth refuses with statuses from 400 to 499, so these are answers.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    body: Vec<u8>,
}

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

    pub(super) async fn get(&self, url: &str) -> Result<Answer, OidcError> {
        send(self.0.get(safe_url(url)?)).await
    }

    /// Posts a form, with the credentials for HTTP Basic authentication if there are any.
    pub(super) async fn post(
        &self,
        url: &str,
        form: String,
        credentials: Option<[String; 2]>,
    ) -> Result<Answer, OidcError> {
        let mut request = self
            .0
            .post(safe_url(url)?)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        if let Some([id, secret]) = credentials {
            request = request.basic_auth(id, Some(secret));
        }
        send(request).await
    }
}

impl Answer {
    /// What the JSON in the body says, unless it can't be read.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }
}

async fn send(request: RequestBuilder) -> Result<Answer, OidcError> {
    let request = request.header(ACCEPT, "application/json");
    let response = request.send().await.map_err(|error| failure(&error))?;
    let status = response.status();
    if !status.is_success() && !status.is_client_error() {
        return Err(OidcError::Status(status.as_u16()));
    }
    let body = read_body(response).await?;
    Ok(Answer { status, body })
}

fn safe_url(url: &str) -> Result<Url, OidcError> {
    let url = Url::parse(url).map_err(|_| OidcError::Insecure)?;
    if is_safe(&url) {
        Ok(url)
    } else {
        Err(OidcError::Insecure)
    }
}

/// Whether nobody in between can read what is sent to this address.
pub(super) fn is_safe(url: &Url) -> bool {
    match (url.scheme(), url.host_str()) {
        ("https", _) => true,
        ("http", Some(host)) => {
            let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
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
