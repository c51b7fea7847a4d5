//! The preview of what an agent would be told, to the letter.

use chrono::Duration;
use ctxmem_types::{Scope, ScopeSet};

use super::browser::Browser;
use super::unescaped;
use crate::suite::support::{Agent, BASE, HELLO, Server, Setup, Text as _, user};

/// The blocks of a page, as a browser shows them.
fn blocks(page: &str) -> Vec<String> {
    page.split("<pre")
        .skip(1)
        .map(|rest| {
            let text = rest.split_once('>').unwrap().1;
            unescaped(text.split("</pre>").next().unwrap())
        })
        .collect()
}

/// What this agent's prompt begins with.
async fn told(agent: &Agent, browser: &Browser) -> String {
    let prompt = agent.prompt(&browser.user).await;
    let block = prompt.strip_suffix(BASE).unwrap();
    block.strip_suffix("\n\n").unwrap_or(block).to_owned()
}

async fn preview(agent: &Agent, browser: &Browser) -> String {
    let path = format!("/account/preview?agent={}", agent.id);
    browser.get(&path).await
}

#[tokio::test]
async fn the_preview_equals_the_injected_block() {
    let server = Setup::new().token_budget(60).start().await;
    let agent = server.agent_named("Agent of Ada").await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    for value in ["C++ & <templates>", "Something \"quoted\", it's here"] {
        browser.adds("knowledge", value).await;
    }
    // Over the budget, so that something is left out.
    for n in 0..20 {
        let goal = format!("Some goal that is long enough, number {n}");
        browser.adds("goals", &goal).await;
    }
    let page = preview(&agent, &browser).await;
    page.assert_has("What <bdi>Agent of Ada</bdi> sees");
    let shown = blocks(&page);
    assert_eq!(shown, [told(&agent, &browser).await]);
    assert!(shown[0].contains("number 19") && !shown[0].contains("number 0\n"));
    // It says that it is not everything.
    let lines = shown[0].matches("\n- ").count();
    page.assert_has(format!("Shows {lines} of 25 facts"));
}

#[tokio::test]
async fn keys_that_reach_different_things_are_shown_apart() {
    let server = Server::start().await;
    let wide = server.agent().await;
    let browser = Browser::of_ada_with(&server, &wide).await;
    let goals: ScopeSet = [Scope::Goals, Scope::Preferences].into_iter().collect();
    let narrow = server.key_of(&wide, goals).await;
    // Within the grant it reaches the same.
    server.key_of(&wide, goals.with(Scope::History)).await;
    let revoked = server.key_of(&wide, Scope::General.into()).await;
    server.revoke_key(&revoked.key_id).await;
    server
        .user_grants(&browser.user, &wide, ScopeSet::ALL.without(Scope::History))
        .await;
    let page = preview(&wide, &browser).await;
    let mut shown = blocks(&page);
    let mut expected = vec![told(&wide, &browser).await, told(&narrow, &browser).await];
    assert_ne!(expected[0], expected[1]);
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected);
    for key in [wide.key_id.clone(), narrow.key_id] {
        server.revoke_key(&key).await;
    }
    let third = server.grants.keys().await.unwrap();
    let third = third.iter().find(|key| key.revoked_at.is_none()).unwrap();
    server.revoke_key(&third.id).await;
    let page = preview(&wide, &browser).await;
    page.assert_has("Nothing: the app has no working key at the moment.");
    assert!(blocks(&page).is_empty());
}

#[tokio::test]
async fn a_preview_without_facts_says_why() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent().await;
    let browser = Browser::of_ada(&server).await;
    let says = async |text: &str| {
        let page = preview(&agent, &browser).await;
        assert!(page.contains(text), "{text}: {page}");
        blocks(&page)
    };
    agent.prompt(&browser.user).await;
    let demo = says("Nothing about you: nothing is stored yet.").await;
    assert_eq!(demo, [told(&agent, &browser).await]);
    agent.tells(&user("bob"), HELLO).await;
    let none: Vec<String> = Vec::new();
    assert_eq!(
        says("Nothing: nothing is stored about you yet.").await,
        none
    );
    agent.tells(&browser.user, HELLO).await;
    server
        .user_grants(&browser.user, &agent, Scope::Goals)
        .await;
    assert_eq!(
        says("what is stored about you is of other kinds").await,
        none
    );
    server
        .user_grants(&browser.user, &agent, ScopeSet::EMPTY)
        .await;
    assert_eq!(says("Nothing: its access is paused.").await, none);
    server
        .user_allows_until(&browser.user, &agent, "2026-03-01T09:01:00Z")
        .await;
    clock.advance(Duration::minutes(2));
    assert_eq!(says("Nothing: its access has expired.").await, none);
    server.user_allows(&browser.user, &agent).await;
    assert_eq!(
        says("This is what the app is told about you").await.len(),
        1
    );
    server.user_revokes(&browser.user, &agent).await;
    assert_eq!(says("Nothing: its access was revoked.").await, none);
    server.user_allows(&browser.user, &agent).await;
    server.store.mark_deleted(&agent).await;
    assert_eq!(says("this app was deleted by its developer").await, none);
}

#[tokio::test]
async fn an_agent_that_never_had_access_looks_like_none() {
    let (server, agent) = Server::with_agent().await;
    agent.tells(&user("bob"), HELLO).await;
    let browser = Browser::of_ada(&server).await;
    let mut answers = Vec::new();
    for id in [&*agent.id, "00000000-0000-4000-8000-000000000000", "x"] {
        let path = format!("/account/preview?agent={id}");
        let answer = browser.request("GET", &path).send().await;
        answer.assert_error(404);
        answers.push(answer.body);
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
    let none = browser.request("GET", "/account/preview").send().await;
    none.assert_error(400);
}
