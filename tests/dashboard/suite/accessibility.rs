//! Every page can be used by everybody, in both colour schemes and on a phone; and what looks
//! at that notices when it is not so.

use super::browser::browse;
use super::elsewhere::visit_elsewhere;
use super::support::{Server, user};

#[tokio::test]
async fn a_page_that_keeps_people_out_is_noticed() {
    let page = "<!doctype html><html lang=en><title>Closed</title><main><h1>Closed</h1>
        <form><input name=unnamed></form>
        <p style='color: #ccc; background: #fff'>Hardly to be read.</p></main>";
    visit_elsewhere(&[("/closed", page)], async |browser, _| {
        let found = browser.violations().await;
        let mut found: Vec<&str> = found.iter().map(|found| &*found.id).collect();
        found.sort_unstable();
        assert_eq!(found, ["color-contrast", "label"]);
    })
    .await;
}

#[tokio::test]
async fn a_page_that_is_too_wide_is_noticed() {
    let page = "<!doctype html><meta name=viewport content='width=device-width'>
        <title>Wide</title><p style='width: 500px'>Wide</p>";
    visit_elsewhere(&[("/wide", page)], async |browser, _| {
        assert!(browser.width_on_phone().await > 500);
    })
    .await;
}

#[tokio::test]
async fn pages_of_those_who_are_not_signed_in() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        let page = browser.go("/").await;
        page.shows("Memory for AI apps that belongs to you").await;
        browser.shot("home").await;
        browser.shot_in_german("home").await;
        let page = browser.go("/account").await;
        page.shows("You are not signed in").await;
        browser.shot("signed-out").await;
        let page = browser.go("/sign-in?token=made-up").await;
        page.shows("This link is no longer valid").await;
        browser.shot("sign-in-refused").await;
        let page = browser.go("/nowhere").await;
        page.shows("There is nothing here").await;
        browser.shot("not-found").await;
        let token = server.link_for(&user("ada@example.com")).await;
        let page = browser.go(&format!("/sign-in?token={token}")).await;
        page.shows("ada@example.com").await;
        browser.shot("sign-in").await;
    })
    .await;
}

#[tokio::test]
async fn pages_of_a_user() {
    let server = Server::start().await;
    let ada = user("ada@example.com");
    browse(&server, async |browser| {
        browser.sign_in(&server, &ada).await;
        browser.shot("account-empty").await;
        for name in ["Travel planner", "Code reviewer"] {
            let agent = server.agent_named(name).await;
            agent.tells(&ada, super::support::HELLO).await;
        }
        let page = browser.go("/account").await;
        page.shows("Travel planner").await;
        browser.shot("account").await;
    })
    .await;
}
