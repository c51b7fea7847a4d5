//! `--first-grant`, and what users are told of an agent.

use crate::process::{Home, user};

#[tokio::test]
async fn the_mode_comes_from_the_flag_or_the_environment() {
    let home = Home::new();
    let mut by_environment = home.serving(&[]);
    by_environment.env("CTXMEM_FIRST_GRANT", "ask");
    let asking = home.start(by_environment).await;
    let key = asking.announced["api_key"].as_str().unwrap().to_owned();
    let agent = asking.announced["agent_id"].as_str().unwrap().to_owned();
    let client = asking.client(Some(&key));
    let injected = client.inject(&user("ada"), "Be brief.").await.unwrap();
    let page = format!("{}/consent/{agent}", asking.url());
    assert_eq!(injected.consent_url(), Some(&*page));
    let denied = client.update(&user("ada"), "My name is Ada.", "Hi.").await;
    assert_eq!(denied.unwrap_err().consent_url(), Some(&*page));
    drop(asking);

    // A flag comes before the environment.
    let mut by_flag = home.serving(&["--first-grant", "own"]);
    by_flag.env("CTXMEM_FIRST_GRANT", "ask");
    let own = home.start(by_flag).await;
    let injected = own
        .client(Some(&key))
        .inject(&user("ada"), "Be brief.")
        .await;
    assert_eq!(injected.unwrap().consent_url(), None);
    drop(own);

    let wrong = home.run(&["serve", "--first-grant", "never"]);
    assert!(!wrong.status.success());
    for part in ["--first-grant", "auto", "own", "ask"] {
        assert!(wrong.stderr.contains(part), "{}", wrong.stderr);
    }
}

#[test]
fn an_agent_has_a_profile() {
    let home = Home::migrated();
    let agent = home.json(&["agent", "create", "--name", "Trips"]);
    let agent = agent["agent_id"].as_str().unwrap();
    let set = [
        "agent",
        "profile",
        "--agent",
        agent,
        "--purpose",
        "Plans trips.",
    ];
    let shown = home.json(&[&set[..], &["--url", "https://trips.example"]].concat());
    assert_eq!(shown["purpose"], "Plans trips.");
    assert_eq!(shown["url"], "https://trips.example/");
    // What is not given stays.
    let shown = home.json(&["agent", "profile", "--agent", agent, "--privacy-url", ""]);
    assert_eq!(shown["purpose"], "Plans trips.");
    let wrong = home.run(&[
        "agent",
        "profile",
        "--agent",
        agent,
        "--url",
        "javascript:1",
    ]);
    assert!(!wrong.status.success() && wrong.stderr.contains("url: expected an address"));
}
