//! `--first-grant`, and what users are told of an agent.

use crate::process::{Home, assert_has, user};

#[tokio::test]
async fn the_mode_comes_from_the_flag_or_the_environment() {
    let home = Home::new();
    let mut by_environment = home.serving("");
    by_environment.env("CTXMEM_FIRST_GRANT", "ask");
    let asking = home.start(by_environment).await;
    let key = asking.key().to_owned();
    let client = asking.client(Some(&key));
    let injected = client.inject(&user("ada"), "Be brief.").await.unwrap();
    let page = format!("{}/consent/{}", asking.url(), asking.agent());
    assert_eq!(injected.consent_url(), Some(&*page));
    let denied = client.update(&user("ada"), "My name is Ada.", "Hi.").await;
    assert_eq!(denied.unwrap_err().consent_url(), Some(&*page));
    drop(asking);

    // A flag comes before the environment.
    let mut by_flag = home.serving(&["--first-grant", "own"]);
    by_flag.env("CTXMEM_FIRST_GRANT", "ask");
    let own = home.start(by_flag).await;
    let client = own.client(Some(&key));
    let injected = client.inject(&user("ada"), "Be brief.").await;
    assert_eq!(injected.unwrap().consent_url(), None);
    drop(own);

    let wrong = home.refused("serve --first-grant never", 2, "--first-grant");
    assert_has(&wrong, &["auto", "own", "ask"]);
}

/// The command that sets this of an agent's profile.
fn profile<'a>(agent: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["agent", "profile", "--agent", agent], more].concat()
}

#[test]
fn an_agent_has_a_profile() {
    let home = Home::migrated();
    let agent = home.json(&["agent", "create", "--name", "Trips"]);
    let agent = agent["agent_id"].as_str().unwrap();
    let purpose = ["--purpose", "Plans trips."];
    let url = ["--url", "https://trips.example"];
    let shown = home.json(&profile(agent, &[purpose, url].concat()));
    assert_eq!(shown["purpose"], "Plans trips.");
    assert_eq!(shown["url"], "https://trips.example/");
    // What is not given stays.
    let shown = home.json(&profile(agent, &["--privacy-url", ""]));
    assert_eq!(shown["purpose"], "Plans trips.");
    let back = ["--return-url", "https://trips.example/chat"];
    let needs = ["--need", "goals=To plan.", "--need", "general=To greet."];
    let shown = home.json(&profile(agent, &[back.as_slice(), &needs].concat()));
    assert_eq!(shown["return_url"], "https://trips.example/chat");
    let both = serde_json::json!({"goals": "To plan.", "general": "To greet."});
    assert_eq!(shown["needs"], both);
    let shown = home.json(&profile(agent, &["--need", "general="]));
    assert_eq!(shown["needs"], serde_json::json!({"goals": "To plan."}));
    assert_eq!(shown["return_url"], "https://trips.example/chat");
    let return_url = ["--return-url", "http://trips.example"];
    let reason = "expected a scope, an equals sign and the reason";
    for (flag, status, expected) in [
        (return_url, 1, "return_url: expected an https address"),
        (["--need", "goals"], 2, reason),
        (["--need", "everything=x"], 2, "expected one of the scopes"),
        (["--url", "javascript:1"], 1, "url: expected an address"),
    ] {
        home.refused(&profile(agent, &flag), status, expected);
    }
}
