//! Links with which users sign in.

use ctxmem_client::BuildError;
use serde_json::json;

use crate::support::{Deployment, builder, header, ok, user};

const PATH: &str = "/api/sign-in-links";
const SECRET: &str = "s3cret-s3cret-s3cret-s3cret-s3cret";

#[tokio::test]
async fn a_link_is_requested_with_the_secret_and_not_with_the_key() {
    let answer = json!({
        "url": "https://memory.example.com/sign-in?token=canary",
        "expiresAt": "2026-03-01T09:15:00.000Z",
    });
    let deployment = Deployment::answering("POST", PATH, ok(&answer)).await;
    let client = deployment.builder().build_operator(SECRET).unwrap();
    let link = client.create_sign_in_link(&user()).await.unwrap();
    assert!(link.url.ends_with("token=canary"));
    assert_eq!(link.expires_at.as_str(), "2026-03-01T09:15:00.000Z");
    assert!(!format!("{link:?} {client:?}").contains("canary"));
    let request = deployment.request().await;
    let sent = header(&request, "authorization");
    assert_eq!(sent, format!("Bearer {SECRET}"));
    let body = String::from_utf8(request.body).unwrap();
    assert_eq!(body, format!(r#"{{"userId":"{}"}}"#, user().as_str()));
}

#[test]
fn a_secret_that_can_not_be_sent_builds_nothing() {
    let built = builder("http://localhost").build_operator("a b");
    assert!(matches!(built, Err(BuildError::InvalidSignInSecret)));
}
