//! What happened, page by page.

use super::browser::{Browser, with};
use crate::suite::support::{Server, Setup, user};

/// The sentences of a page, in its order.
fn sentences(page: &str) -> Vec<&str> {
    page.split(r#"<div class="what">"#)
        .skip(1)
        .filter_map(|rest| rest.split(".\n").next())
        .filter(|sentence| sentence.starts_with("You "))
        .collect()
}

#[tokio::test]
async fn the_history_is_written_in_sentences_without_contents() {
    let server = Server::start().await;
    let browser = Browser::of_ada(&server).await;
    assert!(
        browser
            .get("/account/history")
            .await
            .contains("<h1>History</h1>")
    );
    for value in ["Quokka", "Wombat", "Numbat"] {
        let fields = [("scope", "goals"), ("value", value)];
        browser.submit("/account/facts/add", &fields).await;
    }
    let quokka = browser.fields_of("Quokka").await;
    let fields = with(&quokka[1..], &[("value", "Bilby")]);
    browser.submit("/account/facts/correct", &fields).await;
    let wombat = browser.fields_of("Wombat").await;
    browser
        .submit("/account/facts/delete", &with(&wombat, &[]))
        .await;
    let newest = browser.facts().await;
    let newest = newest.iter().map(|kept| kept.fact.first_stored_at).max();
    let newest = newest.unwrap().to_string();
    let whole = [("scope", "goals"), ("seen", &*newest), ("confirm", "yes")];
    browser.submit("/account/facts/delete-scope", &whole).await;
    browser.get("/account/export.json").await;
    let page = browser.get("/account/history").await;
    let told = [
        "You downloaded a copy of 0 facts",
        "You deleted all facts of one kind: 2 facts",
        "You deleted a fact",
        "You corrected a fact",
        "You added a fact",
        "You added a fact",
        "You added a fact",
    ];
    let found: Vec<&str> = sentences(&page)
        .into_iter()
        .filter(|sentence| told.contains(sentence))
        .collect();
    assert_eq!(found, told, "{page}");
    assert!(page.contains("What you are working on"));
    for value in ["uokka", "ombat", "umbat", "ilby"] {
        assert!(!page.contains(value), "{value}");
    }
    let bob = Browser::of(&server, &user("bob")).await;
    let page = bob.get("/account/history").await;
    assert!(!page.contains("You added a fact"), "{page}");
}

#[tokio::test]
async fn older_entries_stand_on_further_pages() {
    let server = Setup::new().endless_lists().start().await;
    let browser = Browser::of_ada(&server).await;
    for n in 0..60 {
        let fields = [
            ("scope", "knowledge"),
            ("value", &*format!("Tool number {n}")),
        ];
        let answer = browser.post("/account/facts/add", &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
    }
    let trail = server.core().trail(&browser.user, None, 100).await.unwrap();
    assert_eq!(sentences(&browser.page().await).len(), 10);
    let mut seen = 0;
    let mut path = "/account/history".to_owned();
    let mut pages = 0;
    loop {
        let page = browser.get(&path).await;
        let found = page.matches("<time ").count();
        assert!(found <= 25);
        seen += found;
        pages += 1;
        let Some((_, rest)) = page.split_once(r#"<a href="/account/history?before="#) else {
            break;
        };
        let id = rest.split('"').next().unwrap();
        assert_eq!(found, 25);
        assert_eq!(trail[seen - 1].id, id, "a page ends where the next begins");
        path = format!("/account/history?before={id}");
    }
    assert_eq!((seen, pages), (trail.len(), 3));
    let page = browser.get("/account/history?before=0").await;
    assert!(page.contains("There are no entries here."));
}
