//! Commands that find no database, and the words for addresses and files that are none.

use crate::process::{Args as _, CommandOutput, Home, assert_has, assert_lacks, program};

/// A command for operators that needs a database.
const COMMANDS: &[&[&str]] = &[
    &["agent", "list"],
    &["agent", "create", "--name", "a"],
    &["agent", "rename", "--agent", "a", "--name", "b"],
    &["agent", "delete", "--agent", "a", "--name", "b"],
    &["key", "list"],
    &["developer", "list"],
    &["developer", "delete", "--email", "ann@example.com"],
    &["user", "list"],
    &["user", "show", "ada"],
    &["user", "erase", "ada"],
    &["audit"],
    &["export"],
    &["reapply-erasures", "--from", "sqlite://other.db"],
    &["developer", "create", "--email", "ann@example.com"],
    &["user", "sign-in-link", "ada"],
    &["master-key", "rotate", "--new-master-key-file", "new"],
];

fn write_master_key(home: &Home) {
    home.write("new", "00".repeat(32));
}

#[test]
fn only_the_server_and_migrate_create_a_database() {
    let home = Home::new();
    write_master_key(&home);
    for command in COMMANDS {
        let place = home.database();
        let place = format!("there is no ctxmem database at {}", place.display());
        let said = home.refused(*command, 1, &place);
        assert_has(&said, &["--database-url or CTXMEM_DATABASE_URL"]);
    }
    let files: Vec<_> = std::fs::read_dir(home.path(".")).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    home.json(&["migrate"]);
    home.json(COMMANDS[0]);
}

#[tokio::test]
async fn on_postgres_an_empty_database_stays_empty() {
    let home = Home::on_postgres().await;
    let url = home.url();
    write_master_key(&home);
    for command in COMMANDS {
        let said = home.refused(*command, 1, "there is no ctxmem database at ");
        // Host, port and name, and nothing that may be a password.
        let name = url.rsplit_once('/').unwrap().1;
        let name = name.split('?').next().unwrap();
        assert!(said.contains(&format!("/{name};")), "{said}");
        assert!(!said.contains("postgres://"), "{said}");
    }
    home.json(&["migrate"]);
    home.json(COMMANDS[0]);
}

#[test]
fn a_file_or_folder_that_can_not_be_used_is_named() {
    let home = Home::new();
    home.write("a-file", "no database");
    for (path, expected) in [
        ("absent/ctxmem.db", "/absent does not exist"),
        ("a-file/ctxmem.db", "/a-file/ctxmem.db can't be used"),
        ("a-file", "/a-file can't be used"),
    ] {
        let migrate = format!("migrate --database-url sqlite://{path}");
        home.refused(&migrate, 1, expected);
    }
}

#[test]
fn what_can_not_be_reached_is_named_without_its_password() {
    let home = Home::new();
    let url = "postgres://ctxmem:canary-password@127.0.0.1:1/memories";
    let away = "127.0.0.1:1/memories can't be reached";
    let said = home.refused(&["migrate", "--database-url", url], 1, away);
    assert_lacks(&said, &["canary"]);
}

#[test]
fn an_address_that_is_none_is_answered_by_what_was_meant() {
    let home = Home::new();
    let listen = "expected HOST:PORT, such as 127.0.0.1:8080";
    for (flag, value, expected) in [
        ("--listen", "localhost", listen),
        ("--metrics-listen", "9090", "expected HOST:PORT"),
        (
            "--public-url",
            "memory.example.com",
            "such as https://memory.example.com",
        ),
        (
            "--public-url",
            "localhost:8080",
            "such as http://localhost:8080",
        ),
    ] {
        assert_has(&home.refused(&[flag, value], 2, expected), &[flag]);
    }
}

#[test]
fn only_a_command_that_is_near_is_suggested() {
    let home = Home::new();
    home.refused("agnet list", 2, "'agent'");
    assert_lacks(&home.refused("frobnicate", 2, ""), &["similar"]);
}

#[tokio::test]
async fn printed_commands_work_from_any_folder() {
    let home = Home::new();
    let serving = home.serve_in_words("").await;
    let printed = serving.announced.as_str().unwrap();
    let elsewhere = Home::new();
    let program = program();
    let commands = printed.lines().map(str::trim);
    let commands: Vec<&str> = commands.filter(|line| line.starts_with(&program)).collect();
    assert_eq!(commands.len(), 2, "{printed}");
    for command in commands {
        let mut run = std::process::Command::new("bash");
        let input = if command.contains("set-password") {
            "correct horse battery"
        } else {
            ""
        };
        run.args(["-c", &format!("echo '{input}' | {command}")])
            .current_dir(elsewhere.path("."));
        let finished = run.output().expect("bash is needed: apt-get install bash");
        let finished = CommandOutput::of(finished);
        assert!(finished.status.success(), "{command}: {}", finished.stderr);
        if command.contains("sign-in-link") {
            let url = finished.stdout.lines().next().unwrap();
            let page = reqwest::get(url).await.unwrap();
            assert!(page.status().is_success(), "{url}");
        }
    }
    let left = std::fs::read_dir(elsewhere.path(".")).unwrap().count();
    assert_eq!(left, 0, "nothing is created elsewhere");
}

#[tokio::test]
async fn a_start_says_what_is_in_force_and_what_is_missing() {
    let home = Home::new();
    let flags = "--extractor model --model-url http://127.0.0.1:1/v1 --model-name none --rate-limit 7 \
                 --first-grant ask --listen 0.0.0.0:0 --json";
    let mut command = home.command();
    command.args(flags.list());
    let serving = home.start(command).await;
    // The model is asked while the server answers already.
    serving.logs("model endpoint can't be reached").await;
    let encryption = "without encryption as far as it knows";
    let expected = ["rate_limit=7", "first_grant=Ask", encryption];
    assert_has(&serving.stderr(), &expected);
    let behind = home.serve("").await;
    assert_lacks(&behind.stderr(), &["without encryption"]);
}
