//! One request on its way: what the layers know of it.

use std::sync::{Arc, OnceLock};

use http::header::{ACCEPT, AUTHORIZATION, COOKIE, EXPECT, HOST};
use http::{HeaderMap, HeaderName, Method, Uri, Version};

use super::rate_limit::RateState;
use super::request_id::RequestId;

/// The head of a request, and what handlers learn that the outermost layer needs: it
/// stamps the rate-limit headers on whatever answer results and writes the one log line.
pub(super) struct Exchange {
    /// Answered as `X-Request-Id` and logged. Always our own: a caller's may hold anything.
    pub(super) request_id: RequestId,
    pub(super) method: Method,
    uri: Uri,
    pub(super) headers: HeaderMap,
    version: Version,
    pub(super) route: OnceLock<&'static str>,
    pub(super) agent_id: OnceLock<Arc<str>>,
    pub(super) rate: OnceLock<RateState>,
}

impl Exchange {
    /// Takes what it needs out of a request.
    pub(super) fn begin<B>(request: &mut http::Request<B>) -> Self {
        // Handlers answer HEAD as GET; hyper leaves the body out.
        if request.method() == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        Self {
            request_id: RequestId::new(),
            method: request.method().clone(),
            uri: std::mem::take(request.uri_mut()),
            headers: std::mem::take(request.headers_mut()),
            version: request.version(),
            route: OnceLock::new(),
            agent_id: OnceLock::new(),
            rate: OnceLock::new(),
        }
    }

    /// The path, as it was sent.
    pub(super) fn path(&self) -> &str {
        self.uri.path()
    }

    /// What follows the path's question mark.
    pub(super) fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    /// A header as text; `None` when it is absent or not text.
    pub(super) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether it says to which host it goes, once. HTTP/1.0 did not ask for that.
    pub(super) fn names_one_host(&self) -> bool {
        let hosts = self.headers.get_all(HOST).iter().count();
        hosts == 1 || (hosts == 0 && self.version < Version::HTTP_11)
    }

    /// Whether the client waits to be asked for its body.
    pub(super) fn holds_body_back(&self) -> bool {
        self.header(&EXPECT)
            .is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue"))
    }

    /// Whether who asks is a browser that wants something to show to a person.
    pub(super) fn wants_page(&self) -> bool {
        self.header(&ACCEPT)
            .is_some_and(|accepted| accepted.contains("text/html"))
    }

    /// The API key in `Authorization: Bearer …`.
    pub(super) fn bearer(&self) -> Option<&str> {
        let (scheme, key) = self.header(&AUTHORIZATION)?.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| key.trim_start())
    }

    /// The value of a cookie.
    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        self.headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|header| header.to_str().ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find_map(|(found, value)| (found == name).then_some(value))
    }
}
