//! Signing in by a link, in a browser.

use futures_util::future::join_all;

use super::browser::browse;
use super::state::state;
use super::support::{Server, user};

#[tokio::test]
async fn a_link_signs_in_once_however_often_it_was_looked_at() {
    let server = Server::start().await;
    let token = server.link_for(&user("ada")).await;
    let link = format!("/sign-in?token={token}");
    for _ in 0..100 {
        assert_eq!(server.raw("GET", &link).send().await.status, 200);
    }
    browse(&server, async |browser| {
        let page = browser.go(&link).await;
        page.shows("You are about to sign in as ada").await;
        page.press("Sign in").await;
        assert_eq!(browser.path().await, "/account");
        browser.page().shows("Signed in as ada").await;
        browser.go(&link).await.shows("no longer valid").await;
        // A used link does not end the session.
        browser.go("/account").await.shows("Signed in as ada").await;
    })
    .await;
}

#[tokio::test]
async fn signing_out_ends_the_session_in_the_browser() {
    let server = Server::start().await;
    browse(&server, async |browser| {
        browser.sign_in(&server, &user("ada")).await;
        let cookie = browser.cookies().await;
        browser
            .page()
            .press_shows("Sign out", "not signed in")
            .await;
        assert_eq!(browser.cookies().await, "");
        // The session is over even for somebody who kept its cookie.
        browser.bring(&cookie).await;
        browser.go("/account").await.shows("not signed in").await;
    })
    .await;
}

#[tokio::test]
async fn a_link_used_by_many_at_once_signs_one_of_them_in() {
    let server = Server::start().await;
    let token = server.link_for(&user("ada")).await;
    let uses = (0..50).map(|_| {
        let sign_in = server.raw("POST", "/sign-in").form(&[("token", &token)]);
        sign_in.send()
    });
    let answers = join_all(uses).await;
    let count = |status| answers.iter().filter(|a| a.status == status).count();
    assert_eq!((count(303), count(410)), (1, 49));
    let sessions = state(&server).await.remove("sessions").unwrap();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
}
