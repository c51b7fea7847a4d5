//! A request that is held between two of its reads, while the user decides otherwise.

use ctxmem_client::{ErrorCode, GrantRequest, Scope};

use crate::process::{Home, REACHED, tell, until, user};

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_facts_tells_nothing_that_came_after_a_revocation() {
    for home in [Home::migrated(), Home::migrated_on_postgres().await] {
        println!("{}", home.url());
        tells_nothing_that_came_after(&home).await;
    }
}

async fn tells_nothing_that_came_after(home: &Home) {
    let held = home.path(REACHED);
    let mut command = home.serving("--rate-limit 0");
    home.stop_at(&mut command, "between-access-and-facts");
    let serving = home.start(command).await;
    let agents = ["one", "other"].map(|name| {
        let agent = home.json(&["agent", "create", "--name", name]);
        let id = agent["agent_id"].as_str().unwrap().to_owned();
        let key = home.json(&["key", "create", "--agent", &id]);
        (id, serving.client(key["api_key"].as_str()))
    });
    let [(one_id, one), (other_id, other)] = agents;
    let ada = serving.user_client(home, "ada").await;
    let mut grants = Vec::new();
    for id in [one_id, other_id] {
        let request = GrantRequest::new(user("ada"), id, Scope::ALL);
        grants.push(ada.create_grant(&request).await.unwrap());
    }

    let listing = tokio::spawn(async move { one.facts(&user("ada")).await });
    until("it is held", async || held.exists()).await;
    assert!(ada.revoke_grant(&grants[0].id).await.unwrap().revoked);
    let learned = tell(&other, "ada", "My name is Ada.").await;
    assert!(!learned.delta.unwrap().is_empty());
    std::fs::remove_file(&held).unwrap();
    let refused = listing.await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Some(&ErrorCode::Forbidden));

    // An agent that still has access is told the facts.
    let listing = tokio::spawn(async move { other.facts(&user("ada")).await });
    until("it is held", async || held.exists()).await;
    std::fs::remove_file(&held).unwrap();
    assert_eq!(listing.await.unwrap().unwrap().len(), 1);
}
