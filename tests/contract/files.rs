//! The files of a SQLite database: what they contain, and what can be read from copies of them.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use ctxmem_client::UserId;
use ctxmem_server::core::{Correction, ScopeVersion};
use ctxmem_types::Scope;
use serde_json::json;
use sqlx::{Connection as _, SqliteConnection};

use crate::suite::sign_in::{confirm, is_signed_in};
use crate::suite::support::{
    Agent, Engine, FakeModel, HELLO, RawRequest, RawResponse, Server, Setup, Store, Text as _,
    fact, named, refused, user,
};

/// A server on SQLite, whatever engine the suite runs on.
async fn on_sqlite() -> Setup {
    Setup::on(Store::on(Engine::Sqlite).await)
}

#[tokio::test]
async fn secrets_are_stored_as_hashes_only() {
    let (server, agent) = on_sqlite().await.start_with_agent().await;
    let used = server.link_for(&user("ada-of-the-files")).await;
    let unused = server.link_for(&user("ada-of-the-files")).await;
    let signed_in = confirm(&server, &used).send().await;
    let cookie = signed_in.session_cookie();
    assert!(is_signed_in(&server, &cookie).await);
    let session = cookie.split_once('=').unwrap().1;
    let secrets = [&used, &unused, session, &agent.key, "ada-of-the-files"];
    let check = |folder: &Path| {
        let files = files(folder);
        assert!(holds(&files, &agent.id), "the search finds what is there");
        for secret in secrets {
            assert!(!holds(&files, &secret.to_ascii_lowercase()));
        }
    };
    check(server.store.path());
    check(server.stop().await.path());
}

#[tokio::test]
async fn no_file_names_a_user_or_a_fact_while_they_are_stored() {
    const FACTS: usize = 100;
    let model = FakeModel::start().await;
    let (server, agent) = on_sqlite()
        .await
        .model(&model, Duration::from_secs(30))
        .start_with_agent()
        .await;
    let ada = user("ada-lovelace-4711");
    for n in 0..FACTS {
        let scope = Scope::ALL[n % Scope::ALL.len()];
        let value = format!("quokka-{n:03}{}", " and more".repeat(n));
        model.finds([named(scope, &format!("name-{n:03}"), &value)]);
        // The recorded answer repeats the fact. People make keys of what they like.
        let key = format!("key-of-numbat-{n}");
        once(&server, &agent, &key, said(&server, &ada, &model.said())).await;
    }
    agent.injects(&ada).await;
    let link = server.link_for(&ada).await;
    confirm(&server, &link).send().await;
    server.memory.flush_audit_buffer().await.unwrap();
    assert!(agent.reads(&ada).await.to_string().contains("quokka-099"));
    let check = |folder: &Path| {
        let files = files(folder);
        assert!(holds(&files, &agent.id), "the search finds what is there");
        for text in ["quokka", "name-0", "lovelace", "numbat"] {
            assert!(!holds(&files, text), "{text} is in a file");
        }
    };
    check(server.store.path());
    check(server.stop().await.path());
}

/// What an agent reads of a user from copies of a server's files.
async fn read_from<'c>(
    copies: impl IntoIterator<Item = &'c (String, Vec<u8>)>,
    agent: &Agent,
    user: &UserId,
) -> String {
    let server = restored(copies).await;
    let answer = server
        .get(&format!("/api/context/{}", user.as_str()))
        .key(&agent.key)
        .send();
    answer.await.body
}

/// A server on copies of another one's files.
async fn restored<'c>(copies: impl IntoIterator<Item = &'c (String, Vec<u8>)>) -> Server {
    let store = on_sqlite().await.start().await.stop().await;
    for entry in std::fs::read_dir(store.path()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    for (name, bytes) in copies {
        std::fs::write(store.path().join(name), bytes).unwrap();
    }
    Setup::on(store).start().await
}

/// Copies of some of a server's files, as a backup would be made.
fn copies(server: &Server, of: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(server.store.path()).unwrap();
    files
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| of(name) && !name.ends_with("-shm"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}

#[tokio::test]
async fn a_copy_of_the_database_is_unreadable_once_the_user_is_erased() {
    let (server, agent) = on_sqlite().await.start_with_agent().await;
    let (ada, bob) = (user("ada"), user("bob"));
    agent.tells(&ada, HELLO).await;
    agent.tells(&bob, HELLO).await;
    let is_key_file = |name: &str| name.contains("-keys");
    let before = copies(&server, |name| !is_key_file(name));
    let keys_before = copies(&server, is_key_file);
    agent.delete_context(&ada).await.unwrap();
    let keys_after = copies(&server, is_key_file);
    assert!(!keys_before.is_empty() && !before.is_empty());
    // The control: with the keys from before everything can be read.
    let read = read_from(before.iter().chain(&keys_before), &agent, &ada).await;
    read.assert_has("Lisbon");
    let read = read_from(before.iter().chain(&keys_after), &agent, &ada).await;
    read.assert_lacks("Lisbon");
    let read = read_from(before.iter().chain(&keys_after), &agent, &bob).await;
    read.assert_has("Lisbon");
}

#[tokio::test]
async fn whoever_was_erased_stays_erased_when_an_older_database_is_restored() {
    let (server, agent) = on_sqlite().await.start_with_agent().await;
    let users = ["injected", "told", "deleted", "signed-in", "read", "given"].map(user);
    for user in &users {
        agent.tells(user, HELLO).await;
    }
    let [injected, told, deleted, signed_in, read, given] = &users;
    let is_key_file = |name: &str| name.contains("-keys");
    let before = copies(&server, |name| !is_key_file(name));
    for user in &users {
        agent.delete_context(user).await.unwrap();
    }
    let keys_after = copies(&server, is_key_file);
    let server = restored(before.iter().chain(&keys_after)).await;
    let agent = server.again(&agent);
    // An erasure has revoked the grant, so an agent is told nothing, and learns nothing.
    assert!(!agent.prompt(injected).await.contains("Lisbon"));
    for _ in 0..2 {
        refused(agent.update(told, HELLO, "Noted.").await, 403);
    }
    let status = async |method: &str, user: &UserId| {
        let path = format!("/api/context/{}", user.as_str());
        let request = server.raw(method, &path).key(&agent.key);
        request.send().await.status
    };
    assert_eq!(status("DELETE", deleted).await, 403);
    assert_eq!(status("GET", read).await, 403);
    let cookie = server.sign_in(signed_in).await;
    let page = server.get("/account").cookie(&cookie).gets(200).await;
    page.body.assert_lacks("Lisbon");
    // All is well again once the user grants.
    server.user_allows(given, &agent).await;
    assert!(!agent.prompt(given).await.contains("Lisbon"));
    agent.tells(given, HELLO).await;
    assert!(agent.prompt(given).await.contains("Lisbon"));
}

#[tokio::test]
async fn a_copy_of_the_database_is_unreadable_once_a_fact_is_deleted_or_corrected() {
    let model = FakeModel::start().await;
    let (server, agent, ada) = on_sqlite()
        .await
        .model(&model, Duration::from_secs(30))
        .start_with_ada()
        .await;
    model.finds([
        fact(Scope::Knowledge, "quokka"),
        fact(Scope::Knowledge, "wombat"),
        fact(Scope::Knowledge, "numbat"),
        fact(Scope::Goals, "bilby"),
    ]);
    agent.tells(&ada, HELLO).await;
    let memory = &server.memory;
    for (n, changed) in ["quokka", "wombat", "bilby"].into_iter().enumerate() {
        let before = copies(&server, |name| !name.contains("-keys"));
        let facts = memory.facts_with_provenance(&ada).await.unwrap();
        let found = facts.iter().find(|kept| kept.fact.value == changed);
        let seen = found.unwrap().version();
        let done = match n {
            0 => memory.delete_facts(ada.clone(), vec![seen], true).await,
            1 => {
                let correction = Correction {
                    scope: None,
                    name: None,
                    value: "echidna".to_owned(),
                };
                let corrected = memory.correct_fact(ada.clone(), seen, correction);
                corrected.await.map(drop)
            }
            _ => {
                let goals = facts.iter().filter(|kept| kept.fact.scope == Scope::Goals);
                let seen = ScopeVersion::of(goals);
                memory.delete_scope(ada.clone(), Scope::Goals, seen).await
            }
        };
        done.unwrap();
        let keys = copies(&server, |name| name.contains("-keys"));
        let read = read_from(before.iter().chain(&keys), &agent, &ada).await;
        assert!(!read.contains(changed), "{changed}: {read}");
    }
    // The rest of the user's facts is there as before.
    let read = agent.reads(&ada).await.to_string();
    for (value, is_there) in [
        ("quokka", false),
        ("wombat", false),
        ("bilby", false),
        ("numbat", true),
        ("echidna", true),
    ] {
        assert_eq!(read.contains(value), is_there, "{value}: {read}");
    }
}

/// The keys that are noted for destruction, by slot and id, and all keys that are there.
async fn noted_and_living(server: &Server) -> [HashSet<(i64, Vec<u8>)>; 2] {
    let read = async |file: &str, sql: &'static str| {
        let file = server.store.path().join(file);
        let url = format!("sqlite://{}?mode=ro", file.display());
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        let rows = sqlx::query_as(sql).fetch_all(&mut connection).await;
        rows.unwrap().into_iter().collect()
    };
    [
        read("ctxmem.db", "SELECT key_slot, key_id FROM keys_to_destroy").await,
        read("ctxmem.db-keys", "SELECT slot, id FROM user_keys").await,
    ]
}

#[tokio::test]
async fn a_deletion_is_carried_out_to_its_end_when_the_client_has_gone() {
    let (server, agent) = on_sqlite().await.start_with_agent().await;
    for n in 0..32 {
        let name = format!("numbat-{n:03}");
        agent.tells(&user(&name), HELLO).await;
        let deletion = agent.raw("DELETE", &format!("/api/context/{name}")).send();
        // A little later each time.
        let patience = async {
            for _ in 0..n {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
        };
        tokio::select! {
            _ = deletion => {}
            () = patience => {}
        }
    }
    // Housekeeping, which would complete them, comes every ten seconds.
    let until = Instant::now() + Duration::from_secs(4);
    loop {
        let [noted, living] = noted_and_living(&server).await;
        if !noted.is_empty() && noted.is_disjoint(&living) {
            break;
        }
        assert!(Instant::now() < until, "{} keys are noted", noted.len());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_reader_of_the_database_delays_no_erasure() {
    let (server, agent, ada) = on_sqlite().await.start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    let mut reader = SqliteConnection::connect(&server.store.url())
        .await
        .unwrap();
    let mut looking = reader.begin().await.unwrap();
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM facts")
        .fetch_one(&mut *looking)
        .await
        .unwrap();
    assert!(count > 0);
    // It would wait for seconds, and then fail.
    let deletion = agent.delete_context(&ada);
    let deleted = tokio::time::timeout(Duration::from_secs(3), deletion).await;
    assert!(deleted.unwrap().is_ok());
    let [noted, living] = noted_and_living(&server).await;
    assert!(!noted.is_empty() && noted.is_disjoint(&living));
    looking.rollback().await.unwrap();
}

#[tokio::test]
async fn a_deletion_is_confirmed_again_only_when_the_key_is_gone() {
    let (server, agent) = on_sqlite().await.start_with_agent().await;
    agent.tells(&user("numbat"), HELLO).await;
    let delete = || server.raw("DELETE", "/api/context/numbat");
    // Somebody reads the key database for longer than a deletion waits.
    let url = format!("{}-keys", server.store.url());
    let mut reader = SqliteConnection::connect(&url).await.unwrap();
    let mut looking = reader.begin().await.unwrap();
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM user_keys")
        .fetch_one(&mut *looking)
        .await
        .unwrap();
    assert!(count > 0);
    let failed = once(&server, &agent, "k", delete()).await;
    failed.assert_error_of(500, "PERSISTENCE_ERROR");
    looking.rollback().await.unwrap();
    reader.close().await.unwrap();
    let again = once(&server, &agent, "k", delete()).await;
    assert_eq!(again.json()["deleted"], true);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let [noted, living] = noted_and_living(&server).await;
    assert!(noted.is_disjoint(&living));
}

#[tokio::test]
async fn after_deleting_the_audit_log_is_there_and_names_nobody() {
    let server = on_sqlite().await.start().await;
    let (agent, ada) = (server.agent().await, user("numbat-4711"));
    agent.tells(&ada, HELLO).await;
    agent.injects(&ada).await;
    let entries = async || server.trail(&ada).await.len();
    let before = entries().await;
    assert!(before >= 3, "a grant, an update and an inject");
    // What happened last is still in memory when everything is erased.
    agent.reads(&ada).await;
    server.user_revokes(&ada, &agent).await;
    agent.injects(&ada).await;
    server.user_allows(&ada, &agent).await;
    agent.delete_context(&ada).await.unwrap();
    // To ask for the trail stores the audit buffer.
    assert!(entries().await >= before + 5);
    let rows = server.store.audit_rows().await.join("\n");
    assert!(rows.contains(" erase ") && rows.contains(" revoke "));
    rows.assert_lacks("numbat");
    let after = files(server.store.path());
    assert!(holds(&after, &agent.id), "the log is there");
    assert!(!holds(&after, "numbat"));
    let stopped = files(server.stop().await.path());
    assert!(holds(&stopped, &agent.id) && !holds(&stopped, "numbat"));
}

/// Sends a request under an idempotency key.
async fn once(server: &Server, agent: &Agent, name: &str, request: RawRequest) -> RawResponse {
    let request = request.key(&agent.key).header("idempotency-key", name);
    let answer = request.send().await;
    assert!(server.store.idempotency_keys(agent).await > 0);
    answer
}

fn said(server: &Server, user: &UserId, message: &str) -> RawRequest {
    let body = json!({"userId": user, "userMessage": message, "agentResponse": "Noted."});
    server.raw("POST", "/api/context/update").json(&body)
}

/// Everything in a folder, in lower case.
fn files(folder: &Path) -> Vec<String> {
    let files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .map(|bytes| String::from_utf8_lossy(&bytes.to_ascii_lowercase()).into_owned())
        .collect();
    assert!(
        files.len() >= 3,
        "a database has a file and a lock, and so have its keys"
    );
    files
}

fn holds(files: &[String], text: &str) -> bool {
    files.iter().any(|file| file.contains(text))
}
