//! Deciding about agents that ask, pausing everything, and signing out everywhere.

use ctxmem_server::core::{AgentProfile, FirstGrant, Manager};
use ctxmem_types::Scope;

use super::before_an_agent;
use crate::suite::browser::browse;
use crate::suite::support::{Setup, user};

#[tokio::test]
async fn an_agent_that_asks_is_allowed_a_part() {
    let setup = Setup::new().first_grant(FirstGrant::Ask);
    let server = setup.start().await;
    browse(&server, async |browser| {
        let ada = user("ada");
        let agent = server.agent_named("Travel planner").await;
        let profile = AgentProfile {
            purpose: "Plans trips and remembers where you like to stay.".to_owned(),
            url: "https://trips.example/about".to_owned(),
            privacy_url: "https://trips.example/privacy".to_owned(),
            return_url: format!("{}/about", server.url).replace("127.0.0.1", "localhost"),
            needs: [(Scope::Goals, "To plan around your goals.".to_owned())].into(),
            ..AgentProfile::default()
        };
        let console = &server.core().console;
        let set = console.set_agent_profile(Manager::Operator, &agent.id, profile);
        set.await.unwrap();
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
        // A user who is not signed in signs in first, and comes back here.
        let path = format!("/consent/{}", agent.id);
        let page = browser.go(&path).await.shows("You are not signed in").await;
        page.shows("Travel planner asks for access").await;
        browser.shot("consent-signed-out").await;
        let token = server.link_for(&ada).await;
        let page = browser.go(&format!("/sign-in?token={token}")).await;
        page.press_shows("Sign in", "to use your memory?").await;
        browser.page().shows("Plans trips and remembers").await;
        browser.shot("consent").await;
        browser.walk_by_keyboard().await;
        browser.shot_in_german("consent").await;
        // Ticked is what the agent needs, with the reason, and nothing else.
        let page = browser.page();
        page.shows("To plan around your goals.").await;
        assert!(page.is_ticked("What you are working on").await);
        for title in [
            "About you",
            "How to talk to you",
            "What you know",
            "30 days",
        ] {
            assert!(!page.is_ticked(title).await, "{title}");
        }
        page.tick("What you prefer", true).await;
        page.tick("90 days", true).await;
        page.press("Allow: Travel planner").await;
        browser.is_told("The app has access.").await;
        browser.shot("consent-decided").await;
        let (_, scopes) = server.grant(&ada, &agent).await.unwrap();
        let expected = [Scope::Preferences, Scope::Goals].into_iter().collect();
        assert_eq!(scopes, expected);
        // Back to the agent: here a page of the server itself, by its other name.
        let page = page.follow("Go back to Travel planner").await;
        page.shows("About this memory").await;
        assert_eq!(browser.address().await.host_str(), Some("localhost"));
    })
    .await;
}

#[tokio::test]
async fn who_waits_is_refused_and_everything_is_paused() {
    before_an_agent(Setup::new(), async |server, browser, ada, agent| {
        server.core().grants.ask_first(&ada, true).await.unwrap();
        let waiting = server.agent_named("Recipe finder").await;
        assert_eq!(waiting.reason(&ada).await.as_deref(), Some("no_grant"));
        let page = browser.go("/account").await;
        page.shows("Recipe finder asks for access").await;
        page.shows("New since you last looked").await;
        browser.shot_in_german("account-waiting").await;
        browser.shot("account-waiting").await;
        browser.walk_by_keyboard().await;
        let page = page.follow("Decide: Recipe finder").await;
        page.press("Don’t allow: Recipe finder").await;
        browser.is_told("you won’t be asked about it again").await;
        assert_eq!(waiting.reason(&ada).await.as_deref(), Some("no_grant"));

        browser
            .go("/account")
            .await
            .press_shows("Pause everything", "Everything is paused")
            .await;
        browser.shot("account-everything-paused").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_scopes"));
        browser
            .page()
            .press_shows("End the pause", "The pause is over.")
            .await;
        assert!(agent.prompt(&ada).await.contains("Helix"));
        let page = browser.page().follow("Data").await;
        page.press("Sign out everywhere").await;
        browser.page().shows("You are not signed in").await;
    })
    .await;
}
