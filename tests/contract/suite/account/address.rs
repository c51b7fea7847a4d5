//! Addresses of the account pages: what they contain, and to which page forms lead back.

use chrono::Duration;

use super::browser::{Browser, version};
use super::facts::at_nine;
use crate::suite::support::Text as _;

/// The addresses that a page links to or posts to.
fn addresses(page: &str) -> Vec<&str> {
    let starts = ["href=\"", "action=\""];
    let found = starts.iter().flat_map(|start| page.split(start).skip(1));
    found.filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn no_address_holds_a_text_of_the_users() {
    let (clock, server) = at_nine().await;
    let browser = Browser::of_ada(&server).await;
    for goal in ["Quokka one", "Quokka two", "Quokka three"] {
        browser.adds("goals", goal).await;
        clock.advance(Duration::seconds(1));
    }
    let mut pages = vec![browser.page().await, browser.get("/account/facts").await];
    let found = browser
        .post("/account/facts/find", &[("words", "quokka TWO")])
        .await;
    assert_eq!(found.status, 303, "{}", found.body);
    let found = found.header("location").unwrap().to_owned();
    let fact = &browser.facts().await[0];
    let edit = format!("/account/facts/edit?fact={}", fact.id.as_str());
    pages.push(browser.get(&edit).await);
    let list = browser.get(found.split('#').next().unwrap()).await;
    list.assert_has("1 fact matches.");
    list.assert_has("Quokka two");
    assert!(!list.contains("Quokka one") && list.contains(r#"value="quokka TWO""#));
    pages.push(list);
    let mut seen = vec![found];
    seen.extend(
        pages
            .iter()
            .flat_map(|page| addresses(page))
            .map(str::to_owned),
    );
    let version = version(fact);
    let corrected = [("fact", &*version), ("value", "Quokka four")];
    let corrected = browser.post("/account/facts/correct", &corrected).await;
    seen.push(corrected.header("location").unwrap().to_owned());
    assert!(seen.len() > 20);
    for address in seen {
        assert!(!address.to_lowercase().contains("quokka"), "{address}");
    }
}

#[tokio::test]
async fn what_was_searched_for_opens_in_its_session_only() {
    let (server, browser) = Browser::start().await;
    let again = Browser::of_ada(&server).await;
    browser.adds("goals", "Numbat").await;
    let found = browser
        .post("/account/facts/find", &[("words", "wombat")])
        .await;
    let path = found
        .header("location")
        .unwrap()
        .split('#')
        .next()
        .unwrap()
        .to_owned();
    assert!(browser.get(&path).await.contains("No fact matches."));
    let other = again.get(&path).await;
    other.assert_has("Numbat");
    other.assert_lacks("wombat");
}

#[tokio::test]
async fn what_was_done_is_told_where_it_was_done() {
    let (server, browser) = Browser::start().await;
    for goal in ["One", "Two"] {
        browser.adds("goals", goal).await;
    }
    let facts = browser.facts().await;
    let view = ("view", "kind=goals&sort=oldest");
    let list = "/account/facts?kind=goals&sort=oldest#done";
    for (n, more, expected) in [(0, vec![], "/account#done"), (1, vec![view], list)] {
        let version = version(&facts[n]);
        let mut fields = vec![("one", &*version), ("confirm", "yes")];
        fields.extend(more);
        let answer = browser.post("/account/facts/delete", &fields).await;
        assert_eq!(answer.header("location"), Some(expected));
        let page = expected.split('#').next().unwrap();
        let cookies = format!("{}; {}", browser.cookie, answer.cookie_pair("ctxmem_done"));
        let page = server.get(page).cookie(&cookies).send().await.body;
        let (_, notice) = page.split_once(r#"id="done" tabindex="-1">"#).unwrap();
        assert!(notice.starts_with("The fact was deleted."), "{page}");
    }
}
