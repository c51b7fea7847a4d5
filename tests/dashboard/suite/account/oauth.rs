//! Letting in a program that asks over OAuth.

use ctxmem_server::core::OAuthClient;
use reqwest::Url;
use secrecy::ExposeSecret as _;

use crate::suite::browser::browse;
use crate::suite::support::{Server, Setup, user};

/// The address to which a program with this name sends people.
fn asks(server: &Server, name: &str, back: &str) -> String {
    let client = OAuthClient::register(Some(name), &[back.to_owned()]).unwrap();
    let id = server.core().oauth.client_id(&client).unwrap();
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let fields = [
        ("client_id", id.expose_secret()),
        ("redirect_uri", back),
        ("response_type", "code"),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
        ("state", "a state"),
    ];
    let url = Url::parse_with_params("http://query", fields).unwrap();
    format!("/oauth/authorize?{}", url.query().unwrap())
}

async fn server() -> Server {
    let setup = Setup::new().with(|config| {
        config.mcp = true;
        config.mcp_oauth = true;
    });
    setup.start().await
}

#[tokio::test]
async fn a_program_is_let_in_and_the_browser_goes_back_to_it() {
    let server = server().await;
    browse(&server, async |browser| {
        // Back is here a page of the server itself, by its other name: another origin.
        let back = format!("{}/about", server.url).replace("127.0.0.1", "localhost");
        let path = asks(&server, "Claude Code", &back);
        let page = browser.go(&path).await.shows("You are not signed in").await;
        page.shows("Claude Code asks for access").await;
        let token = server.link_for(&user("ada")).await;
        let page = browser.go(&format!("/sign-in?token={token}")).await;
        let page = page.press("Sign in").await;
        let page = page.shows("Allow Claude Code to use your memory?").await;
        page.shows("a program on your own computer").await;
        browser.shot("oauth").await;
        browser.walk_by_keyboard().await;
        browser.shot_in_german("oauth").await;

        let page = browser.page();
        page.tick("30 days", true).await;
        page.press("Allow: Claude Code").await;
        let page = browser.page().shows("Choose at least one kind.").await;
        page.tick("What you prefer", true).await;
        page.press("Allow: Claude Code").await;
        browser.page().shows("About this memory").await;
        let address = browser.address().await;
        assert_eq!(address.host_str(), Some("localhost"));
        let given: Vec<_> = address.query_pairs().collect();
        assert!(given[0].0 == "code" && given[0].1.starts_with("ctxc_"));
        assert_eq!(given[1].1, "a state");
        let page = browser.go("/account/apps").await;
        page.shows("Claude Code").await.shows("localhost").await;
        browser.shot("oauth-in-apps").await;

        // One on the web is told apart by its host.
        let path = asks(&server, "Claude", "https://claude.ai/api/mcp/auth_callback");
        let page = browser.go(&path).await.shows("claude.ai").await;
        page.shows("New to this service").await;
        browser.shot("oauth-on-the-web").await;
    })
    .await;
}

#[tokio::test]
async fn who_does_not_allow_it_goes_back_with_that() {
    let server = server().await;
    browse(&server, async |browser| {
        browser.sign_in(&server, &user("ada")).await;
        let back = format!("{}/about", server.url).replace("127.0.0.1", "localhost");
        let page = browser.go(&asks(&server, "Claude Code", &back)).await;
        page.press("Don’t allow: Claude Code").await;
        browser.page().shows("About this memory").await;
        let address = browser.address().await;
        assert!(address.query().unwrap().contains("error=access_denied"));
        assert_eq!(server.store.rows("grants").await, 0);
    })
    .await;
}
