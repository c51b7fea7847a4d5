//! Somebody who reads German.

use super::browser::browse;
use super::support::{Server, user};

#[tokio::test]
async fn a_person_switches_to_german_and_adds_and_deletes_a_fact() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        let page = browser.sign_in(&server, &user("ada@example.com")).await;
        page.press_shows("Deutsch", "Über Sie sind keine Fakten gespeichert")
            .await;
        assert_eq!(browser.path().await, "/account");
        let page = page.follow("Gedächtnis").await;
        page.unfold("Selbst einen Fakt hinzufügen").await;
        page.choose("Art", "Woran Sie arbeiten").await;
        page.fill("Fakt", "Schwimmen lernen").await;
        page.press_shows("Fakt hinzufügen", "Der Fakt wurde hinzugefügt.")
            .await;
        browser.shot("account-german-memory").await;
        let page = page.follow("Übersicht").await;
        page.shows("Keine App kann den einen Fakt über Sie verwenden.")
            .await;
        browser.shot("account-german").await;
        browser.assert_accessible_on_phone().await;
        let page = page.follow("Gedächtnis").await;
        page.press_shows("Löschen: Schwimmen lernen", "Der Fakt wurde gelöscht.")
            .await
            .shows("Rückgängig machen")
            .await;
        page.hides("Schwimmen lernen").await;
        page.follow_shows("Verlauf", "Sie haben einen Fakt gelöscht.")
            .await;
        // Back to English, on the same page.
        page.press_shows("English", "You deleted a fact.").await;
        assert_eq!(browser.path().await, "/account/history");
    })
    .await;
}
