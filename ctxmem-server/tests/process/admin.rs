//! Administration of a running server: commands of operators on the same database.

use ctxmem_client::{ErrorCode, Scope};

use crate::operators::texts;
use crate::process::{Args as _, Home, assert_has, user};

#[tokio::test]
async fn an_agent_made_while_the_server_runs_can_call_at_once() {
    let home = Home::migrated();
    let created = home.json("agent create --name helper --scopes goals,general");
    assert_eq!(created["name"], "helper");
    assert_eq!(created["scopes"], serde_json::json!(["general", "goals"]));
    for field in ["agent_id", "key_id", "api_key"] {
        assert!(created[field].is_string(), "{field}");
    }

    // A database that holds an agent is not empty: nothing is created or printed.
    let serving = home.serve("").await;
    assert!(serving.announced.get("api_key").is_none());

    let other = home.json("agent create --name other --developer Ann@Example.com");
    let client = serving.client(other["api_key"].as_str());
    client.inject(&user("ada"), "Hello").await.unwrap();

    let agents = home.json("agent list");
    assert_eq!(texts(&agents["agents"], "name"), ["helper", "other"]);
    assert_eq!(agents["agents"][1]["developer"], "ann@example.com");
}

#[tokio::test]
async fn a_key_can_have_a_name_and_an_end_and_be_replaced() {
    let home = Home::new();
    let serving = home.serve("").await;
    let create = format!("key create --agent {}", serving.agent());
    let key = home.json(&format!(
        "{create} --name nightly --expires-in 90d --scopes goals"
    ));
    let client = serving.client(key["api_key"].as_str());
    client.inject(&user("ada"), "Hello").await.unwrap();
    let id = key["key_id"].as_str().unwrap();
    let rotate = format!("key rotate {id}");
    let new = home.json(&format!("{rotate} --grace 0h"));
    assert_eq!(new["replaces"], key["key_id"]);
    assert_eq!(new["scopes"], key["scopes"]);
    let error = client.inject(&user("ada"), "Hello").await.unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::Unauthorized));
    let client = serving.client(new["api_key"].as_str());
    client.inject(&user("ada"), "Hello").await.unwrap();
    let listed = home.json(&["key", "list"]);
    let of = |id: &serde_json::Value| {
        let mut keys = listed["keys"].as_array().unwrap().iter();
        keys.find(|key| key["key_id"] == *id).unwrap()
    };
    let (old, new) = (of(&key["key_id"]), of(&new["key_id"]));
    assert_eq!(old["replaced_by"], new["key_id"]);
    for key in [old, new] {
        assert_eq!(key["name"], "nightly");
    }
    assert!(old["revoked_at"].is_string() && new["expires_at"].is_string());
    for (command, status, problem) in [
        (&*format!("{create} --expires-in soon"), 2, "such as 90d"),
        (
            &format!("{create} --expires-in 0d"),
            1,
            "expires_in: expected",
        ),
        (&rotate, 1, "replaced already"),
        (&format!("{rotate} --grace 31d"), 1, "grace: expected"),
        ("key rotate absent", 1, "no such key"),
    ] {
        home.refused(command, status, problem);
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_by_the_next_request() {
    let home = Home::new();
    let serving = home.serve("").await;
    let agent = serving.agent();
    let create = format!("key create --agent {agent} --scopes ongoing_tasks");
    let key = home.json(&create);
    assert_eq!(key["agent_id"], agent);
    assert_eq!(key["scopes"], serde_json::json!([Scope::Goals.name()]));
    let client = serving.client(key["api_key"].as_str());
    client.inject(&user("ada"), "Hello").await.unwrap();

    let id = key["key_id"].as_str().unwrap();
    let revoked = home.json(&["key", "revoke", id]);
    assert_eq!(revoked, serde_json::json!({"key_id": id, "revoked": true}));
    let error = client.inject(&user("ada"), "Hello").await.unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::Unauthorized));

    let keys = home.json("key list");
    let listed = keys["keys"].as_array().unwrap();
    assert_eq!(listed.len(), 2);
    let fields = "key_id agent_id prefix scopes created_at last_used_at revoked_at";
    for field in fields.list() {
        assert!(listed[1].get(field).is_some(), "{field}");
    }
    assert!(listed[1]["revoked_at"].is_string());
    assert!(listed[0]["revoked_at"].is_null());
    let shown = keys.to_string();
    assert!(
        !shown.contains(key["api_key"].as_str().unwrap()),
        "a key is shown once"
    );
}

#[tokio::test]
async fn a_sign_in_link_stands_under_the_public_address() {
    let home = Home::migrated();
    let public = "https://memory.example.com";
    let command = format!("--public-url {public} user sign-in-link ada@example.com");
    let link = home.json(&command);
    let url = link["url"].as_str().unwrap();
    let expected = format!("{public}/sign-in?token=");
    assert!(url.starts_with(&expected), "{url}");
    assert!(link["expires_at"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn global_flags_stand_before_or_after_a_command() {
    let home = Home::new();
    let flag = "--database-url sqlite://elsewhere.db";
    home.json(&format!("migrate {flag}"));
    for command in [
        format!("--json {flag} agent create --name a"),
        format!("agent create --name b {flag} --json"),
    ] {
        let printed = home.printed(&command);
        serde_json::from_str::<serde_json::Value>(&printed).unwrap();
    }
    let agents = home.json(&format!("agent list {flag}"));
    assert_eq!(agents["agents"].as_array().unwrap().len(), 2);
}

#[test]
fn a_developer_gets_a_password_from_stdin_and_it_is_stored_hashed() {
    let home = Home::migrated();
    let created = home.json(&["developer", "create", "--email", "ann@example.com"]);
    assert_eq!(created["email"], "ann@example.com");
    let set = ["developer", "set-password", "--email", "ann@example.com"];
    let short = home.run_with_input(&set, "short\n");
    assert_eq!(short.status.code(), Some(1));
    assert_has(&short.stderr, &["password: expected at least"]);
    let good = home.run_with_input(&set, "correct horse battery\n");
    assert!(good.status.success(), "{}", good.stderr);
    let file = std::fs::read(home.database()).unwrap();
    let wal = std::fs::read(home.path("ctxmem.db-wal")).unwrap_or_default();
    let bytes = [file, wal].concat();
    let holds = |text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(!holds("correct horse"));
    assert!(holds("$argon2id$"));
}

#[test]
fn an_operator_sees_a_team() {
    let home = Home::migrated();
    let email = ["--email", "ann@example.com"];
    let of_ann = |command| [&["developer", command], &email[..]].concat();
    home.json(&of_ann("create"));
    for _ in 0..2 {
        let team = home.json(&of_ann("members"));
        assert_eq!(team["members"][0]["role"], "owner");
        assert_eq!(team["members"][0]["second_factor"], false);
        assert_eq!(team["contact"], "ann@example.com");
        assert_eq!(home.json(&of_ann("make-owner"))["role"], "owner");
    }
    let stays = "The owner can't leave or be removed";
    home.refused(&of_ann("remove-member"), 1, stays);
    for command in ["members", "make-owner", "remove-member"] {
        let nobody = ["developer", command, "--email", "nobody@example.com"];
        home.refused(&nobody, 1, "no such developer");
    }
}

#[test]
fn bad_input_is_named() {
    let home = Home::migrated();
    home.refused(&["agent", "create", "--name", " "], 1, "name: expected");
    let prefix = "'10.0.0.0/33' for '--trusted-proxy <ADDRESS_OR_PREFIX>': expected an IP address";
    for (args, status, named) in [
        (
            "agent create --name a --developer nobody",
            1,
            "email: expected",
        ),
        ("agent create --name a --scopes mood", 2, "--scopes"),
        ("key create --agent absent", 1, "no such agent"),
        ("key revoke absent", 1, "no such key"),
        ("user sign-in-link ..", 1, "USER_ID: expected"),
        ("developer create --email @", 1, "email: expected"),
        ("serve --rate-limit many", 2, "--rate-limit"),
        ("--trusted-proxy 10.0.0.1,10.0.0.0/33", 2, prefix),
    ] {
        home.refused(args, status, named);
    }
}
