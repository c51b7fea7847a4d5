//! The playground: the same rules as any call, and test users only.

use ctxmem_server::core::FirstGrant::Auto;
use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{Agent, Developer, HELLO, RawResponse, Server, Setup, user};

async fn scene(server: &Server) -> (Agent, Developer<'_>) {
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    (agent, Developer::existing(server, "ann@example.com").await)
}

async fn run(ann: &Developer<'_>, key_id: &str, action: &str, user: &str) -> RawResponse {
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
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    let id = format!("playground:{}:ada", ann.id);
    for shown in [
        "POST /api/context/update",
        &format!("authorization: Bearer {}…", &agent.key[..11]),
        "content-type: application/json",
        &format!(r#""userId": "{id}""#),
        r#""userMessage": "My name is Ada and I live in Lisbon. I use Helix as my editor.""#,
        "200 OK",
        r#""updated": true"#,
        r#""value": "Lisbon""#,
    ] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    assert!(!page.contains(&agent.key));
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    assert!(page.contains("POST /api/context/inject"));
    assert!(page.contains(r"location: Lisbon\n"), "{page}");
    // The agent itself finds the same under that id.
    assert!(agent.prompt(&user(&id)).await.contains("Lisbon"));
}

#[tokio::test]
async fn what_is_stored_is_read_listed_and_searched() {
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
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
        assert!(
            page.contains(&id) && page.contains("curl &#39;http"),
            "{page}"
        );
    }
    let page = ann.page("/api/docs").await;
    for place in ["try-inject", "try-update", "try-read"] {
        let link = format!(r#"href="/dashboard/playground#{place}""#);
        assert!(page.contains(&link), "{place}");
        let playground = ann.page("/dashboard/playground").await;
        assert!(playground.contains(&format!(r#"id="{place}""#)), "{place}");
    }
    run(&ann, &agent.key_id, "wipe", "ada")
        .await
        .assert_error(400, "BAD_REQUEST");
}

#[tokio::test]
async fn no_real_user_can_be_looked_at() {
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
    agent
        .tells(&user("ada"), "My name is Ada and I live in Ulm.")
        .await;
    for name in ["ada", " ada ", "Ada"] {
        let page = text(&run(&ann, &agent.key_id, "inject", name).await);
        assert!(!page.contains("Ulm"), "{page}");
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
        let text = answer.assert_error(400, "BAD_REQUEST");
        assert!(text.starts_with("user: "), "{text}");
    }
    assert_eq!(
        server
            .core()
            .grants
            .grants(&user("ada"))
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn keys_scopes_and_what_was_revoked_hold_as_elsewhere() {
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
    let narrow = server.key_of(&agent, Scope::Goals.into()).await;
    let page = text(&run(&ann, &narrow.key_id, "update", "eve").await);
    assert!(page.contains(r#""denied_scopes""#), "{page}");
    let fields = [("key_id", &*narrow.key_id)];
    ann.submit("/dashboard/keys/revoke", &fields).await;
    let answer = run(&ann, &narrow.key_id, "update", "eve").await;
    let text = answer.assert_error(400, "BAD_REQUEST");
    assert!(text.starts_with("key: "), "{text}");
    let page = ann.page("/dashboard/playground").await;
    assert!(page.contains(&agent.key_id) && !page.contains(&narrow.key_id));
}

#[tokio::test]
async fn calls_count_towards_rate_limit_and_quota() {
    let setup = Setup::new()
        .first_grant(Auto)
        .rate_limit(2)
        .monthly_quota(1);
    let server = setup.start().await;
    let (agent, ann) = scene(&server).await;
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    assert!(page.contains(r#""updated": true"#));
    assert!(page.contains("x-ratelimit-remaining: 1"), "{page}");
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    assert!(page.contains(r#""limitReached": true"#), "{page}");
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    assert!(page.contains("429 Too Many Requests"), "{page}");
    // What a conversation waits for is counted by itself.
    agent.injects(&user("ada")).await;
    agent.injects(&user("ada")).await;
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    assert!(page.contains("429 Too Many Requests"), "{page}");
    assert!(page.contains("retry-after: ") && page.contains(r#""code": "RATE_LIMITED""#));
}

#[tokio::test]
async fn a_test_user_can_be_erased_and_begun_anew() {
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
    let bob_agent = server.agent_of("bob@example.com", ScopeSet::ALL).await;
    let bob = Developer::existing(&server, "bob@example.com").await;
    run(&ann, &agent.key_id, "update", "ada").await;
    run(&bob, &bob_agent.key_id, "update", "ada").await;
    agent.tells(&user("ada"), HELLO).await;
    for name in ["ada", "never seen"] {
        let page = ann
            .submit("/dashboard/playground/erase", &[("user", name)])
            .await;
        assert!(page.contains("The test user is erased"));
    }
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    assert!(page.contains(r#""reason": "empty""#), "{page}");
    assert!(!page.contains("location: Lisbon"));
    let page = text(&run(&ann, &agent.key_id, "update", "ada").await);
    assert!(page.contains(r#""value": "Lisbon""#), "{page}");
    // Neither the real user of that name nor the test user of another developer is.
    assert!(agent.prompt(&user("ada")).await.contains("Lisbon"));
    let page = text(&run(&bob, &bob_agent.key_id, "inject", "ada").await);
    assert!(page.contains("location: Lisbon"), "{page}");
    let answer = ann
        .post("/dashboard/playground/erase", &[("user", "a:b")])
        .await;
    answer.assert_error(400, "BAD_REQUEST");
}

#[tokio::test]
async fn an_invalid_call_is_refused() {
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
    for (fields, named) in [
        (&[("user", "ada"), ("action", "inject")][..], "key_id: "),
        (&[("user", "ada"), ("key_id", &*agent.key_id)], "action: "),
        (
            &[
                ("user", "ada"),
                ("key_id", &agent.key_id),
                ("action", "delete"),
            ],
            "action: ",
        ),
        (
            &[
                ("user", "ada"),
                ("key_id", &agent.key_id),
                ("action", "inject"),
            ],
            "base_prompt: ",
        ),
        (
            &[("key_id", &*agent.key_id), ("action", "inject")],
            "user: ",
        ),
    ] {
        let answer = ann.post("/dashboard/playground", fields).await;
        let text = answer.assert_error(400, "BAD_REQUEST");
        assert!(text.starts_with(named), "{text}");
    }
}

#[tokio::test]
async fn the_last_calls_are_listed_as_commands_until_the_test_user_is_erased() {
    let server = Server::start().await;
    let (agent, ann) = scene(&server).await;
    let bob = Developer::new(&server, "bob@example.com").await;
    let page = text(&run(&ann, &agent.key_id, "inject", "ada").await);
    assert!(page.contains("Your last calls"), "{page}");
    run(&ann, &agent.key_id, "update", "ada").await;
    let page = ann.page("/dashboard/playground").await;
    for (shown, times) in [
        ("<code>POST /api/context/inject</code>", 1),
        ("<code>POST /api/context/update</code>", 1),
        ("Authorization: Bearer $CTXMEM_API_KEY", 2),
    ] {
        assert_eq!(page.matches(shown).count(), times, "{shown} in {page}");
    }
    assert!(!page.contains(&agent.key));
    assert!(
        !bob.page("/dashboard/playground")
            .await
            .contains("Your last calls")
    );
    let page = ann
        .submit("/dashboard/playground/erase", &[("user", "ada")])
        .await;
    assert!(!page.contains("Your last calls"), "{page}");
}
