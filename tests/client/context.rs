//! Stored contexts in the forms of all deployments.

use ctxmem_client::Context;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::support::{Deployment, USER, forms, ok, user};

/// What each form means is tested with the types.
#[tokio::test]
async fn every_form_is_answered_as_the_types_read_it() {
    let path = format!("/api/context/{USER}");
    let mut forms = forms("context");
    forms.retain(|name, _| !name.starts_with("deleted"));
    assert!(forms.len() > 8, "{forms:?}");
    for (name, answer) in forms {
        let expected: Context = serde_json::from_str(&answer).unwrap();
        let answer = ResponseTemplate::new(200).set_body_string(answer);
        let deployment = Deployment::answering("GET", &path, answer).await;
        let context = deployment.client().context(&user()).await;
        let context = context.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(context, expected, "{name}");
        assert_eq!(deployment.body().await, "", "{name}");
    }
}

#[tokio::test]
async fn deleting_everything() {
    let path = format!("/api/context/{USER}");
    let body = json!({"deleted": true});
    let deployment = Deployment::answering("DELETE", &path, ok(&body)).await;
    let deleted = deployment.client().delete_context(&user()).await.unwrap();
    assert!(deleted.deleted);
    let sent = ("DELETE".to_owned(), path, String::new());
    assert_eq!(deployment.sent().await, sent);
}
