//! The request context: what every layer knows about one request.

use std::any::Any;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};

use askama::Values;
use bytes::Bytes;
use futures_util::Stream;
use http::header::{ACCEPT, AUTHORIZATION, COOKIE, EXPECT, HOST};
use http::{HeaderMap, HeaderName, Method, Uri, Version};

use super::body_budget::BodyPermit;
use super::cookie;
use super::rate_limit::RateState;
use super::request_id::RequestId;
use crate::core::Key;
use crate::http::words::{Language, filters};
use crate::locked;

/// The body as handlers get it.
pub(crate) type BodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, warp::Error>> + Send + Sync>>;

#[derive(Clone, Copy)]
pub(crate) struct MatchedRoute {
    /// Its place in the table.
    pub(crate) place: usize,
    /// Its path, with parameters in braces.
    pub(crate) template: &'static str,
}

/// The head of a request, and what handlers find out for the outermost layer, which adds the
/// rate-limit headers to every answer and writes one log line per request.
pub(crate) struct RequestContext {
    /// The other end of the connection: the client, or a proxy.
    pub(crate) peer: IpAddr,
    /// Sent as `X-Request-Id` and logged. Always our own, because a caller's may hold anything.
    pub(crate) request_id: RequestId,
    pub(crate) method: Method,
    uri: Uri,
    pub(crate) headers: HeaderMap,
    version: Version,
    pub(crate) route: OnceLock<MatchedRoute>,
    /// The caller's key, where it does not stand in the head: a client's token was found good.
    pub(crate) key: OnceLock<Key>,
    pub(crate) agent_id: OnceLock<Arc<str>>,
    pub(crate) rate: OnceLock<RateState>,
    permit: Mutex<Option<Arc<BodyPermit>>>,
    /// The mark of forms that are made for whoever is signed in, once that is known.
    pub(crate) form_mark: OnceLock<String>,
    /// The form of somebody who is signed in, as it was read.
    pub(crate) form: OnceLock<Bytes>,
    /// The language of its pages, once one is asked for.
    language: OnceLock<Language>,
    /// The body until somebody reads it.
    body: Mutex<Option<BodyStream>>,
}

impl RequestContext {
    /// Moves the head out of a request.
    pub(crate) fn begin<B>(peer: IpAddr, request: &mut http::Request<B>) -> Self {
        // Handlers answer HEAD like GET; hyper leaves out the body.
        if request.method() == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        Self::new(
            peer,
            request.method().clone(),
            std::mem::take(request.uri_mut()),
            std::mem::take(request.headers_mut()),
            request.version(),
        )
    }

    /// A request of this process, made to answer another one: to this route, with the credential of
    /// that request and an id of its own.
    ///
    /// It has no path of its own, because what routes take from paths is passed to their handlers.
    pub(crate) fn within(&self, method: Method, template: &'static str) -> Self {
        let credential = self.headers.get(AUTHORIZATION).cloned();
        let headers = credential.map(|value| (AUTHORIZATION, value));
        let headers = headers.into_iter().collect();
        let uri = Uri::from_static(template);
        Self {
            key: self.key.clone(),
            ..Self::new(self.peer, method, uri, headers, Version::HTTP_11)
        }
    }

    fn new(peer: IpAddr, method: Method, uri: Uri, headers: HeaderMap, version: Version) -> Self {
        Self {
            peer,
            request_id: RequestId::new(),
            method,
            uri,
            headers,
            version,
            route: OnceLock::new(),
            key: OnceLock::new(),
            agent_id: OnceLock::new(),
            rate: OnceLock::new(),
            permit: Mutex::default(),
            form_mark: OnceLock::new(),
            form: OnceLock::new(),
            language: OnceLock::new(),
            body: Mutex::new(None),
        }
    }

    /// Keeps the memory of the body until the request is answered.
    pub(crate) fn hold(&self, permit: BodyPermit) {
        *locked(&self.permit) = Some(Arc::new(permit));
    }

    /// The memory of the body, which nothing else holds at this point: to be given back now, or
    /// once the answer is sent.
    pub(crate) fn take_permit(&self) -> Option<Arc<BodyPermit>> {
        let mut permit = locked(&self.permit);
        permit.take()
    }

    /// Keeps the body for whoever reads it: the handler, or what answers in place of one that refused
    /// the request before.
    pub(crate) fn bring_body(&self, body: BodyStream) {
        *locked(&self.body) = Some(body);
    }

    /// The body, once.
    pub(crate) fn take_body(&self) -> Option<BodyStream> {
        locked(&self.body).take()
    }

    /// The path of its route, with parameters in braces; `None` where no route matches.
    pub(crate) fn route_template(&self) -> Option<&'static str> {
        self.route.get().map(|route| route.template)
    }

    /// The path as it was sent.
    pub(crate) fn path(&self) -> &str {
        self.uri.path()
    }

    /// The query, without its question mark.
    pub(crate) fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    /// A header as text; `None` if it is absent or not text.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Refuses headers that would mean one thing to a proxy in front and another here: which of two
    /// counts. HTTP/1.0 does not require a `Host`.
    pub(crate) fn check_headers(&self) -> Result<(), &'static str> {
        let count = |name| self.headers.get_all(name).iter().count();
        match count(HOST) {
            1 => {}
            0 if self.version < Version::HTTP_11 => {}
            _ => return Err("Host: expected exactly one."),
        }
        if count(AUTHORIZATION) > 1 {
            return Err("Authorization: expected one at most.");
        }
        Ok(())
    }

    /// The method by its name, for logs: what clients make up may say anything, at any length.
    pub(crate) fn method_name(&self) -> &'static str {
        const KNOWN: [&str; 9] = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
        ];
        let mut known = KNOWN.into_iter();
        known
            .find(|name| *name == self.method.as_str())
            .unwrap_or("OTHER")
    }

    /// Whether the client waits for `100 Continue` before it sends the body.
    pub(crate) fn expects_continue(&self) -> bool {
        self.header(&EXPECT)
            .is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue"))
    }

    /// Whether the client is a browser that shows the answer to a person.
    pub(crate) fn wants_page(&self) -> bool {
        self.header(&ACCEPT)
            .is_some_and(|accepted| accepted.contains("text/html"))
    }

    /// The language of whoever reads the answer.
    pub(crate) fn language(&self) -> Language {
        *self.language_ref()
    }

    /// What they chose by the switch, or else what their browser prefers.
    fn language_ref(&self) -> &Language {
        self.language.get_or_init(|| {
            // On http a cookie has another name than on https. Either is believed: all that it can do
            // is to choose a language.
            let chosen = [true, false].into_iter().find_map(|https| {
                let value = self.cookie(&cookie::LANGUAGE.name(https))?;
                Language::from_code(value)
            });
            chosen.unwrap_or_else(|| Language::of_browser(&self.headers))
        })
    }

    /// The API key in `Authorization: Bearer …`.
    pub(crate) fn bearer(&self) -> Option<&str> {
        let (scheme, key) = self.header(&AUTHORIZATION)?.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| key.trim_start())
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|header| header.to_str().ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find_map(|(found, value)| (found == name).then_some(value))
    }
}

/// What the filters of the templates are told of whoever reads a page.
impl Values for RequestContext {
    fn get_value<'a>(&'a self, key: &str) -> Option<&'a dyn Any> {
        match key {
            filters::LANGUAGE => Some(self.language_ref()),
            filters::METHOD => Some(&self.method),
            filters::ADDRESS => Some(&self.uri),
            _ => None,
        }
    }
}
