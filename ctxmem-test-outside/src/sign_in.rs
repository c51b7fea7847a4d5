//! Signing in by a link.

use reqwest::Client;
use reqwest::redirect::Policy;

/// Signs a user in with the token of a sign-in link, as a browser would, and returns the session
/// cookie as `name=value`.
pub async fn sign_in(server_url: &str, token: &str) -> String {
    let browser = Client::builder()
        .redirect(Policy::none())
        // Loading the certificates of the machine takes longer than the request.
        .tls_certs_only([])
        .build()
        .unwrap();
    let response = browser
        .post(format!("{server_url}/sign-in"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("token={token}"))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 303, "the link does not sign in");
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}
