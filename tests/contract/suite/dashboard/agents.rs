//! Making, seeing and renaming agents.

use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{Developer, Setup, Text as _, hidden, user};

#[tokio::test]
async fn an_agent_is_made_with_a_key_that_works_at_once() {
    let (server, ann) = Developer::start().await;
    ann.get("/dashboard")
        .await
        .assert_has("You have no agents yet");
    let (agent_id, key) = ann.creates(" Helper ", &["goals", "general"]).await;
    let inject = server.raw("POST", "/api/context/inject").key(&key);
    let body = serde_json::json!({"userId": "ada", "basePrompt": "Be brief."});
    assert_eq!(inject.json(&body).send().await.status, 200);
    let scopes: ScopeSet = [Scope::General, Scope::Goals].into_iter().collect();
    let grants = server.grants_of(&user("ada")).await;
    assert_eq!(grants[0].0.scopes, scopes);

    ann.get("/dashboard").await.assert_has(format!(
        r#"<a href="/dashboard/agents/{agent_id}"><bdi>Helper</bdi></a>"#
    ));
    let page = ann.agent_page(&agent_id).await;
    assert!(page.contains("<h1><bdi>Helper</bdi></h1>") && page.contains(&agent_id));
    // A key is shown once.
    page.assert_has(&key[..11]);
    page.assert_lacks(&key);
    page.assert_has("<td>general, goals</td>");
    let made = format!("create_agent developer {}", ann.id);
    let keyed = format!("create_key developer {}", ann.id);
    assert_eq!(server.store.audited(&agent_id).await, [made, keyed]);
}

#[tokio::test]
async fn an_id_that_is_no_agent_is_refused_and_creates_nothing() {
    let (server, ann) = Developer::start().await;
    let long = "a".repeat(101);
    for (fields, named) in [
        (&[("name", " "), ("scope", "goals")][..], "name: "),
        (&[("name", &*long), ("scope", "goals")], "name: "),
        (&[("name", "a\nb"), ("scope", "goals")], "name: "),
        (&[("scope", "goals")], "name: "),
        (&[("name", "Helper")], "scope: "),
        (&[("name", "Helper"), ("scope", "everything")], "scope: "),
        (&[("name", "Helper"), ("scope", "")], "scope: "),
    ] {
        let answer = ann.post("/dashboard/agents", fields).await;
        answer.assert_bad_request(named);
    }
    assert!(server.console.agents().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_new_name_is_seen_by_developer_and_users() {
    let (server, ann) = Developer::start_on(Setup::auto()).await;
    let (agent_id, key) = ann.creates("Helper", &["goals"]).await;
    let key = server.grants.authenticate(&key).await.unwrap();
    let request = ctxmem_types::InjectRequest::new(user("ada"), "Be brief.");
    server.memory.inject(&key, request).await.unwrap();

    let page = ann.agent_page(&agent_id).await;
    assert_eq!(hidden(&page, "agent_id"), agent_id);
    let fields = [("agent_id", &*agent_id), ("name", "Better helper")];
    let page = ann.submit("/dashboard/agents/rename", &fields).await;
    page.assert_has("<h1><bdi>Better helper</bdi></h1>");
    page.assert_has(">The agent has its new name.</p>");
    let access = server.grants.access(&user("ada")).await.unwrap();
    assert_eq!(access[0].access.agent_name, "Better helper");
    assert!(!access[0].access.agent_deleted);

    let fields = [("agent_id", &*agent_id), ("name", "")];
    let answer = ann.post("/dashboard/agents/rename", &fields).await;
    answer.assert_error(400);
    assert!(ann.get("/dashboard").await.contains("Better helper"));
    let renamed = format!("rename_agent developer {}", ann.id);
    assert_eq!(server.store.audited(&agent_id).await[2..], [renamed]);
}

#[tokio::test]
async fn users_are_counted_while_their_grants_are_active() {
    let clock = std::sync::Arc::new(crate::suite::support::TestClock::at("2026-03-01T09:00:00Z"));
    let setup = crate::suite::support::Setup::new().clock(&clock);
    let server = setup.start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let counted = async || {
        let page = ann.agent_page(&agent.id).await;
        let (before, _) = page.split_once("users who grant it access now").unwrap();
        let figure = before.rsplit_once(r#"<p class="figure">"#).unwrap().1;
        figure.split('<').next().unwrap().to_owned()
    };
    assert_eq!(counted().await, "0");
    for id in ["ada", "bob", "cyd"] {
        agent.injects(&user(id)).await;
    }
    assert_eq!(counted().await, "3");
    // One that replaces another does not count twice.
    server.user_grants(&user("ada"), &agent, Scope::Goals).await;
    assert_eq!(counted().await, "3");
    server.user_revokes(&user("bob"), &agent).await;
    assert_eq!(counted().await, "2");
    server
        .user_allows_until(&user("cyd"), &agent, "2026-03-01T09:10:00Z")
        .await;
    assert_eq!(counted().await, "2");
    clock.advance(chrono::Duration::minutes(10));
    assert_eq!(counted().await, "1");
}
