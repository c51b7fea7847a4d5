//! Every route of the server, in one table. The filters, the `Allow` header and the tests
//! that must know all routes are made from it.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Method, StatusCode, header};
use warp::filters::BoxedFilter;
use warp::reply::Response;
use warp::{Filter, Rejection};

use super::call::Call;
use super::error::HttpError;
use super::exchange::Exchange;
use super::{
    Api, account, assets, body, context, dashboard, grants, health, inject, sign_in, sign_in_links,
    update,
};

type Handler = fn(Call) -> BoxFuture<'static, Result<Response, HttpError>>;

/// One route: what it answers, and where. A segment in braces takes any text.
#[derive(Clone, Copy)]
pub struct Route {
    method: &'static str,
    template: &'static str,
    handler: Handler,
}

macro_rules! route {
    ($method:literal $template:literal => $handler:path) => {
        Route {
            method: $method,
            template: $template,
            handler: |call| $handler(call).boxed(),
        }
    };
}

/// The hot routes come first: they are tried in this order.
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

    fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.template.split('/').skip(1)
    }

    /// Whether a raw path is one of this route's.
    fn matches(&self, path: &str) -> bool {
        let mut found = path.split('/').skip(1);
        let fits = self.segments().all(|segment| match found.next() {
            Some(text) if is_param(segment) => !text.is_empty(),
            Some(text) => text == segment,
            None => false,
        });
        fits && found.next().is_none()
    }

    fn filter(self, api: Arc<Api>) -> BoxedFilter<(Response,)> {
        let mut path = warp::any().map(|| None::<String>).boxed();
        for segment in self.segments() {
            path = if is_param(segment) {
                path.and(warp::path::param::<String>())
                    .map(|_, text| Some(text))
                    .boxed()
            } else {
                path.and(warp::path(segment)).boxed()
            };
        }
        path.and(warp::path::end())
            .and(no_trailing_slash())
            .and(method(self.method))
            .and(warp::ext::get::<Arc<Exchange>>())
            .and(warp::body::stream())
            .then(move |param, exchange: Arc<Exchange>, stream| {
                // Set once a request: a request has one route.
                let _ = exchange.route.set(self.template);
                tracing::trace!(
                    route = self.template,
                    request_id = exchange.request_id,
                    "began"
                );
                let call = Call {
                    api: api.clone(),
                    exchange: Arc::clone(&exchange),
                    param,
                    body: body::stream(stream),
                };
                (self.handler)(call).map(move |answer| {
                    answer.unwrap_or_else(|error| {
                        error.log(&exchange.request_id);
                        error.answer(&exchange)
                    })
                })
            })
            .boxed()
    }
}

/// All routes; what none of them takes is answered 404 or 405 here.
pub(super) fn all(api: &Arc<Api>) -> BoxedFilter<(Response,)> {
    let mut routes = warp::any()
        .and_then(|| async { Err::<Response, Rejection>(warp::reject::not_found()) })
        .boxed();
    for route in ROUTES {
        routes = routes.or(route.filter(api.clone())).unify().boxed();
    }
    routes
        .or(warp::ext::get::<Arc<Exchange>>().map(|exchange: Arc<Exchange>| fallback(&exchange)))
        .unify()
        .boxed()
}

fn fallback(exchange: &Exchange) -> Response {
    let allowed = allowed(&exchange.path);
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

fn is_param(segment: &str) -> bool {
    segment.starts_with('{')
}

fn method(name: &'static str) -> impl Filter<Extract = (), Error = Rejection> + Clone {
    warp::method()
        .and_then(move |method: Method| async move {
            if method == name {
                Ok(())
            } else {
                Err(warp::reject::not_found())
            }
        })
        .untuple_one()
}

/// warp takes `/a/` for `/a`; here they are different paths, and the first is unknown.
fn no_trailing_slash() -> impl Filter<Extract = (), Error = Rejection> + Clone {
    warp::path::full()
        .and_then(|path: warp::path::FullPath| async move {
            if path.as_str().ends_with('/') {
                Err(warp::reject::not_found())
            } else {
                Ok(())
            }
        })
        .untuple_one()
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
}
