//! `--demo`.

use ctxmem_client::{Client, InjectReason};

use crate::process::{Home, ServerProcess, user};

/// A client that wants demo facts, if there are any.
fn asking(serving: &ServerProcess, key: &str) -> Client {
    Client::builder()
        .base_url(serving.url())
        .api_key(key)
        .with_demo()
        .build()
        .unwrap()
}

#[tokio::test]
async fn demo_facts_are_turned_off_by_the_flag_or_the_environment() {
    let home = Home::new();
    let first = home.start(home.serving(&[])).await;
    let key = first.announced["api_key"].as_str().unwrap().to_owned();
    let ada = user("ada");
    let injected = asking(&first, &key)
        .inject(&ada, "Be brief.")
        .await
        .unwrap();
    assert!(injected.is_seeded(), "it is on by default");
    drop(first);

    let mut by_environment = home.serving(&[]);
    by_environment.env("CTXMEM_DEMO", "off");
    let mut by_flag = home.serving(&["--demo", "off"]);
    by_flag.env("CTXMEM_DEMO", "on");
    for command in [by_environment, by_flag] {
        let server = home.start(command).await;
        let injected = asking(&server, &key)
            .inject(&ada, "Be brief.")
            .await
            .unwrap();
        assert_eq!(injected.prompt(), "Be brief.");
        assert_eq!(injected.reason(), Some(&InjectReason::Empty));
        assert!(!injected.is_seeded());
    }

    let wrong = home.run(&["serve", "--demo", "maybe"]);
    assert!(!wrong.status.success());
    for part in ["--demo", "on", "off"] {
        assert!(wrong.stderr.contains(part), "{}", wrong.stderr);
    }
}
