//! Starting and stopping the server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use ctxmem_client::InjectReason;
use sqlx::Connection as _;

use crate::model;
use crate::process::{Args as _, Home, assert_has, assert_lacks, count, tell, user};

#[tokio::test]
async fn a_first_start_prints_a_key_that_works_and_a_second_keeps_the_data() {
    let home = Home::new();
    let first = home.serve("").await;
    for field in "url developer agent_id name key_id api_key scopes".list() {
        assert!(first.announced.get(field).is_some(), "{field}");
    }
    let key = first.key().to_owned();
    let client = first.client(None);
    tell(&client, "ada", "My name is Ada and I live in Lisbon.").await;
    first.stop().await;

    let second = home.serve("").await;
    let fields: Vec<&String> = second.announced.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["url"]);
    let client = second.client(Some(&key));
    let context = client.context(&user("ada")).await.unwrap();
    assert_eq!(context.general.unwrap()["name"].value, "Ada");
}

#[tokio::test]
async fn who_never_saw_the_first_key_learns_how_to_get_another() {
    let home = Home::new();
    let mut first = home.serve("").await;
    let agent = first.agent().to_owned();
    first.kill();
    let second = home.serve_in_words("").await;
    let command = format!("key create --agent {agent}");
    assert_has(second.announced.as_str().unwrap(), &[&command]);
    let key = home.json(&command);
    assert!(key["api_key"].is_string(), "{key}");
}

#[tokio::test]
async fn every_printed_call_works_as_it_is_printed() {
    let home = Home::new();
    let serving = home.serve_in_words("").await;
    let printed = serving.announced.as_str().unwrap();
    let calls: Vec<&str> = printed
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("curl "))
        .collect();
    assert!(calls.len() >= 5, "{printed}");
    let mut bodies = Vec::new();
    for call in &calls {
        let output = std::process::Command::new("bash")
            .args(["-c", &format!("{call} --silent --fail")])
            .output()
            .expect("bash and curl are needed: apt-get install bash curl");
        assert!(output.status.success(), "{call}");
        bodies.push(String::from_utf8(output.stdout).unwrap());
    }
    let all = bodies.join("\n");
    let expected = [
        "\"seeded_demo\"",
        "Helix",
        "- name: Ada",
        "\"deleted\":true",
    ];
    assert_has(&all, &expected);
}

#[tokio::test]
async fn sigterm_and_ctrl_c_let_requests_under_way_finish() {
    for signal in ["TERM", "INT"] {
        let home = Home::new();
        let model = model::model(Duration::from_millis(600)).await;
        let mut serving = home.serve(&model.flags()).await;
        let client = serving.client(None);
        let message = "I am good at fact:welding these days.";
        let update = tokio::spawn(async move { tell(&client, "ada", message).await });
        while model.requests().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        serving.signal(signal);
        let answer = update.await.unwrap();
        assert!(!answer.delta.unwrap().is_empty());
        assert_eq!(serving.ended().await.code(), Some(0), "SIG{signal}");
    }
}

#[tokio::test]
async fn a_busy_port_and_a_bad_url_are_reported_plainly() {
    let home = Home::new();
    let serving = home.serve("").await;
    let busy = format!("--listen {}", serving.address());
    let nobody = "--database-url postgres://ctxmem:canary-password@127.0.0.1:1/ctxmem";
    let http = "--oidc-issuer http://id.example.com --oidc-client-id c";
    for (flags, named) in [
        (&*busy, "--listen"),
        ("--database-url mysql://nowhere", "sqlite://"),
        (nobody, "refused"),
        ("--extractor model", "--model-url"),
        ("--sign-in-secret canary", "--sign-in-secret"),
        ("--oidc-issuer https://id.example.com", "--oidc-client-id"),
        ("--oidc-client-secret canary", "--oidc-client-secret"),
        (http, "--oidc-issuer"),
    ] {
        assert_lacks(&home.refused(flags, 1, named), &["canary"]);
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let home = Home::new();
    home.run(&["migrate"]);
    let mut connection = home.connect().await;
    let newer = sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', TRUE, x'00', 0)",
    );
    newer.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    assert_has(&home.refused("migrate", 1, "9999"), &["newer"]);
}

#[tokio::test]
async fn several_processes_may_start_at_once_on_an_empty_database() {
    let rounds = count(5, 20);
    let mut failed = [0, 0];
    for _ in 0..rounds {
        for (failed, home) in failed.iter_mut().zip(Home::on_both().await) {
            *failed += failed_starts(&home);
        }
    }
    println!(
        "figure: 3 processes started at once on an empty database, {rounds} times: failed \
         starts {} on SQLite, {} on Postgres",
        failed[0], failed[1]
    );
    assert_eq!(failed, [0, 0]);
}

/// Starts three servers at once and answers how many failed to serve. Exactly one may say
/// that it made the first agent.
fn failed_starts(home: &Home) -> usize {
    let started: Vec<_> = (0..3)
        .map(|_| {
            home.command()
                .args(["--listen", "127.0.0.1:0", "--json"])
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut made = 0;
    let mut failed = 0;
    for mut child in started {
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        failed += usize::from(!line.contains("\"url\""));
        made += usize::from(line.contains("\"api_key\""));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(made == 1 || failed > 0, "{made} of them made a first agent");
    failed
}

#[cfg(unix)]
#[tokio::test]
async fn the_database_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    fs::create_dir_all(home.path("new/folder")).unwrap();
    let elsewhere = "--database-url sqlite://new/folder/data.db";
    let serving = home.serve(elsewhere).await;
    let client = serving.client(None);
    client.inject(&user("ada"), "Hello").await.unwrap();
    for file in fs::read_dir(home.path("new/folder")).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().starts_with("data.db") {
            let mode = file.metadata().unwrap().permissions().mode() & 0o077;
            let name = file.file_name();
            let lock = name.to_string_lossy().ends_with(".lock");
            assert!(lock || mode == 0, "{name:?} has mode {mode:o}");
        }
    }
}

#[tokio::test]
async fn idle_keys_cost_nothing_and_used_ones_show_when() {
    let home = Home::new();
    let serving = home.serve("").await;
    let injected = serving.client(None).inject(&user("ada"), "Hello").await;
    assert_eq!(injected.unwrap().reason(), Some(&InjectReason::Empty));
    serving.stop().await;
    let keys = home.json(&["key", "list"]);
    assert!(keys["keys"][0]["last_used_at"].is_string(), "{keys}");
}

#[tokio::test]
async fn a_server_without_a_model_says_what_is_kept_and_how_to_add_one() {
    let model = "--extractor model --model-name m --model-url http://127.0.0.1:9/v1";
    for (flags, lines) in [("", 1), (model, 0)] {
        let home = Home::new();
        let log = home.serve(flags).await.stop().await;
        assert_eq!(log.matches("without a model").count(), lines, "{log}");
        assert_eq!(log.matches("--model openai:NAME").count(), lines, "{log}");
    }
}

/// The command for another key that a second start prints, run in another folder.
async fn run_what_is_printed(home: &Home, flags: &str) -> String {
    let serving = home.serve_in_words(flags).await;
    let mut printed = serving.announced.as_str().unwrap().lines();
    let call = printed.find(|line| line.contains(" key create "));
    let call = call.unwrap().trim();
    let elsewhere = tempfile::tempdir().unwrap();
    let output = std::process::Command::new("bash")
        .args(["-c", call])
        .current_dir(elsewhere.path())
        .env_clear()
        .output()
        .unwrap_or_else(|_| panic!("bash is needed: apt-get install bash"));
    assert!(
        output.status.success(),
        "{call}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    call.to_owned()
}

#[tokio::test]
async fn printed_commands_find_a_database_on_postgres_however_it_was_named() {
    let database = Home::migrated_on_postgres().await;
    let (url, home) = (database.url(), Home::new());
    let by_flag = format!("--database-url {url}");
    home.printed(&format!("agent create --name a {by_flag}"));
    let call = run_what_is_printed(&home, &by_flag).await;
    assert!(call.contains(&url), "{call}");
    // A password is in the file alone.
    let (scheme, rest) = url.split_once("://").unwrap();
    let (user, host) = rest.split_once('@').unwrap();
    let user = user.split(':').next().unwrap();
    let config = format!("database-url = \"{scheme}://{user}:quokka@{host}\"\n");
    home.write("ctxmem.toml", config);
    let call = run_what_is_printed(&home, "--config ctxmem.toml").await;
    assert_has(&call, &["--config /"]);
    assert_lacks(&call, &["quokka"]);
}
