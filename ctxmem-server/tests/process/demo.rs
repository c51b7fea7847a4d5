//! `--demo`.

use ctxmem_client::{Client, InjectReason, Injected};

use crate::process::{Home, ServerProcess, assert_has, user};

/// What is injected for a client that wants demo facts, if there are any.
async fn asking(serving: &ServerProcess, key: &str) -> Injected {
    let client = Client::builder().base_url(serving.url()).api_key(key);
    let client = client.with_demo().build().unwrap();
    client.inject(&user("ada"), "Be brief.").await.unwrap()
}

#[tokio::test]
async fn demo_facts_are_turned_off_by_the_flag_or_the_environment() {
    let home = Home::new();
    let first = home.serve("").await;
    let key = first.key().to_owned();
    let injected = asking(&first, &key).await;
    assert!(injected.is_seeded(), "it is on by default");
    drop(first);

    let mut by_environment = home.serving("");
    by_environment.env("CTXMEM_DEMO", "off");
    let mut by_flag = home.serving(&["--demo", "off"]);
    by_flag.env("CTXMEM_DEMO", "on");
    for command in [by_environment, by_flag] {
        let server = home.start(command).await;
        let injected = asking(&server, &key).await;
        assert_eq!(injected.prompt(), "Be brief.");
        assert_eq!(injected.reason(), Some(&InjectReason::Empty));
        assert!(!injected.is_seeded());
    }

    let wrong = home.refused("serve --demo maybe", 2, "--demo");
    assert_has(&wrong, &["on", "off"]);
}
