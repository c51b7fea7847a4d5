//! Known facts: which of them a model is shown, what their numbers do, and which facts leave a full
//! scope.

use ctxmem_test_outside::extraction_data;
use ctxmem_types::{Scope, ScopeSet};
use serde_json::{Value, json};

use crate::suite::support::{
    HELLO, ModelFixture, Setup, Text as _, fact, named, no_longer, observed, unlearned, user,
};

/// What a model writes of a known fact.
fn of_known(op: &str, number: usize) -> Value {
    json!({"scope": "general", "key": "", "value": "", "op": op, "known": number})
}

/// That a known fact, whose value is repeated, no longer holds.
fn gone(number: usize, was: &str) -> Value {
    let mut fact = of_known("remove", number);
    fact["was"] = was.into();
    fact
}

/// A fact that takes the place of a known one, whose value is repeated.
fn instead(mut fact: Value, number: usize, was: &str) -> Value {
    fact["known"] = number.into();
    fact["was"] = was.into();
    fact
}

impl ModelFixture {
    /// What the model was last shown of what is known.
    async fn shown(&self) -> Vec<String> {
        let data = extraction_data(self.model.bodies().await.last().unwrap());
        let known = data["known"].as_array().cloned().unwrap_or_default();
        for (n, fact) in (1..).zip(&known) {
            assert_eq!(fact["number"], n);
        }
        known
            .iter()
            .map(|fact| fact["value"].as_str().unwrap().to_owned())
            .collect()
    }

    async fn list(&self, key: &str) -> Vec<String> {
        let context = self.agent.reads(&self.ada).await;
        let facts = context[key].as_array().unwrap().iter();
        facts
            .map(|fact| fact["value"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn goals(count: usize, from: usize) -> Vec<Value> {
    (from..from + count)
        .map(|n| fact(Scope::Goals, &format!("Goal {n}")))
        .collect()
}

#[tokio::test]
async fn what_is_known_goes_along_the_last_confirmed_first() {
    let fixture = ModelFixture::new().await;
    fixture
        .finds([named(Scope::Preferences, "editor", "Helix")])
        .await;
    assert!(fixture.shown().await.is_empty());
    fixture.finds([fact(Scope::Knowledge, "Rust")]).await;
    assert_eq!(fixture.shown().await, ["Helix"]);
    fixture.finds([]).await;
    assert_eq!(fixture.shown().await, ["Rust", "Helix"]);
    // Confirmed by its number, it is the first.
    assert_eq!(
        fixture.finds([of_known("confirm", 2)]).await,
        unlearned("nothing_new")
    );
    fixture.finds([]).await;
    assert_eq!(fixture.shown().await, ["Helix", "Rust"]);
    // Nobody else's.
    fixture.agent.tells(&user("bob"), HELLO).await;
    assert!(fixture.shown().await.is_empty());
}

#[tokio::test]
async fn a_number_replaces_a_fact_in_its_place() {
    let fixture = ModelFixture::new().await;
    fixture.finds(goals(3, 1)).await;
    // The last one comes first.
    let answer = fixture
        .finds([instead(fact(Scope::Goals, "A better goal"), 2, "Goal 2")])
        .await;
    assert_eq!(
        answer,
        json!({
            "updated": true,
            "delta": {"ongoing_tasks": [observed("A better goal")]},
            "removed": {"ongoing_tasks": [observed("Goal 2")]},
        })
    );
    assert_eq!(
        fixture.list("ongoing_tasks").await,
        ["Goal 1", "A better goal", "Goal 3"]
    );
}

#[tokio::test]
async fn a_number_removes_one_fact() {
    let fixture = ModelFixture::new().await;
    fixture
        .finds([fact(Scope::Goals, "Ship"), fact(Scope::Goals, "Ship docs")])
        .await;
    assert_eq!(
        fixture.finds([gone(2, "Ship")]).await,
        json!({"updated": true, "delta": {}, "removed": {"ongoing_tasks": [observed("Ship")]}})
    );
    assert_eq!(fixture.list("ongoing_tasks").await, ["Ship docs"]);
}

#[tokio::test]
async fn the_documented_form_needs_no_numbers() {
    let fixture = ModelFixture::new().await;
    fixture
        .finds([
            fact(Scope::Knowledge, "Docker"),
            named(Scope::Preferences, "editor", "Vim"),
        ])
        .await;
    let answer = fixture
        .finds([
            no_longer(Scope::Knowledge, "docker"),
            named(Scope::Preferences, "editor", "Helix"),
        ])
        .await;
    assert_eq!(
        answer,
        json!({
            "updated": true,
            "delta": {"preferences": {"editor": observed("Helix")}},
            "removed": {"domain_expertise": [observed("Docker")]},
        })
    );
}

#[tokio::test]
async fn the_same_in_other_words_is_not_stored_twice() {
    let fixture = ModelFixture::new().await;
    fixture
        .finds([
            fact(Scope::Goals, "Finish the code-review tool"),
            fact(Scope::Knowledge, "Databases"),
            fact(Scope::CommunicationStyle, "Short answers"),
        ])
        .await;
    let again = fixture
        .finds([
            fact(Scope::Goals, "finish our Code Review tools."),
            fact(Scope::Knowledge, "database"),
            fact(Scope::CommunicationStyle, "Short answer"),
        ])
        .await;
    assert_eq!(again, unlearned("nothing_new"));
}

/// A number means the fact that the model was shown. Meanwhile another process has replaced
/// that fact, for no transaction is open while the model is asked.
#[tokio::test]
async fn a_number_is_void_once_the_fact_has_changed() {
    for of_vim in [gone(1, "Vim"), of_known("confirm", 1)] {
        let fixture = ModelFixture::new().await;
        fixture
            .finds([named(Scope::Preferences, "editor", "Vim")])
            .await;
        let other = Setup::on(fixture.server.store.clone()).start().await;
        let other = other.again(&fixture.agent);
        fixture.model.finds([of_vim]);
        let mut completion = fixture.model.pause();
        let meanwhile = async {
            completion.started().await;
            let moved = other
                .tells(&fixture.ada, "I switched from Vim to Helix.")
                .await;
            assert_eq!(moved["delta"]["preferences"]["editor"], observed("Helix"));
            completion.finish();
        };
        let (answer, ()) = tokio::join!(fixture.agent.tells(&fixture.ada, HELLO), meanwhile);
        assert_eq!(answer, unlearned("nothing_new"));
        let context = fixture.agent.reads(&fixture.ada).await;
        assert_eq!(context["preferences"]["editor"], observed("Helix"));
    }
}

#[tokio::test]
async fn a_number_reaches_no_scope_that_was_narrowed_meanwhile() {
    let fixture = ModelFixture::new().await;
    fixture.finds([fact(Scope::Goals, "Ship")]).await;
    fixture.model.finds([gone(1, "Ship")]);
    let mut completion = fixture.model.pause();
    let meanwhile = async {
        completion.started().await;
        let knowledge = ScopeSet::from(Scope::Knowledge);
        let (server, agent) = (&fixture.server, &fixture.agent);
        server.user_grants(&fixture.ada, agent, knowledge).await;
        completion.finish();
    };
    let (answer, ()) = tokio::join!(fixture.agent.tells(&fixture.ada, HELLO), meanwhile);
    assert_eq!(answer, unlearned("nothing_new"));
    fixture
        .server
        .user_allows(&fixture.ada, &fixture.agent)
        .await;
    assert_eq!(fixture.list("ongoing_tasks").await, ["Ship"]);
}

/// Some goals, ten a turn.
async fn with_goals(count: usize) -> ModelFixture {
    let fixture = ModelFixture::new().await;
    for from in (1..=count).step_by(10) {
        fixture.finds(goals(10, from)).await;
    }
    assert_eq!(fixture.list("ongoing_tasks").await.len(), count);
    fixture
}

#[tokio::test]
async fn a_full_scope_falls_to_seven_eighths_and_says_what_made_room() {
    let fixture = with_goals(100).await;
    // The first one is confirmed, so the second one is the oldest.
    fixture.finds(goals(1, 1)).await;
    // What matters more stays, however old it is.
    fixture
        .finds([instead(
            fact(Scope::Goals, "My son's wedding"),
            100,
            "Goal 2",
        )])
        .await;
    let answer = fixture.finds([fact(Scope::Goals, "One more")]).await;
    let evicted = answer["evicted"]["ongoing_tasks"].as_array().unwrap();
    assert_eq!(evicted.len(), 13);
    assert_eq!(evicted[0], observed("Goal 3"));
    assert_eq!(evicted[12], observed("Goal 15"));
    assert_eq!(
        answer["delta"]["ongoing_tasks"],
        json!([observed("One more")])
    );
    assert!(answer["notice"].as_str().unwrap().contains("evicted"));
    // The user took nothing back.
    assert_eq!(answer.get("removed"), None);
    let left = fixture.list("ongoing_tasks").await;
    assert_eq!(left.len(), 88);
    assert_eq!(left[..3], ["Goal 1", "My son's wedding", "Goal 16"]);
    assert_eq!(left[87], "One more");
    // The next ones find room.
    let next = fixture.finds(goals(12, 1_000)).await;
    assert_eq!(next.get("evicted"), None);
    assert_eq!(fixture.list("ongoing_tasks").await.len(), 100);
    // The user reads it, and operators see it.
    let cookie = fixture.server.sign_in(&fixture.ada).await;
    let page = fixture.server.get("/account/history").cookie(&cookie);
    let page = page.send().await.body;
    page.assert_has("13 facts were removed to make room");
}

#[tokio::test]
async fn what_ends_an_old_fact_is_found_among_many() {
    let fixture = ModelFixture::with(Setup::endless_lists).await;
    for from in (1..=150).step_by(10) {
        let mut goals = goals(10, from);
        if from == 1 {
            goals[9] = fact(Scope::Goals, "Finish a thesis on bees");
        }
        fixture.finds(goals).await;
    }
    fixture.finds_in("I finished my thesis!", []).await;
    let shown = fixture.shown().await;
    assert!((90..=100).contains(&shown.len()), "{}", shown.len());
    assert_eq!(shown[0], "Goal 150");
    let number = 1 + shown
        .iter()
        .position(|value| value.contains("thesis"))
        .unwrap();
    let answer = fixture
        .finds_in(
            "I finished my thesis!",
            [gone(number, "Finish a thesis on bees")],
        )
        .await;
    let removed = json!([observed("Finish a thesis on bees")]);
    assert_eq!(answer["removed"]["ongoing_tasks"], removed);
}

#[tokio::test]
async fn an_update_with_more_than_fits_reports_what_was_stored() {
    let fixture = ModelFixture::new().await;
    for from in [1, 31, 61] {
        fixture.finds(goals(30, from)).await;
    }
    let answer = fixture.finds(goals(30, 91)).await;
    assert_eq!(
        answer["delta"]["ongoing_tasks"].as_array().unwrap().len(),
        30
    );
    assert_eq!(
        answer["evicted"]["ongoing_tasks"].as_array().unwrap().len(),
        32
    );
    let left = fixture.list("ongoing_tasks").await;
    assert_eq!(left.len(), 88);
    assert_eq!(left[0], "Goal 33");
}

#[tokio::test]
async fn every_scope_has_a_cap() {
    let fixture = ModelFixture::new().await;
    // In `general`, where an extractor has three names, users fill it by hand: see `account`.
    let scopes = || {
        Scope::ALL
            .into_iter()
            .filter(|scope| *scope != Scope::General)
    };
    for turn in 0..8 {
        for scope in scopes() {
            let facts = (0..30).map(|n| {
                let text = format!("{turn} and {n}");
                match scope {
                    Scope::Preferences => named(scope, &text, &text),
                    _ => fact(scope, &text),
                }
            });
            fixture.finds(facts).await;
        }
    }
    let context = fixture.agent.reads(&fixture.ada).await;
    let style = context["communication_style"].as_str().unwrap();
    assert_eq!(style.split("; ").count(), 9);
    assert!(style.ends_with("7 and 29"));
    let count = |key: &str| context[key].as_array().map_or(0, Vec::len);
    // Each is between seven eighths of its cap and the cap.
    let preferences = context["preferences"].as_object().unwrap().len();
    assert!((112..=128).contains(&preferences), "{preferences}");
    for key in ["domain_expertise", "key_relationships", "ongoing_tasks"] {
        assert!((88..=100).contains(&count(key)), "{key}: {}", count(key));
    }
    assert!(
        (175..=200).contains(&count("raw_history")),
        "{}",
        count("raw_history")
    );
}
