//! Facts by hand: seen, added, corrected, deleted.

use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::Duration;
use ctxmem_types::Scope;
use serde_json::json;

use super::browser::{Browser, with};
use super::unescaped;
use crate::suite::support::{
    Agent, HELLO, Server, Setup, TestClock, Text as _, between, fact, hidden, named, user,
};

pub(super) async fn at_nine() -> (Arc<TestClock>, Server) {
    Setup::auto().start_at("2026-03-01T09:00:00Z").await
}

/// The same with an agent, and Ada, who has told it something.
pub(super) async fn at_nine_with_facts() -> (Arc<TestClock>, Server, Agent, Browser) {
    let (clock, server) = at_nine().await;
    let agent = server.agent_named("Agent of Ada").await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    (clock, server, agent, browser)
}

#[tokio::test]
async fn each_fact_is_shown_with_who_wrote_it_and_when() {
    let (clock, server) = at_nine().await;
    let agent = server.agent_named("Agent of Ada").await;
    let browser = Browser::of_ada(&server).await;
    let page = browser.page().await;
    page.assert_has("No facts about you are saved");
    agent.tells(&browser.user, HELLO).await;
    clock.advance(Duration::minutes(1));
    agent.tells(&browser.user, "My name is Ada.").await;
    let page = browser.adds("goals", "Ship the beta").await;
    page.assert_has("The fact was added.");
    let overview = browser.page().await;
    overview.assert_has("One app can use 4 facts about you.");
    for title in ["About you", "What you prefer", "What you are working on"] {
        assert!(page.contains(&format!(">{title}</h2>")), "{title}");
    }
    page.assert_has("Nothing yet under: How to talk to you, What you know,");
    let item = |value: &str| between(&page, value, "</li>").to_owned();
    let nine = r#"<time datetime="2026-03-01T09:00:00.000Z">1 March 2026, 09:00 UTC</time>"#;
    let later = r#"<time datetime="2026-03-01T09:01:00.000Z">1 March 2026, 09:01 UTC</time>"#;
    let name = item(r#"<span class="name"><bdi>name</bdi>:</span> <bdi>Ada"#);
    name.assert_has("From <bdi>Agent of Ada</bdi>");
    name.assert_has(nine);
    name.assert_has(format!("last confirmed {later}"));
    let place = item(r#"<span class="name"><bdi>location</bdi>:</span> <bdi>Lisbon"#);
    place.assert_has(nine);
    place.assert_lacks("confirmed");
    let goal = item("Ship the beta");
    goal.assert_has("From you, ");
    goal.assert_has(later);
    server.store.mark_deleted(&agent).await;
    browser
        .memory()
        .await
        .assert_has("From <bdi>Agent of Ada</bdi> (deleted)");
}

#[tokio::test]
async fn facts_added_by_hand_reach_agents() {
    let server = Setup::auto().start().await;
    // Nobody ever asked about her.
    let browser = Browser::of_ada(&server).await;
    for fields in [
        [
            ("scope", "preferences"),
            ("name", "Code editor"),
            ("value", " Helix\n"),
        ],
        [
            ("scope", "knowledge"),
            ("name", "is ignored"),
            ("value", "Rust"),
        ],
        [
            ("scope", "communication_style"),
            ("name", ""),
            ("value", "Short answers"),
        ],
    ] {
        browser.submit("/account/facts/add", &fields).await;
    }
    assert_eq!(
        browser.told().await,
        [
            "communication_style/Short answers",
            "preferences/editor: Helix",
            "knowledge/Rust"
        ]
    );
    let agent = server.agent().await;
    let prompt = agent.prompt(&browser.user).await;
    assert!(prompt.contains("- editor: Helix") && prompt.contains("- knows: Rust"));
    let context = agent.reads(&browser.user).await;
    let editor = json!({"value": "Helix", "source_type": "edited"});
    assert_eq!(context["preferences"]["editor"], editor);
    assert_eq!(browser.deeds().await, [("add_fact", 1); 3]);
}

#[tokio::test]
async fn a_correction_takes_the_place_of_what_was_there() {
    let (clock, _, agent, browser) = at_nine_with_facts().await;
    for goal in ["Ship the beta", "Bake a cake"] {
        browser.adds("goals", goal).await;
    }
    clock.advance(Duration::minutes(30));
    for (old, new) in [("Helix", "Zed"), ("Ship the beta", "Ship version 1.0")] {
        let fields = browser.fields_of(old).await;
        let (id, _) = fields[1].1.split_once('-').unwrap();
        let form = browser.get(&format!("/account/facts/edit?fact={id}")).await;
        form.assert_has(format!(">{old}</textarea>"));
        form.assert_has(format!(r#"name="fact" value="{}""#, fields[1].1));
        let fields = with(&fields[1..], &[("value", new)]);
        let page = browser.submit("/account/facts/correct", &fields).await;
        assert!(page.contains(new) && !page.contains(old));
    }
    // In its place, and in the slot of what it says now.
    assert_eq!(
        browser.told().await,
        [
            "general/name: Ada",
            "general/location: Lisbon",
            "preferences/editor: Zed",
            "goals/Ship version 1.0",
            "goals/Bake a cake"
        ]
    );
    let again = [("scope", "goals"), ("value", "ship our version 1.0")];
    let refused = browser.post("/account/facts/add", &again).await;
    refused.assert_error(400);
    let context = agent.reads(&browser.user).await;
    assert_eq!(context["preferences"]["editor"]["source_type"], "edited");
    assert_eq!(context["last_updated"], "2026-03-01T09:30:00.000Z");
    assert_eq!(browser.deeds().await[..2], [("correct_fact", 1); 2]);
}

#[tokio::test]
async fn two_facts_that_say_the_same_become_one() {
    let (_, browser) = Browser::start().await;
    for goal in ["Ship the beta", "Bake a cake", "Write a book"] {
        browser.adds("goals", goal).await;
    }
    browser.corrects("Ship the beta", "write the book!").await;
    let left = ["goals/write the book!", "goals/Bake a cake"];
    assert_eq!(browser.told().await, left);
}

#[tokio::test]
async fn facts_that_changed_meanwhile_are_not_overwritten_or_deleted() {
    // The clock stands still: both values are stored within a millisecond.
    let (_, _, agent, browser) = at_nine_with_facts().await;
    let seen = browser.fields_of("Helix").await;
    agent
        .tells(&browser.user, "I use Zed as my editor now.")
        .await;
    let before = browser.told().await;
    assert!(
        before.contains(&"preferences/editor: Zed".to_owned()),
        "{before:?}"
    );
    let corrected = with(&seen[1..], &[("value", "Emacs")]);
    for (path, fields) in [
        ("/account/facts/correct", corrected),
        ("/account/facts/delete", with(&seen, &[])),
        (
            "/account/facts/delete-scope",
            with(&seen, &[("confirm", "yes")]),
        ),
    ] {
        let text = browser.form(path, &fields).gets_error(409).await;
        assert_eq!(text, "Another value is there by now.");
        let page = browser.post_for_page(path, &fields).await;
        assert_eq!(page.status, 409);
        if path == "/account/facts/correct" {
            // What was typed is still there, beside what stands there now, and both can be told apart.
            let text = unescaped(&page.body);
            text.assert_has("this has become “Zed”");
            text.assert_has(">Emacs</textarea>");
        } else {
            page.body.assert_has("This has changed since you looked");
        }
        assert_eq!(browser.told().await, before);
    }
    assert!(browser.deeds().await.is_empty());
    browser.deletes("Zed").await;
}

#[tokio::test]
async fn a_correction_that_came_too_late_is_sent_again_or_added() {
    let (clock, _, agent, browser) = at_nine_with_facts().await;
    let seen = browser.fields_of("Helix").await;
    clock.advance(Duration::seconds(1));
    agent
        .tells(&browser.user, "I use Zed as my editor now.")
        .await;
    let path = "/account/facts/correct";
    let emacs = with(&seen[1..], &[("value", "Emacs")]);
    let page = browser.post_for_page(path, &emacs).await.body;
    // The form that came back is about the value that it shows.
    let again = [("fact", hidden(&page, "fact")), ("value", "Emacs")];
    browser.submit(path, &again).await;
    assert_eq!(
        browser.told().await.last().unwrap(),
        "preferences/editor: Emacs"
    );

    // Where the fact is gone, what was typed can be added.
    let seen = browser.fields_of("Emacs").await;
    let gone = with(&seen[1..], &[("confirm", "yes")]);
    browser.submit("/account/facts/delete", &gone).await;
    let before = browser.told().await;
    let fields = [
        ("scope", "preferences"),
        ("name", "editor"),
        ("value", "Vim"),
    ];
    let late = with(&seen[1..], &fields);
    let page = browser.post_for_page(path, &late).await;
    assert_eq!(page.status, 404);
    page.body.assert_has("this fact is gone by now");
    page.body.assert_has(r#"action="/account/facts/add""#);
    assert!(page.body.contains(">Vim</textarea>") && page.body.contains(r#"value="editor""#));
    assert_eq!(browser.told().await, before);
}

#[tokio::test]
async fn a_selected_fact_is_asked_about_before_it_is_deleted() {
    let (_, server) = at_nine().await;
    let browser = Browser::of_ada(&server).await;
    let fields = [
        ("scope", "preferences"),
        ("name", "editor"),
        ("value", "Helix"),
    ];
    browser.submit("/account/facts/add", &fields).await;
    browser.adds("goals", "Ship it").await;
    let told = browser.told().await;
    for (value, blocked_facts) in [
        (
            "Helix",
            "Don’t let apps save it again, nor anything else as “editor”",
        ),
        ("Ship it", "Don’t let apps save it again</span></label>"),
    ] {
        let fact = browser.fields_of(value).await[1].1.clone();
        let fields = [("fact", &*fact), ("keep_out", "yes")];
        let asked = browser.post("/account/facts/delete", &fields).await;
        assert_eq!(asked.status, 200);
        let text = unescaped(&asked.body);
        assert!(text.contains("Delete this fact?") && text.contains(value));
        text.assert_has("You can undo it on the next page, and not later.");
        text.assert_has(blocked_facts);
        text.assert_lacks("checked");
        assert_eq!(browser.told().await, told);
    }
    // What both keep out together is said as well, and so is what was kept out.
    let facts: Vec<String> = browser
        .facts()
        .await
        .iter()
        .map(super::browser::version)
        .collect();
    let both = [("fact", &*facts[0]), ("fact", &*facts[1])];
    let asked = browser.post("/account/facts/delete", &both).await.body;
    asked.assert_has("under these names: <bdi>editor</bdi>");
    let confirmed = [both[0], both[1], ("keep_out", "yes"), ("confirm", "yes")];
    let page = browser.submit("/account/facts/delete", &confirmed).await;
    page.assert_has("nor anything else under their names");
}

#[tokio::test]
async fn deleting_takes_one_fact_or_all_of_a_scope() {
    let (clock, _, agent, browser) = at_nine_with_facts().await;
    clock.advance(Duration::minutes(30));
    let page = browser.deletes("Helix").await;
    page.assert_has("The fact was deleted.");
    let left = ["general/name: Ada", "general/location: Lisbon"];
    assert_eq!(browser.told().await, left);
    let last = agent.reads(&browser.user).await["last_updated"].clone();
    assert_eq!(last, "2026-03-01T09:30:00.000Z");

    let page = browser.memory().await;
    page.assert_has("Yes, delete all 2 facts</label>");
    let whole = browser.fields_of("Ada").await;
    let whole = with(&whole, &[]);
    let refused = browser.post("/account/facts/delete-scope", &whole).await;
    refused.assert_bad_request("confirm: ");
    assert_eq!(browser.told().await, left);
    let mut confirmed = whole.clone();
    confirmed.push(("confirm", "yes"));
    let page = browser
        .submit("/account/facts/delete-scope", &confirmed)
        .await;
    page.assert_has("All facts of this kind were deleted.");
    assert!(browser.told().await.is_empty());
    // Another time there is nothing to do, and nothing is noted.
    browser
        .submit("/account/facts/delete-scope", &confirmed)
        .await;
    let deeds = [("delete_scope", 2), ("delete_fact", 1)];
    assert_eq!(browser.deeds().await, deeds);
    // What the forms do ends no access.
    assert_eq!(agent.reason(&browser.user).await.as_deref(), Some("empty"));
}

#[tokio::test]
async fn a_scope_that_is_full_takes_no_more_by_hand() {
    let (_, browser) = Browser::start_on(
        Setup::new().with(|config| config.settings.list_cap = NonZeroU32::new(2)),
    )
    .await;
    let add = async |scope: &str, name: &str, value: &str| {
        let fields = [("scope", scope), ("name", name), ("value", value)];
        browser.post("/account/facts/add", &fields).await
    };
    for goal in ["One thing", "Another thing"] {
        assert_eq!(add("goals", "", goal).await.status, 303);
    }
    for n in 0..16 {
        let answer = add("general", &format!("name {n}"), "x").await;
        assert_eq!(answer.status, 303, "{}", answer.body);
    }
    let before = browser.told().await;
    for scope in ["goals", "general"] {
        let text = add(scope, "more", "A third thing").await;
        text.assert_bad_request("scope: it is full");
    }
    assert_eq!(browser.told().await, before);
    // What is there may be corrected still.
    browser.corrects("One thing", "A third thing").await;
}

#[tokio::test]
async fn an_answer_that_is_given_again_no_longer_says_what_was_deleted() {
    let (model, server, agent, _) = Server::with_model_and_ada().await;
    let facts = [
        named(Scope::Preferences, "animal", "quokka"),
        fact(Scope::Goals, "Tickle a quokka"),
        fact(Scope::Knowledge, "Quokka lore"),
    ];
    for (n, path) in ["delete", "correct", "delete-scope"].iter().enumerate() {
        let browser = Browser::of(&server, &user(&format!("ada-{n}"))).await;
        model.finds(facts.clone());
        let tell = || {
            let request = agent.raw_update(browser.user.as_str(), HELLO);
            let key = format!("key-{n}");
            request.header("idempotency-key", &key).send()
        };
        let first = tell().await.body;
        first.assert_has("quokka");
        assert_eq!(tell().await.body, first);
        let fields = browser.fields_of("Tickle a quokka").await;
        let more = [("value", "Rest"), ("confirm", "yes")];
        // Only the form about a kind names the kind.
        let fields = if *path == "delete-scope" {
            &fields[..]
        } else {
            &fields[1..]
        };
        let path = format!("/account/facts/{path}");
        browser.submit(&path, &with(fields, &more)).await;
        let again = tell().await;
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        again.body.to_lowercase().assert_lacks("quokka");
        // Nor was it learned again.
        assert!(!browser.is_told("goals/Tickle a quokka").await);
    }
}

#[tokio::test]
async fn a_fact_in_ones_own_words_finds_its_kind() {
    let (_clock, server) = at_nine().await;
    let browser = Browser::of_ada(&server).await;
    for text in [
        "I live in Lisbon.",
        "I'm allergic to peanuts.",
        "The key to the shed hangs behind the door",
    ] {
        let fields = [("scope", ""), ("name", ""), ("value", text)];
        browser.submit("/account/facts/add", &fields).await;
    }
    let told = browser.told().await;
    assert_eq!(told[0], "general/location: Lisbon");
    assert!(told.contains(&"preferences/allergy: Peanuts".to_owned()));
    assert!(
        told.iter().any(|fact| fact.contains("behind the door")),
        "{told:?}"
    );
    // What may not be stored is refused all the same, and comes back.
    let secret = "My password is hunter2-and-more";
    let page = browser
        .post_for_page("/account/facts/add", &[("scope", ""), ("value", secret)])
        .await;
    assert_eq!(page.status, 400);
    assert!(page.body.contains("Not saved.") && page.body.contains(secret));
}
