//! A route: a method, a path and a handler. The routes of a server are a table, which is handed in
//! here; requests are dispatched by it, and the `Allow` header is made from it.

use futures_util::future::BoxFuture;
use http::Method;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;

/// What answers the requests of a route.
pub(crate) type Handler = fn(HandlerContext) -> BoxFuture<'static, Result<Response, HttpError>>;

/// One route: a method, a path and a handler. A segment in braces matches any text.
#[derive(Clone, Copy)]
pub struct Route {
    method: &'static str,
    template: &'static str,
    pub(crate) handler: Handler,
}

impl Route {
    pub(crate) const fn new(
        method: &'static str,
        template: &'static str,
        handler: Handler,
    ) -> Self {
        Self {
            method,
            template,
            handler,
        }
    }

    /// The method.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The path, with parameters in braces.
    pub fn template(&self) -> &'static str {
        self.template
    }

    /// Whether the route matches this path, which is still encoded.
    pub fn matches(&self, path: &str) -> bool {
        let (expected, found) = (self.template.split('/'), path.split('/'));
        expected.clone().count() == found.clone().count()
            && expected
                .zip(found)
                .all(|(name, text)| name == text || is_param(name) && !text.is_empty())
    }

    /// The values of the parameters in a path that the route matches, in their order.
    pub(crate) fn params(&self, path: &str) -> Vec<String> {
        let segments = self.template.split('/').zip(path.split('/'));
        let params = segments.filter(|(name, _)| is_param(name));
        params.map(|(_, text)| text.to_owned()).collect()
    }
}

pub(crate) fn is_param(segment: &str) -> bool {
    segment.starts_with('{')
}

/// The first route that matches, and its place in the table.
pub(crate) fn find(
    routes: &'static [Route],
    method: &Method,
    path: &str,
) -> Option<(usize, &'static Route)> {
    let mut routes = routes.iter().enumerate();
    routes.find(|(_, route)| *method == route.method && route.matches(path))
}

/// Whether a page is at this path: something that can be looked at again, and is no download.
pub(crate) fn is_page(routes: &'static [Route], path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_other = path.starts_with("/api/")
        || path.starts_with("/.well-known/")
        || path.contains("/sign-in/oidc")
        || last.contains('.');
    !is_other && find(routes, &Method::GET, path).is_some()
}

pub(crate) fn allowed(routes: &'static [Route], path: &str) -> Vec<&'static str> {
    let mut methods: Vec<&'static str> = routes
        .iter()
        .filter(|route| route.matches(path))
        .map(|route| route.method)
        .collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.dedup();
    methods
}
