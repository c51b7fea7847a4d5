//! A developer's own account.

use super::is_in;
use crate::suite::support::{Developer, PASSWORD, RawResponse, Text as _};

const NEW: &str = "another horse battery";

async fn changes(ann: &Developer, [current, new, repeated]: [&str; 3]) -> RawResponse {
    let fields = [("current", current), ("new", new), ("repeated", repeated)];
    ann.post("/dashboard/settings/password", &fields).await
}

#[tokio::test]
async fn a_changed_password_ends_every_session_but_this_one() {
    let (server, ann) = Developer::start().await;
    let bob = Developer::new(&server, "bob@example.com").await;
    let elsewhere = Developer::tries(&server, "ann@example.com", PASSWORD);
    let elsewhere = elsewhere.send().await.session_cookie();
    let answer = changes(&ann, [PASSWORD, NEW, NEW]).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let here = answer.cookie_pair("ctxmem_developer");
    let page = answer.header("location").unwrap();
    let told = format!("{here}; {}", answer.cookie_pair("ctxmem_done"));
    let page = server.get(page).cookie(&told).send().await;
    page.body.assert_has("The password is changed.");
    for (whose, cookie, expected) in [
        ("here", &here, true),
        ("before", &ann.cookie, false),
        ("elsewhere", &elsewhere, false),
        ("bob", &bob.cookie, true),
    ] {
        assert_eq!(is_in(&server, cookie).await, expected, "{whose}");
    }
    for (password, expected) in [(PASSWORD, 401), (NEW, 303)] {
        let tried = Developer::tries(&server, "ann@example.com", password);
        assert_eq!(tried.send().await.status, expected);
    }
}

#[tokio::test]
async fn a_password_is_changed_by_whoever_knows_it_and_to_a_good_one_only() {
    let (server, ann) = Developer::start().await;
    for (fields, problem) in [
        (
            ["wrong horse battery", NEW, NEW],
            "The current password is wrong.",
        ),
        (["", NEW, NEW], "The current password is wrong."),
        (
            [PASSWORD, NEW, "a third horse"],
            "The new passwords are not the same.",
        ),
        (
            [PASSWORD, "short", "short"],
            "Not saved. Enter at least 10 characters.",
        ),
    ] {
        let page = changes(&ann, fields).await;
        assert_eq!(page.status, 400);
        assert!(page.body.contains(problem), "{problem} in {}", page.body);
        assert!(!page.body.contains(NEW) && page.cookie("ctxmem_developer").is_none());
    }
    assert!(is_in(&server, &ann.cookie).await);
    let tried = Developer::tries(&server, "ann@example.com", PASSWORD);
    assert_eq!(tried.send().await.status, 303);
}

#[tokio::test]
async fn a_stolen_session_can_not_guess_the_password() {
    let (_, ann) = Developer::start().await;
    // Signing in was an attempt as well.
    let mut statuses = Vec::new();
    for _ in 0..11 {
        let page = changes(&ann, ["wrong horse battery", NEW, NEW]).await;
        statuses.push(page.status);
    }
    assert_eq!(statuses.first(), Some(&400));
    assert_eq!(statuses.last(), Some(&429));
    let page = changes(&ann, [PASSWORD, NEW, NEW]).await;
    assert_eq!(page.status, 429, "{}", page.body);
}
