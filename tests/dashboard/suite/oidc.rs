//! Signing in at an OpenID Connect provider, in a browser that really goes there and back.

use serde_json::json;
use wiremock::ResponseTemplate;

use super::browser::{Browser, browse};
use super::support::{OidcProvider, Server, Setup};

const BUTTON: &str = "Sign in with single sign-on";

/// A provider on another site than the server's, and a server that sends people there. What
/// comes back comes from elsewhere, as it does in life.
async fn both() -> (OidcProvider, Server) {
    let claims = json!({"sub": "ada", "email": "ada@example.com", "email_verified": true});
    let provider = OidcProvider::start(claims).await;
    let mut metadata = provider.metadata();
    let here = metadata["authorization_endpoint"].as_str().unwrap();
    metadata["authorization_endpoint"] = here.replace("127.0.0.1", "localhost").into();
    let answer = ResponseTemplate::new(200).set_body_json(metadata);
    provider.answers("/.well-known/openid-configuration", answer);
    let server = Setup::new().oidc(&provider).start().await;
    (provider, server)
}

/// Goes to the provider from this page, agrees there and is sent back.
async fn agrees(browser: &Browser, from: &str) {
    let page = browser.go(from).await;
    let page = page.follow(BUTTON).await.shows("Provider").await;
    page.follow("Agree").await;
}

#[tokio::test]
async fn a_user_goes_to_the_provider_and_comes_back_signed_in() {
    let (provider, server) = both().await;
    browse(&server, async |browser| {
        browser.go("/account").await.shows("not signed in").await;
        browser.shot("signed-out-oidc").await;
        agrees(browser, "/account").await;
        assert_eq!(browser.path().await, "/account");
        browser.page().shows("Signed in as ada").await;
        // One who signed in so is no developer.
        browser
            .go_shows("/dashboard", "Sign in to the dashboard")
            .await;
    })
    .await;
    assert_eq!(provider.asked("/authorize").await.len(), 1);
    assert_eq!(provider.asked("/token").await.len(), 1);
}

#[tokio::test]
async fn a_developer_goes_to_the_provider_and_comes_back_signed_in() {
    let (_provider, server) = both().await;
    browse(&server, async |browser| {
        // Nobody is made a developer by signing in.
        agrees(browser, "/dashboard").await;
        browser.shot("sign-in-failed").await;
        browser
            .go_shows("/dashboard", "Sign in to the dashboard")
            .await;
        let console = &server.core().console;
        let made = console.create_developer("ada@example.com").await;
        made.unwrap();
        browser.shot("dashboard-sign-in-oidc").await;
        agrees(browser, "/dashboard").await;
        assert_eq!(browser.path().await, "/dashboard");
        browser.page().shows("Your agents").await;
        browser.go("/account").await.shows("not signed in").await;
    })
    .await;
}
