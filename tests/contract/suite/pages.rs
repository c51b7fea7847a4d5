//! Properties of all pages: their headers, compression, the files that they load, and the pages
//! about the service itself.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;

use ctxmem_server::Config;
use ctxmem_server::core::FirstGrant;
use flate2::read::GzDecoder;
use reqwest::Client;

use super::account::browser::Browser;
use super::support::{Agent, Developer, HELLO, Server, Setup, TestClock, Text as _, between, user};

fn operated(config: &mut Config) {
    config.operator.name = Some("Example & Sons".to_owned());
    config.operator.contact = Some("help@example.com".to_owned());
    config.operator.privacy_url = Some("https://example.com/privacy?a=1&b=2".to_owned());
}

/// An answer as it came over the wire.
struct Sent {
    encoding: Option<String>,
    bytes: Vec<u8>,
}

impl Sent {
    fn is_compressed(&self) -> bool {
        self.encoding.as_deref() == Some("gzip")
    }

    fn text(&self) -> String {
        assert!(self.is_compressed());
        let mut text = String::new();
        GzDecoder::new(&*self.bytes)
            .read_to_string(&mut text)
            .unwrap();
        text
    }
}

/// Asks as a browser does that understands gzip.
async fn ask(server: &Server, path: &str, headers: &[(&str, &str)]) -> Sent {
    let client = Client::builder().tls_certs_only([]).build().unwrap();
    let mut request = client.get(format!("{}{path}", server.url));
    let mut all = BTreeMap::from([("accept-encoding", "gzip, deflate, br")]);
    all.extend(headers.iter().copied());
    for (name, value) in all {
        request = request.header(name, value);
    }
    let answer = request.send().await.unwrap();
    let encoding = answer.headers().get("content-encoding");
    Sent {
        encoding: encoding.map(|encoding| encoding.to_str().unwrap().to_owned()),
        bytes: answer.bytes().await.unwrap().to_vec(),
    }
}

async fn with_facts(server: &Server) -> (Agent, Browser) {
    let agent = server.agent().await;
    let browser = Browser::of_ada(server).await;
    agent.tells(&browser.user, HELLO).await;
    (agent, browser)
}

#[tokio::test]
async fn addresses_that_people_type_lead_somewhere() {
    let server = Server::start().await;
    for (typed, page) in [("/account/", "/account"), ("/dashboard/", "/dashboard")] {
        let answer = server.get(typed).send().await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some(page))
        );
    }
}

#[tokio::test]
async fn pages_say_what_browsers_may_do_with_them() {
    let (server, ann) = Developer::start().await;
    let ada = server.sign_in(&user("ada")).await;
    for (path, cookie) in [
        ("/account", &*ada),
        ("/account/erase", &ada),
        ("/account", ""),
        ("/dashboard", &ann.cookie),
        ("/dashboard", ""),
        ("/sign-in?token=x", ""),
        ("/about", ""),
        ("/", ""),
        ("/nowhere", ""),
    ] {
        let page = server.get(path).cookie(cookie);
        let page = page.header("accept", "text/html").send().await;
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("cross-origin-opener-policy", "same-origin"),
            ("x-robots-tag", "noindex, nofollow"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(page.header(name), Some(value), "{name} of {path}");
        }
        let permissions = page.header("permissions-policy").unwrap();
        assert!(permissions.contains("camera=()") && permissions.contains("geolocation=()"));
        // Over plain HTTP it would mean nothing.
        assert_eq!(page.header("strict-transport-security"), None);
    }
    let setup = Setup::new().public_url("https://memory.example.com");
    let server = setup.start().await;
    for path in ["/account", "/style.css", "/api/health", "/nowhere", "/"] {
        let answer = server.get(path).send().await;
        let hsts = answer.header("strict-transport-security");
        assert_eq!(hsts, Some("max-age=31536000"), "{path}");
    }
}

#[tokio::test]
async fn signing_out_clears_what_the_browser_kept_and_no_other_cookies() {
    let (server, ann) = Developer::start().await;
    let browser = Browser::of_ada(&server).await;
    for answer in [
        browser.post("/sign-out", &[]).await,
        ann.post("/dashboard/sign-out", &[]).await,
    ] {
        assert_eq!(answer.status, 303);
        let cleared = answer.header("clear-site-data");
        assert_eq!(cleared, Some("\"cache\", \"storage\""));
    }
}

#[tokio::test]
async fn files_of_pages_are_kept_for_good_at_addresses_of_their_own() {
    let server = Server::start().await;
    let page = server.get("/about").send().await.body;
    for (before, content_type) in [
        ("rel=\"stylesheet\" href=\"", "text/css; charset=utf-8"),
        ("<script src=\"", "text/javascript; charset=utf-8"),
    ] {
        let address = between(&page, before, "\"");
        let file = server.get(address).send().await;
        assert_eq!(
            (file.status, file.header("content-type")),
            (200, Some(content_type))
        );
        let kept = Some("public, max-age=31536000, immutable");
        assert_eq!(file.header("cache-control"), kept, "{address}");
        let sent = ask(&server, address, &[]).await;
        if sent.is_compressed() {
            assert_eq!(sent.text(), file.body);
        } else {
            assert!(sent.bytes == file.body.as_bytes() && sent.bytes.len() < 1024);
        }
        // Of another version there is none to keep.
        let (path, _) = address.split_once('?').unwrap();
        for other in [
            path.to_owned(),
            format!("{path}?v=0123456789abcdef"),
            format!("{address}&x"),
        ] {
            let file = server.get(&other).send().await;
            assert_eq!(
                (file.status, file.header("cache-control")),
                (200, Some("no-store"))
            );
        }
    }
}

#[tokio::test]
async fn pages_and_downloads_are_compressed_where_that_is_understood() {
    let (server, browser) = Browser::start().await;
    for n in 0..4 {
        let value = format!("Bake cake number {n}");
        browser.adds("goals", &value).await;
    }
    let cookie = [("cookie", &*browser.cookie)];
    let page = browser.page().await;
    let sent = ask(&server, "/account", &cookie).await;
    assert_eq!(sent.text(), page);
    assert!(
        sent.bytes.len() * 3 < page.len(),
        "{} of {}",
        sent.bytes.len(),
        page.len()
    );
    let export = ask(&server, "/account/export.json", &cookie).await.text();
    let export: serde_json::Value = serde_json::from_str(&export).unwrap();
    assert_eq!(export["user_id"], "ada");
    let context = ask(&server, "/account/context.json", &cookie).await;
    let is_whole = !context.is_compressed();
    assert_eq!(is_whole, context.bytes.len() < 1024, "short ones are not");
    // The download stands in the history now.
    let page = browser.page().await;
    for refused in ["", "br", "gzip;q=0", "identity"] {
        let headers = [cookie[0], ("accept-encoding", refused)];
        let sent = ask(&server, "/account", &headers).await;
        assert!(
            !sent.is_compressed() && sent.bytes == page.as_bytes(),
            "{refused}"
        );
    }
    for accepted in ["gzip", "GZIP;q=0.5", "br;q=1.0, gzip;q=0.1"] {
        let headers = [cookie[0], ("accept-encoding", accepted)];
        assert!(
            ask(&server, "/account", &headers).await.is_compressed(),
            "{accepted}"
        );
    }
}

#[tokio::test]
async fn no_other_site_learns_from_lengths() {
    for public_url in ["http://memory.example.com", "https://memory.example.com"] {
        let server = Setup::new().public_url(public_url).start().await;
        let (agent, browser) = with_facts(&server).await;
        let is_https = public_url.starts_with("https");
        for (site, expected) in [
            (Some("same-origin"), true),
            (Some("none"), true),
            (Some("cross-site"), false),
            (Some("same-site"), false),
            // Browsers say it wherever an answer is encrypted.
            (None, !is_https),
        ] {
            let mut headers = vec![("cookie", &*browser.cookie)];
            headers.extend(site.map(|site| ("sec-fetch-site", site)));
            let sent = ask(&server, "/account", &headers).await;
            assert_eq!(sent.is_compressed(), expected, "{public_url} {site:?}");
            // The same file for everybody tells nothing.
            assert!(ask(&server, "/style.css", &headers).await.is_compressed());
        }
        // Agents' answers are not, whoever asks.
        let path = format!("/api/context/{}", browser.user.as_str());
        let key = format!("Bearer {}", agent.key);
        assert!(
            !ask(&server, &path, &[("authorization", &key)])
                .await
                .is_compressed()
        );
    }
}

#[tokio::test]
async fn a_page_that_shows_a_secret_is_not_compressed() {
    let (server, ann) = Developer::start().await;
    let fields = [("name", "Helper"), ("scope", "goals")];
    let made = ann.post("/dashboard/agents", &fields).await;
    let page = made.header("location").unwrap();
    let once = format!("{}; {}", ann.cookie, made.cookie_pair("ctxmem_once"));
    let shown = ask(&server, page, &[("cookie", &once)]).await;
    assert!(!shown.is_compressed());
    let text = String::from_utf8(shown.bytes).unwrap();
    text.assert_has("<code id=\"key\">ctxm_");
    // Asked for again, it has no secret.
    let again = ask(&server, page, &[("cookie", &ann.cookie)]).await;
    assert!(again.is_compressed() && !again.text().contains("<code id=\"key\">"));
    ann.post("/dashboard/settings/code", &[]).await;
    let settings = ask(&server, "/dashboard/settings", &[("cookie", &ann.cookie)]).await;
    assert!(!settings.is_compressed());
    let text = String::from_utf8(settings.bytes).unwrap();
    text.assert_has("add the key <code>");
}

#[tokio::test]
async fn the_service_says_who_runs_it_to_everybody() {
    let server = Setup::new().with(operated).start().await;
    let about = server.get("/about").send().await.body;
    for part in [
        "<bdi>Example &#38; Sons</bdi> runs this service",
        "href=\"mailto:help@example.com\"",
        "href=\"https://example.com/privacy?a=1&#38;b=2\"",
        "365 days",
    ] {
        about.replace("</strong>", "").assert_has(part);
    }
    let token = server.link_for(&user("ada")).await;
    for path in ["/account", "/dashboard", &format!("/sign-in?token={token}")] {
        let page = server.get(path).send().await.body;
        assert!(
            page.contains("<bdi>Example &#38; Sons</bdi> runs this service"),
            "{path}"
        );
        page.assert_has("href=\"/about\"");
    }
    let setup = Setup::new().with(|config| config.settings.audit_days = None);
    let server = setup.start().await;
    let about = server.get("/about").gets(200).await;
    assert!(about.body.contains("has not given a name") && about.body.contains("without an end"));
}

#[tokio::test]
async fn a_contact_is_told_to_whoever_finds_a_weakness() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    for (contact, address) in [
        ("help@example.com", "mailto:help@example.com"),
        ("https://example.com/help", "https://example.com/help"),
    ] {
        let setup = Setup::new().with(|config| config.operator.contact = Some(contact.to_owned()));
        let server = setup.clock(&clock).start().await;
        let file = server.get("/.well-known/security.txt").send().await;
        assert_eq!(
            file.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
        assert_eq!(
            file.body,
            format!(
                "Contact: {address}\nExpires: 2026-05-30T09:00:00.000Z\nPreferred-Languages: en\n\
                 Canonical: {}/.well-known/security.txt\n",
                server.url
            )
        );
    }
    let server = Server::start().await;
    let none = server.get("/.well-known/security.txt").send().await;
    none.assert_error(404);
}

#[tokio::test]
async fn each_id_stands_once_on_a_page() {
    let server = Server::start().await;
    let (agent, browser) = with_facts(&server).await;
    for (scope, value) in [("history", "Moved to Postgres"), ("goals", "Ship it")] {
        browser.adds(scope, value).await;
    }
    let preview = format!("/account/preview?agent={}", agent.id);
    for (path, part) in [
        ("/account", "/account"),
        ("/account/facts", "/account/facts"),
        ("/account/apps", "/account/apps"),
        ("/account/history", "/account/history"),
        ("/account/data", "/account/data"),
        ("/account/erase", "/account/data"),
        (&preview, "/account/apps"),
    ] {
        let page = browser.get(path).await;
        let mut ids: Vec<&str> = page
            .split(" id=\"")
            .skip(1)
            .map(|id| id.split('"').next().unwrap())
            .collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id stands twice on {path}");
        // The navigation marks where one is, and nothing else.
        let marked = format!(r#"<a href="{part}" aria-current="page">"#);
        assert!(page.contains(&marked), "{path} does not mark {part}");
        assert_eq!(page.matches(r#"aria-current="page""#).count(), 1, "{path}");
    }
}

#[tokio::test]
async fn names_and_facts_keep_their_direction_and_their_joiners() {
    let server = Server::start().await;
    let agent = server.agent_named("נועה 7").await;
    let browser = Browser::of(&server, &user("دریا")).await;
    agent.tells(&browser.user, HELLO).await;
    for value in ["👩🏽\u{200D}💻 at work", "می\u{200C}خواهم"] {
        browser.adds("goals", value).await;
        let told = format!("goals/{value}");
        assert!(browser.is_told(&told).await, "{value}");
    }
    let page = browser.page().await + &*browser.apps().await + &*browser.memory().await;
    page.assert_has_all([
        "<strong><bdi>دریا</bdi></strong>",
        "<bdi>נועה 7</bdi></h3>",
        "From <bdi>נועה 7</bdi>",
        "<bdi>می\u{200C}خواهم</bdi>",
        "<bdi>נועה 7</bdi> saved 3 facts",
    ]);
}

#[tokio::test]
async fn the_page_about_the_service_says_which_agents_get_access_unasked() {
    let said = [
        (
            FirstGrant::Auto,
            "gets access by its first request, without asking you",
        ),
        (
            FirstGrant::Own,
            "and the first app of all, get access by their first request",
        ),
        (
            FirstGrant::Ask,
            "An app has to ask you before it gets access.",
        ),
    ];
    for (mode, expected) in said {
        let server = Setup::new().first_grant(mode).start().await;
        let about = server.get("/about").send().await.body;
        for (_, text) in said {
            assert_eq!(about.contains(text), text == expected, "{mode:?} {text}");
        }
        about.assert_lacks("with your permission");
    }
}

/// How large a page may be as it is sent, and the stylesheet and the script together as they are.
const LARGEST_PAGE: usize = 12 * 1024;
const LARGEST_ASSETS: usize = 25 * 1024;

#[tokio::test]
async fn pages_with_much_on_them_stay_small() {
    let server = Setup::new().endless_lists().start().await;
    let (_, browser) = with_facts(&server).await;
    for n in 0..300 {
        let fact = format!("Fact number {n}, with some more words than the other tests have");
        let added = server.memory.add_fact(
            browser.user.clone(),
            ctxmem_types::Scope::Knowledge,
            None,
            fact,
        );
        added.await.unwrap();
    }
    for n in 0..30 {
        let agent = server.agent_named(&format!("Agent number {n}")).await;
        agent.injects(&browser.user).await;
    }
    let cookie = [("cookie", &*browser.cookie)];
    for path in [
        "/account",
        "/account/facts",
        "/account/apps",
        "/account/history",
        "/account/data",
    ] {
        let sent = ask(&server, path, &cookie).await.bytes.len();
        assert!(sent <= LARGEST_PAGE, "{path}: {sent}");
    }
    let mut assets = 0;
    for path in ["/style.css", "/script.js"] {
        assets += server.get(path).send().await.body.len();
    }
    assert!(assets <= LARGEST_ASSETS, "{assets}");
}
