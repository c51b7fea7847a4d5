//! What people write is text and never markup: names of agents, user ids, facts.

use ctxmem_types::ScopeSet;

use super::browser::browse;
use super::developer::Developer;
use super::support::{Server, user};

/// How many stand on one page.
const A_PAGE: usize = 50;

/// What somebody may have stored in the hope that it runs.
fn payloads() -> Vec<&'static str> {
    let lines = include_str!("../payloads.txt").lines();
    let payloads: Vec<&str> = lines.filter(|line| !line.starts_with("# ")).collect();
    assert_eq!(payloads.len(), 200);
    payloads
}

#[tokio::test]
async fn names_of_agents_are_text() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        for (number, payloads) in payloads().chunks(A_PAGE).enumerate() {
            let user = user(&format!("user {number}"));
            for name in payloads {
                // The first call makes the grant.
                server.agent_named(name).await.injects(&user).await;
            }
            let page = browser.sign_in(&server, &user).await;
            let text = page.text().await;
            for name in payloads {
                assert!(text.contains(name), "{name} is not in\n{text}");
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
        for id in payloads() {
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
            let text = page.text().await;
            for name in payloads {
                assert!(text.contains(name), "{name} is not in\n{text}");
            }
            for (name, agent) in payloads.iter().zip(&agents) {
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
async fn what_is_tried_in_the_playground_is_text() {
    let server = Server::start().await;
    let developer = Developer::new(&server, "developer").await;
    let agent = server.new_agent("Agent", &developer.email, ScopeSet::ALL);
    agent.await;
    browse(&server, async |browser| {
        developer.sign_in(browser).await;
        let page = browser.go("/dashboard/playground").await;
        for payloads in payloads().chunks(A_PAGE) {
            let payloads = payloads.join(" ");
            page.fill("The user's message", &payloads).await;
            page.fill("The agent's answer", &payloads).await;
            page.fill("Base prompt", &payloads).await;
            for call in ["Inject", "Update"] {
                page.press(call)
                    .await
                    .part("Answer")
                    .await
                    .shows("200")
                    .await;
                for field in ["The user's message", "The agent's answer", "Base prompt"] {
                    assert_eq!(page.value(field).await, payloads);
                }
            }
        }
    })
    .await;
}
