//! Names of preferences that hold several values: each value is a fact of its own, and all are
//! shown as one. Only its own retraction removes an allergy.

use ctxmem_types::Scope;
use serde_json::{Value, json};

use super::account::browser::Browser;
use crate::suite::support::{ModelFixture, Text as _, fact, named, observed};

fn diet(value: &str) -> Value {
    named(Scope::Preferences, "diet", value)
}

fn allergy(value: &str) -> Value {
    named(Scope::Preferences, "allergy", value)
}

/// An update in which the user says just what the model finds.
async fn states(fixture: &ModelFixture, facts: &[Value]) -> Value {
    let values: Vec<&str> = facts
        .iter()
        .map(|fact| fact["value"].as_str().unwrap())
        .collect();
    let message = format!("For me that is {}.", values.join(", "));
    fixture.finds_in(&message, facts.to_vec()).await
}

async fn small_budget() -> ModelFixture {
    ModelFixture::with(|setup| setup.token_budget(60)).await
}

impl ModelFixture {
    async fn preference(&self, name: &str) -> Value {
        self.agent.reads(&self.ada).await["preferences"][name].clone()
    }
}

#[tokio::test]
async fn values_join_and_are_shown_as_one_entry() {
    let fixture = small_budget().await;
    states(&fixture, &[diet("Vegan")]).await;
    let editor = named(Scope::Preferences, "editor", "Helix");
    let answer = states(&fixture, &[diet("no sugar"), editor, diet("halal")]).await;
    let entries = json!({"diet": observed("no sugar; halal"), "editor": observed("Helix")});
    assert_eq!(answer["delta"], json!({"preferences": entries}));
    let whole = observed("Vegan; no sugar; halal");
    assert_eq!(fixture.preference("diet").await, whole);
    let prompt = fixture.agent.prompt(&fixture.ada).await;
    let lines = "\n- diet: Vegan\n- diet: no sugar\n- editor: Helix\n- diet: halal\n\n";
    assert!(prompt.contains(lines), "{prompt}");
    // Repeated values are confirmed.
    let again = states(&fixture, &[diet("halal."), diet("A vegan")]).await;
    assert_eq!(again["delta"], json!({}));
    let gone = json!({"scope": "preferences", "key": "diet", "value": "no sugar", "op": "remove"});
    let answer = states(&fixture, &[gone]).await;
    let removed = json!({"preferences": {"diet": observed("no sugar")}});
    assert_eq!(answer["removed"], removed);
    assert_eq!(fixture.preference("diet").await, observed("Vegan; halal"));
}

#[tokio::test]
async fn each_value_is_a_fact_of_its_users() {
    let fixture = small_budget().await;
    states(&fixture, &[diet("vegan"), diet("halal")]).await;
    let browser = Browser::of(&fixture.server, &fixture.ada).await;
    let add = |value| [("scope", "preferences"), ("name", "Diet"), ("value", value)];
    browser.submit("/account/facts/add", &add("no sugar")).await;
    let known = browser.post("/account/facts/add", &add("Halal.")).await;
    known.assert_bad_request("value: ");
    // Not all of it is the user's own words.
    let whole = observed("vegan; halal; no sugar");
    assert_eq!(fixture.preference("diet").await, whole);

    browser.corrects("vegan", "vegetarian").await;
    browser.deletes("halal").await;
    let left = json!({"value": "vegetarian; no sugar", "source_type": "edited"});
    assert_eq!(fixture.preference("diet").await, left);
    // The corrected fact moved to the slot of its new value.
    // What it said before is not saved again in passing.
    states(
        &fixture,
        &[diet("Vegetarian"), diet("vegan"), diet("kosher")],
    )
    .await;
    let whole = observed("vegetarian; no sugar; kosher");
    assert_eq!(fixture.preference("diet").await, whole);
    // Two that say the same become one, in the place of the corrected one.
    browser.corrects("kosher", "no sugars").await;
    let left = json!({"value": "vegetarian; no sugars", "source_type": "edited"});
    assert_eq!(fixture.preference("diet").await, left);

    let export = browser.export().await;
    let facts = export["facts"].as_array().unwrap().iter();
    let values: Vec<&Value> = facts.map(|fact| &fact["value"]).collect();
    assert_eq!(values, ["vegetarian", "no sugars"]);
}

#[tokio::test]
async fn a_value_stored_under_the_bare_name_is_one_of_several() {
    let fixture = small_budget().await;
    states(&fixture, &[diet("Vegan")]).await;
    // As older databases hold it, where a name had one value.
    let store = &fixture.server.store;
    store.name_slot(&fixture.agent, &fixture.ada).await;
    assert_eq!(states(&fixture, &[diet("vegan")]).await["delta"], json!({}));
    states(&fixture, &[diet("halal")]).await;
    assert_eq!(fixture.preference("diet").await, observed("Vegan; halal"));
    let browser = Browser::of(&fixture.server, &fixture.ada).await;
    let add = [
        ("scope", "preferences"),
        ("name", "diet"),
        ("value", "vegan"),
    ];
    let known = browser.post("/account/facts/add", &add).await;
    known.assert_error(400);
    browser.corrects("halal", "a vegan").await;
    let left = json!({"value": "a vegan", "source_type": "edited"});
    assert_eq!(fixture.preference("diet").await, left);
}

#[tokio::test]
async fn no_full_scope_and_no_budget_lets_go_of_an_allergy() {
    let fixture = small_budget().await;
    states(&fixture, &[allergy("peanuts")]).await;
    for turn in 0..4 {
        let many: Vec<Value> = (0..40)
            .map(|n| {
                let text = format!("thing {turn} {n}");
                named(Scope::Preferences, &text, &text)
            })
            .collect();
        states(&fixture, &many).await;
    }
    states(&fixture, &[fact(Scope::Goals, "Ship")]).await;
    let stored = fixture.agent.reads(&fixture.ada).await;
    let count = stored["preferences"].as_object().unwrap().len();
    assert!((112..=128).contains(&count), "{count}");
    assert_eq!(stored["preferences"]["allergy"], observed("peanuts"));
    let prompt = fixture.agent.prompt(&fixture.ada).await;
    prompt.assert_has("- allergy: peanuts");
    prompt.assert_lacks("thing 0");
}

#[tokio::test]
async fn an_allergy_goes_by_its_own_retraction_only() {
    let fixture = small_budget().await;
    states(&fixture, &[allergy("peanuts")]).await;
    let mut instead = diet("tree nuts");
    instead["known"] = 1.into();
    instead["was"] = "peanuts".into();
    let eats_none = json!({"scope": "preferences", "value": "peanuts", "op": "remove"});
    for found in [diet("vegan"), allergy("cats"), instead, eats_none] {
        assert_eq!(states(&fixture, &[found]).await.get("removed"), None);
    }
    assert_eq!(
        fixture.preference("allergy").await,
        observed("peanuts; cats")
    );
    let over =
        json!({"scope": "preferences", "key": "allergy", "value": "peanuts", "op": "remove"});
    states(&fixture, &[over]).await;
    assert_eq!(fixture.preference("allergy").await, observed("cats"));
}

#[tokio::test]
async fn the_number_of_allergies_is_limited() {
    let fixture = small_budget().await;
    let many: Vec<Value> = (0..31).map(|n| allergy(&format!("food {n}"))).collect();
    states(&fixture, &many).await;
    let answer = states(&fixture, &[allergy("kiwis"), allergy("cats")]).await;
    let written = json!({"preferences": {"allergy": observed("kiwis")}});
    assert_eq!(answer["delta"], written);
    // Not by hand either. All else is stored as ever.
    let browser = Browser::of(&fixture.server, &fixture.ada).await;
    let cats = [
        ("scope", "preferences"),
        ("name", "allergy"),
        ("value", "cats"),
    ];
    let full = browser.post("/account/facts/add", &cats).await;
    full.assert_bad_request("name: ");
    let answer = states(&fixture, &[allergy("cats"), diet("vegan")]).await;
    let written = json!({"preferences": {"diet": observed("vegan")}});
    assert_eq!(answer["delta"], written);
    let over = json!({"scope": "preferences", "key": "allergy", "value": "food 7", "op": "remove"});
    states(&fixture, &[over, allergy("cats")]).await;
    let stored = fixture.preference("allergy").await;
    let stored = stored["value"].as_str().unwrap();
    assert_eq!(stored.split("; ").count(), 32);
    assert!(stored.ends_with("; kiwis; cats"), "{stored}");
    stored.assert_lacks("food 7;");
}
