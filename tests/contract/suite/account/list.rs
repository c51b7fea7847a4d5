//! Many facts: filters, order, pages, several at once.

use chrono::Duration;

use super::browser::{Browser, version};
use super::facts::at_nine;
use crate::suite::support::{Setup, Text as _, between};

/// The values of the facts that a page shows, in its order.
fn values(page: &str) -> Vec<String> {
    let rows = page.split(r#"aria-label="Select: "#).skip(1);
    rows.map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn facts_are_filtered_by_kind_and_author_and_sorted() {
    let (clock, server) = at_nine().await;
    let agent = server.agent_named("Agent One").await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    for goal in ["Ship", "Rest"] {
        clock.advance(Duration::seconds(1));
        browser.adds("goals", goal).await;
    }
    let shown = async |query: &str| values(&browser.get(&format!("/account/facts?{query}")).await);
    assert_eq!(shown("").await, ["Ada", "Lisbon", "Helix", "Ship", "Rest"]);
    assert_eq!(shown("kind=goals").await, ["Ship", "Rest"]);
    assert_eq!(shown("agent=you&sort=newest").await, ["Rest", "Ship"]);
    let of_agent = format!("agent={}&kind=general", agent.id);
    assert_eq!(shown(&of_agent).await, ["Ada", "Lisbon"]);
    assert_eq!(shown("sort=newest").await[..2], ["Rest", "Ship"]);
    assert_eq!(shown("sort=oldest").await[..1], ["Ada"]);
    for (wrong, field) in [
        ("kind=x", "kind: "),
        ("sort=x", "sort: "),
        ("page=0", "page: "),
    ] {
        let answer = browser
            .request("GET", &format!("/account/facts?{wrong}"))
            .send()
            .await;
        answer.assert_bad_request(field);
    }
}

#[tokio::test]
async fn many_facts_stand_on_pages() {
    let (_, browser) = Browser::start_on(Setup::new().endless_lists()).await;
    browser.adds_tools(101).await;
    let page = async |path: &str| values(&browser.get(path).await);
    let [first, second, last] = [
        page("/account/facts").await,
        page("/account/facts?page=2").await,
        page("/account/facts?page=3").await,
    ];
    assert_eq!((first.len(), second.len(), last.len()), (50, 50, 1));
    assert_eq!(
        [&first[0], &second[0], &last[0]],
        ["Tool number 0", "Tool number 50", "Tool number 100"]
    );
    // A page that is gone is the last one.
    assert_eq!(page("/account/facts?page=9").await, last);
    let overview = browser.memory().await;
    overview.assert_has(r#"<a href="/account/facts?page=3#memory">Last page</a>"#);
    overview.assert_has("Yes, delete all 101 facts for good");
}

#[tokio::test]
async fn several_facts_are_shown_before_they_are_deleted_together() {
    let (clock, server) = at_nine().await;
    let browser = Browser::of_ada(&server).await;
    for goal in ["One", "Two", "Three"] {
        browser.adds("goals", goal).await;
    }
    let versions: Vec<String> = browser.facts().await.iter().map(version).collect();
    let both = [("fact", &*versions[0]), ("fact", &*versions[2])];
    let asked = browser.form("/account/facts/delete", &both).gets(200).await;
    assert!(asked.body.contains("Delete 2 facts?") && asked.body.contains("Three"));
    assert!(!asked.body.contains("Two") && browser.told().await.len() == 3);
    let confirmed = [both[0], both[1], ("confirm", "yes")];
    // One of them has changed since: nothing goes.
    clock.advance(Duration::seconds(1));
    let changed = [("fact", &*versions[2]), ("value", "Four")];
    browser.submit("/account/facts/correct", &changed).await;
    let refused = browser.post("/account/facts/delete", &confirmed).await;
    assert!([404, 409].contains(&refused.status), "{}", refused.body);
    assert_eq!(
        browser.told().await,
        ["goals/One", "goals/Two", "goals/Four"]
    );

    let versions: Vec<String> = browser.facts().await.iter().map(version).collect();
    let confirmed = [
        ("fact", &*versions[0]),
        ("fact", &*versions[2]),
        ("confirm", "yes"),
    ];
    let page = browser.submit("/account/facts/delete", &confirmed).await;
    page.assert_has("The selected facts were deleted.");
    assert_eq!(browser.told().await, ["goals/Two"]);
    assert_eq!(browser.deeds().await[0], ("delete_fact", 2));
    let none = browser.post_for_page("/account/facts/delete", &[]).await;
    assert_eq!(none.status, 400);
    none.body.assert_has("Select at least one fact.");
}

#[tokio::test]
async fn facts_are_filtered_by_the_days_on_which_they_were_saved() {
    let (clock, server) = at_nine().await;
    for goal in ["First", "Second", "Third"] {
        // A session lasts for less than a day.
        let browser = Browser::of_ada(&server).await;
        browser.adds("goals", goal).await;
        clock.advance(Duration::days(1));
    }
    let browser = Browser::of_ada(&server).await;
    let shown = async |query: &str| values(&browser.get(&format!("/account/facts?{query}")).await);
    assert_eq!(shown("from=2026-03-02").await, ["Second", "Third"]);
    assert_eq!(shown("to=2026-03-02").await, ["First", "Second"]);
    let day = "from=2026-03-02&to=2026-03-02";
    assert_eq!(shown(day).await, ["Second"]);
    assert_eq!(shown("from=2026-03-03&to=2026-03-01").await, [""; 0]);
    let page = browser.get(&format!("/account/facts?{day}")).await;
    assert!(page.contains(r#"name="from" value="2026-03-02""#) && page.contains("1 fact matches."));
    for (wrong, field) in [("from=soon", "from: "), ("to=2026-02-30", "to: ")] {
        let answer = browser.request("GET", &format!("/account/facts?{wrong}"));
        answer.send().await.assert_bad_request(field);
    }
}

/// The value of the button that deletes all that is found.
fn all(page: &str) -> String {
    between(page, r#"name="all" value=""#, "\"").to_owned()
}

#[tokio::test]
async fn all_that_is_found_is_deleted_after_a_question_over_all_pages() {
    let (_, browser) = Browser::start_on(Setup::new().endless_lists()).await;
    browser.adds("goals", "Ship").await;
    browser.adds_tools(60).await;
    browser.memory().await.assert_has("Delete all 61 facts…");
    let page = browser.get("/account/facts?kind=knowledge").await;
    page.assert_has("Delete all 60 that match…");
    let all = all(&page);
    let these = [("all", &*all), ("view", "kind=knowledge")];
    let asked = browser.post("/account/facts/delete", &these).await;
    assert_eq!(asked.status, 200);
    assert!(asked.body.contains("Delete 60 facts?") && asked.body.contains("Tool number 59"));
    assert!(!asked.body.contains("Ship") && browser.told().await.len() == 61);
    // What came or went since was not in the question: nothing is deleted.
    let confirmed = |count| [these[0], these[1], ("count", count), ("confirm", "yes")];
    for wrong in [vec![("count", "59")], vec![]] {
        let mut fields = vec![these[0], these[1], ("confirm", "yes")];
        fields.extend(wrong);
        let refused = browser.post("/account/facts/delete", &fields).await;
        assert_eq!(refused.status, 409, "{}", refused.body);
    }
    assert_eq!(browser.told().await.len(), 61);
    // Without its filter, the form is about other facts than the question was.
    let elsewhere = [("all", &*all), ("count", "60"), ("confirm", "yes")];
    let refused = browser.post("/account/facts/delete", &elsewhere).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    let page = browser
        .submit("/account/facts/delete", &confirmed("60"))
        .await;
    page.assert_has("The selected facts were deleted.");
    assert_eq!(browser.told().await, ["goals/Ship"]);
    assert_eq!(browser.deeds().await[0], ("delete_fact", 60));
}
