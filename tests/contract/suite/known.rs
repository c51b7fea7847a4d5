//! Which known facts a model is shown, what its numbers do, and which facts leave a full
//! scope.

use ctxmem_test_server::extraction_data;
use ctxmem_types::{Scope, ScopeSet};
use serde_json::{Value, json};

use crate::suite::support::{HELLO, ModelFixture, Setup, fact, named, no_longer, user};

/// An observed fact as it goes over the wire.
fn observed(value: &str) -> Value {
    json!({"value": value, "source_type": "observed"})
}

fn nothing_new() -> Value {
    json!({"updated": true, "delta": {}, "outcome": "nothing_new"})
}

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
    assert_eq!(fixture.finds([of_known("confirm", 2)]).await, nothing_new());
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
    let answer = fixture.finds([gone(2, "Ship")]).await;
    assert_eq!(
        answer,
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
    assert_eq!(again, nothing_new());
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
        assert_eq!(answer, nothing_new());
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
    assert_eq!(answer, nothing_new());
    fixture
        .server
        .user_grants(&fixture.ada, &fixture.agent, ScopeSet::ALL)
        .await;
    assert_eq!(fixture.list("ongoing_tasks").await, ["Ship"]);
}

#[tokio::test]
async fn a_full_scope_lets_go_of_what_was_longest_not_confirmed() {
    let fixture = ModelFixture::new().await;
    for n in 1..=50 {
        if n % 10 == 1 {
            fixture.finds(goals(10, n)).await;
        }
    }
    assert_eq!(fixture.list("ongoing_tasks").await.len(), 50);
    // The first one is confirmed, so the second one is the oldest.
    fixture.finds(goals(1, 1)).await;
    let answer = fixture.finds([fact(Scope::Goals, "One more")]).await;
    // The user took nothing back.
    assert_eq!(
        answer,
        json!({"updated": true, "delta": {"ongoing_tasks": [observed("One more")]}})
    );
    let left = fixture.list("ongoing_tasks").await;
    assert_eq!(left.len(), 50);
    assert_eq!(left[..2], ["Goal 1", "Goal 3"]);
    assert_eq!(left[49], "One more");
    // Other scopes and replacements take no room.
    fixture.finds([fact(Scope::Knowledge, "Rust")]).await;
    fixture.finds([]).await;
    let last = fixture.shown().await.pop().unwrap();
    let other = instead(fact(Scope::Goals, "Other"), 51, &last);
    assert!(fixture.finds([other]).await["removed"].is_object());
    assert_eq!(fixture.list("ongoing_tasks").await.len(), 50);
}

#[tokio::test]
async fn an_update_with_more_than_fits_reports_what_was_stored() {
    let fixture = ModelFixture::new().await;
    let answer = fixture.finds(goals(60, 1)).await;
    let delta = answer["delta"]["ongoing_tasks"].as_array().unwrap();
    assert_eq!(delta.len(), 50);
    assert_eq!(delta[0], observed("Goal 11"));
    assert_eq!(answer.get("removed"), None);
    let stored = fixture.agent.reads(&fixture.ada).await["ongoing_tasks"].clone();
    assert_eq!(answer["delta"]["ongoing_tasks"], stored);
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
    for turn in 0..3 {
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
    assert_eq!(style.split("; ").count(), 10);
    assert!(style.ends_with("2 and 29"));
    assert_eq!(context["preferences"].as_object().unwrap().len(), 64);
    for key in [
        "domain_expertise",
        "key_relationships",
        "raw_history",
        "ongoing_tasks",
    ] {
        assert_eq!(context[key].as_array().unwrap().len(), 50, "{key}");
    }
}
