//! Undo of a deletion, on the page that says what was deleted.

use super::browser::Browser;
use super::facts::at_nine_with_facts;
use crate::suite::support::{Setup, Text as _, hidden, user};

const DELETE: &str = "/account/facts/delete";
const RESTORE: &str = "/account/facts/restore";

/// Deletes the facts with these values, and answers the page that says so.
async fn delete(browser: &Browser, values: &[&str], keep_out: bool) -> String {
    let mut fields = vec![("confirm", "yes".to_owned())];
    for value in values {
        fields.push(browser.fields_of(value).await[1].clone());
    }
    if keep_out {
        fields.push(("keep_out", "yes".to_owned()));
    }
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    browser.submit(DELETE, &fields).await
}

#[tokio::test]
async fn what_was_deleted_comes_back_as_it_was() {
    let (clock, _, agent, browser) = at_nine_with_facts().await;
    let (before, prompt) = (browser.facts().await, agent.prompt(&browser.user).await);
    clock.advance(chrono::Duration::minutes(10));
    let page = delete(&browser, &["Helix", "Ada"], false).await;
    assert_eq!(browser.told().await, ["general/location: Lisbon"]);
    let deleted = hidden(&page, "deleted");
    assert!(!page.contains("Helix"), "it is sealed");
    let page = browser.submit(RESTORE, &[("deleted", deleted)]).await;
    page.assert_has("The deletion is undone.");
    // The same words, author, days and places, so that the prompt is the same to the byte.
    assert!(browser.facts().await == before);
    assert_eq!(agent.prompt(&browser.user).await, prompt);
    assert_eq!(
        browser.deeds().await,
        [("restore_fact", 2), ("delete_fact", 2)]
    );
    // Who presses twice means it once.
    browser.submit(RESTORE, &[("deleted", deleted)]).await;
    assert!(browser.facts().await == before);
    browser
        .get("/account/history")
        .await
        .assert_has("You undid a deletion: 2 facts.");
}

#[tokio::test]
async fn what_agents_were_not_to_save_again_may_be_saved_after_the_undo() {
    let (_, server, agent, browser) = at_nine_with_facts().await;
    let page = delete(&browser, &["Helix"], true).await;
    browser
        .submit(RESTORE, &[("deleted", hidden(&page, "deleted"))])
        .await;
    let key = browser.user.clone();
    assert_eq!(server.memory.count_kept_out(&key).await.unwrap(), 0);
    agent.tells(&browser.user, "I use Zed as my editor.").await;
    assert!(browser.is_told("preferences/editor: Zed").await);
    // The one that was deleted before is not put in the place of what came since.
    let deleted = hidden(&delete(&browser, &["Zed"], false).await, "deleted").to_owned();
    agent
        .tells(&browser.user, "I use Emacs as my editor.")
        .await;
    let answer = browser.post(RESTORE, &[("deleted", &deleted)]).await;
    assert_eq!(answer.assert_error(409), "Another value is there by now.");
    assert!(browser.is_told("preferences/editor: Emacs").await);
}

#[tokio::test]
async fn one_fact_goes_without_a_question_and_may_then_be_kept_out() {
    let (_, _, agent, browser) = at_nine_with_facts().await;
    let [_, (_, fact), _] = browser.fields_of("Helix").await;
    let page = browser.submit(DELETE, &[("one", &fact)]).await;
    let text = "Don’t let apps save it again, nor anything else as “editor”";
    assert!(page.contains(text), "{page}");
    let deleted = hidden(&page, "deleted");
    let page = browser
        .submit("/account/facts/keep-out", &[("deleted", deleted)])
        .await;
    page.assert_has("Apps won’t save it again, nor anything else under its name");
    agent.tells(&browser.user, "I use Zed as my editor.").await;
    assert_eq!(
        browser.told().await,
        ["general/name: Ada", "general/location: Lisbon"]
    );
}

#[tokio::test]
async fn only_the_session_that_deleted_can_undo() {
    let (clock, server, _, browser) = at_nine_with_facts().await;
    let page = delete(&browser, &["Helix"], false).await;
    let deleted = hidden(&page, "deleted");
    let elsewhere = Browser::of_ada(&server).await;
    let bob = Browser::of(&server, &user("bob")).await;
    for browser in [&elsewhere, &bob] {
        for sealed in [deleted, "made up", ""] {
            let answer = browser.post(RESTORE, &[("deleted", sealed)]).await;
            assert_eq!(
                answer.assert_error(400),
                "deleted: expected what the page said was deleted, some minutes ago at most"
            );
        }
    }
    // What stands again is not kept out, and what was deleted comes back for some minutes only.
    browser.submit(RESTORE, &[("deleted", deleted)]).await;
    let kept_out = browser
        .post("/account/facts/keep-out", &[("deleted", deleted)])
        .await;
    kept_out.assert_error(409);
    let page = delete(&browser, &["Helix"], false).await;
    clock.advance(chrono::Duration::minutes(15));
    let late = browser
        .post(RESTORE, &[("deleted", hidden(&page, "deleted"))])
        .await;
    late.assert_error(400);
    // Nor after everything was erased.
    let page = delete(&browser, &["Ada"], false).await;
    server.erase(&browser.user).await;
    let erased = browser
        .post(RESTORE, &[("deleted", hidden(&page, "deleted"))])
        .await;
    let text = erased.assert_error(409);
    assert_eq!(text, "Everything was deleted meanwhile.");
    assert!(browser.told().await.is_empty());
    assert!(bob.told().await.is_empty());
    // The page says it once.
    assert!(!browser.memory().await.contains(RESTORE));
}

#[tokio::test]
async fn a_deletion_that_no_cookie_holds_says_before_that_it_is_for_good() {
    let (_, browser) = Browser::start_on(Setup::new().endless_lists()).await;
    browser.adds_tools(20).await;
    let facts = browser.facts().await;
    let versions: Vec<String> = facts.iter().map(super::browser::version).collect();
    let fields: Vec<_> = versions
        .iter()
        .map(|version| ("fact", &**version))
        .collect();
    let question = browser.post(DELETE, &fields).await;
    question.body.assert_has("This can’t be undone.");
    let fields: Vec<_> = fields.into_iter().chain([("confirm", "yes")]).collect();
    browser.submit(DELETE, &fields).await.assert_lacks(RESTORE);
    assert!(browser.told().await.is_empty());
}
