//! Making and revoking keys.

use chrono::Duration;
use ctxmem_server::core::{KeyTerms, Manager};
use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{
    Developer, HELLO, Server, Setup, Text as _, between, exact, refused, shown_key, user,
};

/// The key's row in the table of an agent's page.
fn row<'p>(page: &'p str, key: &str) -> &'p str {
    let prefix = format!("<code>{}…</code>", &key[..11]);
    between(page, &prefix, "</tr>")
}

#[tokio::test]
async fn a_key_is_shown_once_with_all_that_uses_it() {
    let public_url = "https://memory.example.com";
    let (server, ann) = Developer::start_on(Setup::new().public_url(public_url)).await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    let fields = [("agent_id", &*agent_id), ("scope", "knowledge")];
    let made = ann.post("/dashboard/keys", &fields).await;
    let page = ann.shown_once(&made).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let key = shown_key(&page.body);
    let unused = ann.agent_page(&agent_id).await;
    assert!(row(&unused, key).contains("no use recorded yet"));
    let known = server.grants.authenticate(key).await.unwrap();
    assert_eq!(
        (&*known.agent_id, known.scopes),
        (&*agent_id, Scope::Knowledge.into())
    );
    page.body.assert_has(r#"data-copy="key""#);
    for ready in [
        "curl &#34;$CTXMEM_BASE_URL/api/context/inject&#34; \\",
        "-H &#34;Authorization: Bearer $CTXMEM_API_KEY&#34;",
        "export CTXMEM_BASE_URL=&#39;https://memory.example.com&#39;",
        &format!("export CTXMEM_API_KEY=&#39;{key}&#39;"),
        "let memory = Client::from_env()?;",
    ] {
        let text = page.body.replace('\'', "&#39;").replace('"', "&#34;");
        assert!(text.contains(ready), "{ready} in {text}");
    }
    for path in ["/dashboard", "/dashboard/playground"] {
        assert!(!ann.get(path).await.contains(key));
    }
    let page = ann.agent_page(&agent_id).await;
    assert!(!page.contains(key));
    assert!(row(&page, key).contains("<td>knowledge</td>"));
    // The request above is known before it is stored.
    assert!(!row(&page, key).contains("no use recorded yet"));
    let made = format!("create_key developer {}", ann.id);
    assert_eq!(server.store.audited(&agent_id).await.last(), Some(&made));
}

#[tokio::test]
async fn the_last_use_is_seen() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let page = ann.agent_page(&agent.id).await;
    assert!(row(&page, &agent.key).contains("<td>no use recorded yet</td>"));
    agent.injects(&user("ada")).await;
    // It is seen before it is stored, and after that.
    for _ in 0..2 {
        let page = ann.agent_page(&agent.id).await;
        assert!(!row(&page, &agent.key).contains("no use recorded yet"));
        server.grants.flush_key_use().await.unwrap();
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_from_then_on_and_others_are_not() {
    let server = Server::start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let second = server.key_of(&agent, ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    for _ in 0..2 {
        let fields = [("key_id", &*agent.key_id)];
        let page = ann.submit("/dashboard/keys/revoke", &fields).await;
        page.assert_has("The key is revoked.");
        assert!(row(&page, &agent.key).contains(r#"<span class="badge bad">revoked</span>"#));
        page.assert_lacks(format!("/dashboard/keys/{}#revoke", agent.key_id));
        assert!(row(&page, &second.key).contains(r#"<span class="badge good">live</span>"#));
    }
    assert!(agent.inject(&user("ada"), "Be brief.").await.is_err());
    second.injects(&user("ada")).await;
    // The second time it was revoked already.
    let revoked = format!("revoke_key developer {}", ann.id);
    let events = server.store.audited(&agent.id).await;
    assert_eq!(events.iter().filter(|event| **event == revoked).count(), 1);
}

#[tokio::test]
async fn actions_of_operators_are_recorded_as_theirs() {
    let server = Server::start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    server.revoke_key(&agent.key_id).await;
    assert_eq!(
        server.store.audited(&agent.id).await,
        [
            "create_agent operator ",
            "create_key operator ",
            "revoke_key operator "
        ]
    );
}

#[tokio::test]
async fn a_key_has_a_scope_at_least() {
    let (server, ann) = Developer::start().await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    for fields in [
        &[("agent_id", &*agent_id)][..],
        &[("agent_id", &*agent_id), ("scope", "everything")],
        &[("scope", "goals")],
    ] {
        ann.form("/dashboard/keys", fields).gets_error(400).await;
    }
    assert_eq!(server.grants.keys().await.unwrap().len(), 1);
}

#[tokio::test]
async fn whoever_reloads_the_page_of_a_new_key_makes_no_other() {
    let (server, ann) = Developer::start().await;
    let keys = async || server.grants.keys().await.unwrap().len();
    let scope = ("scope", "goals");
    let agent = ann
        .post("/dashboard/agents", &[("name", "Helper"), scope])
        .await;
    let page = ann.shown_once(&agent).await;
    let key = shown_key(&page.body).to_owned();
    let location = agent.header("location").unwrap();
    assert!(!location.contains(&key) && !location.contains("ctxm_"));
    let cookie = agent.cookie("ctxmem_once").unwrap();
    assert!(!cookie.contains(&key[5..]), "the key is in clear: {cookie}");
    cookie.assert_has_all([
        "; HttpOnly",
        "; SameSite=Lax",
        "; Path=/dashboard",
        "; Max-Age=600",
    ]);
    let cleared = page.cookie("ctxmem_once").unwrap();
    assert!(cleared.starts_with("ctxmem_once=;") && cleared.contains("; Max-Age=0"));
    // When it is reloaded, the page no longer has a cookie, and it was asked for by GET.
    let reloaded = ann.get(location).await;
    assert!(!reloaded.contains(&key), "{reloaded}");
    assert_eq!(keys().await, 1);
    // The cookie of one page says nothing on another, and nothing to another session.
    let agent_id = server.console.agents().await.unwrap()[0].0.id.clone();
    let fields = [("agent_id", &*agent_id), scope];
    let second = ann.post("/dashboard/keys", &fields).await;
    assert_eq!(keys().await, 2);
    let stolen = format!("{}; {}", ann.cookie, second.cookie_pair("ctxmem_once"));
    let elsewhere = server.get(location).cookie(&stolen).send().await;
    assert!(elsewhere.status == 200 && !elsewhere.body.contains("id=\"key\""));
    let again = Developer::existing(&server, "ann@example.com").await;
    let page = again.shown_once(&second).await;
    assert!(page.status == 200 && !page.body.contains("id=\"key\""));
}

#[tokio::test]
async fn a_key_that_has_expired_is_refused_at_once_by_every_call() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let terms = KeyTerms {
        scopes: ScopeSet::ALL,
        name: Some("nightly".to_owned()),
        lifetime: Some(Duration::hours(1)),
    };
    let made = server
        .grants
        .create_key(Manager::Operator, agent.id.clone(), terms);
    let key = secrecy::ExposeSecret::expose_secret(&made.await.unwrap().api_key).to_owned();
    let client = exact(&server.url).api_key(key.clone()).build().unwrap();
    let ada = user("ada");
    // Everything that is cached of key, grant and answer is from before.
    clock.advance(Duration::minutes(60) - Duration::milliseconds(1));
    for _ in 0..2 {
        client.inject(&ada, "Be brief.").await.unwrap();
        client.update(&ada, HELLO, "Noted.").await.unwrap();
        client.context(&ada).await.unwrap();
    }
    let ann = Developer::existing(&server, "ann@example.com").await;
    let page = ann.agent_page(&agent.id).await;
    assert!(row(&page, &key).contains("nightly") && row(&page, &key).contains(">live<"));
    clock.advance(Duration::milliseconds(1));
    refused(client.inject(&ada, "Be brief.").await, 401);
    refused(client.update(&ada, HELLO, "Noted.").await, 401);
    refused(client.context(&ada).await, 401);
    refused(client.delete_context(&ada).await, 401);
    let page = ann.agent_page(&agent.id).await;
    assert!(row(&page, &key).contains(">expired<"), "{page}");
    assert!(!ann.get("/dashboard/playground").await.contains(&key[..11]));
    // Once it is noted it stays expired, whatever the clock does.
    server.grants.note_expired_grants().await.unwrap();
    clock.set("2026-03-01T09:30:00Z");
    refused(client.inject(&ada, "Be brief.").await, 401);
    agent.injects(&ada).await;
}

#[tokio::test]
async fn an_update_with_a_key_that_expired_since_its_last_use_stores_nothing() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ada = user("ada");
    agent.injects(&ada).await;
    // The key is in the cache, from when it had no end.
    let grants = &server.grants;
    grants
        .rotate_key(
            Manager::Operator,
            agent.key_id.clone(),
            Duration::minutes(5),
        )
        .await
        .unwrap();
    clock.advance(Duration::minutes(5));
    refused(agent.update(&ada, HELLO, "Noted.").await, 401);
    let second = server.key_of(&agent, ScopeSet::ALL).await;
    let known = second.inject(&ada, "Be brief.").await.unwrap();
    assert!(!known.prompt().contains("Ada"), "{}", known.prompt());
}

#[tokio::test]
async fn a_replaced_key_works_until_its_grace_is_over() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let ada = user("ada");
    agent.injects(&ada).await;
    let fields = [("key_id", &*agent.key_id), ("grace", "24")];
    let answer = ann.post("/dashboard/keys/rotate", &fields).await;
    let new = shown_key(&ann.shown_once(&answer).await.body).to_owned();
    let client = exact(&server.url).api_key(new.clone()).build().unwrap();
    client.inject(&ada, "Be brief.").await.unwrap();
    agent.injects(&ada).await;
    let page = ann.agent_page(&agent.id).await;
    let old_row = row(&page, &agent.key);
    assert!(old_row.contains("replaced") && old_row.contains("2 Mar 2026, 09:00 UTC"));
    // It has one successor.
    let again = ann.post("/dashboard/keys/rotate", &fields).await;
    again.assert_error(409);
    assert_eq!(server.grants.keys().await.unwrap().len(), 2);
    clock.advance(Duration::hours(24));
    refused(agent.inject(&ada, "Be brief.").await, 401);
    client.inject(&ada, "Be brief.").await.unwrap();
    let rotated = format!("rotate_key developer {}", ann.id);
    assert_eq!(server.store.audited(&agent.id).await.last(), Some(&rotated));
}

#[tokio::test]
async fn without_grace_a_replaced_key_is_refused_at_once() {
    let (_, agent, ann) = Developer::start_with_agent().await;
    agent.injects(&user("ada")).await;
    for grace in ["", "x", "-1", "721", "99999"] {
        let fields = [("key_id", &*agent.key_id), ("grace", grace)];
        let answer = ann.post("/dashboard/keys/rotate", &fields).await;
        answer.assert_bad_request("grace: expected");
    }
    agent.injects(&user("ada")).await;
    let fields = [("key_id", &*agent.key_id), ("grace", "0")];
    ann.post("/dashboard/keys/rotate", &fields).await;
    refused(agent.inject(&user("ada"), "Be brief.").await, 401);
    let page = ann.agent_page(&agent.id).await;
    assert!(row(&page, &agent.key).contains(">revoked<"), "{page}");
}

#[tokio::test]
async fn a_form_that_makes_no_key_comes_back_as_it_was_filled_in() {
    let (server, ann) = Developer::start().await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    let asks = async |path: &str, fields: &[(&str, &str)]| {
        let page = ann.post_for_page(path, fields).await;
        assert_eq!(page.status, 400, "{}", page.body);
        page.body
    };
    // Nothing is ticked before somebody ticks it.
    let page = ann.agent_page(&agent_id).await;
    assert!(page.contains(r#"name="scope""#) && !page.contains(" checked"));
    let long = "n".repeat(101);
    for (name, days, scope, problem) in [
        (
            "nightly",
            "30",
            "",
            r#"id="again-scope-wrong">Choose from the scopes"#,
        ),
        (
            "nightly",
            "4000",
            "goals",
            r#"id="again-expires_in-wrong">Enter a number of days"#,
        ),
        (
            "nightly",
            "soon",
            "goals",
            r#"id="again-expires_in-wrong">Enter a number of days"#,
        ),
        (
            &*long,
            "30",
            "goals",
            r#"id="again-name-wrong">Enter 1 to 100 characters"#,
        ),
    ] {
        let fields = [
            ("agent_id", &*agent_id),
            ("name", name),
            ("expires_in", days),
            ("scope", scope),
        ];
        let page = asks("/dashboard/keys", &fields).await;
        page.assert_has("Not saved. Fix the field below.");
        assert!(page.contains(problem), "{problem} in {page}");
        assert_eq!(page.matches(" autofocus").count(), 1, "{page}");
        page.assert_has(format!(r#"name="name" value="{name}""#));
        assert_eq!(page.contains(r#"value="goals" checked"#), scope == "goals");
        let (_, lengths) = page.split_once(r#"name="expires_in""#).unwrap();
        let (lengths, _) = lengths.split_once("</select>").unwrap();
        assert_eq!(lengths.contains(r#"value="30" selected"#), days == "30");
    }
    let page = asks("/dashboard/agents", &[("name", "Second")]).await;
    page.assert_has(r#"id="again-scope-wrong">Choose at least one"#);
    page.assert_has(r#"value="Second""#);
    assert_eq!(server.grants.keys().await.unwrap().len(), 1);
    let fields = [
        ("agent_id", &*agent_id),
        ("name", " nightly "),
        ("expires_in", "30"),
        ("scope", "goals"),
    ];
    let made = ann.post("/dashboard/keys", &fields).await;
    let key = shown_key(&ann.shown_once(&made).await.body).to_owned();
    let page = ann.agent_page(&agent_id).await;
    assert!(row(&page, &key).contains("until <time"), "{page}");
    page.assert_has("<bdi>nightly</bdi>");
}
