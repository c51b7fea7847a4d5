//! The commands with which operators look after agents, developers and users, on both engines.

use ctxmem_client::InjectReason;
use serde_json::{Value, json};

use crate::process::{Home, assert_has, assert_lacks, tell, user};

async fn homes() -> [Home; 2] {
    [Home::migrated(), Home::migrated_on_postgres().await]
}

pub(crate) fn texts<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap().iter();
    list.map(|entry| entry[field].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_renamed_and_deleted() {
    for home in homes().await {
        let made = home.json(&["agent", "create", "--name", "helper"]);
        let id = made["agent_id"].as_str().unwrap();
        let rename = ["agent", "rename", "--agent", id, "--name", " travel agent "];
        assert_eq!(home.json(&rename)["name"], "travel agent");
        let listed = home.json(&["agent", "list"]);
        assert_eq!(texts(&listed["agents"], "name"), ["travel agent"]);
        let key = made["key_id"].as_str().unwrap();
        home.json(&["key", "rotate", key, "--grace", "1h"]);
        let keys = home.run(&["key", "list"]).stdout;
        assert_eq!(keys.matches("  live").count(), 2, "{keys}");
        assert_eq!(keys.matches("  live until 2").count(), 1, "{keys}");
        let wrong = format!("agent delete --agent {id} --name helper");
        home.refused(&wrong, 1, "--name: expected the name of the agent");
        let delete = ["agent", "delete", "--agent", id, "--name", "travel agent"];
        assert_eq!(home.json(&delete)["deleted"], true);
        assert_eq!(home.json("agent list")["agents"], json!([]));
        home.refused(&delete, 1, "There is no such agent.");
        let done = home.json(&["audit", "--agent", id]);
        let actions = texts(&done["entries"], "action");
        assert_eq!(
            actions,
            [
                "delete_agent",
                "rotate_key",
                "create_key",
                "rename_agent",
                "create_key",
                "create_agent"
            ]
        );
        assert_eq!(texts(&done["entries"], "actor"), ["operator"; 6]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn developers_are_listed_and_deleted_once_nothing_needs_them() {
    for home in homes().await {
        for email in ["ann@example.com", "ben@example.com"] {
            home.json(&["developer", "create", "--email", email]);
        }
        let made = home.json("agent create --name helper --developer ann@example.com");
        let listed = home.json(&["developer", "list"]);
        let emails = texts(&listed["developers"], "email");
        assert_eq!(emails, ["ann@example.com", "ben@example.com"]);
        assert_eq!(listed["developers"][0]["agents"], 1);
        let delete = ["developer", "delete", "--email", "ann@example.com"];
        home.refused(&delete, 1, "still has agents");
        let id = made["agent_id"].as_str().unwrap();
        home.json(&["agent", "delete", "--agent", id, "--name", "helper"]);
        assert_eq!(home.json(&delete)["deleted"], true);
        let listed = home.json(&["developer", "list"]);
        assert_eq!(texts(&listed["developers"], "email"), ["ben@example.com"]);
        home.refused(&delete, 1, "There is no such developer.");
        // The address is free again.
        home.json(&["developer", "create", "--email", "ann@example.com"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_shown_without_what_is_known_of_them_and_erased() {
    for home in homes().await {
        let serving = home.serve(&["--log", "error", "--demo", "off"]).await;
        let made = home.json(&["agent", "create", "--name", "helper"]);
        let client = serving.client(made["api_key"].as_str());
        // Names that no hash in hexadecimal digits can contain.
        for name in ["zoe", "bob"] {
            tell(&client, name, "I live in Lisbon. I use Helix as my editor.").await;
        }
        let all = home.run(&["user", "list"]).stdout;
        assert_eq!(all.lines().count(), 2, "{all}");
        assert!(!all.contains("zoe") && !all.contains("Lisbon"), "{all}");
        let named = home.run(&["user", "list", "--ids"]).stdout;
        assert!(named.contains("zoe") && named.contains("bob"), "{named}");
        let first = home.json(&["user", "list", "--limit", "1"]);
        assert_eq!(first["users"].as_array().unwrap().len(), 1);
        let after = first["users"][0]["hash"].as_str().unwrap();
        let second = home.json(&["user", "list", "--after", after]);
        assert_eq!(second["users"].as_array().unwrap().len(), 1);
        assert_ne!(second["users"][0]["hash"], first["users"][0]["hash"]);

        let shown = home.json(&["user", "show", "zoe"]);
        assert_eq!(shown["facts"], json!({"general": 1, "preferences": 1}));
        assert_eq!(shown["grants"][0]["state"], "active");
        let text = home.run(&["user", "show", "zoe"]).stdout;
        assert_has(&text, &["general: 1"]);
        assert_lacks(&text, &["Lisbon"]);
        let export = home.run(&["user", "export", "zoe"]).stdout;
        assert_has(&export, &["Lisbon"]);
        assert_lacks(&export, &["bob"]);

        let log = home.json(&["audit", "--user", "zoe", "--action", "export"]);
        assert_eq!(texts(&log["entries"], "actor"), ["operator"]);

        let erased = home.json(&["user", "erase", "zoe"]);
        // The running server knows it at once.
        let injected = client.inject(&user("zoe"), "You help.").await.unwrap();
        assert_eq!(injected.reason(), Some(&InjectReason::NoGrant));
        assert_eq!(injected.prompt(), "You help.");
        assert!(client.context(&user("bob")).await.unwrap().facts().count() > 0);
        let log = home.json(&["audit", "--user", "zoe", "--action", "erase"]);
        assert_eq!(log["entries"][0]["id"], erased["receipt"]);
        assert_eq!(log["entries"][0]["actor"], "operator");
        assert_eq!(home.json(&["user", "show", "zoe"])["erased"], true);
        for unknown in [["user", "erase", "nobody"], ["user", "show", "nobody"]] {
            home.refused(&unknown, 1, "There is nothing about this user.");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_is_shown_by_user_agent_action_and_time() {
    for home in homes().await {
        let made = home.json(&["agent", "create", "--name", "helper"]);
        home.json(&["agent", "create", "--name", "other"]);
        let id = made["agent_id"].as_str().unwrap();
        let count = |args: &[&str]| {
            let listed = home.json(&[&["audit"], args].concat());
            listed["entries"].as_array().unwrap().len()
        };
        assert_eq!(count(&[]), 4);
        assert_eq!(count(&["--limit", "3"]), 3);
        assert_eq!(count(&["--agent", id]), 2);
        assert_eq!(count(&["--action", "create_key"]), 2);
        assert_eq!(count(&["--action", "create_key,create_agent"]), 4);
        assert_eq!(count(&["--until", "2026-01-01T00:00:00Z"]), 0);
        assert_eq!(count(&["--since", "2026-01-01T00:00:00Z"]), 4);
        assert_eq!(count(&["--user", "ada"]), 0);
        let entry = "create_agent  by operator  done  agent: helper";
        assert_has(&home.printed("audit"), &[entry]);
        home.refused("audit --action dance", 2, "expected one of inject, read");
    }
}
