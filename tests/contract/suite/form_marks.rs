//! Each form says whom it was made for. A tab may stay open while somebody else signs in: what it
//! then sends is not carried out.

use ctxmem_server::http::ROUTES;
use ctxmem_types::Scope;

use super::account::browser::Browser;
use super::support::{
    Developer, ENGINE, Engine, HELLO, RawResponse, Server, Text as _, fields, hidden, is_page, user,
};
const ADD: &str = "/account/facts/add";

/// Whether a text is a mark.
fn is_mark(text: &str) -> bool {
    text.len() == 32 && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// The forms of a page that post: their tags with what is in them. The switch of the language is
/// nobody's: it heeds no session.
fn posting_forms(page: &str) -> Vec<&str> {
    let forms = page.split("<form").skip(1);
    let forms = forms.map(|rest| rest.split("</form>").next().unwrap());
    forms
        .filter(|form| {
            let tag = form.split('>').next().unwrap().to_lowercase();
            tag.contains("post") && !tag.contains("/language")
        })
        .collect()
}

#[tokio::test]
async fn every_form_of_every_page_says_whom_it_was_made_for() {
    let (server, ann) = Developer::start().await;
    let agent = server
        .agent_of(&ann.email, ctxmem_types::ScopeSet::ALL)
        .await;
    let ada = user("ada");
    agent.tells(&ada, HELLO).await;
    let browser = Browser::of(&server, &ada).await;
    let facts = browser.facts().await;
    let fact = facts[0].id.as_str();
    let erased = Browser::of(&server, &user("erased")).await;
    let receipt = erased.erases().await;
    let receipt = receipt.header("location").unwrap().to_owned();
    let pages = ROUTES.iter().filter(|route| is_page(route));
    let mut forms = 0;
    for route in pages {
        let path = match route.template() {
            "/account/facts/edit" => format!("/account/facts/edit?fact={fact}"),
            "/account/preview" => format!("/account/preview?agent={}", agent.id),
            "/account/receipt" => receipt.clone(),
            "/dashboard/requests" => format!("/dashboard/requests?agent={}", agent.id),
            path => path
                .replace("{agentId}", &agent.id)
                .replace("{keyId}", &agent.key_id),
        };
        let (mark, page) = if path.starts_with("/dashboard") {
            (ann.mark.clone(), ann.request("GET", &path).send().await)
        } else {
            let whose = if path == receipt { &erased } else { &browser };
            let page = whose.request("GET", &path).send().await;
            (server.mark(&whose.user), page)
        };
        if page.header("content-type") != Some("text/html; charset=utf-8") {
            // Somewhere else, or no provider; a page that needs more has to be named above.
            assert!([303, 404].contains(&page.status), "{path}: {}", page.body);
            continue;
        }
        // These two are for people who are about to sign in.
        if ["/sign-in", "/dashboard/join"].contains(&&*path) {
            continue;
        }
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        for form in posting_forms(&page.body) {
            assert_eq!(
                hidden(form, "made_for"),
                mark,
                "a form of {path}:\n<form{form}"
            );
            // Enter presses the first button of a form. It must not do anything, except where it
            // searches, or where a password was typed.
            let (tag, inside) = form.split_once('>').unwrap();
            let button = inside.split("<button").nth(1).unwrap();
            let button = button.split('>').next().unwrap();
            let by_enter = [
                "/account/facts/find",
                "/dashboard/settings/password",
                "/dashboard/settings/code/confirm",
            ];
            let by_enter = by_enter
                .iter()
                .any(|action| tag.contains(&format!("action=\"{action}\"")));
            assert!(
                button.contains(r#"formmethod="dialog""#) != by_enter,
                "{path}:\n<form{form}"
            );
            forms += 1;
        }
    }
    assert!(forms > 20, "there are more forms than {forms}");
}

#[tokio::test]
async fn a_mark_says_nothing_about_whose_it_is() {
    let server = Server::start().await;
    let (ada, bob) = (server.mark(&user("ada")), server.mark(&user("bob")));
    let ann = Developer::new(&server, "ann@example.com").await;
    assert!(is_mark(&ada) && is_mark(&bob) && is_mark(&ann.mark));
    // A developer whose id is that of a user is somebody else.
    let same = server.mark(&user(&ann.id));
    assert!(ada != bob && same != ann.mark);
    // On Postgres the databases of tests are copies of one, and so are their keys.
    if matches!(*ENGINE, Engine::Sqlite) {
        let elsewhere = Server::start().await;
        assert_ne!(elsewhere.mark(&user("ada")), ada, "nobody can compute it");
    }
}

/// Posts the form of somebody else's page.
async fn stale(
    browser: &Browser,
    of: &Browser,
    path: &str,
    fields: &[(&str, &str)],
) -> RawResponse {
    let request = browser.request("POST", path).form(fields);
    let request = request.header("accept", "text/html");
    request.made_for(&of.mark).send().await
}

#[tokio::test]
async fn the_tab_of_somebody_else_changes_nothing() {
    let (server, agent) = Server::with_agent().await;
    let mother = Browser::of(&server, &user("mother")).await;
    let son = Browser::of(&server, &user("son")).await;
    agent.tells(&son.user, HELLO).await;
    let told = son.told().await;
    let (grant, scopes) = server.grant(&son.user, &agent).await.unwrap();
    let fact = son.fields_of("Helix").await;
    let [scope, slot, seen] = [0, 1, 2].map(|n| &*fact[n].1);
    for (path, sent) in [
        ("/account/erase", "confirm=erase"),
        ("/account/revoke", "agent_id={agent}"),
        ("/account/allow", "agent_id={agent}&scope=goals"),
        (ADD, "scope=goals&value=Ship it"),
        ("/account/facts/correct", "{fact}&seen={seen}&value=Emacs"),
        ("/account/facts/delete", "{fact}&seen={seen}"),
        (
            "/account/facts/delete-scope",
            "scope={scope}&seen={seen}&confirm=yes",
        ),
        ("/account/facts/restore", "deleted=sealed"),
        ("/account/facts/keep-out", "deleted=sealed"),
        ("/sign-out", ""),
    ] {
        let sent = sent.replace("{fact}", "scope={scope}&fact={slot}");
        let sent = sent.replace("{scope}", scope).replace("{slot}", slot);
        let sent = sent.replace("{seen}", seen).replace("{agent}", &agent.id);
        let fields = &fields(&sent);
        let refused = stale(&son, &mother, path, fields).await;
        assert_eq!(refused.status, 409, "{path}: {}", refused.body);
        assert_eq!(refused.header("set-cookie"), None, "{path}");
        assert!(!refused.body.contains("mother") && !refused.body.contains("Helix"));
        refused
            .body
            .assert_has("<h1>You are signed in as somebody else now</h1>");
        let text = son.request("POST", path).form(fields).gets_error(400).await;
        assert_eq!(text, "made_for: a required field is missing");
    }
    assert_eq!(son.told().await, told);
    assert_eq!(server.grant(&son.user, &agent).await, Some((grant, scopes)));
    assert_eq!(son.request("GET", "/account").send().await.status, 200);
    // What was typed can be copied.
    let fields = [("scope", "goals"), ("value", "Ship </textarea> it")];
    let refused = stale(&son, &mother, ADD, &fields).await.body;
    refused.assert_has("Ship &#60;/textarea&#62; it</textarea>");
    assert!(
        posting_forms(&refused).is_empty(),
        "it can't be sent from here"
    );
    // The same for developers.
    let ann = Developer::new(&server, "ann@example.com").await;
    let bob = Developer::new(&server, "bob@example.com").await;
    let form = ann.request("POST", "/dashboard/agents");
    let form = form.form(&[("name", "Quokka"), ("scope", "goals")]);
    form.made_for(&bob.mark).gets_error(409).await;
    assert!(!ann.get("/dashboard").await.contains("Quokka"));
    let refused = ann
        .request("POST", "/dashboard/sign-out")
        .made_for(&bob.mark);
    assert_eq!(refused.send().await.status, 409);
    ann.get("/dashboard").await;
}

/// Which forms are given back, and what of them.
mod given_back {
    use super::*;

    async fn post(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> RawResponse {
        browser.post_for_page(path, fields).await
    }

    #[tokio::test]
    async fn a_refused_field_comes_back_with_what_was_typed_and_is_named() {
        let (_, agent, browser) = Browser::start_with_agent().await;
        let fields = [
            ("agent_id", &*agent.id),
            ("scope", "goals"),
            ("scope", "history"),
            ("expires_at_local", "2001-02-03T04:05"),
        ];
        let again = post(&browser, "/account/allow", &fields).await;
        assert_eq!(again.status, 400);
        let page = again.body;
        page.assert_has("<title>Error: ");
        page.assert_has("Not saved. Fix the field below.");
        assert_eq!(hidden(&page, "agent_id"), agent.id);
        assert_eq!(hidden(&page, "made_for"), &browser.mark);
        assert_eq!(page.matches("name=\"made_for\"").count(), 1);
        for scope in Scope::ALL {
            let ticked = page.contains(&format!("value=\"{scope}\" checked"));
            assert_eq!(
                ticked,
                [Scope::Goals, Scope::History].contains(&scope),
                "{scope}"
            );
        }
        let field = page.split("name=\"expires_at_local\"").nth(1).unwrap();
        field.split('>').next().unwrap().assert_has_all([
            "value=\"2001-02-03T04:05\"",
            "aria-invalid=\"true\"",
            "aria-describedby=\"again-expires_at_local-wrong\"",
            "autofocus",
        ]);
        // A client that is no browser gets the error alone.
        let refused = browser.post("/account/allow", &fields).await;
        refused.assert_error(400);
    }

    #[tokio::test]
    async fn refused_forms_of_developers_come_back() {
        const AGENTS: &str = "/dashboard/agents";
        const RENAME: &str = "/dashboard/agents/rename";
        const PLAYGROUND: &str = "/dashboard/playground";
        const ERASE: &str = "/dashboard/playground/erase";
        const CALL: &str = "key_id=x&user=a/b&action=inject&base_prompt=Quokka";
        let (_, ann) = Developer::start().await;
        let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
        for (path, sent, wrong, kept) in [
            (
                AGENTS,
                "name= &scope=goals",
                "name",
                "value=\"goals\" checked",
            ),
            (AGENTS, "name=Quokka", "scope", "value=\"Quokka\""),
            (RENAME, "agent_id={agent}&name=", "name", "value=\"\""),
            // Nothing is kept there.
            ("/dashboard/keys", "agent_id={agent}", "scope", "autofocus"),
            (PLAYGROUND, CALL, "user", ">\nQuokka</textarea>"),
            (ERASE, "user=a/b", "user", "value=\"a/b\""),
        ] {
            let sent = sent.replace("{agent}", &agent_id);
            let again = ann.post_for_page(path, &fields(&sent)).await;
            assert_eq!(again.status, 400, "{path}");
            let page = again.body;
            assert!(
                page.contains(&format!("id=\"again-{wrong}-wrong\"")),
                "{path}: {page}"
            );
            assert!(page.contains("autofocus"), "{path}");
            page.assert_has(kept);
            assert_eq!(hidden(&page, "made_for"), &ann.mark);
        }
    }

    #[tokio::test]
    async fn what_was_typed_outlives_the_session() {
        let (server, browser) = Browser::start().await;
        let typed = [("scope", "knowledge"), ("value", "Rust & <b>SQL</b>")];
        let form = |cookie: &str| {
            let form = server.raw("POST", ADD).cookie(cookie);
            form.header("accept", "text/html")
                .form(&typed)
                .made_for(&browser.mark)
        };
        let again = form("ctxmem_session=ended").gets(401).await;
        assert_eq!(again.header("set-cookie"), None);
        let page = again.body;
        page.assert_has("Rust &#38; &#60;b&#62;SQL&#60;/b&#62;</textarea>");
        assert_eq!(hidden(&page, "scope"), "knowledge");
        // What it sends once somebody has signed in is carried out for this user, and nobody else.
        let fields = [
            ("scope", hidden(&page, "scope")),
            ("value", typed[1].1),
            ("made_for", hidden(&page, "made_for")),
        ];
        let bob = Browser::of(&server, &user("bob")).await;
        let refused = bob.request("POST", ADD).form(&fields);
        assert_eq!(refused.send().await.status, 409);
        let sent = browser.request("POST", ADD).form(&fields);
        assert_eq!(sent.send().await.status, 303);
        assert_eq!(browser.told().await, ["knowledge/Rust & <b>SQL</b>"]);
        assert!(bob.told().await.is_empty());
        // Another site fills in nothing, and a long form is not read for somebody unknown.
        let foreign = form("").header("sec-fetch-site", "cross-site").send().await;
        assert!(foreign.status == 401 && !foreign.body.contains("Rust"));
        let long = "x".repeat(20 << 10);
        let long = server.raw("POST", ADD).form(&[("value", &long)]);
        let long = long.header("accept", "text/html").send().await;
        assert!(long.status == 401 && !long.body.contains("xxx"));
        // Nobody typed anything into this one.
        let bare = server
            .raw("POST", "/account/revoke")
            .form(&[("agent_id", "x")]);
        let bare = bare.header("accept", "text/html").send().await;
        assert!(bare.status == 401 && !bare.body.contains("Send again"));
    }

    #[tokio::test]
    async fn no_password_is_ever_repeated() {
        let server = Server::start().await;
        let secret = [("value", "a fact"), ("new_password", "quokka")];
        let form = server.raw("POST", ADD).form(&secret);
        let answer = form.header("accept", "text/html").send().await;
        assert!(answer.status == 401 && !answer.body.contains("quokka"));
        answer.body.assert_lacks("a fact");
    }
}
