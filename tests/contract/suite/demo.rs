//! The demo: what inject shows until a developer's first fact is stored.

use ctxmem_client::{Client, InjectReason};
use ctxmem_server::core::Demo;
use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{BASE, HELLO, Server, Setup, fact, named, user};

const SEEDED: Option<&str> = Some("seeded_demo");
const EMPTY: Option<&str> = Some("empty");

#[tokio::test]
async fn the_demo_is_merged_and_not_recommended_for_caching() {
    let (_server, agent) = Server::with_agent().await;
    let answer = agent.injects(&user("ada")).await;
    let fields: Vec<&str> = answer
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        fields,
        ["injectedPrompt", "cacheHint", "reason", "notice", "seeded"]
    );
    assert_eq!(answer["reason"], "seeded_demo");
    assert_eq!(answer["seeded"], true);
    assert_ne!(answer["notice"].as_str().unwrap(), "");
    assert_eq!(answer["cacheHint"]["recommended"], false);
    assert_eq!(answer["cacheHint"]["retention"], "24h");
    let prompt = answer["injectedPrompt"].as_str().unwrap();
    assert!(prompt.starts_with("System:\n") && prompt.ends_with(&format!("\n\n{BASE}")));
}

#[tokio::test]
async fn every_scope_shows_its_own_part_of_the_demo() {
    let server = Server::start().await;
    let all = server.agent().await.prompt(&user("ada")).await;
    let mut parts = Vec::new();
    for scope in Scope::ALL {
        let agent = server.agent_with(scope.into()).await;
        assert_eq!(agent.reason(&user("ada")).await.as_deref(), SEEDED);
        let prompt = agent.prompt(&user("ada")).await;
        for line in prompt.lines() {
            assert!(all.lines().any(|other| other == line), "{line}");
        }
        assert!(prompt.len() < all.len());
        assert!(!parts.contains(&prompt), "{scope} shows nothing of its own");
        parts.push(prompt);
    }
}

#[tokio::test]
async fn the_demo_is_never_stored() {
    let (_server, agent, ada) = Server::with_ada().await;
    agent.injects(&ada).await;
    assert!(agent.context(&ada).await.unwrap().is_empty());
    agent.tells(&ada, HELLO).await;
    let context = agent.context(&ada).await.unwrap();
    assert_eq!(context.preferences.len(), 1);
    assert_eq!(context.general.unwrap().len(), 2);
    assert!(context.ongoing_tasks.is_empty());
}

#[tokio::test]
async fn the_first_stored_fact_ends_it_for_all_agents_of_the_developer() {
    let server = Server::start().await;
    let writer = server.agent_of("dev@example.com", ScopeSet::ALL).await;
    let colleague = server.agent_of("dev@example.com", ScopeSet::ALL).await;
    let stranger = server.agent().await;
    let (ada, bob) = (user("ada"), user("bob"));
    assert_eq!(colleague.reason(&bob).await.as_deref(), SEEDED);
    writer.tells(&ada, HELLO).await;
    assert_eq!(writer.reason(&ada).await, None);
    for agent in [&writer, &colleague] {
        assert_eq!(agent.reason(&bob).await.as_deref(), EMPTY);
        assert_eq!(agent.prompt(&bob).await, BASE);
    }
    assert_eq!(stranger.reason(&bob).await.as_deref(), SEEDED);
}

#[tokio::test]
async fn a_first_fact_that_replaces_another_developers_ends_it_too() {
    let (model, server) = Server::with_model().await;
    let (earlier, later) = (server.agent().await, server.agent().await);
    let (ada, bob) = (user("ada"), user("bob"));
    model.finds([named(Scope::Preferences, "editor", "VS Code")]);
    earlier.tells(&ada, HELLO).await;
    assert_eq!(later.reason(&bob).await.as_deref(), SEEDED);
    model.finds([named(Scope::Preferences, "editor", "Helix")]);
    later.tells(&ada, HELLO).await;
    assert_eq!(later.reason(&bob).await.as_deref(), EMPTY);
}

#[tokio::test]
async fn updates_that_store_nothing_do_not_end_it() {
    let (model, server) = Server::with_model().await;
    let agent = server.agent_with(Scope::Goals.into()).await;
    let ada = user("ada");
    // Small talk, nothing found, everything denied.
    agent.tells(&ada, "Thanks!").await;
    agent.tells(&ada, HELLO).await;
    model.finds([fact(Scope::Knowledge, "Rust")]);
    agent.tells(&ada, HELLO).await;
    assert_eq!(agent.reason(&ada).await.as_deref(), SEEDED);
}

#[tokio::test]
async fn a_user_with_facts_of_another_developer_sees_no_demo() {
    let server = Server::start().await;
    let (writer, newcomer, ada) = (server.agent().await, server.agent().await, user("ada"));
    writer.tells(&ada, HELLO).await;
    assert_eq!(newcomer.reason(&ada).await, None);
    let narrow = server.agent_with(Scope::Goals.into()).await;
    assert_eq!(narrow.reason(&ada).await.as_deref(), Some("empty_capsule"));
}

#[tokio::test]
async fn it_does_not_come_back_when_everything_is_deleted() {
    let (server, agent, ada) = Server::with_ada().await;
    agent.tells(&ada, HELLO).await;
    agent.delete_context(&ada).await.unwrap();
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reason(&ada).await.as_deref(), EMPTY);
}

#[tokio::test]
async fn a_server_without_a_demo_has_nothing_to_say_at_first() {
    let setup = Setup::new().with(|config| config.settings.demo = Demo::Off);
    let (_server, agent, ada) = setup.start_with_ada().await;
    let answer = agent.injects(&ada).await;
    assert_eq!(answer["injectedPrompt"], BASE);
    assert_eq!(answer["reason"], "empty");
    assert!(answer.get("seeded").is_none());
    agent.tells(&ada, HELLO).await;
    assert_ne!(agent.prompt(&ada).await, BASE);
}

/// Agents leave the demo out unless they ask for it.
#[tokio::test]
async fn a_client_without_a_demo_gives_the_base_prompt_until_the_first_fact() {
    let (server, agent, ada) = Server::with_ada().await;
    let client = Client::builder()
        .base_url(&server.url)
        .api_key(agent.key.clone())
        .build()
        .unwrap();
    let injected = client.inject(&ada, BASE).await.unwrap();
    assert_eq!(injected.prompt(), BASE);
    assert_eq!(injected.reason(), Some(&InjectReason::Empty));
    assert!(!injected.is_seeded() && !injected.is_enriched());
    assert!(agent.inject(&ada, BASE).await.unwrap().is_seeded());
    agent.tells(&ada, HELLO).await;
    assert!(client.inject(&ada, BASE).await.unwrap().is_enriched());
}
