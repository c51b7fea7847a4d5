//! SIGHUP: the log level, the limits and the model are read again.

use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode};

use crate::model;
use crate::process::{Home, ServerProcess, browser, user};

/// Waits for a line of the log.
async fn logged(serving: &ServerProcess, wanted: &str) {
    let began = Instant::now();
    while !serving.stderr().contains(wanted) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{wanted:?} is not in {}",
            serving.stderr()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn reload(home: &Home, serving: &ServerProcess, config: &str) {
    std::fs::write(home.path("ctxmem.toml"), config).unwrap();
    serving.signal("HUP");
}

const RELOADED: &str = "are as configured now";

async fn code(client: &Client) -> Option<ErrorCode> {
    let answer = client.inject(&user("ada"), "You help.").await;
    answer.err().and_then(|error| error.code().cloned())
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_the_log_level_change_while_the_server_runs() {
    let home = Home::new();
    std::fs::write(home.path("ctxmem.toml"), "rate-limit = 2\n").unwrap();
    let serving = home.serve(&["--config", "ctxmem.toml"]).await;
    let client = serving.client(None);
    for expected in [None, None, Some(ErrorCode::RateLimited)] {
        assert_eq!(code(&client).await, expected);
    }
    // The same settings leave the limit as it is.
    reload(&home, &serving, "rate-limit = 2\n");
    logged(&serving, RELOADED).await;
    assert_eq!(code(&client).await, Some(ErrorCode::RateLimited));

    let config = "rate-limit = 0\nmonthly-quota = 1\nlog = \"ctxmem_server=debug\"\n";
    reload(&home, &serving, config);
    logged(&serving, "rate_limit=0").await;
    let began = Instant::now();
    while code(&client).await.is_some() {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    logged(&serving, "DEBUG").await;
    client
        .update(&user("ada"), "I live in Lisbon.", "Noted.")
        .await
        .unwrap();
    let over = client
        .update(&user("ada"), "I live in Porto.", "Noted.")
        .await
        .unwrap();
    assert!(over.is_over_quota(), "{over:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_used_changes_nothing_and_what_takes_a_restart_is_named() {
    let home = Home::new();
    std::fs::write(home.path("ctxmem.toml"), "rate-limit = 1\n").unwrap();
    let serving = home.serve(&["--config", "ctxmem.toml"]).await;
    let client = serving.client(None);
    assert_eq!(code(&client).await, None);
    for (config, said) in [
        ("rate-limit = \"fast\"\n", "ctxmem.toml"),
        (
            "rate-limit = 0\nlog = \"info,,=\"\n",
            "--log: expected a level",
        ),
        ("rate-limit =", "the settings were not reloaded"),
        ("rate-limits = 0\n", "rate-limits"),
    ] {
        reload(&home, &serving, config);
        logged(&serving, said).await;
        assert_eq!(
            code(&client).await,
            Some(ErrorCode::RateLimited),
            "{config}"
        );
    }
    reload(
        &home,
        &serving,
        "rate-limit = 1\nlisten = \"127.0.0.1:1\"\n",
    );
    logged(&serving, "take a restart").await;
    assert!(
        serving.stderr().contains("settings=\"listen\""),
        "{}",
        serving.stderr()
    );
    reload(
        &home,
        &serving,
        "rate-limit = 1\nextractor = \"model\"\nmodel-url = \"http://127.0.0.1:1/v1\"\nmodel-name = \"m\"\n",
    );
    logged(
        &serving,
        "from the rules to a model or back takes a restart",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_and_its_key_change_while_the_server_runs() {
    let home = Home::new();
    let [first, second] = [
        model::model(Duration::ZERO).await,
        model::model(Duration::ZERO).await,
    ];
    std::fs::write(home.path("model-key"), "sk-first").unwrap();
    let config =
        |url: &str| format!("extractor = \"model\"\nmodel-name = \"m\"\nmodel-url = \"{url}\"\n");
    std::fs::write(home.path("ctxmem.toml"), config(&first.url())).unwrap();
    let mut command = home.serving(&["--config", "ctxmem.toml"]);
    command.env("CTXMEM_MODEL_API_KEY_FILE", home.path("model-key"));
    let serving = home.start(command).await;
    let client = serving.client(None);
    let tell = async |n: usize| {
        let message = format!("I am learning language number {n}, and I moved to town {n}.");
        client
            .update(&user("ada"), message, "Noted.")
            .await
            .unwrap();
    };
    tell(1).await;
    assert_eq!(
        (first.bodies().await.len(), second.bodies().await.len()),
        (1, 0)
    );
    std::fs::write(home.path("model-key"), "sk-second").unwrap();
    reload(&home, &serving, &config(&second.url()));
    logged(&serving, RELOADED).await;
    tell(2).await;
    assert_eq!(
        (first.bodies().await.len(), second.bodies().await.len()),
        (1, 1)
    );
    let asked = second.requests().await;
    let keys: Vec<_> = asked
        .iter()
        .map(|asked| asked.headers["authorization"].clone())
        .collect();
    assert!(keys.iter().all(|key| key == "Bearer sk-second"), "{keys:?}");
    assert!(!serving.stderr().contains("sk-"), "{}", serving.stderr());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_nobody_writes_to_holds_up_nothing() {
    let home = Home::new();
    let file = home.path("ctxmem.toml");
    std::fs::write(&file, "rate-limit = 0\n").unwrap();
    let serving = home.serve(&["--config", "ctxmem.toml"]).await;
    let client = serving.client(None);
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    let health = format!("{}/livez", serving.url());
    let browser = browser();
    for _ in 0..10 {
        serving.signal("HUP");
        client.inject(&user("ada"), "You help.").await.unwrap();
        let asked = browser.get(&health).timeout(Duration::from_secs(10));
        assert_eq!(asked.send().await.unwrap().status(), 200);
    }
    logged(&serving, "the settings were not reloaded").await;
    assert!(
        serving.stderr().contains("took longer than"),
        "{}",
        serving.stderr()
    );
    // Another file in its place is read, though the first one is still waited for.
    std::fs::remove_file(&file).unwrap();
    reload(&home, &serving, "rate-limit = 1\n");
    logged(&serving, RELOADED).await;
    assert_eq!(code(&client).await, None);
    assert_eq!(code(&client).await, Some(ErrorCode::RateLimited));
    // Nor does the end wait for it.
    serving.stop().await;
}
