//! SIGHUP: the log level, the limits and the model are read again.

use std::time::Duration;

use ctxmem_client::{Client, ErrorCode};

use crate::model;
use crate::process::{Home, ServerProcess, assert_has, browser, tell, user, within};

/// Has the server read these settings, and waits until it says so in its log.
async fn reload(home: &Home, serving: &ServerProcess, config: &str, said: &str) {
    home.write("ctxmem.toml", config);
    serving.signal("HUP");
    serving.logs(said).await;
}

/// A server with these settings in its file.
async fn configured(home: &Home, config: &str) -> ServerProcess {
    home.write("ctxmem.toml", config);
    home.serve("--config ctxmem.toml").await
}

const RELOADED: &str = "are as configured now";

async fn code(client: &Client) -> Option<ErrorCode> {
    let answer = client.inject(&user("ada"), "You help.").await;
    answer.err().and_then(|error| error.code().cloned())
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_the_log_level_change_while_the_server_runs() {
    let home = Home::new();
    let serving = configured(&home, "rate-limit = 2\n").await;
    let client = serving.client(None);
    for expected in [None, None, Some(ErrorCode::RateLimited)] {
        assert_eq!(code(&client).await, expected);
    }
    // The same settings leave the limit as it is.
    reload(&home, &serving, "rate-limit = 2\n", RELOADED).await;
    assert_eq!(code(&client).await, Some(ErrorCode::RateLimited));

    let config = "rate-limit = 0\nmonthly-quota = 1\nlog = \"ctxmem_server=debug\"\n";
    reload(&home, &serving, config, "rate_limit=0").await;
    let unlimited = async || code(&client).await.is_none();
    within(Duration::from_secs(10), "there is no limit", unlimited).await;
    serving.logs("DEBUG").await;
    tell(&client, "ada", "I live in Lisbon.").await;
    let over = tell(&client, "ada", "I live in Porto.").await;
    assert!(over.is_over_quota(), "{over:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_used_changes_nothing_and_what_takes_a_restart_is_named() {
    let home = Home::new();
    let serving = configured(&home, "rate-limit = 1\n").await;
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
        reload(&home, &serving, config, said).await;
        let limited = Some(ErrorCode::RateLimited);
        assert_eq!(code(&client).await, limited, "{config}");
    }
    let elsewhere = "rate-limit = 1\nlisten = \"127.0.0.1:1\"\n";
    reload(&home, &serving, elsewhere, "take a restart").await;
    assert_has(&serving.stderr(), &["settings=\"listen\""]);
    let with_model = "rate-limit = 1\nextractor = \"model\"\nmodel-url = \"http://127.0.0.1:1/v1\"\n\
                      model-name = \"m\"\n";
    let said = "from the rules to a model or back takes a restart";
    reload(&home, &serving, with_model, said).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_and_its_key_change_while_the_server_runs() {
    let home = Home::new();
    let [first, second] = [
        model::model(Duration::ZERO).await,
        model::model(Duration::ZERO).await,
    ];
    home.write("model-key", "sk-first");
    let config =
        |url: &str| format!("extractor = \"model\"\nmodel-name = \"m\"\nmodel-url = \"{url}\"\n");
    home.write("ctxmem.toml", config(&first.url()));
    let mut command = home.serving(&["--config", "ctxmem.toml"]);
    command.env("CTXMEM_MODEL_API_KEY_FILE", home.path("model-key"));
    let serving = home.start(command).await;
    let client = serving.client(None);
    let asked_after = async |n: usize| {
        let message = format!("I am learning language number {n}, and I moved to town {n}.");
        tell(&client, "ada", &message).await;
        (first.requests().await.len(), second.requests().await.len())
    };
    assert_eq!(asked_after(1).await, (1, 0));
    home.write("model-key", "sk-second");
    reload(&home, &serving, &config(&second.url()), RELOADED).await;
    assert_eq!(asked_after(2).await, (1, 1));
    for asked in second.requests().await {
        assert_eq!(asked.headers["authorization"], "Bearer sk-second");
    }
    assert!(!serving.stderr().contains("sk-"), "{}", serving.stderr());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_nobody_writes_to_holds_up_nothing() {
    let home = Home::new();
    let file = home.path("ctxmem.toml");
    let serving = configured(&home, "rate-limit = 0\n").await;
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
    serving.logs("the settings were not reloaded").await;
    assert_has(&serving.stderr(), &["took longer than"]);
    // Another file in its place is read, though the first one is still waited for.
    std::fs::remove_file(&file).unwrap();
    reload(&home, &serving, "rate-limit = 1\n", RELOADED).await;
    assert_eq!(code(&client).await, None);
    assert_eq!(code(&client).await, Some(ErrorCode::RateLimited));
    // Nor does the end wait for it.
    serving.stop().await;
}
