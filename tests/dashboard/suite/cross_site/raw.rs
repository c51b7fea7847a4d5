//! The same without a browser, with every way in which one may say where a request comes
//! from.

use ctxmem_server::http::Route;

use super::forged::{Forged, is_of_mcp, is_off, is_without_session};
use super::victim::Victim;
use super::{assert_as_before, assert_done_from_here, changing, name, server};
use crate::suite::state::state;
use crate::suite::support::{RawRequest, Server};

/// What tells that a page of somebody else's sent it.
const FOREIGN: &[&[(&str, &str)]] = &[
    &[("sec-fetch-site", "cross-site")],
    &[("sec-fetch-site", "same-site")],
    &[("sec-fetch-site", "")],
    &[("sec-fetch-site", "Same-Origin")],
    &[("sec-fetch-site", "same-origin, cross-site")],
    &[("origin", "null")],
    &[("origin", "")],
    &[EVIL],
    &[("origin", "http://127.0.0.1:1")],
    &[("origin", "http://127.0.0.1")],
    &[("origin", "file://")],
    &[("sec-fetch-site", "cross-site"), ("origin", "null")],
    // An `Origin` does not heal it, nor does a method that would change nothing.
    &[("sec-fetch-site", "cross-site"), ("origin", OWN)],
    &[("sec-fetch-site", "same-site"), ("origin", OWN)],
    &[("sec-fetch-site", "cross-site"), ("referer", OWN)],
    &[("sec-fetch-site", "cross-site"), (OVERRIDES[0], "GET")],
    &[EVIL, (OVERRIDES[0], "GET")],
    &[EVIL, (OVERRIDES[1], "GET")],
    &[EVIL, (OVERRIDES[2], "GET")],
    &[EVIL, ("x-forwarded-host", "evil.example")],
    &[EVIL, ("forwarded", "host=evil.example")],
];
const EVIL: (&str, &str) = ("origin", "http://evil.example");
/// Stands for the origin of the server.
const OWN: &str = "own";

/// Headers by which a request may claim another method than it has.
const OVERRIDES: [&str; 3] = [
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
];

fn with(mut request: RawRequest, server: &Server, headers: &[(&str, &str)]) -> RawRequest {
    for (name, value) in headers {
        let own = *value == OWN;
        request = request.header(name, if own { &server.url } else { value });
    }
    request
}

#[tokio::test]
async fn requests_that_name_another_origin_are_refused() {
    let server = server().await;
    let victim = Victim::new(&server).await;
    let before = state(&server).await;
    for route in changing() {
        let forged = Forged::new(route, &victim);
        for headers in FOREIGN {
            let request = with(forged.raw(&server, &victim), &server, headers);
            let answer = request.send().await;
            let is_another = |header: &(&str, &str)| header.0 == "origin" && header.1 != OWN;
            let names_another = headers.iter().any(is_another);
            let expected: &[u16] = if is_of_mcp(route) && names_another {
                // It asks from where before it asks who.
                &[403]
            } else if is_off(route) {
                &[403, 404]
            } else if is_without_session(route) {
                &[401]
            } else {
                &[403]
            };
            let (by, status) = (format!("{} with {headers:?}", name(route)), answer.status);
            assert!(expected.contains(&status), "{by}: {status} {}", answer.body);
            assert_eq!(answer.header("set-cookie"), None, "{by}");
            assert_as_before(&server, &before, &by).await;
        }
    }
    for route in changing() {
        assert_done_from_here(&server, route).await;
    }
}

#[tokio::test]
async fn get_requests_change_nothing() {
    let server = server().await;
    let victim = Victim::new(&server).await;
    let before = state(&server).await;
    for route in changing() {
        for claim in OVERRIDES {
            let request = by_get(&server, route, &victim).header(claim, route.method());
            request.header("sec-fetch-site", "cross-site").send().await;
            let by = format!("{} by GET and {claim}", name(route));
            assert_as_before(&server, &before, &by).await;
        }
    }
}

/// The request of a route with its fields in the address, as a link has them.
fn by_get(server: &Server, route: &Route, victim: &Victim) -> RawRequest {
    let forged = Forged::new(route, victim);
    let (path, fields) = (&forged.path, forged.query());
    let address = format!("{path}?_method={}&{fields}", route.method());
    server.raw("GET", &address).cookie(&victim.cookie)
}
