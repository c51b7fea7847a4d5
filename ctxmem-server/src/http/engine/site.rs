//! The server's public address, and what follows from it: its origin, links and cookies.

use http::{HeaderValue, header};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use warp::reply::Response;

use super::cookie::Cookie;
use super::request_context::RequestContext;
use crate::core::is_local;

/// The site at the public URL.
#[derive(Clone, Debug)]
pub struct Site {
    url: Url,
}

impl Site {
    /// The site under this public URL.
    pub fn new(url: Url) -> Self {
        Self { url }
    }

    /// The address of a page.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.url.as_str().trim_end_matches('/'))
    }

    /// The address of a sign-in link.
    pub fn sign_in_link(&self, token: &SecretString) -> String {
        self.page(&format!("/sign-in?token={}", token.expose_secret()))
    }

    /// The address of an invitation to a team.
    pub(crate) fn invitation(&self, token: &SecretString) -> String {
        self.page(&invitation_path(token.expose_secret()))
    }

    /// The path of an address here; `None` for one that is elsewhere, or has more than a path.
    pub(crate) fn path_of(&self, address: &str) -> Option<String> {
        let address = Url::parse(address).ok()?;
        let is_here = address.origin() == self.url.origin();
        let is_plain = address.query().is_none() && address.fragment().is_none();
        (is_here && is_plain).then(|| address.path().to_owned())
    }

    /// Whether the site is on the machine of whoever tries it out.
    pub(crate) fn is_local(&self) -> bool {
        is_local(&self.url)
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(crate) fn set_cookie(&self, response: &mut Response, cookie: &Cookie, value: &str) {
        add_cookie(response, &cookie.set(self.is_https(), value));
    }

    pub(crate) fn remove_cookie(&self, response: &mut Response, cookie: &Cookie) {
        add_cookie(response, &cookie.remove(self.is_https()));
    }

    /// Whether this is the origin of the public address, whatever host a request names.
    pub(crate) fn is_own_origin(&self, origin: &HeaderValue) -> bool {
        *origin == self.url.origin().ascii_serialization()
    }

    /// Whether a request comes from a page of this site, or from no page at all. Browsers send
    /// `Sec-Fetch-Site`, older ones `Origin`, and other clients neither.
    pub(crate) fn is_same_site(&self, request: &RequestContext) -> bool {
        if let Some(site) = request.headers.get("sec-fetch-site") {
            return site == "same-origin" || site == "none";
        }
        let Some(origin) = request.headers.get("origin") else {
            return true;
        };
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        let own = self.url.origin().ascii_serialization();
        let host = request.header(&header::HOST);
        origin == own
            || origin.split_once("://").is_some_and(|(scheme, authority)| {
                // Without TLS anybody can forge the page.
                Some(authority) == host && (scheme == "https" || !self.is_https())
            })
    }
}

fn add_cookie(response: &mut Response, cookie: &str) {
    if let Ok(mut value) = HeaderValue::from_str(cookie) {
        value.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// The path of the page for the invitation with this secret.
pub(crate) fn invitation_path(token: &str) -> String {
    let token: String = form_urlencoded::byte_serialize(token.as_bytes()).collect();
    format!("/dashboard/join?token={token}")
}
