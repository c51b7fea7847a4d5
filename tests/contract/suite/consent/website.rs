//! The website of an agent, which users see as verified where it confirms the agent.

use ctxmem_server::core::FirstGrant::Auto;
use ctxmem_types::ScopeSet;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::in_mode;
use crate::suite::account::browser::Browser;
use crate::suite::support::{Agent, Developer, Server, Text as _, user};

const CONFIRMED: &str = "/.well-known/ctxmem.txt";

/// A website that answers with this where agents are confirmed.
async fn website(answer: ResponseTemplate) -> MockServer {
    let website = MockServer::start().await;
    let at = Mock::given(method("GET")).and(path(CONFIRMED));
    at.respond_with(answer).mount(&website).await;
    website
}

fn listing(ids: &[&str]) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_string(format!("# our agents\r\n{}\r\n", ids.join("\r\n")))
}

/// Saves the profile with this website, and answers what the developer then sees.
async fn save(ann: &Developer, agent: &Agent, url: &str) -> String {
    let fields = [("agent_id", &*agent.id), ("url", url)];
    let saved = ann.post("/dashboard/agents/profile", &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let page = ann.request("GET", &format!("/dashboard/agents/{}", agent.id));
    page.send().await.body
}

async fn seen_by_user(server: &Server, agent: &Agent) -> (String, String) {
    let browser = Browser::of(server, &user("ada")).await;
    let asked = browser.get(&format!("/consent/{}", agent.id)).await;
    (asked, browser.get("/account/apps").await)
}

#[tokio::test]
async fn a_website_that_names_the_agent_is_shown_as_verified() {
    let server = in_mode(Auto).start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    agent
        .tells(&user("ada"), crate::suite::support::HELLO)
        .await;
    let ann = Developer::existing(&server, "ann@example.com").await;

    let ours = website(listing(&["another", &agent.id])).await;
    let page = save(&ann, &agent, &format!("{}/about?x=1", ours.uri())).await;
    page.assert_has("confirms that this agent is its own");
    let (asked, apps) = seen_by_user(&server, &agent).await;
    asked.assert_has("names this app as its own");
    apps.assert_has("<strong><bdi>127.0.0.1</bdi></strong> (verified)");

    // Another website has confirmed nothing, until it does.
    for answer in [
        listing(&["another"]),
        listing(&[&format!("{}0", agent.id)]),
        ResponseTemplate::new(404).set_body_string(&*agent.id),
        ResponseTemplate::new(302).insert_header("location", format!("{}{CONFIRMED}", ours.uri())),
        ResponseTemplate::new(200).set_body_string(format!(
            "{}\n{}",
            "a".repeat(16 << 10),
            agent.id
        )),
    ] {
        let theirs = website(answer).await;
        let page = save(&ann, &agent, &theirs.uri()).await;
        page.assert_has("nobody has checked this website");
        page.assert_has(CONFIRMED);
        page.assert_has(&*agent.id);
        assert_eq!(theirs.received_requests().await.unwrap().len(), 1);
        let (asked, apps) = seen_by_user(&server, &agent).await;
        asked.assert_has("has not checked it");
        apps.assert_lacks("(verified)");
    }

    // It is asked each time, and its word of today counts.
    let page = save(&ann, &agent, &ours.uri()).await;
    page.assert_has("confirms that this agent is its own");
    ours.reset().await;
    let page = save(&ann, &agent, &ours.uri()).await;
    page.assert_has("nobody has checked this website");
}

#[tokio::test]
async fn a_deployment_on_the_web_asks_no_website_in_its_own_network() {
    let setup = in_mode(Auto).public_url("https://memory.example");
    let server = setup.start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ours = website(listing(&[&agent.id])).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    let page = save(&ann, &agent, &ours.uri()).await;
    page.assert_has("nobody has checked this website");
    assert!(ours.received_requests().await.unwrap().is_empty());
}
