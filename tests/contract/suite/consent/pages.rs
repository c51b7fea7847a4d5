//! The page of consent, and the choices at `/account`.

use ctxmem_client::Scope;
use ctxmem_server::core::FirstGrant::{Ask, Auto};
use ctxmem_server::core::{AgentProfile, Manager};
use ctxmem_types::ScopeSet;

use super::{has_grant, in_mode, inject_asks, waiting};
use crate::suite::account::browser::Browser;
use crate::suite::support::{Developer, HELLO, Setup, Text as _, user};

#[tokio::test]
async fn who_signs_in_for_an_agent_lands_at_its_page() {
    let (server, agent, ada) = in_mode(Ask).start_with_ada().await;
    let path = format!("/consent/{}", agent.id);
    let signed_out = server.get(&path).gets(401).await;
    signed_out.body.assert_has("You are not signed in");
    // Somebody who is not signed in is told which agent asks, and nothing else about it.
    let asks = "<strong><bdi>an agent</bdi></strong> asks for access";
    assert!(signed_out.body.contains(asks), "{}", signed_out.body);
    signed_out.body.assert_lacks("An agent of");
    for unknown in ["x", "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c"] {
        let page = server.get(&format!("/consent/{unknown}")).send().await;
        assert!(page.status == 401 && !page.body.contains("asks for access"));
    }
    let cookie = signed_out.cookie_pair("ctxmem_back");
    signed_out
        .cookie("ctxmem_back")
        .unwrap()
        .assert_has("HttpOnly; SameSite=Lax");
    let token = server.link_for(&ada).await;
    let signed_in = server.raw("POST", "/sign-in").cookie(&cookie);
    let signed_in = signed_in.form(&[("token", &token)]).send().await;
    assert_eq!(signed_in.header("location"), Some(&*path));
    assert_eq!(signed_in.cookie_pair("ctxmem_back"), "ctxmem_back=");
    // A cookie that somebody made up leads nowhere else.
    let token = server.link_for(&ada).await;
    let signed_in = server
        .raw("POST", "/sign-in")
        .cookie("ctxmem_back=//example.com");
    let signed_in = signed_in.form(&[("token", &token)]).send().await;
    assert_eq!(signed_in.header("location"), Some("/account"));
}

/// How many boxes are ticked on a page, and ends chosen.
fn chosen(page: &str) -> usize {
    page.matches("\" checked").count() + page.matches(" required checked").count()
}

#[tokio::test]
async fn the_page_says_who_asks_and_for_what() {
    let server = in_mode(Ask).start().await;
    let keys: ScopeSet = [Scope::General, Scope::Goals].into_iter().collect();
    let agent = server
        .new_agent("Trip Planner", "ann@example.com", keys)
        .await;
    let browser = Browser::of(&server, &user("ada")).await;
    let path = format!("/consent/{}", agent.id);
    let page = browser.get(&path).await;
    page.assert_has_all([
        "Trip Planner",
        "ann@example.com",
        ">TP<",
        "no purpose and no privacy policy",
    ]);
    // Nothing is decided for the user: no kind, and no end.
    assert!(page.contains(r#"value="general""#) && page.contains(r#"value="goals""#));
    assert_eq!(chosen(&page), 0, "{page}");
    page.assert_lacks(r#"value="history""#);
    page.assert_has("Current projects, tasks, obstacles and priorities.");

    let profile = AgentProfile {
        purpose: "Plans <b>trips</b>.".to_owned(),
        url: "https://trips.example".to_owned(),
        privacy_url: "https://trips.example/privacy".to_owned(),
        needs: [
            (Scope::Goals, "It plans for <i>your</i> goals.".to_owned()),
            (Scope::History, "No key of it reaches this.".to_owned()),
        ]
        .into(),
        ..AgentProfile::default()
    };
    server.set_profile(&agent, profile).await;
    let page = browser.get(&path).await;
    page.assert_has_all([
        "Plans &#60;b&#62;trips&#60;/b&#62;.",
        r#"<a href="https://trips.example/" rel="noopener noreferrer nofollow">trips.example</a>"#,
        "Known to this service since <time",
        "What it can never do",
        "See anything of a kind that is not ticked.",
        r#"<a href="https://trips.example/privacy" rel="#,
        "It has no access now.",
        r#"value="goals" checked"#,
        "its developer says: “<bdi>It plans for &#60;i&#62;your&#60;/i&#62; goals.</bdi>”",
        "is ticked already",
        "can also delete everything",
    ]);
    assert_eq!(chosen(&page), 1, "{page}");
    page.assert_lacks("No key of it reaches this.");
    for unknown in ["x", "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c"] {
        browser
            .request("GET", &format!("/consent/{unknown}"))
            .gets(404)
            .await;
    }
}

#[tokio::test]
async fn a_part_is_allowed_for_a_time() {
    let server = in_mode(Ask).start().await;
    let agent = server.agent().await;
    let browser = Browser::of(&server, &user("ada")).await;
    let ada = user("ada");
    assert!(inject_asks(&agent, &ada).await.is_some());
    let page = browser.page().await;
    page.assert_has("waiting for you");
    page.assert_has("asked once");

    let path = format!("/consent/{}", agent.id);
    // Without a kind, or without an end, the form comes back with what was chosen.
    for (choice, kept, missing, there) in [
        (
            ("until", "30"),
            r#"value="30" required checked"#,
            "Choose at least one kind.",
            "Choose for how long.",
        ),
        (
            ("scope", "goals"),
            r#"value="goals" checked"#,
            "Choose for how long.",
            "Choose at least one kind.",
        ),
    ] {
        let answer = browser
            .post_for_page(&path, &[("decision", "allow"), choice])
            .await;
        assert_eq!(answer.status, 400);
        answer.body.assert_has("Not allowed yet.");
        assert!(answer.body.contains(missing) && !answer.body.contains(there));
        assert!(answer.body.contains(kept), "{}", answer.body);
        assert_eq!(chosen(&answer.body), 1);
        assert!(!has_grant(&server, &ada, &agent).await);
    }

    let sent = [("decision", "allow"), ("scope", "goals"), ("until", "90")];
    let page = browser.submit(&path, &sent).await;
    page.assert_has("The app has access.");
    assert!(!browser.page().await.contains("waiting for you"));
    let access = server.grants.access(&ada).await.unwrap();
    let grant = &access[0].access.grant;
    assert_eq!(grant.scopes, Scope::Goals.into());
    let days = (grant.expires_at.unwrap() - grant.created_at) / 86_400_000;
    assert!((89..=90).contains(&days), "{days}");
    assert_eq!(waiting(&server, &ada).await, []);
    for wrong in [("until", "8"), ("decision", "maybe")] {
        let mut sent = vec![("scope", "goals"), wrong];
        sent.push(match wrong.0 {
            "decision" => ("until", "30"),
            _ => ("decision", "allow"),
        });
        browser.post(&path, &sent).await.assert_bad_request(wrong.0);
    }
}

#[tokio::test]
async fn the_way_back_is_the_address_that_the_developer_registered() {
    let (server, agent, ada) = in_mode(Ask).start_with_ada().await;
    let browser = Browser::of(&server, &ada).await;
    let path = format!("/consent/{}", agent.id);
    let back = |page: &str| {
        let (_, rest) = page.split_once(r#"<a class="button" href=""#)?;
        let (address, text) = rest.split_once('"')?;
        text.contains("Go back to <bdi>an agent</bdi>")
            .then(|| address.to_owned())
    };
    let refuse = [("decision", "refuse")];
    let page = browser.submit(&path, &refuse).await;
    assert_eq!(back(&page), None);
    page.assert_has("You can go back to <bdi>an agent</bdi> now.");

    let registered = "https://trips.example/chat?from=memory&x=%22";
    let profile = AgentProfile {
        return_url: registered.to_owned(),
        ..AgentProfile::default()
    };
    server.set_profile(&agent, profile).await;
    let allow = [
        ("decision", "allow"),
        ("scope", "goals"),
        ("until", "never"),
    ];
    // Nothing that a request brings leads anywhere else.
    let evil = "https://evil.example/";
    let names = [
        "return_url",
        "return_to",
        "redirect_uri",
        "url",
        "next",
        "back",
    ];
    for decision in [&refuse[..], &allow] {
        let mut fields = decision.to_vec();
        fields.extend(names.map(|name| (name, evil)));
        let query = format!("{path}?return_url={evil}&return_to={evil}&next={evil}");
        let page = browser.submit(&path, &fields).await;
        assert_eq!(back(&page).unwrap(), registered.replace('&', "&#38;"));
        page.assert_lacks("evil");
        let page = browser.get(&query).await;
        assert!(!page.contains("evil") && back(&page).is_none(), "{page}");
        let referred = browser.request("POST", &path).header("referer", evil);
        let answer = referred.form(&fields).made_for(&browser.mark).send().await;
        assert_eq!(answer.header("location"), Some(&*format!("{path}#done")));
    }
}

#[tokio::test]
async fn an_agent_is_refused_at_its_page_and_listed_as_such() {
    let (server, agent, ada) = in_mode(Ask).start_with_ada().await;
    let browser = Browser::of(&server, &ada).await;
    assert!(inject_asks(&agent, &ada).await.is_some());
    let path = format!("/consent/{}", agent.id);
    let page = browser.submit(&path, &[("decision", "refuse")]).await;
    page.assert_has("you won’t be asked about it again");
    let page = browser.apps().await;
    assert!(page.contains("<strong>refused</strong>") && !page.contains("waiting for you"));
    let page = browser.page().await;
    page.assert_lacks("waiting for you");
    page.assert_has("You refused access to <bdi>an agent</bdi>");
    browser
        .get(&path)
        .await
        .assert_has("You refused it or ended its access before.");
}

#[tokio::test]
async fn everything_is_paused_and_resumed_in_one_click() {
    let (server, agent, ada) = Setup::auto().start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    let browser = Browser::of(&server, &ada).await;
    let page = browser.submit("/account/pause", &[("pause", "yes")]).await;
    assert!(page.contains("Everything is paused") && page.contains("End the pause"));
    let apps = browser.apps().await;
    apps.assert_has("<strong>paused</strong>");
    apps.assert_lacks("<strong>has access</strong>");
    assert_eq!(agent.reason(&ada).await.unwrap(), "no_scopes");
    let page = browser.submit("/account/pause", &[("pause", "no")]).await;
    assert!(!page.contains("End the pause") && page.contains("Pause everything"));
    assert!(browser.apps().await.contains("<strong>has access</strong>"));
    assert!(agent.prompt(&ada).await.contains("Helix"));
    assert_eq!(browser.deeds().await, [("resume", 0), ("pause", 0)]);
    let text = browser.post("/account/pause", &[("pause", "maybe")]).await;
    assert_eq!(text.assert_error(400), "pause: expected yes or no");
}

#[tokio::test]
async fn a_user_chooses_to_be_asked() {
    let server = in_mode(Auto).start().await;
    let browser = Browser::of(&server, &user("ada")).await;
    browser
        .apps()
        .await
        .assert_has("every connected app gets access automatically");
    let page = browser
        .submit("/account/ask-first", &[("ask", "yes")])
        .await;
    page.assert_has("New apps must ask you now.");
    assert!(
        inject_asks(&server.agent().await, &user("ada"))
            .await
            .is_some()
    );
    let page = browser.submit("/account/ask-first", &[("ask", "no")]).await;
    page.assert_has("New apps must ask me");
    assert_eq!(
        browser.deeds().await,
        [("ask_by_mode", 0), ("ask_first", 0)]
    );

    let server = in_mode(Ask).start().await;
    let browser = Browser::of(&server, &user("ada")).await;
    assert!(browser.apps().await.contains("New apps must ask you here"));
}

#[tokio::test]
async fn agents_that_let_themselves_in_are_pointed_out_until_they_were_seen() {
    let server = in_mode(Auto).start().await;
    let ada = user("ada");
    let first = server.agent_named("First").await;
    let allowed = server.agent_named("Asked").await;
    first.injects(&ada).await;
    server.user_allows(&ada, &allowed).await;
    let browser = Browser::of(&server, &ada).await;
    let notice = |page: &str| {
        let (_, rest) = page.split_once("New since you last looked")?;
        Some(rest.split("</section>").next().unwrap().to_owned())
    };
    let shown = notice(&browser.page().await).unwrap();
    shown.assert_has("First");
    shown.assert_lacks("Asked");
    // To look is not enough: the notice stays until somebody says that it was read.
    assert!(notice(&browser.page().await).is_some());
    let seen = browser.post("/account/access-seen", &[]).await;
    assert_eq!(seen.header("location"), Some("/account"));
    assert_eq!(notice(&browser.page().await), None);
    server.agent_named("Second").await.injects(&ada).await;
    let shown = notice(&browser.page().await).unwrap();
    shown.assert_has("Second");
    shown.assert_lacks("First");
}

#[tokio::test]
async fn developers_say_what_users_are_told() {
    let (server, ann) = Developer::start().await;
    let (agent, _) = ann.creates("Trip Planner", &["goals"]).await;
    let path = "/dashboard/agents/profile";
    let mut fields = vec![("agent_id", &*agent), ("purpose", "Plans trips.")];
    fields.push(("url", "https://a.example"));
    fields.push(("return_url", "http://localhost:3000/chat"));
    // One for each scope: needed are those with a reason.
    let reasons = ["", "", "", "", "", "", "To plan around them."];
    fields.extend(reasons.map(|reason| ("need", reason)));
    let page = ann.submit(path, &fields).await;
    page.assert_has("Saved. Users see it");
    assert!(page.contains(r#"value="Plans trips.""#) && page.contains("https://a.example/"));
    page.assert_has(r#"value="http://localhost:3000/chat""#);
    page.assert_has(r#"value="To plan around them.""#);
    let saved = server
        .console
        .agent_profile(Manager::Operator, &agent)
        .await;
    let needs = [(Scope::Goals, "To plan around them.".to_owned())];
    assert_eq!(saved.unwrap().needs, needs.into());
    fields[2] = ("url", "javascript:1");
    let wrong = ann
        .request("POST", path)
        .header("accept", "text/html")
        .form(&fields)
        .made_for(&ann.mark);
    let wrong = wrong.gets(400).await;
    wrong.body.assert_has("Not saved. Fix the field below.");
    wrong.body.assert_has(r#"value="javascript:1""#);
    ann.post(path, &fields)
        .await
        .assert_bad_request("url: expected an address");
    let long = "x".repeat(201);
    for (field, value, named) in [
        (
            "return_url",
            "http://a.example/",
            "return_url: expected an https address",
        ),
        ("need", &*long, "need_general: expected at most 200 bytes"),
    ] {
        let fields = [("agent_id", &*agent), (field, value)];
        let text = ann.form(path, &fields).gets_error(400).await;
        assert!(text.starts_with(named), "{text}");
        let page = ann.post_for_page(path, &fields).await.body;
        assert!(page.contains(value) && page.contains(r#"aria-invalid="true""#));
    }
}
