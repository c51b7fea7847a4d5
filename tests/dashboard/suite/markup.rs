//! Escaping of what people write, which is text and never markup: names of agents, user ids, facts.

use ctxmem_types::{Scope, ScopeSet};

use super::browser::browse;
use super::developer::Developer;
use super::support::{FakeModel, HELLO, Server, Setup, count, fact, named, user};
use super::{assert_parts, facts};

/// How many stand on one page.
const A_PAGE: usize = 50;

/// What somebody may have stored in the hope that it runs.
fn payloads() -> Vec<&'static str> {
    let lines = include_str!("../payloads.txt").lines();
    let payloads: Vec<&str> = lines.filter(|line| !line.starts_with("# ")).collect();
    assert_eq!(payloads.len(), 200);
    payloads
}

/// Where a text has a page to itself, the tests open that of each tenth, `scripts/soak.sh` of all.
/// Lists always show all texts.
fn step() -> usize {
    count(10, 1)
}

#[tokio::test]
async fn facts_are_text() {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).endless_lists().start().await;
    let (ada, agent) = (user("ada"), server.agent().await);
    let lists = [
        Scope::Knowledge,
        Scope::Relationships,
        Scope::History,
        Scope::Goals,
    ];
    for (payloads, scope) in payloads().chunks(A_PAGE).zip(lists) {
        model.finds(payloads.iter().map(|value| fact(scope, value)));
        agent.tells(&ada, &model.said()).await;
    }
    model.finds([named(Scope::Preferences, "editor", payloads()[0])]);
    agent.tells(&ada, &model.said()).await;
    browse(&server, async |browser| {
        let page = browser.sign_in(&server, &ada).await;
        page.shows("201 facts about you").await;
        let mut shown = String::new();
        for n in 1..=201_usize.div_ceil(50) {
            let page = browser.go(&format!("/account/facts?page={n}")).await;
            shown.push_str(&page.text().await);
        }
        assert_parts(&shown, &payloads(), &[]);
        browser
            .go_shows(
                &format!("/account/preview?agent={}", agent.id),
                "evil.example",
            )
            .await;
        let facts = facts(&server, &ada).await;
        for fact in facts.iter().step_by(step()) {
            let path = format!("/account/facts/edit?fact={}", fact.id.as_str());
            let page = browser.go(&path).await;
            assert_eq!(page.value("Fact").await, fact.fact.value);
        }
    })
    .await;
}

#[tokio::test]
async fn refused_input_is_text_in_the_form() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        browser.sign_in(&server, &user("ada")).await;
        let page = browser.page().follow("Memory").await;
        page.unfold("Add a fact yourself").await;
        for payloads in payloads().chunks(A_PAGE / 2) {
            let value = format!("password: hunter2-and-more {}", payloads[0]);
            let name = payloads.join(" ");
            page.choose("Kind", "What you prefer").await;
            page.fill("Name", &name).await.fill("Fact", &value).await;
            page.press("Add the fact").await;
            page.shows("Not saved").await;
            assert_eq!(page.value("Name").await, name);
            assert_eq!(page.value("Fact").await, value);
        }
    })
    .await;
}

#[tokio::test]
async fn names_of_agents_are_text() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        for (number, payloads) in payloads().chunks(A_PAGE).enumerate() {
            let user = user(&format!("user {number}"));
            let mut agents = Vec::new();
            for name in payloads {
                let agent = server.agent_named(name).await;
                agent.tells(&user, HELLO).await;
                agents.push(agent);
            }
            browser.sign_in(&server, &user).await;
            let page = browser.go("/account/apps").await;
            assert_parts(&page.text().await, payloads, &[]);
            let erase = browser.go("/account/erase").await;
            assert_parts(&erase.text().await, payloads, &[]);
            browser.go("/account/history").await;
            for (name, agent) in payloads.iter().zip(&agents).step_by(step()) {
                let preview = format!("/account/preview?agent={}", agent.id);
                browser.go(&preview).await.shows(name).await;
            }
            browser.go("/account").await.press("Sign out").await;
        }
    })
    .await;
}

#[tokio::test]
async fn user_ids_are_text() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        browser.go("/account").await;
        for id in payloads().into_iter().step_by(step()) {
            let user = user(id);
            let token = server.link_for(&user).await;
            let page = browser.go(&format!("/sign-in?token={token}")).await;
            page.shows(id).await;
            browser.bring(&server.sign_in(&user).await).await;
            browser.go("/account").await.shows(id).await;
        }
    })
    .await;
}

#[tokio::test]
async fn names_of_agents_are_text_to_their_developers() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        for (number, payloads) in payloads().chunks(A_PAGE).enumerate() {
            let developer = Developer::new(&server, &format!("developer-{number}")).await;
            let mut agents = Vec::new();
            for name in payloads {
                let agent = server.new_agent(name, &developer.email, ScopeSet::ALL);
                agents.push(agent.await);
            }
            let page = developer.sign_in(browser).await;
            assert_parts(&page.text().await, payloads, &[]);
            for (name, agent) in payloads.iter().zip(&agents).step_by(step()) {
                let page = browser.go(&format!("/dashboard/agents/{}", agent.id)).await;
                page.shows(name).await;
                assert_eq!(page.part("Name").await.value("Name").await, *name);
            }
            // One of the agents is chosen there by its name.
            browser.go("/dashboard/playground").await;
            browser.go("/dashboard").await.press("Sign out").await;
        }
    })
    .await;
}

#[tokio::test]
async fn playground_input_is_text() {
    let server = Server::start().await;
    let developer = Developer::new(&server, "developer").await;
    let agent = server.new_agent("Agent", &developer.email, ScopeSet::ALL);
    agent.await;
    browse(&server, async |browser| {
        developer.sign_in(browser).await;
        let page = browser.go("/dashboard/playground").await;
        for payloads in payloads().chunks(A_PAGE) {
            let payloads = payloads.join(" ");
            page.fill("The user’s message", &payloads).await;
            page.fill("The agent’s answer", &payloads).await;
            page.fill("Base prompt", &payloads).await;
            for call in ["Inject", "Update"] {
                let answer = page.press(call).await.part("Answer").await;
                answer.shows("200").await;
                for field in ["The user’s message", "The agent’s answer", "Base prompt"] {
                    assert_eq!(page.value(field).await, payloads);
                }
            }
        }
    })
    .await;
}
