//! Grants, made by an agent or by the signed-in user.

use ctxmem_client::error::InvalidCall;
use ctxmem_client::types::ScopeName;
use ctxmem_client::{Client, Error, GrantRequest, Scope};
use serde_json::{Value, json};

use crate::support::{AGENT, Deployment, KEY, SESSION, USER, header, json as answer, ok, user};

const GRANT: &str = "b5d0f0b6-7a0e-4d6f-9a6f-2d6c5d0f8a11";

fn request() -> GrantRequest {
    GrantRequest::new(user(), AGENT, [Scope::Preferences, Scope::Goals])
}

fn granted(scopes: &Value, expires_at: &Value) -> Value {
    json!({"grant": {
        "id": GRANT,
        "user_id": USER,
        "agent_id": AGENT,
        "scopes": scopes,
        "expires_at": expires_at,
        "revoked": false,
    }})
}

#[tokio::test]
async fn an_agent_asks_for_scopes() {
    let body = granted(&json!(["preferences", "goals"]), &Value::Null);
    let deployment = Deployment::answering("POST", "/api/grants", answer(201, &body)).await;
    let grant = deployment.client().create_grant(&request()).await.unwrap();
    assert_eq!(grant.id, GRANT);
    assert_eq!(grant.expires_at, None);
    assert!(!grant.revoked);
    assert_eq!(serde_json::to_value(&grant).unwrap(), body["grant"]);

    let sent = deployment.request().await;
    assert_eq!(header(&sent, "authorization"), format!("Bearer {KEY}"));
    assert_eq!(header(&sent, "cookie"), "");
    let expected =
        format!(r#"{{"userId":"{USER}","agentId":"{AGENT}","scopes":["preferences","goals"]}}"#);
    assert_eq!(deployment.body().await, expected);
}

#[tokio::test]
async fn a_signed_in_user_grants_instead_of_the_agent() {
    let body = granted(&json!(["preferences"]), &Value::Null);
    let deployment = Deployment::answering("POST", "/api/grants", ok(&body)).await;
    let client = deployment.client().as_user(SESSION).unwrap();
    client.create_grant(&request()).await.unwrap();
    let sent = deployment.request().await;
    assert_eq!(header(&sent, "cookie"), SESSION);
    assert_eq!(header(&sent, "authorization"), "");
    assert_eq!(header(&sent, "content-type"), "application/json");
}

#[tokio::test]
async fn an_expiring_grant_and_scopes_of_older_deployments() {
    let expires_at = "2027-01-01T00:00:00+02:00";
    let scopes = json!(["ongoing_tasks", "emotional_state"]);
    let body = granted(&scopes, &json!(expires_at));
    let deployment = Deployment::answering("POST", "/api/grants", ok(&body)).await;
    let other = |name: &str| ScopeName::Other(name.to_owned());
    let mut request = GrantRequest::new(user(), AGENT, [other("ongoing_tasks")]);
    request.expires_at = Some(expires_at.parse().unwrap());
    let grant = deployment.client().create_grant(&request).await.unwrap();
    assert_eq!(grant.expires_at.unwrap().as_str(), expires_at);
    assert_eq!(grant.scopes[1], other("emotional_state"));
    let expected = format!(
        r#"{{"userId":"{USER}","agentId":"{AGENT}","scopes":["ongoing_tasks"],"expiresAt":"{expires_at}"}}"#
    );
    assert_eq!(deployment.body().await, expected);
}

#[tokio::test]
async fn the_user_revokes_with_the_session_alone() {
    let path = format!("/api/grants/{GRANT}");
    let deployment = Deployment::answering("DELETE", &path, ok(&json!({"revoked": true}))).await;
    let client = deployment.builder().build_user(SESSION).unwrap();
    assert!(client.revoke_grant(GRANT).await.unwrap().revoked);
    let sent = deployment.request().await;
    assert_eq!(header(&sent, "cookie"), SESSION);
    assert_eq!(header(&sent, "authorization"), "");
    let sent = ("DELETE".to_owned(), path, String::new());
    assert_eq!(deployment.sent().await, sent);
}

#[tokio::test]
async fn grant_ids_are_one_path_segment() {
    let path = "/api/grants/a%2F..%2Fb%20%25";
    let deployment = Deployment::answering("DELETE", path, ok(&json!({"revoked": true}))).await;
    let client = deployment.client().as_user(SESSION).unwrap();
    client.revoke_grant("a/../b %").await.unwrap();
}

#[tokio::test]
async fn invalid_calls_send_nothing() {
    let deployment = Deployment::silent().await;
    let invalid = |error| match error {
        Error::Invalid(invalid) => invalid,
        other => panic!("{other:?}"),
    };

    let signed_in = deployment.client().as_user(SESSION).unwrap();
    for id in ["", ".", ".."] {
        let error = signed_in.revoke_grant(id).await.unwrap_err();
        assert_eq!(invalid(error), InvalidCall::InvalidGrantId, "{id:?}");
    }

    let keyless = Client::builder().base_url(deployment.url());
    let keyless = keyless.build().unwrap();
    let error = keyless.create_grant(&request()).await.unwrap_err();
    assert_eq!(invalid(error), InvalidCall::MissingApiKey);
    let error = keyless.inject(&user(), "Hi").await.unwrap_err();
    assert_eq!(invalid(error), InvalidCall::MissingApiKey);
}

#[tokio::test]
async fn a_session_alone_can_grant() {
    let body = granted(&json!([]), &Value::Null);
    let deployment = Deployment::answering("POST", "/api/grants", ok(&body)).await;
    let client = Client::builder().base_url(deployment.url());
    let client = client.build_user(SESSION).unwrap();
    let nothing = GrantRequest::new(user(), AGENT, Vec::<Scope>::new());
    let grant = client.create_grant(&nothing).await.unwrap();
    assert!(grant.scopes.is_empty());
}
