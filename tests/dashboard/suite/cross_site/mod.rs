//! Cross-site requests: what other sites make a browser send, while its user is signed in here,
//! changes nothing.
//!
//! Each route of the router is attacked. A state of the whole database before and after tells
//! whether anything was accepted; and each request is sent from here in the end, which shows
//! that it was only refused for where it came from.

mod forged;
mod raw;
mod victim;

use ctxmem_server::http::{ROUTES, Route};
use serde_json::{Value, json};

use self::forged::{Forged, is_off, is_without_session};
use self::victim::Victim;
use super::browser::{Browser, browse};
use super::elsewhere::Elsewhere;
use super::state::{changes, state};
use super::support::{Server, Setup, TestClock, is_page, user};

/// Nothing that is due by time happens while a test looks.
async fn server() -> Server {
    let clock = std::sync::Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let setup = Setup::new().with(|config| config.mcp = true);
    setup.clock(&clock).start().await
}

/// The routes that change something.
fn changing() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.method() != "GET")
}

fn name(route: &Route) -> String {
    format!("{} {}", route.method(), route.template())
}

/// Fails when the database is not as it was; says what made it so.
async fn assert_as_before(server: &Server, before: &super::state::State, by: &str) {
    let changes = changes(before, &state(server).await);
    assert!(changes.is_empty(), "{by} changed\n{}", changes.join("\n"));
}

/// Fails unless the request is done when a page of ours sends it, for another victim.
async fn assert_done_from_here(server: &Server, route: &Route) {
    let victim = Victim::new(server).await;
    let own = Forged::new(route, &victim).raw(server, &victim);
    let answer = own.header("sec-fetch-site", "same-origin").send().await;
    let expected: &[u16] = if is_without_session(route) {
        &[401]
    } else if route.template().starts_with("/dashboard/settings/code/") {
        // They need a code that only the victim's phone shows. What comes from elsewhere is refused
        // by 403, before anybody looks at the code.
        &[400, 409]
    } else if is_off(route) {
        &[404]
    } else if route.template() == "/account/facts/keep-out" {
        // The fact stands.
        &[409]
    } else if route.template() == "/dashboard/team/leave" {
        // The owner has to hand the team over before.
        &[409]
    } else {
        &[200, 303]
    };
    let (route, status) = (name(route), answer.status);
    let is_done = expected.contains(&status);
    assert!(is_done, "{route} from here: {status} {}", answer.body);
}

#[tokio::test]
async fn forms_elsewhere_change_nothing() {
    let server = server().await;
    let elsewhere = Elsewhere::start().await;
    browse(&server, async |browser| {
        let victim = Victim::new_in(browser, &server).await;
        let before = state(&server).await;
        for (number, route) in changing().enumerate() {
            let at = format!("/prize/{number}");
            let page = Forged::new(route, &victim).page(&server);
            elsewhere.page(&at, &page).await;
            for site in [elsewhere.same_site(), elsewhere.other_site()] {
                browser.visit(&format!("{site}{at}")).await;
                // What a form leads to is an answer of the server.
                browser.until_at(&server.url).await;
                assert_eq!(browser.cookies().await, victim.cookie, "{}", name(route));
                assert_as_before(&server, &before, &format!("{} by {site}", name(route))).await;
            }
        }
    })
    .await;
    for route in changing() {
        assert_done_from_here(&server, route).await;
    }
}

#[tokio::test]
async fn scripts_elsewhere_change_and_read_nothing() {
    let server = server().await;
    let elsewhere = Elsewhere::start().await;
    let page = "<!doctype html><title>Win a prize</title>";
    elsewhere.page("/", page).await;
    browse(&server, async |browser| {
        let victim = Victim::new_in(browser, &server).await;
        let before = state(&server).await;
        for route in ROUTES {
            let forged = Forged::new(route, &victim);
            for site in [elsewhere.same_site(), elsewhere.other_site()] {
                browser.visit(&site).await;
                for mode in ["no-cors", "cors"] {
                    let read = fetch(browser, &server, &forged, mode).await;
                    let by = format!("{} by {site}, {mode}", name(route));
                    assert_eq!(read, Value::Null, "{by} was read");
                    assert_as_before(&server, &before, &by).await;
                }
            }
            // What the browser itself says of it.
            browser.noted().await;
        }
    })
    .await;
}

/// Sends a request from the page that is open, with the cookies of the server; answers what
/// the page gets to read.
async fn fetch(browser: &Browser, server: &Server, forged: &Forged, mode: &str) -> Value {
    let (content_type, body) = forged.encoded();
    // Without CORS a page may send what a form can send.
    let content_type = match (mode, content_type) {
        ("no-cors", "application/json") => "text/plain",
        _ => content_type,
    };
    let mut options = json!({
        "method": forged.method,
        "mode": mode,
        "credentials": "include",
        "headers": {"content-type": content_type},
    });
    if forged.method != "GET" {
        options["body"] = body.into();
    }
    let send = "try {
          const answer = await fetch(given[0], given[1]);
          return answer.type === 'opaque' || answer.type === 'opaqueredirect'
            ? null : await answer.text();
        } catch { return null; }";
    let address = format!("{}{}", server.url, forged.path);
    browser.promise(send, vec![address.into(), options]).await
}

#[tokio::test]
async fn pages_can_not_be_framed() {
    let server = server().await;
    let elsewhere = Elsewhere::start().await;
    let ada = user("ada in a frame");
    let frame = |path| {
        let address = format!("{}{path}", server.url);
        format!("<!doctype html><title>Frame</title><iframe src='{address}'></iframe>")
    };
    browse(&server, async |browser| {
        browser.sign_in(&server, &ada).await;
        let health = frame("/api/health");
        elsewhere.page("/control", &health).await;
        browser.visit(&elsewhere.address("/control")).await;
        let (_, text) = browser.in_frame().await;
        assert!(text.contains("ok"), "a frame would show it: {text}");
        let pages = ROUTES.iter().filter(|route| is_page(route));
        let pages = pages.filter(|route| !route.template().contains('{'));
        for (number, route) in pages.enumerate() {
            let at = format!("/frame/{number}");
            elsewhere.page(&at, &frame(route.template())).await;
            for site in [elsewhere.same_site(), elsewhere.other_site()] {
                browser.visit(&format!("{site}{at}")).await;
                let (address, text) = browser.in_frame().await;
                let page = name(route);
                let is_shown = address.starts_with(&server.url);
                assert!(!is_shown, "{page} in {site}: {text}");
                assert!(!text.contains(ada.as_str()), "{page} in {site}: {text}");
            }
        }
        browser.noted().await;
    })
    .await;
}
