//! Every route of the server, in one table. Whoever dispatches requests by it is handed it, and the
//! tests that must know all routes read it.

use futures_util::FutureExt as _;

#[cfg(feature = "mcp")]
use crate::http::api::mcp;
use crate::http::api::{
    context, facts, grants, health, inject, oauth, openapi, sign_in_links, update,
};
use crate::http::engine::route::Route;
use crate::http::pages::{
    about, account, assets, authorize, consent, dashboard, home, language, reference, security_txt,
    sign_in,
};

macro_rules! route {
    ($method:literal $template:literal => $handler:path) => {
        Route::new($method, $template, |ctx| $handler(ctx).boxed())
    };
}

/// The routes in the order in which they are tried: the hot ones first, and literal paths
/// before those with a parameter.
pub const ROUTES: &[Route] = &[
    route!("POST" "/api/context/inject" => inject::inject),
    route!("POST" "/api/context/update" => update::update),
    route!("GET" "/api/context/{userId}" => context::read),
    route!("DELETE" "/api/context/{userId}" => context::delete),
    route!("GET" "/api/context/{userId}/facts" => facts::list),
    route!("POST" "/api/context/{userId}/facts/search" => facts::search),
    route!("DELETE" "/api/context/{userId}/facts/{factId}" => facts::delete),
    route!("POST" "/api/grants" => grants::create),
    route!("DELETE" "/api/grants/{grantId}" => grants::revoke),
    route!("GET" "/api/health" => health::health),
    route!("GET" "/livez" => health::live),
    route!("GET" "/readyz" => health::ready),
    route!("GET" "/api/openapi.json" => openapi::show),
    route!("GET" "/api/docs" => reference::show),
    route!("POST" "/api/sign-in-links" => sign_in_links::mint),
    route!("GET" "/sign-in" => sign_in::link::confirm),
    route!("POST" "/sign-in" => sign_in::link::sign_in),
    route!("GET" "/sign-in/oidc" => sign_in::oidc::start_as_user),
    route!("GET" "/sign-in/oidc/callback" => sign_in::oidc::callback),
    route!("GET" "/dashboard/sign-in/oidc" => sign_in::oidc::start_as_developer),
    route!("POST" "/sign-out" => sign_in::sign_out),
    route!("GET" "/account" => account::overview::show),
    route!("POST" "/account/allow" => account::access::allow),
    route!("POST" "/account/revoke" => account::access::revoke),
    route!("POST" "/account/pause" => account::consent::pause),
    route!("POST" "/account/ask-first" => account::consent::ask_first),
    route!("POST" "/account/access-seen" => account::consent::access_seen),
    route!("POST" "/account/sign-out-everywhere" => account::data::sign_out_everywhere),
    route!("GET" "/consent/{agentId}" => consent::show),
    route!("POST" "/consent/{agentId}" => consent::decide),
    route!("GET" "/dashboard" => dashboard::overview::show),
    route!("POST" "/dashboard/sign-in" => dashboard::sign_in::sign_in),
    route!("GET" "/dashboard/sign-in/code" => dashboard::sign_in::ask_for_code),
    route!("POST" "/dashboard/sign-in/code" => dashboard::sign_in::sign_in_with_code),
    route!("POST" "/dashboard/sign-out" => dashboard::sign_in::sign_out),
    route!("POST" "/dashboard/agents" => dashboard::agents::create),
    route!("POST" "/dashboard/agents/rename" => dashboard::agents::rename),
    route!("POST" "/dashboard/agents/delete" => dashboard::agents::delete),
    route!("POST" "/dashboard/agents/profile" => dashboard::profile::set),
    route!("GET" "/dashboard/agents/{agentId}" => dashboard::agent_page::show),
    route!("POST" "/dashboard/keys" => dashboard::keys::create),
    route!("POST" "/dashboard/keys/revoke" => dashboard::keys::revoke),
    route!("POST" "/dashboard/keys/rotate" => dashboard::keys::rotate),
    route!("GET" "/dashboard/keys/{keyId}" => dashboard::keys::show),
    route!("GET" "/dashboard/settings" => dashboard::settings::show),
    route!("POST" "/dashboard/settings/password" => dashboard::settings::change_password),
    route!("POST" "/dashboard/settings/code" => dashboard::settings::begin_code),
    route!("POST" "/dashboard/settings/code/confirm" => dashboard::settings::confirm_code),
    route!("POST" "/dashboard/settings/code/end" => dashboard::settings::end_code),
    route!("GET" "/dashboard/team" => dashboard::team::show),
    route!("POST" "/dashboard/team/invite" => dashboard::team::invite),
    route!("POST" "/dashboard/team/withdraw" => dashboard::team::withdraw),
    route!("POST" "/dashboard/team/remove" => dashboard::team::remove),
    route!("POST" "/dashboard/team/hand-over" => dashboard::team::hand_over),
    route!("POST" "/dashboard/team/leave" => dashboard::team::leave),
    route!("GET" "/dashboard/join" => dashboard::join::show),
    route!("POST" "/dashboard/join" => dashboard::join::join),
    route!("GET" "/dashboard/join/oidc" => sign_in::oidc::start_to_join),
    route!("GET" "/dashboard/requests" => dashboard::requests::show),
    route!("GET" "/dashboard/requests.csv" => dashboard::requests::download),
    route!("GET" "/dashboard/usage.csv" => dashboard::usage::download),
    route!("GET" "/dashboard/playground" => dashboard::playground::show),
    route!("POST" "/dashboard/playground" => dashboard::playground::run),
    route!("POST" "/dashboard/playground/erase" => dashboard::playground::erase),
    route!("GET" "/account/facts" => account::facts::list),
    route!("GET" "/account/apps" => account::apps::show),
    route!("GET" "/account/data" => account::data::show),
    route!("POST" "/account/auto-delete" => account::auto_delete::set),
    route!("POST" "/account/facts/find" => account::facts::find),
    route!("POST" "/account/facts/let-in" => account::facts::unblock),
    route!("POST" "/account/facts/add" => account::facts::add),
    route!("GET" "/account/facts/edit" => account::facts::edit),
    route!("POST" "/account/facts/correct" => account::facts::correct),
    route!("POST" "/account/facts/delete" => account::facts::delete),
    route!("POST" "/account/facts/delete-scope" => account::facts::delete_scope),
    route!("POST" "/account/facts/restore" => account::undo::restore),
    route!("POST" "/account/facts/keep-out" => account::undo::keep_deleted_out),
    route!("GET" "/account/history" => account::history::show),
    route!("GET" "/account/history.csv" => account::history::download),
    route!("GET" "/account/receipt.txt" => account::erase::receipt_text),
    route!("GET" "/account/preview" => account::preview::show),
    route!("GET" "/account/export.json" => account::export::export),
    route!("GET" "/account/context.json" => account::export::context),
    route!("GET" "/account/erase" => account::erase::ask),
    route!("POST" "/account/erase" => account::erase::erase),
    route!("GET" "/account/receipt" => account::erase::receipt),
    route!("GET" "/" => home::show),
    route!("GET" "/account/" => home::account),
    route!("GET" "/dashboard/" => home::dashboard),
    route!("GET" "/about" => about::show),
    route!("POST" "/language" => language::choose),
    route!("GET" "/.well-known/security.txt" => security_txt::show),
    #[cfg(feature = "mcp")]
    route!("POST" "/mcp" => mcp::answer),
    #[cfg(feature = "mcp")]
    route!("POST" "/mcp/" => mcp::answer),
    #[cfg(feature = "mcp")]
    route!("POST" "/mcp/users/{userId}" => mcp::answer),
    route!("GET" "/.well-known/oauth-protected-resource" => oauth::metadata::protected_resource),
    route!("GET" "/.well-known/oauth-protected-resource/mcp" => oauth::metadata::protected_resource),
    route!("GET" "/.well-known/oauth-authorization-server" => oauth::metadata::server),
    route!("POST" "/oauth/register" => oauth::register::register),
    route!("GET" "/oauth/authorize" => authorize::show),
    route!("POST" "/oauth/authorize" => authorize::decide),
    route!("POST" "/oauth/token" => oauth::token::issue),
    route!("POST" "/oauth/revoke" => oauth::token::revoke),
    route!("GET" "/style.css" => assets::style),
    route!("GET" "/script.js" => assets::script),
    route!("GET" "/favicon.svg" => assets::favicon),
];

#[cfg(test)]
mod tests {
    use http::Method;

    use super::ROUTES;
    use crate::http::engine::route::{self, find, is_param};

    fn allowed(path: &str) -> Vec<&'static str> {
        route::allowed(ROUTES, path)
    }

    #[test]
    fn a_path_tells_its_methods_and_what_only_looks_like_a_route_has_none() {
        assert_eq!(
            allowed("/api/context/inject"),
            ["DELETE", "GET", "HEAD", "POST"]
        );
        assert_eq!(allowed("/api/context/u%2F1"), ["DELETE", "GET", "HEAD"]);
        assert_eq!(allowed("/api/grants"), ["POST"]);
        for path in [
            "",
            "/api",
            "/api/context",
            "/api/context/",
            "/api/grants/",
            "/api/context/a/b",
            "/api/context//facts",
            "/api/context/a/facts/",
            "/api/context/a/facts/b/c",
            "*",
            "//api/health",
            "/api//health",
            "/api/health/",
            "/API/health",
            "/api/healt",
            "/api/health/x",
            "/api/%68ealth",
            "/api/context//",
        ] {
            assert!(allowed(path).is_empty(), "{path}");
            assert_eq!(found(&Method::GET, path), None, "{path}");
        }
        assert_eq!(found(&Method::PUT, "/api/health"), None);
    }

    fn found(method: &Method, path: &str) -> Option<(&'static str, Option<String>)> {
        let (_, route) = find(ROUTES, method, path)?;
        Some((route.template(), route.params(path).first().cloned()))
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
                .find(|first| first.method() == route.method() && first.matches(route.template()));
            assert!(taken.is_none(), "nobody reaches {}", route.template());
        }
    }

    #[test]
    fn parameters_are_handed_on_as_they_were_sent_and_are_whole_segments() {
        for sent in ["u%2F1", "a%zz", "{userId}", "%E2%82%AC", "a+b;c=d"] {
            let path = format!("/api/context/{sent}");
            let expected = Some(("/api/context/{userId}", Some(sent.to_owned())));
            assert_eq!(found(&Method::GET, &path), expected);
        }
        for route in ROUTES {
            let params = route.template().split('/').filter(|name| is_param(name));
            assert!(params.clone().all(|name| name.ends_with('}')));
            assert_eq!(params.count(), route.template().matches('{').count());
        }
        let (_, fact) = find(ROUTES, &Method::DELETE, "/api/context/u%2F1/facts/a-1").unwrap();
        assert_eq!(
            fact.params("/api/context/u%2F1/facts/a-1"),
            ["u%2F1", "a-1"]
        );
    }
}
