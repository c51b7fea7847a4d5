//! Export of a user's data.

use std::time::Duration;

use ctxmem_types::Scope;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::browser::Browser;
use crate::suite::support::{Server, Setup, Text as _, user};

async fn download(browser: &Browser, path: &str, name: &str) -> Value {
    let answer = browser.request("GET", path).gets(200).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let disposition = format!("attachment; filename=\"{name}\"");
    assert_eq!(answer.header("content-disposition"), Some(&*disposition));
    answer.json()
}

#[tokio::test]
async fn everything_that_is_kept_is_in_the_file() {
    let (_, server) = Setup::auto().start_at("2026-03-01T09:00:00.5Z").await;
    let agent = server.agent_named("Agent of Ada").await;
    let browser = Browser::of_ada(&server).await;
    agent
        .tells(&browser.user, "I use Helix as my editor.")
        .await;
    let (grant_id, _) = server.grant(&browser.user, &agent).await.unwrap();
    browser.adds("goals", "Ship the beta").await;
    let now = "2026-03-01T09:00:00.500Z";
    let export = download(&browser, "/account/export.json", "ctxmem-export.json").await;
    let by = json!({"id": agent.id, "name": "Agent of Ada"});
    assert_eq!(export["format"], "ctxmem");
    assert_eq!(export["version"], 1);
    assert_eq!(export["exported_at"], now);
    assert_eq!(export["user_id"], "ada");
    assert_eq!(
        export["facts"],
        json!([
            {
                "scope": "preferences", "name": "editor", "value": "Helix",
                "source_type": "observed", "requested": false, "agent": by,
                "extracted_by": "rules", "request_id": export["facts"][0]["request_id"],
                "first_stored_at": now, "last_confirmed_at": now,
            },
            {
                "scope": "goals", "name": null, "value": "Ship the beta",
                "source_type": "edited", "requested": false, "agent": null,
                "first_stored_at": now, "last_confirmed_at": now,
            },
        ])
    );
    assert!(export["facts"][0]["request_id"].is_string());
    let all: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    assert_eq!(
        export["grants"],
        json!([{
            "id": grant_id, "agent": by, "scopes": all, "state": "active", "made_by": "agent",
            "granted_at": now, "expires_at": null, "revoked_at": null,
            "last_used_at": export["grants"][0]["last_used_at"],
        }])
    );
    let history = export["history"].as_array().unwrap();
    let of_user: Vec<&Value> = history
        .iter()
        .filter(|entry| entry["actor"] == "user" && entry["action"] != "sign_in")
        .collect();
    let deeds: Vec<&Value> = of_user.iter().map(|entry| &entry["action"]).collect();
    assert_eq!(deeds, ["export", "add_fact"]);
    let id = of_user[0]["id"].clone();
    assert_eq!(
        *of_user[0],
        json!({
            "id": id, "at": now, "action": "export", "actor": "user", "agent": null,
            "scopes": ["preferences", "goals"], "outcome": "done", "facts": 2, "grants": 0,
            "times": 1,
        })
    );
    assert_eq!(server.trail(&browser.user).await.len(), history.len());
}

/// So many entries are more than a connection holds that nobody reads.
const ENTRIES: u32 = 40_000;

#[tokio::test]
async fn a_long_history_is_complete_and_in_order() {
    let (server, browser) = Browser::start().await;
    server.store.add_history(ENTRIES).await;
    let answer = browser.request("GET", "/account/export.json").send().await;
    // It is sent while it is read.
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    let export = answer.json();
    let history = export["history"].as_array().unwrap();
    let ids = history.iter().map(|entry| entry["id"].as_str().unwrap());
    let trail = server.trail(&browser.user).await;
    assert!(trail.len() > ENTRIES as usize);
    assert!(ids.eq(trail.iter().map(|row| &*row.id)));
    assert_eq!(history[0]["action"], "export");
    // As indented as if it had been written at once.
    let written = serde_json::to_string_pretty(&export).unwrap();
    assert!(answer.body == written);
}

/// Asks for the export and reads its first bytes only.
async fn begin_export(server: &Server, cookie: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 << 10).unwrap();
    let address = server.address().parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!(
        "GET /account/export.json HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\
         connection: close\r\n\r\n",
        server.address()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0; 15];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    // What is on its way fills the connection.
    tokio::time::sleep(Duration::from_millis(500)).await;
    stream
}

#[tokio::test]
async fn nobody_waits_for_who_reads_slowly() {
    let (server, agent) = Server::with_agent().await;
    let browser = Browser::of_ada(&server).await;
    server.store.add_history(ENTRIES).await;
    let mut reading = begin_export(&server, &browser.cookie).await;
    // This is answered before the rest is read.
    agent
        .tells(&browser.user, "I use Helix as my editor.")
        .await;
    // Nor does the database have to keep anything for it.
    assert!(!server.store.is_held().await);
    let mut rest = Vec::new();
    reading.read_to_end(&mut rest).await.unwrap();
    // It is as of its beginning, and whole.
    let rest = String::from_utf8(rest).unwrap();
    assert!(rest.ends_with("\r\n0\r\n\r\n"));
    rest.assert_lacks("Helix");
    assert_eq!(rest.matches("\"action\": \"update\"").count(), 0);
}

#[tokio::test]
async fn who_holds_the_database_open_is_noticed() {
    let (server, agent, ada) = Server::with_ada().await;
    let held = server.store.hold().await;
    agent.tells(&ada, "I use Helix as my editor.").await;
    assert!(server.store.is_held().await);
    drop(held);
    assert!(!server.store.is_held().await);
}

#[tokio::test]
async fn what_fails_while_it_is_read_is_cut_off() {
    let (server, browser) = Browser::start().await;
    server.store.add_history(ENTRIES).await;
    let mut reading = begin_export(&server, &browser.cookie).await;
    server.store.break_history().await;
    let mut rest = Vec::new();
    // Whether it is closed or reset.
    let _ = reading.read_to_end(&mut rest).await;
    let rest = String::from_utf8_lossy(&rest);
    rest.assert_has("\"history\": [");
    assert!(!rest.ends_with("0\r\n\r\n") && !rest.contains("\n  ]\n}"));
}

#[tokio::test]
async fn the_context_has_the_scopes_in_their_order() {
    let (_, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let browser = Browser::of_ada(&server).await;
    let path = "/account/context.json";
    let name = "ctxmem-context.json";
    let empty = download(&browser, path, name).await;
    let keys: Vec<&str> = empty
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    assert_eq!(keys, scopes);
    let mut lists = empty.as_object().unwrap().values();
    assert!(lists.all(|list| *list == json!([])));
    for fields in [
        [("scope", "goals"), ("name", ""), ("value", "Ship the beta")],
        [("scope", "general"), ("name", "name"), ("value", "Ada")],
    ] {
        browser.submit("/account/facts/add", &fields).await;
    }
    let context = download(&browser, path, name).await;
    let now = "2026-03-01T09:00:00.000Z";
    let times = json!({"source_type": "edited", "first_stored_at": now, "last_confirmed_at": now});
    let mut ada = times.clone();
    ada["name"] = "name".into();
    ada["value"] = "Ada".into();
    let mut ship = times;
    ship["value"] = "Ship the beta".into();
    assert_eq!(context["general"], json!([ada]));
    assert_eq!(context["goals"], json!([ship]));
    assert_eq!(browser.deeds().await[0], ("export", 2));
}

#[tokio::test]
async fn nothing_of_others_is_in_the_files() {
    let server = Server::start().await;
    let agent = server.agent_named("Agent of Bob").await;
    let browser = Browser::of_ada(&server).await;
    agent.tells(&user("bob"), "My name is Quokka.").await;
    for path in ["/account/export.json", "/account/context.json"] {
        let body = browser.get(path).await;
        assert!(!body.contains("Quokka") && !body.contains("bob"), "{body}");
        assert!(!body.contains(&agent.id), "{body}");
        server.get(path).gets_error(401).await;
    }
}

#[tokio::test]
async fn a_period_has_what_was_saved_and_what_happened_in_it() {
    let (clock, server) = Setup::auto().start_at("2026-03-01T00:00:00Z").await;
    for day in ["01", "02", "03"] {
        clock.set(&format!("2026-03-{day}T00:00:00Z"));
        let goal = format!("Goal of day {day}");
        let fields = [("scope", "goals"), ("value", &*goal)];
        let browser = Browser::of_ada(&server).await;
        browser.submit("/account/facts/add", &fields).await;
    }
    let browser = Browser::of_ada(&server).await;
    let days = async |query: &str| {
        let path = format!("/account/export.json{query}");
        let export = download(&browser, &path, "ctxmem-export.json").await;
        let (facts, events) = (export["facts"].as_array(), export["history"].as_array());
        let events = events.unwrap().iter();
        let days = |at: &Value| at.as_str().unwrap()[8..10].to_owned();
        let added = events.filter(|event| event["action"] == "add_fact");
        let facts = facts
            .unwrap()
            .iter()
            .map(|fact| days(&fact["first_stored_at"]));
        let facts: Vec<String> = facts.collect();
        let mut added: Vec<String> = added.map(|event| days(&event["at"])).collect();
        added.reverse();
        assert_eq!(facts, added, "{query}");
        facts
    };
    assert_eq!(days("").await, ["01", "02", "03"]);
    assert_eq!(days("?from=2026-03-02&to=2026-03-02").await, ["02"]);
    assert_eq!(days("?from=2026-03-02").await, ["02", "03"]);
    assert_eq!(days("?to=2026-03-02&from=").await, ["01", "02"]);
    assert_eq!(days("?from=2026-04-01").await, [""; 0]);
    // In Tokyo the second began nine hours before it did in UTC, and so did the third.
    assert_eq!(
        days("?from=2026-03-02&to=2026-03-02&zone=Asia/Tokyo").await,
        ["02"]
    );
    assert_eq!(
        days("?from=2026-03-02&to=2026-03-02&zone=America/Lima").await,
        ["03"]
    );
    for wrong in ["zone=900", "zone=Nowhere"] {
        let path = format!("/account/export.json?from=2026-03-02&{wrong}");
        let text = browser.request("GET", &path).gets_error(400).await;
        assert_eq!(text, "zone: expected a time zone such as Europe/Berlin");
    }
    for wrong in ["from=yesterday", "to=2026-02-30"] {
        let path = format!("/account/export.json?{wrong}");
        let text = browser.request("GET", &path).gets_error(400).await;
        assert!(
            text.ends_with("expected a day such as 2026-03-01"),
            "{text}"
        );
    }
}
