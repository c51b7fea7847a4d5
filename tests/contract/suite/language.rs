//! The language of pages: as the browser prefers, or as the person chose; and nothing of one language is left in a page
//! of the other.

use std::collections::BTreeSet;

use ctxmem_client::Scope;

use super::account::browser::{Browser, version};
use super::support::{Developer, HELLO, RawRequest, Server, Setup, Text as _, fields, user};

const GERMAN: &str = "Sie sind nicht angemeldet";
const ENGLISH: &str = "You are not signed in";
const ADD: &str = "/account/facts/add";
const DELETE: &str = "/account/facts/delete";
const ALLOW: &str = "/account/allow";
const AGENTS: &str = "/dashboard/agents";
const PROFILE: &str = "/dashboard/agents/profile";
const KEYS: &str = "/dashboard/keys";
const PASSWORD: &str = "/dashboard/settings/password";
const PLAYGROUND: &str = "/dashboard/playground";

/// The languages besides English.
const OTHERS: [&str; 3] = ["de", "fr", "es"];

/// The page for somebody who is not signed in, which says so.
async fn asked(server: &Server, headers: &[(&str, &str)]) -> String {
    let mut request = server.get("/account");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let page = request.gets(401).await;
    assert_eq!(page.header("vary"), Some("accept-language, cookie"));
    page.body
}

#[tokio::test]
async fn the_browsers_preference_decides() {
    let server = Server::start().await;
    for (accepted, expected) in [
        ("de", GERMAN),
        ("de-AT,de;q=0.9,en;q=0.8", GERMAN),
        ("en;q=0.5, de;q=0.6", GERMAN),
        ("it, de;q=0.1", GERMAN),
        ("en-GB,en;q=0.9,de;q=0.8", ENGLISH),
        ("de;q=0, en;q=0.1", ENGLISH),
        ("de;q=0", ENGLISH),
        ("it", ENGLISH),
        ("*", ENGLISH),
        ("", ENGLISH),
    ] {
        let page = asked(&server, &[("accept-language", accepted)]).await;
        assert!(page.contains(expected), "{accepted}: {page}");
        let language = if expected == GERMAN { "de" } else { "en" };
        page.assert_has(format!("<html lang=\"{language}\">"));
        page.assert_has(format!(
            "value=\"{language}\" lang=\"{language}\" aria-current=\"true\""
        ));
    }
    assert!(asked(&server, &[]).await.contains(ENGLISH));
}

#[tokio::test]
async fn a_hostile_preference_is_harmless() {
    let server = Server::start().await;
    let long = "de;q=0.1,".repeat(700);
    for hostile in [
        "de;q=1e999",
        "de;q=-1, de;q=NaN",
        ";;;===,,,",
        "../../../etc/passwd",
        "<script>alert(1)</script>",
        "de\u{301}",
        &long,
    ] {
        let page = asked(&server, &[("accept-language", hostile)]).await;
        assert!(!page.contains("<script>alert") && !page.contains("passwd"));
    }
    for hostile in [
        "ctxmem_language=",
        "ctxmem_language=xx",
        "ctxmem_language=de/../en",
        "ctxmem_language=<script>alert(1)</script>",
        "ctxmem_language=DE",
        "ctxmem_language",
    ] {
        let page = asked(&server, &[("cookie", hostile), ("accept-language", "de")]).await;
        assert!(page.contains(GERMAN), "{hostile}");
        page.assert_lacks("<script>alert");
    }
}

fn chooses(server: &Server, language: &str, page: &str) -> RawRequest {
    let form = server.raw("POST", "/language");
    form.form(&[("language", language), ("page", page)])
}

#[tokio::test]
async fn what_a_person_chose_wins_and_stays() {
    let (server, browser) = Browser::start().await;
    let page = browser.page().await;
    page.assert_has("<input type=\"hidden\" name=\"page\" value=\"/account\">");
    let answer = chooses(&server, "de", "/account/history?kind=saved")
        .gets(303)
        .await;
    assert_eq!(
        answer.header("location"),
        Some("/account/history?kind=saved")
    );
    let cookie = answer.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("ctxmem_language=de; HttpOnly; SameSite=Lax; Path=/"),
        "{cookie}"
    );
    cookie.assert_has("Max-Age=31536000");
    let chosen = answer.cookie_pair("ctxmem_language");
    let cookies = format!("{}; {chosen}", &browser.cookie);
    let page = server
        .get("/account/history?kind=saved&x=%22%3E")
        .cookie(&cookies);
    let page = page.header("accept-language", "en").send().await.body;
    page.assert_has("<h1>Verlauf</h1>");
    // No page repeats its address: it may hold the token of a sign-in link.
    page.assert_lacks("%22%3E");
    // Signing out keeps it, and it works without a session.
    let out = server
        .raw("POST", "/sign-out")
        .cookie(&cookies)
        .made_for(&browser.mark);
    let out = out.gets(303).await;
    out.header("set-cookie")
        .unwrap()
        .assert_lacks("ctxmem_language");
    let page = asked(&server, &[("cookie", &chosen), ("accept-language", "en")]).await;
    page.assert_has(GERMAN);
    // And back.
    let answer = chooses(&server, "en", "/about").send().await;
    let chosen = answer.cookie_pair("ctxmem_language");
    let page = asked(&server, &[("cookie", &chosen), ("accept-language", "de")]).await;
    page.assert_has(ENGLISH);
}

#[tokio::test]
async fn the_switch_leads_nowhere_else() {
    let server = Server::start().await;
    for (page, led_to) in [
        ("", "/account"),
        ("https://example.com", "/account"),
        ("//example.com", "/account"),
        ("/\\example.com", "/account"),
        ("/account/../..//example.com", "/account"),
        ("/account\r\nlocation: https://example.com", "/account"),
        ("/account?a\r\nset-cookie: x=y", "/account"),
        ("/account/export.json", "/account"),
        ("/sign-in/oidc", "/account"),
        ("/nowhere", "/account"),
        ("/dashboard/nowhere", "/dashboard"),
        ("/dashboard/settings", "/dashboard/settings"),
        ("/consent/1", "/consent/1"),
        ("/about", "/about"),
    ] {
        let answer = chooses(&server, "de", page).gets(303).await;
        assert_eq!(answer.header("location"), Some(led_to), "{page}");
    }
    // Where the browser says that it was goes first.
    for (referer, led_to) in [
        (
            "http://localhost/account/history?kind=saved",
            "/account/history?kind=saved",
        ),
        ("http://localhost/sign-in?token=abc", "/sign-in?token=abc"),
        // A form led there, so it can't be looked at again.
        ("http://localhost/account/facts/add", "/about"),
        ("http://localhost", "/about"),
        ("https://example.com//example.com/account", "/about"),
        ("/account/history", "/about"),
        ("javascript://x/account?a b", "/about"),
    ] {
        let form = chooses(&server, "de", "/about").header("referer", referer);
        let answer = form.send().await;
        assert_eq!(answer.header("location"), Some(led_to), "{referer}");
    }
    for wrong in ["", "it", "DE", "de; Path=/", "<script>"] {
        let answer = chooses(&server, wrong, "/about").send().await;
        let text = answer.assert_error(400);
        assert_eq!(text, "language: expected en, de, fr or es");
        assert_eq!(answer.header("set-cookie"), None);
    }
    let foreign = chooses(&server, "de", "/about").header("sec-fetch-site", "cross-site");
    let foreign = foreign.send().await;
    foreign.assert_error(403);
    assert_eq!(foreign.header("set-cookie"), None);
}

#[tokio::test]
async fn the_cookie_of_an_https_site_is_kept_to_it() {
    let setup = Setup::new().public_url("https://memory.example.com");
    let server = setup.start().await;
    let answer = chooses(&server, "de", "/about").send().await;
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-ctxmem_language=de;"), "{cookie}");
    cookie.assert_has("; Secure");
    let page = asked(&server, &[("cookie", "__Host-ctxmem_language=de")]).await;
    page.assert_has(GERMAN);
}

#[tokio::test]
async fn agents_are_answered_in_english() {
    let server = Server::start().await;
    let answer = server.get("/api/context/ada");
    let answer = answer.header("accept-language", "de").send().await;
    assert_eq!(answer.assert_error(401), "Invalid API key.");
    let missing = server.get("/nowhere").header("accept-language", "de");
    let text = missing.send().await.assert_error(404);
    assert_eq!(text, "There is nothing at this path.");
}

/// What people read on a page: its text, and the names of its controls. What is data by its markup is
/// left out.
fn said(page: &str) -> BTreeSet<String> {
    let mut said = BTreeSet::new();
    let mut data = 0_i32;
    let mut rest = page;
    while let Some((text, after)) = rest.split_once('<') {
        if data == 0 {
            said.insert(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        let (tag, after) = after.split_once('>').unwrap();
        let name = tag
            .trim_start_matches('/')
            .split_whitespace()
            .next()
            .unwrap();
        if ["bdi", "pre", "code", "style", "textarea"].contains(&name) {
            data += if tag.starts_with('/') { -1 } else { 1 };
        }
        for attribute in ["aria-label=\"", "title=\"", "placeholder=\""] {
            if let Some((_, value)) = tag.split_once(attribute) {
                said.insert(value.split('"').next().unwrap().to_owned());
            }
        }
        rest = after;
    }
    said
}

#[test]
fn what_people_read_is_found_and_data_is_not() {
    let page = "<!doctype html><title>A title</title><p aria-label=\"A name here\">Some <b>bold
        text</b> and <bdi>data <i>of</i> people</bdi>.</p><pre>more data</pre>";
    let expected = [
        "",
        ".",
        "A name here",
        "A title",
        "Some",
        "and",
        "bold text",
    ];
    assert_eq!(said(page).into_iter().collect::<Vec<_>>(), expected);
}

/// Looks at a page in every language. No sentence may be the same as in English.
async fn in_all(name: &str, ask: impl Fn() -> RawRequest) {
    let look = async |language: &str| {
        let request = ask()
            .header("accept", "text/html")
            .header("accept-language", language);
        let page = request.send().await;
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{name}"
        );
        assert!(
            page.body.contains(&format!("<html lang=\"{language}\">")),
            "{name}"
        );
        (page.status, said(&page.body))
    };
    let (status, english) = look("en").await;
    assert!(english.len() > 8, "{name}: {english:?}");
    // An id is one word, whatever letters it has.
    let words = |text: &str| {
        let words = text.split_whitespace();
        words
            .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
            .count()
    };
    for language in OTHERS {
        let (other_status, other) = look(language).await;
        assert_eq!(status, other_status, "{name}");
        let both = english.intersection(&other);
        let same: Vec<&String> = both.filter(|text| words(text) > 2).collect();
        assert!(same.is_empty(), "{name} in {language}: {same:?}");
    }
}

#[tokio::test]
async fn nothing_english_is_left_for_a_user() {
    let (server, agent) = Server::with_agent().await;
    let browser = Browser::of_ada(&server).await;
    for page in ["/account", "/account/apps", "/account/facts"] {
        in_all("an empty account", || browser.request("GET", page)).await;
    }
    agent.tells(&browser.user, HELLO).await;
    agent.tells(&browser.user, "The weather is nice.").await;
    agent.injects(&browser.user).await;
    let facts = browser.facts().await;
    let first = facts[0].id.as_str();
    for path in [
        "/account",
        "/account/apps",
        "/account/data",
        "/account/facts",
        "/account/facts?sort=newest",
        "/account/facts?kind=goals",
        &format!("/account/facts/edit?fact={first}"),
        "/account/facts/edit?fact=1",
        "/account/facts?sort=sideways",
        "/account/history",
        "/account/history?kind=yours",
        "/account/history?day=soon",
        &format!("/account/preview?agent={}", agent.id),
        "/account/preview?agent=1",
        "/account/erase",
        "/account/receipt?id=1",
        &format!("/consent/{}", agent.id),
        "/about",
        "/",
        "/nowhere",
        "/sign-out",
    ] {
        in_all(path, || browser.request("GET", path)).await;
    }
}

#[tokio::test]
async fn nothing_english_is_left_in_forms_of_users_that_come_back() {
    let (server, agent, browser) = Browser::start_with_agent().await;
    let facts = browser.facts().await;
    let versions: Vec<String> = facts.iter().map(version).collect();
    for (path, sent) in [
        (ADD, "scope=goals&value="),
        (ADD, "scope=goals&value={long}"),
        (ADD, "scope=preferences&name=&value=Helix"),
        (ADD, "scope=goals&value=My password is hunter2hunter2"),
        (ADD, "scope=nothing&value=x"),
        ("/account/facts/correct", "fact={fact}&value="),
        (DELETE, ""),
        (DELETE, "fact={fact}&fact={other}"),
        (DELETE, "one={id}.1"),
        ("/account/facts/delete-scope", "scope=general&seen=1"),
        (ALLOW, "agent_id={agent}&expires_at_local=soon"),
        (ALLOW, "agent_id={agent}&expires_at_local=2001-01-01T00:00"),
        ("/account/erase", "confirm=no"),
        (&format!("/consent/{}", agent.id), "decision=allow"),
    ] {
        let sent = sent.replace("{long}", &"x".repeat(600));
        let sent = sent.replace("{fact}", &versions[0]);
        let sent = sent.replace("{other}", &versions[1]);
        let sent = sent.replace("{id}", facts[0].id.as_str());
        let sent = sent.replace("{agent}", &agent.id);
        let ask = || browser.form(path, &fields(&sent));
        in_all(&format!("{path} {sent}"), ask).await;
    }
    // Forms whose sender is gone, or somebody else.
    let fields = [("scope", "goals"), ("value", "Ship it")];
    in_all("a form without a session", || {
        server.raw("POST", ADD).form(&fields)
    })
    .await;
    let son = server.mark(&user("son"));
    in_all("a form of somebody else", || {
        browser.request("POST", ADD).form(&fields).made_for(&son)
    })
    .await;
}

#[tokio::test]
async fn nothing_english_is_left_whatever_a_user_decides() {
    let (server, agent, browser) = Browser::start_with_agent().await;
    // Paused, without a fact, with an end, and erased.
    for (path, sent) in [
        ("/account/pause", "pause=yes"),
        ("/account/ask-first", "ask=yes"),
        ("/account/auto-delete", "history=3"),
        (ALLOW, "agent_id={agent}&expires_at_local=2200-01-01T00:00"),
        (ALLOW, "agent_id={agent}&scope=goals"),
    ] {
        let sent = sent.replace("{agent}", &agent.id);
        browser.form(path, &fields(&sent)).gets(303).await;
        for page in ["/account", "/account/apps", "/account/history"] {
            in_all(path, || browser.request("GET", page)).await;
        }
    }
    let erased = browser
        .post("/account/erase", &[("confirm", "Löschen")])
        .await;
    assert_eq!(erased.status, 303, "the German word counts too");
    let receipt = erased.header("location").unwrap();
    in_all("the receipt", || browser.request("GET", receipt)).await;
    in_all("the account after", || browser.request("GET", "/account")).await;
    // What a form has done is told in the language of the page that tells it.
    let done = browser.post("/account/pause", &[("pause", "no")]).await;
    let cookies = format!("{}; {}", &browser.cookie, done.cookie_pair("ctxmem_done"));
    let page = server.get("/account").cookie(&cookies);
    let page = page.header("accept-language", "de").send().await.body;
    page.assert_has("Die Pause ist zu Ende.");
}

#[tokio::test]
async fn an_agent_that_waits_is_asked_about_in_both_languages() {
    let setup = Setup::new().first_grant(ctxmem_server::core::FirstGrant::Ask);
    let (server, agent) = setup.start_with_agent().await;
    let browser = Browser::of_ada(&server).await;
    agent.injects(&browser.user).await;
    agent.injects(&browser.user).await;
    for page in ["/account", "/account/apps"] {
        in_all("the account", || browser.request("GET", page)).await;
    }
    let page = format!("/consent/{}", agent.id);
    in_all("the page of consent", || browser.request("GET", &page)).await;
}

#[tokio::test]
async fn files_are_in_the_language_of_the_page() {
    let server = Server::start().await;
    let agent = server.agent_named("Helfer").await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    let csv = browser.request("GET", "/account/history.csv");
    let csv = csv.header("accept-language", "de").send().await.body;
    csv.assert_has("Zeit,was geschah,Arten,wie oft,Vorgang");
    csv.assert_has("Helfer hat über Sie 3 Fakten gespeichert");
    csv.assert_lacks("<bdi>");
    let erased = browser.erases().await;
    let id = erased
        .header("location")
        .unwrap()
        .split_once('=')
        .unwrap()
        .1;
    let text = browser.request("GET", &format!("/account/receipt.txt?id={id}"));
    let text = text.header("accept-language", "de").send().await.body;
    text.assert_has("Gelöscht durch: Sie selbst");
    assert!(!text.contains('<') && !text.contains("receipt"), "{text}");
}

#[tokio::test]
async fn nothing_english_is_left_for_a_developer() {
    let (_, ann) = Developer::start().await;
    in_all("no agent", || ann.request("GET", "/dashboard")).await;
    let scopes = Scope::ALL.map(Scope::name);
    let (agent_id, key_id) = ann.creates("Quokka", &scopes).await;
    for path in [
        "/dashboard".to_owned(),
        format!("/dashboard/agents/{agent_id}"),
        format!("/dashboard/keys/{key_id}"),
        "/dashboard/agents/1".to_owned(),
        "/dashboard/keys/1".to_owned(),
        "/dashboard/settings".to_owned(),
        "/dashboard/playground".to_owned(),
        format!("/dashboard/requests?agent={agent_id}"),
        format!("/dashboard/requests?agent={agent_id}&only=errors"),
        "/dashboard/nowhere".to_owned(),
    ] {
        in_all(&path, || ann.request("GET", &path)).await;
    }
}

#[tokio::test]
async fn nothing_english_is_left_in_forms_of_developers() {
    let (server, ann) = Developer::start().await;
    let scopes = Scope::ALL.map(Scope::name);
    let (agent_id, key_id) = ann.creates("Quokka", &scopes).await;
    for (path, sent) in [
        (AGENTS, "name=&scope=goals"),
        (AGENTS, "name=New"),
        ("/dashboard/agents/rename", "agent_id={agent}&name="),
        ("/dashboard/agents/delete", "agent_id={agent}&name=No"),
        (PROFILE, "agent_id={agent}&purpose={long}"),
        (PROFILE, "agent_id={agent}&url=ftp:x"),
        (KEYS, "agent_id={agent}"),
        (KEYS, "agent_id={agent}&scope=goals&expires_in=soon"),
        (KEYS, "agent_id={agent}&scope=goals&expires_in=9999"),
        ("/dashboard/keys/rotate", "key_id={key}&grace=soon"),
        (PASSWORD, "current=x&new=abc&repeated=abd"),
        (PASSWORD, "current=x&new=abc&repeated=abc"),
        ("/dashboard/settings/code/confirm", "code=1"),
        (
            PLAYGROUND,
            "key_id={key}&user=test&action=inject&base_prompt=Hi.",
        ),
        (PLAYGROUND, "key_id={key}&user=te/st&action=inject"),
    ] {
        let sent = sent.replace("{long}", &"x".repeat(600));
        let sent = sent.replace("{agent}", &agent_id).replace("{key}", &key_id);
        let ask = || ann.form(path, &fields(&sent));
        in_all(&format!("{path} {sent}"), ask).await;
    }
    // A second factor that is being set up.
    ann.form("/dashboard/settings/code", &[]).gets(303).await;
    in_all("a code to confirm", || {
        ann.request("GET", "/dashboard/settings")
    })
    .await;
    in_all("a wrong code", || {
        ann.form("/dashboard/settings/code/confirm", &[("code", "1")])
    })
    .await;
    // A new key, which is shown once and so has no switch.
    let fields = [("agent_id", &*agent_id), ("scope", "goals")];
    let created = ann.post(KEYS, &fields).await;
    let cookies = format!("{}; {}", ann.cookie, created.cookie_pair("ctxmem_once"));
    let place = created.header("location").unwrap().to_owned();
    in_all("a new key", || server.get(&place).cookie(&cookies)).await;
    let shown = server.get(&place).cookie(&cookies).send().await.body;
    // It would hide the key.
    shown.assert_lacks("action=\"/language\"");
}

#[tokio::test]
async fn nothing_english_is_left_for_who_signs_in() {
    let server = Server::start().await;
    let link = server.link_for(&user("ada")).await;
    in_all("a link", || server.get(&format!("/sign-in?token={link}"))).await;
    in_all("an old link", || server.get("/sign-in?token=x")).await;
    in_all("nobody", || server.get("/account")).await;
    in_all("no developer", || server.get("/dashboard")).await;
    in_all("a wrong password", || {
        Developer::tries(&server, "ann@example.com", "no")
    })
    .await;
    in_all("a wrong method", || server.raw("PUT", "/account")).await;
    in_all("a long form", || {
        server
            .raw("POST", "/sign-in")
            .form(&[("token", &"x".repeat(20_000))])
    })
    .await;
    in_all("a form of another site", || {
        let form = server.raw("POST", "/sign-in").form(&[("token", "x")]);
        form.header("sec-fetch-site", "cross-site")
    })
    .await;
}

#[tokio::test]
async fn a_form_that_came_back_offers_no_switch_that_would_lose_it() {
    let (_, ann) = Developer::start().await;
    let switch = "action=\"/language\"";
    let page = ann.get("/dashboard").await;
    assert!(page.contains(switch), "{page}");
    let fields = [("name", "Typed for an hour")];
    let form = ann.form(AGENTS, &fields).header("accept", "text/html");
    let refused = form.gets(400).await;
    refused.body.assert_has("Typed for an hour");
    assert!(!refused.body.contains(switch), "{}", refused.body);
}
