//! A team, from the invitation to the removal.

use super::browser::browse;
use super::developer::Developer;
use super::support::Server;

#[tokio::test]
async fn a_developer_takes_somebody_into_the_team_and_removes_them() {
    let server = Server::start().await;
    let ann = Developer::new(&server, "ann").await;
    let bob = Developer {
        email: "bob@example.com".to_owned(),
        password: "the password of bob".to_owned(),
    };
    browse(&server, async |browser| {
        let page = ann.sign_in(browser).await;
        page.follow("Team").await.shows("no open invitations").await;
        browser.shot("dashboard-team-alone").await;
        page.fill("Who is it for?", "Bob from design").await;
        page.press("Create an invitation").await;
        browser.shot("dashboard-team-invited").await;
        let shown = page.part("The invitation").await.text().await;
        let mut words = shown.split_whitespace();
        let link = words.find(|word| word.contains("?token="));
        let link = link.unwrap().to_owned();
        let path = link.strip_prefix(&server.url).unwrap();
        // Reloading the page makes no other invitation, and no longer shows the link.
        let reloaded = browser.go("/dashboard/team").await.text().await;
        assert!(!reloaded.contains(&link), "{reloaded}");
        assert_eq!(reloaded.matches("works until").count(), 1, "{reloaded}");
        page.press("Sign out").await;

        browser.go_shows(path, "the team of ann@example.com").await;
        browser.shot("join").await;
        let join = async |email: &str| {
            page.fill("Your name", "Bob").await;
            page.fill("Email address", email).await;
            page.fill("Password", &bob.password).await;
            page.fill("Repeat the password", &bob.password).await;
            page.press("Join the team").await
        };
        join(&ann.email).await.shows("has an account already").await;
        assert_eq!(page.value("Your name").await, "Bob");
        assert_eq!(page.value("Email address").await, ann.email);
        assert_eq!(page.value("Password").await, "");
        browser.shot("join-refused").await;
        let joined = join(&bob.email).await;
        joined.shows("Signed in as bob@example.com").await;
        page.follow("Team").await.shows("Only the owner").await;
        browser.shot("dashboard-team-member").await;
        browser.walk_by_keyboard().await;
        browser.shot_in_german("dashboard-team-member").await;
        page.press("Sign out").await;
        browser.go(path).await.shows("doesn’t work").await;
        browser.shot("join-gone").await;

        let page = ann.sign_in(browser).await;
        page.follow("Team").await;
        browser.shot_in_german("dashboard-team").await;
        page.unfold("Make Bob the owner").await;
        page.unfold("Remove Bob").await;
        browser.shot("dashboard-team").await;
        browser.walk_by_keyboard().await;
        page.press_shows("Remove Bob from the team", "The member is removed")
            .await;
        browser.shot("dashboard-team-removed").await;
        page.press("Sign out").await;
        page.fill("Email address", &bob.email).await;
        page.fill("Password", &bob.password).await;
        page.press("Sign in").await.shows("Incorrect email").await;
    })
    .await;
}
