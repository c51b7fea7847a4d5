//! Auto-delete: facts that are as old as their user chose are deleted by themselves.

use chrono::Duration;

use super::browser::Browser;
use super::facts::{at_nine, at_nine_with_facts};
use crate::suite::support::{HELLO, Text as _, user};

const PATH: &str = "/account/auto-delete";

#[tokio::test]
async fn facts_go_when_nobody_has_said_them_for_as_long_as_the_user_chose() {
    let (clock, server, agent, browser) = at_nine_with_facts().await;
    let all = [
        "general/name: Ada",
        "general/location: Lisbon",
        "preferences/editor: Helix",
    ];
    assert_eq!(browser.told().await, all);
    let page = browser
        .submit(PATH, &[("general", "3"), ("goals", "18")])
        .await;
    page.assert_has(r#"<option value="3" selected>After 3 months</option>"#);
    page.assert_has(r#"<option value="18" selected>After 18 months</option>"#);
    let housekeeping = async || server.memory.delete_old_facts().await.unwrap();

    clock.set("2026-05-20T09:00:00Z");
    agent.tells(&browser.user, "I live in Lisbon.").await;
    clock.set("2026-06-01T08:59:59Z");
    housekeeping().await;
    assert_eq!(browser.told().await, all, "a second too early");
    clock.advance(Duration::seconds(1));
    housekeeping().await;
    // What was said again stays, and so does what is of another kind.
    assert_eq!(browser.told().await, all[1..]);
    let prompt = agent.prompt(&browser.user).await;
    prompt.assert_has("Lisbon");
    prompt.assert_lacks("Ada");
    assert_eq!(
        browser.deeds().await,
        [("auto_delete", 1), ("set_auto_delete", 0)]
    );
    // The session has ended long ago.
    let browser = Browser::of_ada(&server).await;
    let history = browser.get("/account/history").await;
    history.assert_has("One fact was deleted because it was as old as you had chosen.");

    clock.set("2026-08-20T09:00:00Z");
    housekeeping().await;
    assert_eq!(browser.told().await, all[2..]);
    // Of nobody is anything due, and what stays stays for ever.
    clock.set("2036-01-01T00:00:00Z");
    housekeeping().await;
    assert_eq!(browser.told().await, all[2..]);
}

#[tokio::test]
async fn what_is_old_enough_already_is_asked_about_and_goes_at_once() {
    let (clock, server) = at_nine().await;
    let agent = server.agent_named("Agent of Ada").await;
    agent.tells(&user("ada"), HELLO).await;
    clock.set("2027-10-01T00:00:00Z");
    let browser = Browser::of_ada(&server).await;
    let chosen = [("general", "18"), ("preferences", "36")];
    for confirm in [None, Some(("confirm", "1")), Some(("confirm", "3"))] {
        let fields: Vec<_> = chosen.into_iter().chain(confirm).collect();
        let question = browser.form(PATH, &fields).gets(200).await;
        question.body.assert_has("<h1>Delete 2 facts now?</h1>");
        question.body.assert_has_all([
            r#"name="confirm" value="2""#,
            r#"name="general" value="18""#,
        ]);
        assert_eq!(
            browser.told().await.len(),
            3,
            "nothing is deleted by the question"
        );
    }
    let key = async || {
        let keys = "SELECT CAST(key_slot AS TEXT) FROM users WHERE key_slot IS NOT NULL";
        server.store.texts(keys).await
    };
    let before = key().await;
    let fields: Vec<_> = chosen.into_iter().chain([("confirm", "2")]).collect();
    browser.submit(PATH, &fields).await;
    assert_eq!(browser.told().await, ["preferences/editor: Helix"]);
    // What was deleted can't be read from an old copy: what is left has another key.
    assert_ne!(key().await, before);
    assert_eq!(
        browser.deeds().await,
        [("auto_delete", 2), ("set_auto_delete", 0)]
    );
}

#[tokio::test]
async fn only_the_three_lengths_can_be_chosen() {
    let (_, server) = at_nine().await;
    let browser = Browser::of_ada(&server).await;
    for wrong in ["0", "1", "-3", "3.0", "never", "4294967299"] {
        let answer = browser.post(PATH, &[("goals", wrong)]).await;
        let text = answer.assert_error(400);
        assert_eq!(text, "goals: expected 3, 18 or 36 months, or nothing");
    }
    let answer = browser
        .post(PATH, &[("confirm", "all"), ("goals", "3")])
        .await;
    answer.assert_error(400);
    assert!(browser.deeds().await.is_empty());
}

#[tokio::test]
async fn the_choice_is_exported_taken_back_and_erased() {
    let (clock, server, _, browser) = at_nine_with_facts().await;
    let choices = async || browser.export().await["choices"]["auto_delete"].clone();
    assert!(choices().await.is_null());
    browser.submit(PATH, &[("general", "36")]).await;
    assert_eq!(choices().await, serde_json::json!({"general": 36}));
    browser.submit(PATH, &[("general", "")]).await;
    assert!(choices().await.is_null());
    clock.set("2036-01-01T00:00:00Z");
    server.memory.delete_old_facts().await.unwrap();
    let browser = Browser::of_ada(&server).await;
    assert_eq!(browser.told().await.len(), 3);
    browser.submit(PATH, &[("goals", "3")]).await;
    server.erase(&browser.user).await;
    let choices = server.grants.choices(&browser.user).await.unwrap();
    assert!(choices.auto_delete.is_empty());
}
