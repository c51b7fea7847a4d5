//! Making and revoking keys.

use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{Developer, Server, Setup, shown_key, user};

/// The key's row in the table of an agent's page.
fn row<'p>(page: &'p str, key: &str) -> &'p str {
    let prefix = format!("<code>{}…</code>", &key[..11]);
    let (_, rest) = page.split_once(&prefix).unwrap();
    rest.split("</tr>").next().unwrap()
}

#[tokio::test]
async fn a_key_is_shown_once_with_all_that_uses_it() {
    let public_url = "https://memory.example.com";
    let server = Setup::new().public_url(public_url).start().await;
    let ann = Developer::new(&server, "ann@example.com").await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    let fields = [("agent_id", &*agent_id), ("scope", "knowledge")];
    let page = ann.post("/dashboard/keys", &fields).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let key = shown_key(&page.body);
    let known = server.core().authenticate(key).await.unwrap();
    assert_eq!(
        (&*known.agent_id, known.scopes),
        (&*agent_id, Scope::Knowledge.into())
    );
    assert!(page.body.contains(r#"data-copy="key""#));
    for ready in [
        "curl &#39;https://memory.example.com/api/context/inject&#39; \\",
        &format!("-H &#39;Authorization: Bearer {key}&#39;"),
        "export CTXMEM_BASE_URL=&#39;https://memory.example.com&#39;",
        &format!("export CTXMEM_API_KEY=&#39;{key}&#39;"),
        "let memory = Client::from_env()?;",
    ] {
        let text = page.body.replace('\'', "&#39;");
        assert!(text.contains(ready), "{ready} in {text}");
    }
    for path in ["/dashboard", "/dashboard/playground"] {
        assert!(!ann.page(path).await.contains(key));
    }
    let page = ann.agent_page(&agent_id).await;
    assert!(!page.contains(key));
    assert!(row(&page, key).contains("<td>knowledge</td>"));
    assert!(row(&page, key).contains("never"));
    let made = format!("create_key developer {}", ann.id);
    assert_eq!(server.audited(&agent_id).await.last(), Some(&made));
}

#[tokio::test]
async fn the_last_use_is_seen() {
    let server = Server::start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    let page = ann.agent_page(&agent.id).await;
    assert!(row(&page, &agent.key).contains("<td>never</td>"));
    agent.injects(&user("ada")).await;
    server.core().flush_key_use().await.unwrap();
    let page = ann.agent_page(&agent.id).await;
    assert!(!row(&page, &agent.key).contains("never"));
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
        assert!(page.contains("The key is revoked."));
        assert!(row(&page, &agent.key).contains(r#"<span class="badge bad">revoked</span>"#));
        assert!(!page.contains(&format!(r#"name="key_id" value="{}""#, agent.key_id)));
        assert!(row(&page, &second.key).contains(r#"<span class="badge good">live</span>"#));
    }
    assert!(
        agent
            .client
            .inject(&user("ada"), "Be brief.")
            .await
            .is_err()
    );
    second
        .client
        .inject(&user("ada"), "Be brief.")
        .await
        .unwrap();
    // The second time it was revoked already.
    let revoked = format!("revoke_key developer {}", ann.id);
    let events = server.audited(&agent.id).await;
    assert_eq!(events.iter().filter(|event| **event == revoked).count(), 1);
}

#[tokio::test]
async fn actions_of_operators_are_recorded_as_theirs() {
    let server = Server::start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let manager = ctxmem_server::core::Manager::Operator;
    let core = server.core();
    core.revoke_key(manager, agent.key_id.clone())
        .await
        .unwrap();
    assert_eq!(
        server.audited(&agent.id).await,
        [
            "create_agent operator ",
            "create_key operator ",
            "revoke_key operator "
        ]
    );
}

#[tokio::test]
async fn a_key_has_a_scope_at_least() {
    let server = Server::start().await;
    let ann = Developer::new(&server, "ann@example.com").await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    for fields in [
        &[("agent_id", &*agent_id)][..],
        &[("agent_id", &*agent_id), ("scope", "everything")],
        &[("scope", "goals")],
    ] {
        let answer = ann.post("/dashboard/keys", fields).await;
        answer.assert_error(400, "BAD_REQUEST");
    }
    assert_eq!(server.core().keys().await.unwrap().len(), 1);
}
