//! Deleting everything, and the receipt.

use chrono::Duration;

use super::browser::Browser;
use crate::suite::support::{HELLO, Server, Setup, Text as _, user};

#[tokio::test]
async fn deleting_everything_is_confirmed_carried_out_and_receipted() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent_named("Agent One").await;
    let other = server.agent_named("Agent Two").await;
    let gone = server.agent_named("Agent Three").await;
    let browser = Browser::of_ada(&server).await;
    for each in [&agent, &other, &gone] {
        each.tells(&browser.user, HELLO).await;
        clock.advance(Duration::seconds(1));
    }
    server.user_revokes(&browser.user, &gone).await;
    let page = browser.get("/account/erase").await;
    page.assert_has("<td>About you</td><td class=\"number\">2</td>");
    page.assert_has("<strong>3</strong>");
    page.assert_has("These apps lose access: <bdi>Agent One</bdi>, <bdi>Agent Two</bdi>.");
    let conditions = [
        "Backups, if whoever runs this service keeps any. What they contain about you can’t be read \
         any more, unless an older copy of your key is kept as well.",
        "Copies that apps have made for themselves. Ask their developers.",
    ];
    page.assert_has_all(conditions);
    for wrong in [vec![], vec![("confirm", "")], vec![("confirm", "yes")]] {
        let answer = browser.post("/account/erase", &wrong).await;
        answer.assert_bad_request("confirm: ");
        let page = browser.post_for_page("/account/erase", &wrong).await;
        assert_eq!(page.status, 400);
        assert!(page.body.contains("Nothing was deleted.") && page.body.contains("Agent One"));
    }
    assert_eq!(browser.told().await.len(), 3);

    let answer = browser
        .post("/account/erase", &[("confirm", " Erase ")])
        .await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let receipt = answer.header("location").unwrap().to_owned();
    assert!(receipt.starts_with("/account/receipt?id="), "{receipt}");
    clock.advance(Duration::minutes(5));
    // Read again, it says the same, and as a file it makes the same conditions.
    let file = browser
        .get(&receipt.replace("receipt?", "receipt.txt?"))
        .await;
    let page = browser.get(&receipt).await;
    for condition in conditions {
        page.assert_has(condition);
        file.assert_has(condition);
    }
    for text in [&page, &file] {
        text.assert_lacks("no old copy");
    }
    assert_eq!(browser.get(&receipt).await, page);
    page.assert_has("2026-03-01T09:00:03.000Z");
    page.assert_has("<td>You</td>");
    page.assert_has("<td>3 (About you, What you prefer)</td>");
    page.assert_has("Apps that lost access</th><td>2</td>");
    assert!(browser.told().await.is_empty());
    for each in [&agent, &other, &gone] {
        assert_eq!(
            each.reason(&browser.user).await.as_deref(),
            Some("no_grant")
        );
    }
    assert_eq!(browser.deeds().await[0], ("erase", 3));
    let history = browser.get("/account/history").await;
    history.assert_has(format!(r#"<a href="{receipt}">Receipt</a>"#));
    // A user who wrote something before can write again, and is somebody new.
    browser.adds("goals", "Start afresh").await;
    assert_eq!(browser.told().await, ["goals/Start afresh"]);
}

#[tokio::test]
async fn a_receipt_is_shown_to_its_user_only() {
    let server = Server::start().await;
    let ada = Browser::of_ada(&server).await;
    let bob = Browser::of(&server, &user("bob")).await;
    let erased = bob.erases().await;
    let receipt = erased.header("location").unwrap().to_owned();
    assert!(bob.get(&receipt).await.contains("<td>0</td>"));
    let foreign = ada.request("GET", &receipt).send().await;
    foreign.assert_error(404);
    let absent = "/account/receipt?id=00000000-0000-7000-8000-000000000000";
    let absent = ada.request("GET", absent).send().await;
    assert_eq!((absent.status, absent.body), (404, foreign.body));
    ada.request("GET", "/account/receipt").gets_error(400).await;
    // Other entries of the log are no receipts.
    ada.adds("goals", "Ship the beta").await;
    let trail = server.trail(&ada.user).await;
    let path = format!("/account/receipt?id={}", trail[0].id);
    ada.request("GET", &path).send().await.assert_error(404);
}

#[tokio::test]
async fn an_answer_that_is_under_way_stores_nothing_after_it() {
    let model = crate::suite::support::FakeModel::start().await;
    let (server, agent) = Setup::asking(&model).start_with_agent().await;
    let browser = Browser::of_ada(&server).await;
    agent.prompt(&browser.user).await;
    model.finds([crate::suite::support::fact(
        ctxmem_types::Scope::Goals,
        "Quokka",
    )]);
    let mut completion = model.pause();
    let telling = tokio::spawn({
        let (client, user) = (agent.client.clone(), browser.user.clone());
        async move { client.update(&user, HELLO, "Noted.").await }
    });
    completion.started().await;
    let erased = browser.erases().await;
    assert_eq!(erased.status, 303);
    completion.finish();
    assert_eq!(telling.await.unwrap().unwrap_err().status(), Some(403));
    assert!(browser.told().await.is_empty());
    browser.adds("goals", "Numbat").await;
}
