//! The history of a user's memory, page by page.

use chrono::Duration;
use ctxmem_types::{GrantRequest, Scope, ScopeSet};

use super::browser::{Browser, seen};
use crate::suite::support::{HELLO, Setup, Text as _, user};

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
    let (server, browser) = Browser::start().await;
    browser
        .get("/account/history")
        .await
        .assert_has("<h1>History</h1>");
    for value in ["Quokka", "Wombat", "Numbat"] {
        browser.adds("goals", value).await;
    }
    browser.corrects("Quokka", "Bilby").await;
    browser.deletes("Wombat").await;
    let goals = seen(&browser.facts().await, Scope::Goals);
    let whole = [("scope", "goals"), ("seen", &*goals), ("confirm", "yes")];
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
    page.assert_has("What you are working on");
    page.assert_lacks_all(["uokka", "ombat", "umbat", "ilby"]);
    let bob = Browser::of(&server, &user("bob")).await;
    let page = bob.get("/account/history").await;
    page.assert_lacks("You added a fact");
}

#[tokio::test]
async fn older_entries_stand_on_further_pages() {
    let (server, browser) = Browser::start_on(Setup::new().endless_lists()).await;
    browser.adds_tools(60).await;
    let trail = server.trail(&browser.user).await;
    assert_eq!(sentences(&browser.page().await).len(), 5);
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
    page.assert_has("There are no entries here.");
}

/// The sentences of the history, the newest first, once all is stored.
async fn history(browser: &Browser, query: &str) -> Vec<String> {
    let page = browser.get(&format!("/account/history?{query}")).await;
    let rows = page.split(r#"<div class="what">"#).skip(1);
    rows.map(|rest| rest.split(".\n").next().unwrap())
        .map(|said| {
            let parts = said.split('<');
            let texts = parts.map(|part| part.split_once('>').map_or(part, |(_, text)| text));
            texts.collect()
        })
        .collect()
}

#[tokio::test]
async fn the_history_says_what_became_of_facts_and_why_others_were_left_out() {
    let (server, browser) = Browser::start().await;
    let agent = server.agent_named("Agent One").await;
    agent.tells(&browser.user, HELLO).await;
    agent
        .tells(&browser.user, "I use Zed as my editor now.")
        .await;
    agent.tells(&browser.user, "I no longer use Zed.").await;
    let narrow = ScopeSet::ALL.without(Scope::Preferences);
    let by_key = server.key_of(&agent, narrow).await;
    by_key.tells(&browser.user, HELLO).await;
    by_key
        .tells(&browser.user, "I use Zed as my editor now.")
        .await;
    server.user_grants(&browser.user, &agent, narrow).await;
    agent
        .tells(&browser.user, "My name is Eve. I use Emacs as my editor.")
        .await;
    let found = history(&browser, "kind=saved").await;
    let expected = [
        "Agent One replaced 1 fact about you; you don’t allow: What you prefer",
        "Agent One tried to save something about you and was refused; its key can’t reach: What you prefer",
        "Agent One removed 1 fact about you",
        "Agent One replaced 1 fact about you",
        "Agent One saved 3 facts about you",
    ];
    for said in expected {
        assert!(
            found.iter().any(|found| found.starts_with(said)),
            "{said}: {found:?}"
        );
    }
}

#[tokio::test]
async fn the_history_says_how_access_came_about_and_until_when() {
    let (server, browser) = Browser::start_on(Setup::auto()).await;
    let agent = server.agent_named("Agent One").await;
    agent.prompt(&browser.user).await;
    let narrower = GrantRequest::new(
        browser.user.clone(),
        agent.id.clone(),
        [Scope::General, Scope::Goals],
    );
    agent.create_grant(&narrower).await.unwrap();
    let allow = async |more: &[(&str, &str)]| {
        let mut fields = vec![("agent_id", &*agent.id)];
        fields.extend(more);
        browser.submit("/account/allow", &fields).await
    };
    allow(&[
        ("scope", "general"),
        ("expires_at_local", "2099-01-02T03:04"),
    ])
    .await;
    allow(&[]).await;
    allow(&[("scope", "general")]).await;
    server.user_revokes(&browser.user, &agent).await;
    allow(&[("scope", "goals")]).await;
    let page = browser.get("/account/history?kind=access").await;
    page.assert_has("May read and write: What you are working on");
    assert_eq!(
        history(&browser, "kind=access").await,
        [
            "You gave Agent One access",
            "You ended the access of Agent One",
            "You gave Agent One access again after a pause",
            "You paused the access of Agent One",
            "You changed the access of Agent One, until 2 January 2099, 03:04 UTC",
            "Agent One narrowed its own access",
            "Agent One was given access by its first request",
        ]
    );
}

#[tokio::test]
async fn the_history_is_filtered_paged_from_both_ends_and_downloaded() {
    let setup = Setup::new().endless_lists();
    let (clock, server) = setup.start_at("2026-03-01T09:00:00Z").await;
    let browser = Browser::of_ada(&server).await;
    let agent = server.agent_named("=1+1").await;
    agent.tells(&browser.user, HELLO).await;
    browser.adds_tools(60).await;
    clock.advance(Duration::days(1));
    // The session has ended meanwhile.
    let browser = Browser::of_ada(&server).await;
    browser.adds("goals", "Quokka").await;
    assert_eq!(
        history(&browser, "kind=yours&day=2026-03-02").await,
        ["You added a fact"]
    );
    assert!(history(&browser, "day=2026-03-03").await.is_empty());
    let of_agent = format!("agent={}&kind=saved", agent.id);
    assert_eq!(
        history(&browser, &of_agent).await,
        ["=1+1 saved 3 facts about you"]
    );

    // From the oldest page on, each newer page begins where the last ended.
    let trail = server.trail(&browser.user).await;
    let mut path = "oldest=1".to_owned();
    let mut left = trail.len();
    while left > 0 {
        let found = history(&browser, &path).await.len();
        assert_eq!(found, left.min(25));
        left -= found;
        if let Some(first) = trail.get(left) {
            path = format!("after={}", first.id);
        }
    }
    let newest = browser.get("/account/history").await;
    assert!(newest.contains("Oldest entries") && !newest.contains("Newest entries"));
    let oldest = browser.get("/account/history?oldest=1").await;
    assert!(oldest.contains("Newest entries") && !oldest.contains("Oldest entries"));

    let csv = browser.request("GET", "/account/history.csv").send().await;
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    csv.header("content-disposition")
        .unwrap()
        .assert_has("ctxmem-history.csv");
    assert_eq!(csv.body.lines().count(), trail.len() + 1);
    let saved = csv
        .body
        .lines()
        .find(|line| line.contains(",update,"))
        .unwrap();
    saved.assert_has(",'=1+1 saved 3 facts about you,");
    saved.assert_has(",'=1+1,");
    csv.body.assert_lacks("Quokka");
    let day = browser
        .get("/account/history.csv?kind=yours&day=2026-03-02")
        .await;
    assert_eq!(day.lines().count(), 2, "{day}");
    for (wrong, field) in [
        ("agent=x", "agent: "),
        ("kind=x", "kind: "),
        ("day=x", "day: "),
    ] {
        for path in ["/account/history", "/account/history.csv"] {
            let answer = browser
                .request("GET", &format!("{path}?{wrong}"))
                .send()
                .await;
            answer.assert_bad_request(field);
        }
    }
}
