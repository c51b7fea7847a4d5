//! Deciding who has access, and to what.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_types::{Scope, ScopeSet};

use super::before_an_agent;
use crate::suite::assert_parts;
use crate::suite::browser::Part;
use crate::suite::support::{BASE, Setup, TestClock};

const ALL: [&str; 7] = [
    "About you",
    "How to talk to you",
    "What you prefer",
    "What you know",
    "People around you",
    "What you decided and did",
    "What you are working on",
];

/// Ticks these scopes, and no others, in the form that is open.
async fn tick_only(part: Part<'_>, titles: &[&str]) {
    for title in ALL {
        part.tick(title, titles.contains(&title)).await;
    }
}

#[tokio::test]
async fn scopes_that_are_not_ticked_are_not_shown() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        browser.page().follow("Apps").await;
        let planner = async || browser.page().part("Travel planner").await;
        let change = async |titles: &[&str]| {
            let part = planner().await.unfold("Change what it may do").await;
            tick_only(part, titles).await;
            part.press_shows("Save: access of Travel planner", "Access was changed")
                .await;
        };
        change(&["What you prefer"]).await;
        let may = "May read and write: What you prefer.";
        planner().await.shows(may).await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["Helix"], &["Lisbon"]);
        // With nothing ticked the agent stays, and is told nothing.
        change(&[]).await;
        planner().await.shows("It has no access to anything").await;
        browser.shot("account-paused").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_scopes"));
        change(&ALL).await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["Helix", "Lisbon"], &[]);
    })
    .await;
}

#[tokio::test]
async fn access_that_is_revoked_ends_at_once_and_can_be_given_again() {
    before_an_agent(Setup::new(), async |server, browser, ada, agent| {
        browser.page().follow("Apps").await;
        let planner = async || browser.page().part("Travel planner").await;
        let revoke = "Revoke access of Travel planner";
        planner()
            .await
            .press_shows(revoke, "Access was revoked")
            .await;
        planner().await.shows("revoked").await;
        browser.shot("account-revoked").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));

        let again = "Allow again: access of Travel planner";
        let page = planner().await.follow(again).await;
        tick_only(page, &["About you"]).await;
        page.tick("30 days", true).await;
        page.press("Allow: Travel planner").await;
        browser.is_told("The app has access.").await;
        browser.go("/account/apps").await;
        planner().await.hides("revoked").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["Lisbon"], &["Helix"]);
        let (_, scopes) = server.grant(&ada, &agent).await.unwrap();
        assert_eq!(scopes, ScopeSet::from(Scope::General));
    })
    .await;
}

#[tokio::test]
async fn access_ends_when_the_user_said_so() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let setup = Setup::new().clock(&clock);
    before_an_agent(setup, async |_, browser, ada, agent| {
        browser.page().follow("Apps").await;
        let planner = async || browser.page().part("Travel planner").await;
        let part = planner().await.unfold("Change what it may do").await;
        part.fill("Until", "2026-03-01T09:30").await;
        part.press("Save: access of Travel planner").await;
        let part = planner().await.shows("until").await;
        part.unfold("Change what it may do").await;
        assert_eq!(part.value("Until").await, "2026-03-01T09:30");
        browser.shot("account-expires").await;
        assert_eq!(agent.reason(&ada).await, None);
        clock.advance(Duration::minutes(30));
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
        browser.go("/account/apps").await;
        planner().await.shows("expired").await;
    })
    .await;
}

#[tokio::test]
async fn the_preview_is_the_block_that_the_agent_gets() {
    before_an_agent(Setup::new(), async |server, browser, ada, agent| {
        let follow = "Preview what this app sees: Travel planner";
        let page = browser.page().follow("Apps").await;
        browser.shot("account-apps").await;
        let page = page.follow(follow).await;
        page.shows("What Travel planner sees").await;
        let told = browser.preformatted().await;
        let prompt = agent.prompt(&ada).await;
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("Lisbon"), "{told:?}");
        assert_eq!(prompt, format!("{}\n\n{BASE}", told[0].trim_end()));
        browser.shot("account-preview").await;

        server.user_revokes(&ada, &agent).await;
        let path = format!("/account/preview?agent={}", agent.id);
        browser.go(&path).await.hides("Lisbon").await;
        assert!(browser.preformatted().await.is_empty());
        browser.shot("account-preview-revoked").await;
    })
    .await;
}
