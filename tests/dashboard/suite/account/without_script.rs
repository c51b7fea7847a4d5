//! The core tasks where the script of the pages is blocked or did not arrive.

use super::ada_before_an_agent;
use crate::suite::assert_parts;
use crate::suite::browser::browse;
use crate::suite::support::{Server, user};

#[tokio::test]
async fn without_the_script_everything_that_matters_can_be_done() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        browser.without_script().await;
        let (ada, agent) = ada_before_an_agent(&server, browser).await;
        server.core().grants.ask_first(&ada, true).await.unwrap();

        // Allowing and refusing.
        let trips = server.agent_named("Trip finder").await;
        let recipes = server.agent_named("Recipe finder").await;
        for asking in [&trips, &recipes] {
            assert_eq!(asking.reason(&ada).await.as_deref(), Some("no_grant"));
        }
        let page = browser.go(&format!("/consent/{}", trips.id)).await;
        // The browser itself asks for how long, and then for a kind the page does.
        page.tick("Until I revoke it", true).await;
        page.press_shows("Allow: Trip finder", "Choose at least one kind.")
            .await;
        assert!(page.is_ticked("Until I revoke it").await);
        page.tick("About you", true).await;
        page.press("Allow: Trip finder").await;
        browser.is_told("The app has access.").await;
        assert!(trips.prompt(&ada).await.contains("Lisbon"));
        let page = browser.go("/account").await;
        let page = page.follow("Decide: Recipe finder").await;
        page.press("Don’t allow: Recipe finder").await;
        browser.is_told("you won’t be asked about it again").await;
        browser.go("/account/facts").await;

        // Correcting, deleting and adding.
        let page = browser.page().edit("Lisbon").await;
        page.fill("Fact", "Porto").await;
        page.press_shows("Save", "The fact was corrected").await;
        page.press("Delete: Helix").await;
        browser.is_told("The fact was deleted").await;
        page.unfold("Add a fact yourself").await;
        page.choose("Kind", "What you are working on").await;
        page.fill("Fact", "A trip to Lapland").await;
        page.press_shows("Add the fact", "The fact was added").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["Porto", "Lapland"], &["Lisbon", "Helix"]);

        // Pausing, and going on.
        let page = browser.page().follow("Home").await;
        let page = page.press("Pause everything").await;
        page.shows("Everything is paused").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_scopes"));
        page.press_shows("End the pause", "The pause is over.")
            .await;

        // Deleting everything, and leaving.
        let page = browser.page().follow("Data").await;
        let page = page.follow("Delete everything…").await;
        page.fill("Type the word", "erase").await;
        page.press_shows("Delete everything", "Everything was deleted")
            .await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
        let page = browser.go("/account/data").await;
        page.press("Sign out everywhere").await;
        browser.page().shows("You are not signed in").await;
        let token = server.link_for(&user("ada")).await;
        let page = browser.go(&format!("/sign-in?token={token}")).await;
        page.press("Sign in").await;
        assert_eq!(browser.path().await, "/account");
    })
    .await;
}
