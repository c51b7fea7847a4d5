//! The server's public address, and what follows from it: its origin, links and cookies.

use http::header;
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

use super::request_context::RequestContext;

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

    /// Whether browsers reach the site by https.
    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The name of the session cookie. The `__Host-` prefix makes browsers keep it to this host
    /// and to https.
    pub(super) fn cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Host-ctxmem_session"
        } else {
            "ctxmem_session"
        }
    }

    /// The name of a developer's session cookie.
    pub(super) fn developer_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Host-ctxmem_developer"
        } else {
            "ctxmem_developer"
        }
    }

    /// The name of the cookie by which a developer's browser is known again. It goes to the
    /// dashboard only, which the prefix `__Host-` doesn't allow.
    pub(super) fn device_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Secure-ctxmem_device"
        } else {
            "ctxmem_device"
        }
    }

    /// The header that sets that cookie, for a year.
    pub(super) fn device_cookie(&self, device: &SecretString) -> String {
        let (name, value) = (self.device_cookie_name(), device.expose_secret());
        self.cookie_at("/dashboard", name, value, "; Max-Age=31536000")
    }

    /// The name of the cookie that a browser keeps between the password and the code.
    pub(super) fn second_step_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Secure-ctxmem_step"
        } else {
            "ctxmem_step"
        }
    }

    /// The header that sets that cookie, for five minutes. The value is sealed.
    pub(super) fn second_step_cookie(&self, kept: &SecretString) -> String {
        let (name, value) = (self.second_step_cookie_name(), kept.expose_secret());
        self.cookie_at("/dashboard/sign-in", name, value, "; Max-Age=300")
    }

    /// The header that removes that cookie.
    pub(super) fn no_second_step_cookie(&self) -> String {
        let name = self.second_step_cookie_name();
        self.cookie_at("/dashboard/sign-in", name, "", "; Max-Age=0")
    }

    /// The name of the cookie that takes a secret to the page which shows it once.
    pub(super) fn shown_once_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Secure-ctxmem_once"
        } else {
            "ctxmem_once"
        }
    }

    /// The header that sets that cookie, for ten minutes. The value is sealed.
    pub(super) fn shown_once_cookie(&self, sealed: &SecretString) -> String {
        let (name, value) = (self.shown_once_cookie_name(), sealed.expose_secret());
        self.cookie_at("/dashboard", name, value, "; Max-Age=600")
    }

    /// The header that removes that cookie.
    pub(super) fn no_shown_once_cookie(&self) -> String {
        self.cookie_at(
            "/dashboard",
            self.shown_once_cookie_name(),
            "",
            "; Max-Age=0",
        )
    }

    /// The header that sets the session cookie.
    pub(super) fn cookie(&self, session: &SecretString) -> String {
        self.set_cookie(self.cookie_name(), session.expose_secret(), "")
    }

    /// The header that removes the session cookie.
    pub(super) fn no_cookie(&self) -> String {
        self.set_cookie(self.cookie_name(), "", "; Max-Age=0")
    }

    /// The header that sets the session cookie of a developer.
    pub(super) fn developer_cookie(&self, session: &SecretString) -> String {
        self.set_cookie(self.developer_cookie_name(), session.expose_secret(), "")
    }

    /// The header that removes the session cookie of a developer.
    pub(super) fn no_developer_cookie(&self) -> String {
        self.set_cookie(self.developer_cookie_name(), "", "; Max-Age=0")
    }

    /// The name of the cookie that ties a sign-in at the provider to the browser.
    pub(super) fn oidc_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Host-ctxmem_oidc"
        } else {
            "ctxmem_oidc"
        }
    }

    /// The header that sets that cookie, for ten minutes.
    pub(super) fn oidc_cookie(&self, browser: &SecretString) -> String {
        self.set_cookie(
            self.oidc_cookie_name(),
            browser.expose_secret(),
            "; Max-Age=600",
        )
    }

    /// The header that removes that cookie.
    pub(super) fn no_oidc_cookie(&self) -> String {
        self.set_cookie(self.oidc_cookie_name(), "", "; Max-Age=0")
    }

    /// The name of the cookie that remembers for which page somebody signs in.
    pub(super) fn back_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Host-ctxmem_back"
        } else {
            "ctxmem_back"
        }
    }

    /// The header that sets that cookie, for a quarter of an hour.
    pub(super) fn back_cookie(&self, path: &str) -> String {
        self.set_cookie(self.back_cookie_name(), path, "; Max-Age=900")
    }

    /// The header that removes that cookie.
    pub(super) fn no_back_cookie(&self) -> String {
        self.set_cookie(self.back_cookie_name(), "", "; Max-Age=0")
    }

    /// The name of the cookie that tells the next page what a form has done.
    pub(super) fn done_cookie_name(&self) -> &'static str {
        if self.is_https() {
            "__Host-ctxmem_done"
        } else {
            "ctxmem_done"
        }
    }

    /// The header that sets that cookie, for a minute.
    pub(super) fn done_cookie(&self, code: &str, seal: &str) -> String {
        let value = format!("{code}.{seal}");
        self.set_cookie(self.done_cookie_name(), &value, "; Max-Age=60")
    }

    /// The header that removes that cookie.
    pub(super) fn no_done_cookie(&self) -> String {
        self.set_cookie(self.done_cookie_name(), "", "; Max-Age=0")
    }

    fn set_cookie(&self, name: &str, value: &str, more: &str) -> String {
        self.cookie_at("/", name, value, more)
    }

    fn cookie_at(&self, path: &str, name: &str, value: &str, more: &str) -> String {
        let secure = if self.is_https() { "; Secure" } else { "" };
        format!("{name}={value}; HttpOnly; SameSite=Lax; Path={path}{secure}{more}")
    }

    /// Whether a request comes from a page of this site, or from no page at all. Browsers send
    /// `Sec-Fetch-Site`, older ones `Origin`, and other clients neither.
    pub(super) fn is_same_site(&self, request: &RequestContext) -> bool {
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
