//! What people write is text and never markup: names of agents, user ids, facts.

use super::browser::browse;
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
