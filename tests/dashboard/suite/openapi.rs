//! The reference of the interface, in a browser that keeps to the policy of all pages.

use super::browser::browse;
use super::support::Server;

#[tokio::test]
async fn the_reference_is_for_everybody_and_nothing_comes_from_elsewhere() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        let page = browser.go("/api/docs").await;
        for shown in [
            "Learns from one interaction.",
            "/api/context/{userId}/facts/{factId}",
            "UpdateResponse",
        ] {
            page.shows(shown).await;
        }
        browser.assert_quiet().await;
        browser.shot("reference").await;
    })
    .await;
}
