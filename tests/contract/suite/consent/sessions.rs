//! The list of a user's sessions, and signing out everywhere.

use crate::suite::account::browser::Browser;
use crate::suite::support::{Server, user};

#[tokio::test]
async fn sessions_are_listed_and_ended_together() {
    let server = Server::start().await;
    let (ada, bob) = (user("ada"), user("bob"));
    let here = Browser::of(&server, &ada).await;
    let there = Browser::of(&server, &ada).await;
    let other = Browser::of(&server, &bob).await;
    let page = here.data().await;
    assert_eq!(page.matches("This browser<").count(), 1);
    assert_eq!(page.matches("Another browser or device").count(), 1);
    assert!(!other.data().await.contains("Another browser or device"));

    let ended = here.post("/account/sign-out-everywhere", &[]).await;
    assert_eq!(ended.header("location"), Some("/account"));
    assert_eq!(ended.cookie_pair("ctxmem_session"), "ctxmem_session=");
    for browser in [&here, &there] {
        assert_eq!(browser.request("GET", "/account").send().await.status, 401);
    }
    other.page().await;
    let again = Browser::of(&server, &ada).await;
    assert!(again.page().await.contains("You signed out everywhere"));
}

#[tokio::test]
async fn a_signed_out_session_is_not_listed() {
    let server = Server::start().await;
    let ada = user("ada");
    let gone = Browser::of(&server, &ada).await;
    let here = Browser::of(&server, &ada).await;
    assert_eq!(gone.post("/sign-out", &[]).await.status, 303);
    assert!(!here.data().await.contains("Another browser or device"));
}
