//! The playground: the same rules as any call, and test users only.

use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{Developer, HELLO, RawResponse, Setup, Text as _, fields, user};

async fn run(ann: &Developer, key_id: &str, action: &str, user: &str) -> RawResponse {
    let fields = [
        ("key_id", key_id),
        ("user", user),
        ("action", action),
        ("base_prompt", "Be brief."),
        ("message", HELLO),
        ("answer", "Noted."),
        ("query", "Which editor?"),
    ];
    ann.post("/dashboard/playground", &fields).await
}

/// What the page shows, as text.
fn text(page: &RawResponse) -> String {
    assert_eq!(page.status, 200, "{}", page.body);
    page.body.replace("&#34;", "\"").replace("&quot;", "\"")
}

#[tokio::test]
async fn a_turn_is_tried_and_shown_whole() {
    let (_, agent, ann) = Developer::start_with_agent().await;
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    let id = format!("playground:{}:ada", ann.id);
    page.assert_has_all([
        "POST /api/context/update",
        &format!("authorization: Bearer {}…", &agent.key[..11]),
        "content-type: application/json",
        &format!(r#""userId": "{id}""#),
        r#""userMessage": "My name is Ada and I live in Lisbon. I use Helix as my editor.""#,
        "200 OK",
        r#""updated": true"#,
        r#""value": "Lisbon""#,
    ]);
    assert!(!page.contains(&agent.key));
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    page.assert_has("POST /api/context/inject");
    page.assert_has(r"location: Lisbon\n");
    // The agent itself finds the same under that id.
    assert!(agent.prompt(&user(&id)).await.contains("Lisbon"));
}

#[tokio::test]
async fn what_is_stored_is_read_listed_and_searched() {
    let (_, agent, ann) = Developer::start_with_agent().await;
    run(&ann, &agent.key_id, "update", "ada").await;
    let id = format!("/api/context/playground%3A{}%3Aada", ann.id);
    for (action, call, found) in [
        ("read", format!("GET {id}"), r#""preferences""#),
        ("list", format!("GET {id}/facts"), r#""canDelete": true"#),
        (
            "search",
            format!("POST {id}/facts/search"),
            r#""query": "Which editor?""#,
        ),
    ] {
        let page = text(&run(&ann, &agent.key_id, action, "ada").await);
        assert!(page.contains(&format!("{call}\n")), "{call} in {page}");
        assert!(page.contains(found) && page.contains("Helix"), "{page}");
        // The command can be pasted as it is.
        page.assert_has(&id);
        page.assert_has("curl &#39;http");
    }
    let page = ann.get("/api/docs").await;
    for place in ["try-inject", "try-update", "try-read"] {
        let link = format!(r#"href="/dashboard/playground#{place}""#);
        assert!(page.contains(&link), "{place}");
        let playground = ann.get("/dashboard/playground").await;
        assert!(playground.contains(&format!(r#"id="{place}""#)), "{place}");
    }
    run(&ann, &agent.key_id, "wipe", "ada")
        .await
        .assert_error(400);
}

#[tokio::test]
async fn no_real_user_can_be_looked_at() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    agent
        .tells(&user("ada"), "My name is Ada and I live in Ulm.")
        .await;
    for name in ["ada", " ada ", "Ada"] {
        text(&run(&ann, &agent.key_id, "inject", name).await).assert_lacks("Ulm");
    }
    let bob = Developer::new(&server, "bob@example.com").await;
    let foreign = format!("playground:{}:ada", bob.id);
    for name in ["", "..", &foreign, "a:b", "a/../b", "a\0"] {
        let answer = run(&ann, &agent.key_id, "inject", name).await;
        if name == ".." {
            // It is part of an id here, not an id.
            assert_eq!(answer.status, 200);
            continue;
        }
        answer.assert_bad_request("user: ");
    }
    assert_eq!(server.grants_of(&user("ada")).await.len(), 1);
}

#[tokio::test]
async fn keys_scopes_and_what_was_revoked_hold_as_elsewhere() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let narrow = server.key_of(&agent, Scope::Goals.into()).await;
    text(&run(&ann, &narrow.key_id, "update", "eve").await).assert_has(r#""denied_scopes""#);
    let fields = [("key_id", &*narrow.key_id)];
    ann.submit("/dashboard/keys/revoke", &fields).await;
    let answer = run(&ann, &narrow.key_id, "update", "eve").await;
    answer.assert_bad_request("key: ");
    let page = ann.get("/dashboard/playground").await;
    assert!(page.contains(&agent.key_id) && !page.contains(&narrow.key_id));
}

#[tokio::test]
async fn calls_count_towards_rate_limit_and_quota() {
    let server = Setup::auto().rate_limit(2).monthly_quota(1).start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    page.assert_has(r#""updated": true"#);
    page.assert_has("x-ratelimit-remaining: 1");
    text(&run(&ann, &agent.key_id, "update", "ada").await).assert_has(r#""limitReached": true"#);
    text(&run(&ann, &agent.key_id, "update", "ada").await).assert_has("429 Too Many Requests");
    // What a conversation waits for is counted by itself.
    agent.injects(&user("ada")).await;
    agent.injects(&user("ada")).await;
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    page.assert_has("429 Too Many Requests");
    assert!(page.contains("retry-after: ") && page.contains(r#""code": "RATE_LIMITED""#));
}

#[tokio::test]
async fn a_test_user_can_be_erased_and_begun_anew() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let bob_agent = server.agent_of("bob@example.com", ScopeSet::ALL).await;
    let bob = Developer::existing(&server, "bob@example.com").await;
    run(&ann, &agent.key_id, "update", "ada").await;
    run(&bob, &bob_agent.key_id, "update", "ada").await;
    agent.tells(&user("ada"), HELLO).await;
    for name in ["ada", "never seen"] {
        let page = ann
            .submit("/dashboard/playground/erase", &[("user", name)])
            .await;
        page.assert_has("The test user is erased");
    }
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    page.assert_has(r#""reason": "empty""#);
    page.assert_lacks("location: Lisbon");
    text(&run(&ann, &agent.key_id, "update", "ada").await).assert_has(r#""value": "Lisbon""#);
    // Neither the real user of that name nor the test user of another developer is.
    assert!(agent.prompt(&user("ada")).await.contains("Lisbon"));
    text(&run(&bob, &bob_agent.key_id, "inject", "ada").await).assert_has("location: Lisbon");
    ann.form("/dashboard/playground/erase", &[("user", "a:b")])
        .gets_error(400)
        .await;
}

#[tokio::test]
async fn an_invalid_call_is_refused() {
    let (_, agent, ann) = Developer::start_with_agent().await;
    for (sent, named) in [
        ("user=ada&action=inject", "key_id: "),
        ("user=ada&key_id={key}", "action: "),
        ("user=ada&key_id={key}&action=delete", "action: "),
        ("user=ada&key_id={key}&action=inject", "base_prompt: "),
        ("key_id={key}&action=inject", "user: "),
    ] {
        let sent = sent.replace("{key}", &agent.key_id);
        let answer = ann.post("/dashboard/playground", &fields(&sent)).await;
        answer.assert_bad_request(named);
    }
}

#[tokio::test]
async fn the_last_calls_are_listed_as_commands_until_the_test_user_is_erased() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let bob = Developer::new(&server, "bob@example.com").await;
    text(&run(&ann, &agent.key_id, "inject", "ada").await).assert_has("Your last calls");
    run(&ann, &agent.key_id, "update", "ada").await;
    let page = ann.get("/dashboard/playground").await;
    for (shown, times) in [
        ("<code>POST /api/context/inject</code>", 1),
        ("<code>POST /api/context/update</code>", 1),
        ("Authorization: Bearer $CTXMEM_API_KEY", 2),
    ] {
        assert_eq!(page.matches(shown).count(), times, "{shown} in {page}");
    }
    assert!(!page.contains(&agent.key));
    bob.get("/dashboard/playground")
        .await
        .assert_lacks("Your last calls");
    let page = ann
        .submit("/dashboard/playground/erase", &[("user", "ada")])
        .await;
    page.assert_lacks("Your last calls");
}
