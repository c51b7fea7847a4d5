//! The page that shows the interface, in a browser that keeps to the policy of all pages. What it
//! looks like is Swagger UI's, so it is not looked at by axe: some of its colours have too little
//! contrast. docs/api.md says the same as text.

use super::browser::browse;
use super::support::Server;

#[tokio::test]
async fn the_interface_is_shown_and_nothing_comes_from_elsewhere() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        let page = browser
            .until_shown("/api/docs", "/api/context/inject")
            .await;
        for shown in [
            "Learns from one interaction.",
            "/api/context/{userId}/facts/{factId}",
            "UpdateResponse",
        ] {
            page.shows(shown).await;
        }
        browser.assert_quiet().await;
    })
    .await;
}
