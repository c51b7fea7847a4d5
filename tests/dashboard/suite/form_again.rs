//! Forms that were not carried out, as people meet them: in the tab of somebody else, after the session
//! has ended, and with a field that is refused.

use std::sync::Arc;

use chrono::Duration;
use serde_json::Value;

use super::browser::{Browser, Part, browse};
use super::facts;
use super::support::{HELLO, Server, Setup, TestClock, user};

/// The id of what has the focus.
async fn focused(browser: &Browser) -> String {
    let id = browser.promise("return document.activeElement.id", vec![]);
    match id.await {
        Value::String(id) => id,
        other => panic!("{other} has the focus"),
    }
}

/// Fills in the form that adds a fact, and sends it.
async fn add<'b>(page: &Part<'b>, fact: &str) -> Part<'b> {
    page.unfold("Add a fact yourself").await;
    page.choose("Kind", "What you know").await;
    page.fill("Fact", fact).await;
    page.press("Add the fact").await
}

#[tokio::test]
async fn the_tab_of_somebody_else_gives_back_what_was_typed_and_does_nothing() {
    let server = Server::start().await;
    let (mother, son) = (user("mother"), user("son"));
    browse(&server, async |browser| {
        browser.sign_in(&server, &mother).await;
        let page = browser.page().follow("Memory").await;
        // The son signs in in another tab.
        browser.bring(&server.sign_in(&son).await).await;
        let page = add(&page, "Gardening").await;
        page.shows("You are signed in as somebody else now").await;
        assert_eq!(page.value("Fact").await, "Gardening");
        browser.shot("made-for-somebody-else").await;
        let page = page.follow("Go to the home page").await;
        page.shows("Signed in as son").await;
        page.hides("Gardening").await;
    })
    .await;
    for whose in [&mother, &son] {
        assert!(facts(&server, whose).await.is_empty());
    }
}

#[tokio::test]
async fn what_was_typed_outlives_the_session() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let server = Setup::new().clock(&clock).start().await;
    let ada = user("ada");
    browse(&server, async |browser| {
        browser.sign_in(&server, &ada).await;
        let page = browser.page().follow("Memory").await;
        clock.advance(Duration::hours(2));
        let page = add(&page, "Gardening & more").await;
        page.shows("Your session has ended").await;
        assert_eq!(page.value("Fact").await, "Gardening & more");
        browser.shot("session-ended").await;
        // Ada signs in in another tab, and comes back.
        browser.bring(&server.sign_in(&ada).await).await;
        let page = page.press("Send again").await;
        page.shows("The fact was added.").await;
        let known = page.part("What you know").await;
        known.shows("Gardening & more").await;
        assert_eq!(focused(browser).await, "done");
    })
    .await;
}

#[tokio::test]
async fn a_refused_field_has_the_focus_and_the_rest_of_the_form_is_kept() {
    let server = Server::start().await;
    let ada = user("ada");
    let agent = server.agent_named("Travel planner").await;
    agent.tells(&ada, HELLO).await;
    browse(&server, async |browser| {
        browser.sign_in(&server, &ada).await;
        let page = browser.page().follow("Apps").await;
        let planner = page.part("Travel planner").await;
        planner.unfold("Change what it may do").await;
        planner.tick("About you", false).await;
        planner.fill("Until", "2001-02-03T04:05").await;
        let page = planner.press("Save").await;
        page.shows("Not saved. Fix the field below.").await;
        assert_eq!(focused(browser).await, "again-expires_at_local");
        assert!(!page.is_ticked("About you").await && page.is_ticked("What you prefer").await);
        browser.shot("field-refused").await;
        page.fill("Until", "2999-02-03T04:05").await;
        let page = page.press("Send again").await;
        page.shows("Access was changed.").await;
        assert_eq!(focused(browser).await, "done");
        page.part("Travel planner").await.shows("Feb 3, 2999").await;
        browser.shot("access-changed").await;
        // Told once.
        let home = browser.go("/account").await;
        home.hides("Access was changed.").await;
    })
    .await;
}

#[tokio::test]
async fn the_page_about_the_service_is_for_everybody() {
    let setup = Setup::new().with(|config| {
        config.operator.name = Some("دریا & Sons 7".to_owned());
        config.operator.contact = Some("help@example.com".to_owned());
        config.operator.privacy_url = Some("https://example.com/privacy".to_owned());
    });
    let server = setup.start().await;
    browse(&server, async |browser| {
        let page = browser.go("/account").await;
        page.shows("دریا & Sons 7 runs this service").await;
        browser.shot("signed-out-with-operator").await;
        let page = browser.go("/about").await;
        page.shows("Who runs it").await;
        browser.shot("about").await;
        browser
            .go_shows("/dashboard/", "Sons 7 runs this service")
            .await;
    })
    .await;
}
