//! Every route of the server, in one table, from which requests find their handlers. The
//! `Allow` header and the tests that must know all routes are made from it as well.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Method, StatusCode, header};
use warp::reply::Response;

use super::body::BodyStream;
use super::call::Call;
use super::error::HttpError;
use super::exchange::Exchange;
use super::{
    Api, account, assets, context, dashboard, grants, health, inject, sign_in, sign_in_links,
    update,
};

type Handler = fn(Call) -> BoxFuture<'static, Result<Response, HttpError>>;

/// One route: what it answers, and where. A last segment in braces takes any text.
#[derive(Clone, Copy)]
pub struct Route {
    method: &'static str,
    template: &'static str,
    /// Where the parameter begins.
    param_at: Option<usize>,
    handler: Handler,
}

macro_rules! route {
    ($method:literal $template:literal => $handler:path) => {
        Route {
            method: $method,
            template: $template,
            param_at: param_at($template),
            handler: |call| $handler(call).boxed(),
        }
    };
}

/// Tried in this order: the hot routes come first, and what is meant literally before what
/// takes any text.
pub const ROUTES: &[Route] = &[
    route!("POST" "/api/context/inject" => inject::inject),
    route!("POST" "/api/context/update" => update::update),
    route!("GET" "/api/context/{userId}" => context::read),
    route!("DELETE" "/api/context/{userId}" => context::delete),
    route!("POST" "/api/grants" => grants::create),
    route!("DELETE" "/api/grants/{grantId}" => grants::revoke),
    route!("GET" "/api/health" => health::health),
    route!("POST" "/api/sign-in-links" => sign_in_links::mint),
    route!("GET" "/sign-in" => sign_in::confirm),
    route!("POST" "/sign-in" => sign_in::sign_in),
    route!("GET" "/sign-in/oidc" => sign_in::start_as_user),
    route!("GET" "/sign-in/oidc/callback" => sign_in::callback),
    route!("GET" "/dashboard/sign-in/oidc" => sign_in::start_as_developer),
    route!("POST" "/sign-out" => sign_in::sign_out),
    route!("GET" "/account" => account::show),
    route!("POST" "/account/allow" => account::allow),
    route!("POST" "/account/revoke" => account::revoke),
    route!("GET" "/dashboard" => dashboard::overview::show),
    route!("POST" "/dashboard/sign-in" => dashboard::sign_in::sign_in),
    route!("POST" "/dashboard/sign-out" => dashboard::sign_in::sign_out),
    route!("POST" "/dashboard/agents" => dashboard::agents::create),
    route!("POST" "/dashboard/agents/rename" => dashboard::agents::rename),
    route!("POST" "/dashboard/agents/delete" => dashboard::agents::delete),
    route!("GET" "/dashboard/agents/{agentId}" => dashboard::agents::show),
    route!("POST" "/dashboard/keys" => dashboard::keys::create),
    route!("POST" "/dashboard/keys/revoke" => dashboard::keys::revoke),
    route!("GET" "/dashboard/playground" => dashboard::playground::show),
    route!("POST" "/dashboard/playground" => dashboard::playground::run),
    route!("POST" "/dashboard/playground/erase" => dashboard::playground::erase),
    route!("POST" "/account/facts/add" => account::add),
    route!("GET" "/account/facts/edit" => account::edit),
    route!("POST" "/account/facts/correct" => account::correct),
    route!("POST" "/account/facts/delete" => account::delete),
    route!("POST" "/account/facts/delete-scope" => account::delete_scope),
    route!("GET" "/account/history" => account::history),
    route!("GET" "/account/preview" => account::preview),
    route!("GET" "/account/export.json" => account::export),
    route!("GET" "/account/context.json" => account::context),
    route!("GET" "/account/erase" => account::ask_to_erase),
    route!("POST" "/account/erase" => account::erase),
    route!("GET" "/account/receipt" => account::receipt),
    route!("GET" "/style.css" => assets::style),
    route!("GET" "/script.js" => assets::script),
];

impl Route {
    /// The method that it answers.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The path, with parameters in braces.
    pub fn template(&self) -> &'static str {
        self.template
    }

    /// Whether a raw path is one of this route's.
    fn matches(&self, path: &str) -> bool {
        if self.param_at.is_none() {
            return path == self.template;
        }
        self.param(path)
            .is_some_and(|text| !text.is_empty() && !text.contains('/'))
    }

    /// What stands for the parameter in a path of this route's.
    fn param<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.template[..self.param_at?])
    }
}

/// Where a template's parameter begins, which is its last segment.
const fn param_at(template: &str) -> Option<usize> {
    let mut at = 0;
    while at < template.len() {
        if template.as_bytes()[at] == b'{' {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The route that takes a request: the first that fits.
fn find(method: &Method, path: &str) -> Option<&'static Route> {
    ROUTES
        .iter()
        .find(|route| *method == route.method && route.matches(path))
}

/// Answers a request; what no route takes is answered 404 or 405 here.
pub(super) async fn answer(api: Arc<Api>, exchange: Arc<Exchange>, body: BodyStream) -> Response {
    let Some(route) = find(&exchange.method, exchange.path()) else {
        return fallback(&exchange);
    };
    // Set once a request: a request has one route.
    let _ = exchange.route.set(route.template);
    tracing::trace!(
        route = route.template,
        request_id = exchange.request_id.as_str(),
        "began"
    );
    let call = Call {
        api,
        param: route.param(exchange.path()).map(ToOwned::to_owned),
        exchange: Arc::clone(&exchange),
        body,
    };
    (route.handler)(call).await.unwrap_or_else(|error| {
        error.log(exchange.request_id.as_str());
        error.answer(&exchange)
    })
}

fn fallback(exchange: &Exchange) -> Response {
    let allowed = allowed(exchange.path());
    if allowed.is_empty() {
        return HttpError::NOT_FOUND.answer(exchange);
    }
    let mut response = HttpError::Refused(
        StatusCode::METHOD_NOT_ALLOWED,
        "This path does not take that method; see the Allow header.",
    )
    .answer(exchange);
    if let Ok(allow) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

fn allowed(path: &str) -> Vec<&'static str> {
    let mut methods: Vec<&'static str> = ROUTES
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_its_methods() {
        assert_eq!(
            allowed("/api/context/inject"),
            ["DELETE", "GET", "HEAD", "POST"]
        );
        assert_eq!(allowed("/api/context/u%2F1"), ["DELETE", "GET", "HEAD"]);
        assert_eq!(allowed("/api/grants"), ["POST"]);
        for path in [
            "/",
            "",
            "/api",
            "/api/context",
            "/api/context/",
            "/api/grants/",
            "/api/context/a/b",
        ] {
            assert!(allowed(path).is_empty(), "{path}");
        }
    }

    fn found(method: &Method, path: &str) -> Option<(&'static str, Option<String>)> {
        let route = find(method, path)?;
        Some((route.template, route.param(path).map(ToOwned::to_owned)))
    }

    #[test]
    fn a_literal_segment_goes_before_a_parameter_of_the_same_method() {
        let (inject, user) = ("/api/context/inject", "/api/context/{userId}");
        assert_eq!(found(&Method::POST, inject), Some((inject, None)));
        // Nothing else is at that path but what is about the user of that name.
        let of_that_name = Some("inject".to_owned());
        assert_eq!(found(&Method::GET, inject), Some((user, of_that_name)));
        for (later, route) in ROUTES.iter().enumerate() {
            let taken = ROUTES[..later]
                .iter()
                .find(|first| first.method == route.method && first.matches(route.template));
            assert!(taken.is_none(), "nobody reaches {}", route.template);
        }
    }

    #[test]
    fn a_parameter_is_handed_on_as_it_was_sent_and_is_the_last_segment() {
        for sent in ["u%2F1", "a%zz", "{userId}", "%E2%82%AC", "a+b;c=d"] {
            let path = format!("/api/context/{sent}");
            let expected = Some(("/api/context/{userId}", Some(sent.to_owned())));
            assert_eq!(found(&Method::GET, &path), expected);
        }
        for route in ROUTES {
            let last = route.template.rsplit('/').next().unwrap();
            let opened = route.template.find('{');
            assert_eq!(route.param_at, opened);
            assert!(opened.is_none_or(|_| last.starts_with('{') && last.ends_with('}')));
            assert!(route.template.matches('{').count() <= 1);
        }
    }

    #[test]
    fn what_only_looks_like_a_route_is_none() {
        for path in [
            "*",
            "",
            "//api/health",
            "/api//health",
            "/api/health/",
            "/API/health",
            "/api/healt",
            "/api/health/x",
            "/api/%68ealth",
            "/api/context//",
        ] {
            assert_eq!(found(&Method::GET, path), None, "{path}");
        }
        assert_eq!(found(&Method::PUT, "/api/health"), None);
    }
}
