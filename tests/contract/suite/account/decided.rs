//! Users' decisions about single facts are permanent: corrections, and what they don't want to be
//! saved again.

use ctxmem_types::Scope;

use super::browser::{Browser, with};
use crate::suite::support::{Agent, FakeModel, HELLO, Server, Text as _, fact, named};

/// A server that asks a model, an agent, and Ada.
async fn with_model() -> (FakeModel, Server, Agent, Browser) {
    let (model, server, agent, _) = Server::with_model_and_ada().await;
    let browser = Browser::of_ada(&server).await;
    (model, server, agent, browser)
}

#[tokio::test]
async fn a_passing_remark_does_not_replace_a_correction() {
    let (_, agent, browser) = Browser::start_with_agent().await;
    browser.corrects("Helix", "Zed").await;
    let editor = async || {
        let told = browser.told().await;
        told.into_iter()
            .find(|fact| fact.contains("editor"))
            .unwrap_or_default()
    };
    for remark in ["I use Helix as my editor.", "I use Emacs as my editor."] {
        agent.tells(&browser.user, remark).await;
        assert_eq!(editor().await, "preferences/editor: Zed", "{remark}");
    }
    // In so many words it is replaced, and what is extracted then gives way to the next remark.
    agent
        .tells(&browser.user, "I use Emacs as my editor now.")
        .await;
    assert_eq!(editor().await, "preferences/editor: Emacs");
    agent
        .tells(&browser.user, "I use Helix as my editor.")
        .await;
    assert_eq!(editor().await, "preferences/editor: Helix");
    browser.corrects("Helix", "Zed").await;
    agent
        .tells(
            &browser.user,
            "Please remember that I use Vim as my editor.",
        )
        .await;
    assert_eq!(editor().await, "preferences/editor: Vim");
}

#[tokio::test]
async fn a_corrected_wording_in_a_list_does_not_come_back_beside_the_correction() {
    let (model, _, agent, browser) = with_model().await;
    model.finds([fact(Scope::Goals, "Tickle a quokka")]);
    agent.tells(&browser.user, HELLO).await;
    browser.corrects("Tickle a quokka", "Feed a wombat").await;
    agent.tells(&browser.user, HELLO).await;
    assert_eq!(browser.told().await, ["goals/Feed a wombat"]);
}

#[tokio::test]
async fn what_must_not_be_saved_again_stays_away_until_it_is_asked_for() {
    let (model, _, agent, browser) = with_model().await;
    let facts = [
        named(Scope::Preferences, "animal", "quokka"),
        fact(Scope::Goals, "Tickle a quokka"),
    ];
    model.finds(facts.clone());
    agent.tells(&browser.user, HELLO).await;
    let delete = async |value: &str, more: &[(&str, &str)]| {
        let fields = browser.fields_of(value).await;
        let mut fields = with(&fields[1..], &[]);
        fields.extend(more);
        fields.push(("confirm", "yes"));
        browser.submit("/account/facts/delete", &fields).await
    };
    // Without the wish it may come back.
    delete("Tickle a quokka", &[]).await;
    agent.tells(&browser.user, HELLO).await;
    assert_eq!(browser.told().await.len(), 2);
    let page = delete("Tickle a quokka", &[("keep_out", "yes")]).await;
    page.assert_has("Apps won’t save it again.");
    delete("quokka", &[("keep_out", "yes")]).await;
    let page = browser.memory().await;
    page.assert_has("2 facts are not saved again");
    agent.tells(&browser.user, HELLO).await;
    assert!(browser.told().await.is_empty());
    // Another deletion replaces the user's key; the wish outlasts that.
    model.finds([fact(Scope::Knowledge, "Numbats")]);
    agent.tells(&browser.user, HELLO).await;
    delete("Numbats", &[]).await;
    model.finds(facts.clone());
    agent.tells(&browser.user, HELLO).await;
    assert!(browser.told().await.is_empty());
    // By hand it may be added, and agents then only confirm it.
    browser.adds("goals", "Tickle a quokka").await;
    assert!(browser.memory().await.contains("1 fact is not saved again"));
    // Asked for in so many words, it is saved; and so it is when all are let in again.
    agent
        .tells(
            &browser.user,
            "Please remember that my animal is the quokka.",
        )
        .await;
    assert_eq!(browser.told().await.len(), 2);
    delete("quokka", &[("keep_out", "yes")]).await;
    browser.submit("/account/facts/let-in", &[]).await;
    agent.tells(&browser.user, HELLO).await;
    assert_eq!(browser.told().await.len(), 2);
}

#[tokio::test]
async fn an_erasure_forgets_what_must_not_be_saved_again() {
    let (model, server, agent, browser) = with_model().await;
    model.finds([fact(Scope::Goals, "Tickle a quokka")]);
    agent.tells(&browser.user, HELLO).await;
    let fields = browser.fields_of("Tickle a quokka").await;
    let fields = with(&fields[1..], &[("keep_out", "yes"), ("confirm", "yes")]);
    browser.submit("/account/facts/delete", &fields).await;
    browser.erases().await;
    let memory = &server.memory;
    assert_eq!(memory.count_kept_out(&browser.user).await.unwrap(), 0);
    server.user_allows(&browser.user, &agent).await;
    agent.tells(&browser.user, HELLO).await;
    assert_eq!(browser.told().await, ["goals/Tickle a quokka"]);
}

#[tokio::test]
async fn a_correction_may_change_the_kind_and_the_name() {
    let (_, _, browser) = Browser::start_with_agent().await;
    let move_to = async |value: &str, scope: &str, name: &str| {
        let fields = browser.fields_of(value).await;
        let fields = with(
            &fields[1..],
            &[("scope", scope), ("name", name), ("value", value)],
        );
        browser.post("/account/facts/correct", &fields).await
    };
    assert_eq!(move_to("Helix", "knowledge", "").await.status, 303);
    assert_eq!(
        move_to("Lisbon", "preferences", "favourite city")
            .await
            .status,
        303
    );
    let told = [
        "general/name: Ada",
        "preferences/favourite_city: Lisbon",
        "knowledge/Helix",
    ];
    assert_eq!(browser.told().await, told);
    // A name that is taken, and a kind that needs one.
    for (value, scope, name, field) in [
        ("Helix", "general", "name", "name: "),
        ("Helix", "preferences", "", "name: "),
    ] {
        let text = move_to(value, scope, name).await;
        text.assert_bad_request(field);
    }
    assert_eq!(browser.told().await, told);
}

#[tokio::test]
async fn a_page_says_why_a_fact_is_known() {
    let (model, server) = Server::with_model().await;
    let rules = Server::start().await;
    for (server, how) in [
        (&server, "A language model picked it out"),
        (&rules, "You mentioned it to"),
    ] {
        let agent = server.agent_named("Agent One").await;
        let browser = Browser::of_ada(server).await;
        model.finds([named(Scope::Preferences, "editor", "Helix")]);
        let told = agent.raw_update("ada", HELLO).send().await;
        let request = told.header("x-request-id").unwrap();
        // The rest is sealed anew, with where it came from.
        browser.adds("goals", "Rest").await;
        browser.deletes("Rest").await;
        let helix = browser.fields_of("Helix").await;
        let (id, _) = helix[1].1.split_once('-').unwrap();
        let page = browser.get(&format!("/account/facts/edit?fact={id}")).await;
        assert!(page.contains(how) && page.contains(request), "{page}");
        page.assert_has("From <bdi>Agent One</bdi>");
        page.assert_lacks("Lisbon");
        // What the user writes came from nowhere else.
        let zed = with(&helix[1..], &[("value", "Zed")]);
        browser.submit("/account/facts/correct", &zed).await;
        let page = browser.get(&format!("/account/facts/edit?fact={id}")).await;
        page.assert_has("From you");
        page.assert_lacks(request);
    }
}
