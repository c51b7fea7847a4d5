//! Who has access, and what becomes of it when the user decides otherwise.

use ctxmem_types::Scope;

use super::browser::browse;
use super::support::{HELLO, Server, user};

#[tokio::test]
async fn a_user_changes_revokes_and_allows_again() {
    let server = Server::start().await;
    let ada = user("ada");
    let agent = server.agent_named("Travel planner").await;
    agent.tells(&ada, HELLO).await;
    browse(&server, async |browser| {
        browser.sign_in(&server, &ada).await;
        let planner = async || browser.page().part("Travel planner").await;
        let part = planner().await;
        assert!(part.is_ticked("general").await);
        part.tick("general", false).await.press("Change").await;
        assert!(!planner().await.is_ticked("general").await);
        let prompt = agent.prompt(&ada).await;
        assert!(
            !prompt.contains("Lisbon") && prompt.contains("Helix"),
            "{prompt}"
        );

        planner().await.press("Revoke").await.shows("revoked").await;
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
        let part = planner().await;
        assert_eq!(part.names("button").await, ["Allow again"]);
        for scope in Scope::ALL {
            part.tick(scope.name(), scope == Scope::General).await;
        }
        part.press("Allow again").await.hides("revoked").await;
        let prompt = agent.prompt(&ada).await;
        assert!(
            prompt.contains("Lisbon") && !prompt.contains("Helix"),
            "{prompt}"
        );
    })
    .await;
}
