//! Exporting everything, deleting everything, and the history of what happened.

use serde_json::Value;

use super::before_an_agent;
use crate::suite::assert_parts;
use crate::suite::support::{HELLO, Setup, user};

#[tokio::test]
async fn a_user_takes_everything_along() {
    before_an_agent(Setup::new(), async |_, browser, _, agent| {
        let page = browser.page().follow("Data").await;
        browser.shot("account-data").await;
        let whole = page.download("Download everything").await;
        let whole: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(whole["user_id"], "ada");
        let facts = whole["facts"].as_array().unwrap().iter();
        let values: Vec<&Value> = facts.map(|fact| &fact["value"]).collect();
        assert_eq!(values.len(), 3, "{values:?}");
        for value in ["Lisbon", "Helix"] {
            assert!(values.contains(&&value.into()), "{values:?}");
        }
        assert_eq!(whole["grants"][0]["agent"]["id"], *agent.id);
        assert!(!whole.to_string().contains(&agent.key));

        let context = browser.page().download("Download the facts").await;
        let context: Value = serde_json::from_str(&context).unwrap();
        assert_parts(&context.to_string(), &["Lisbon", "Helix"], &[]);
    })
    .await;
}

#[tokio::test]
async fn a_user_deletes_everything_and_gets_a_receipt() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let bob = user("bob");
        agent.tells(&bob, HELLO).await;
        let before = agent.reads(&bob).await;
        let page = browser.page().follow("Data").await;
        let page = page.follow("Delete everything…").await;
        page.shows("These apps lose access: Travel planner").await;
        browser.shot("account-erase").await;
        page.fill("Type the word", "yes").await;
        page.press_shows("Delete everything", "Nothing was deleted")
            .await;
        browser.shot("account-not-erased").await;
        assert!(agent.prompt(&ada).await.contains("Lisbon"));

        page.fill("Type the word", "erase").await;
        page.press_shows("Delete everything", "Everything was deleted")
            .await;
        page.row("Facts deleted").await.shows("3").await;
        page.row("Apps that lost access").await.shows("1").await;
        browser.shot("account-receipt").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
        page.follow_shows("Go to the home page", "No facts about you are saved")
            .await;
        page.shows("no app has access").await;
        browser.shot("account-erased").await;
        let page = page.follow("Data").await;
        let export = page.download("Download everything").await;
        assert_parts(&export, &[], &["Lisbon", "Helix"]);
        assert_eq!(agent.reads(&bob).await, before);
    })
    .await;
}

#[tokio::test]
async fn the_history_shows_what_the_user_did() {
    before_an_agent(Setup::new(), async |_, browser, _, _| {
        let page = browser.page().follow("Edit: Lisbon").await;
        page.fill("Fact", "Porto").await;
        page.press("Save").await.follow("Memory").await;
        page.press("Delete: Helix").await;
        page.unfold("Add a fact yourself").await;
        page.choose("Kind", "What you know").await;
        page.fill("Fact", "Rust").await;
        let page = page.press("Add the fact").await.follow("Data").await;
        page.download("Download everything").await;
        let home = browser.go("/account").await;
        home.follow("Show the whole history").await;
        for said in [
            "You downloaded a copy of 3 facts",
            "You added a fact",
            "You deleted a fact",
            "You corrected a fact",
        ] {
            page.shows(said).await;
        }
        // What was said or stored is not kept there.
        page.hides("Porto").await.hides("Helix").await;
        browser.shot("account-history").await;
    })
    .await;
}

#[tokio::test]
async fn the_history_shows_what_others_did() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        agent.prompt(&ada).await;
        let apps = browser.go("/account/apps").await;
        apps.press("Revoke access of Travel planner").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
        for said in [
            "Travel planner was given access by its first request",
            "Travel planner saved 3 facts about you",
            "Travel planner was told what it may know about you",
            "You ended the access of Travel planner",
            "Travel planner asked about you and was told nothing: it has no access",
            "You signed in",
        ] {
            browser.until_shown("/account/history", said).await;
        }
        browser.shot("account-history-of-others").await;
    })
    .await;
}
