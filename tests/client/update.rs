//! Answers to updates in the forms of all deployments.

use ctxmem_client::UpdateResponse;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::support::{Deployment, USER, forms, user};

async fn update(name: &str, answer: &str) -> UpdateResponse {
    let template = ResponseTemplate::new(200).set_body_string(answer);
    let deployment = Deployment::answering("POST", "/api/context/update", template).await;
    let client = deployment.client();
    let updated = client.update(&user(), "I use Helix", "Noted!").await;
    let updated = updated.unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected =
        format!(r#"{{"userId":"{USER}","userMessage":"I use Helix","agentResponse":"Noted!"}}"#);
    assert_eq!(deployment.body().await, expected, "{name}");
    updated
}

/// What each form means is tested with the types.
#[tokio::test]
async fn every_form_is_answered_as_the_types_read_it() {
    let mut forms = forms("update");
    forms.retain(|name, _| !name.starts_with("request"));
    assert!(forms.len() > 10, "{forms:?}");
    for (name, answer) in forms {
        let expected: UpdateResponse = serde_json::from_str(&answer).unwrap();
        assert_eq!(update(&name, &answer).await, expected, "{name}");
    }
}

/// Storage key, name and value of every written fact.
fn facts(updated: &UpdateResponse) -> Vec<(&str, Option<&str>, &str)> {
    let facts = updated.delta.as_ref().unwrap().facts();
    let facts = facts.map(|fact| (fact.storage_key, fact.name, fact.value));
    facts.collect()
}

#[tokio::test]
async fn the_older_form_of_plain_strings() {
    let answer = json!({
        "updated": true,
        "delta": {
            "ongoing_tasks": ["ship the beta", "hire"],
            "communication_style": "be brief",
            "mood_ring": ["blue"],
        },
    });
    let updated = update("plain strings", &answer.to_string()).await;
    assert_eq!(serde_json::to_value(&updated).unwrap(), answer);
    let expected = [
        ("ongoing_tasks", None, "ship the beta"),
        ("ongoing_tasks", None, "hire"),
        ("communication_style", None, "be brief"),
        ("mood_ring", None, "blue"),
    ];
    assert_eq!(facts(&updated), expected);
}
