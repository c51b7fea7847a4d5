//! What the files of a SQLite database contain, and what is gone from them.

use std::path::Path;

use ctxmem_client::UserId;
use ctxmem_server::core::FactVersion;
use ctxmem_server::store::FactWithProvenance;
use ctxmem_types::{Scope, ScopeSet};
use serde_json::json;
use sqlx::{Connection as _, SqliteConnection};

use crate::suite::sign_in::{confirm, is_signed_in};
use crate::suite::support::{
    Agent, FakeModel, HELLO, RawRequest, RawResponse, Server, Setup, fact, named, no_longer, user,
};

#[tokio::test]
async fn secrets_are_stored_as_hashes_only() {
    let server = Server::start().await;
    let agent = server.agent().await;
    let (used, unused) = (
        server.link_for(&user("ada-of-the-files")).await,
        server.link_for(&user("ada-of-the-files")).await,
    );
    let signed_in = confirm(&server, &used).send().await;
    let cookie = signed_in.session_cookie();
    assert!(is_signed_in(&server, &cookie).await);
    let session = cookie.split_once('=').unwrap().1;
    let secrets = [&used, &unused, session, &agent.key];
    let check = |folder: &std::path::Path| {
        let mut whole = Vec::new();
        for file in std::fs::read_dir(folder).unwrap() {
            whole.extend(std::fs::read(file.unwrap().path()).unwrap());
        }
        let holds = |text: &str| {
            whole
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        assert!(holds("ada-of-the-files"), "the search finds what is there");
        for secret in secrets {
            assert!(!holds(secret));
        }
    };
    check(server.store.path());
    check(server.stop().await.path());
}

#[tokio::test]
async fn after_deleting_no_file_of_the_database_names_the_user_or_a_fact() {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).start().await;
    let (agent, other) = (server.agent().await, server.agent().await);
    let ada = user("ada-lovelace-4711");
    // In every scope, replaced, removed, longer than a page in all, and under way to the
    // file as well as in it.
    let mut said = vec![];
    for turn in 0..4 {
        for scope in Scope::ALL {
            let value = format!("quokka-{turn}-{scope}{}", " and more".repeat(50));
            model.finds([named(scope, "location", &value)]);
            agent.tells(&ada, HELLO).await;
            said.push(format!("quokka-{turn}-{scope}"));
        }
    }
    model.finds([
        no_longer(Scope::Knowledge, "quokka-1-knowledge"),
        no_longer(Scope::Preferences, "quokka-3-preferences"),
    ]);
    agent.tells(&ada, HELLO).await;
    other.injects(&ada).await;
    said.push(ada.as_str().to_owned());

    let before = files(server.store.path());
    for text in ["ada-lovelace-4711", "quokka-0-goals", "quokka-3-general"] {
        assert!(holds(&before, text), "the search does not find {text}");
    }
    agent.client.delete_context(&ada).await.unwrap();
    let after = files(server.store.path());
    for text in &said {
        assert!(!holds(&after, text), "{text} is still there");
    }
    assert!(!holds(&after, "quokka"));
    assert!(!holds(&after, "lovelace"));
}

#[tokio::test]
async fn after_deleting_no_page_shared_with_other_users_names_the_user() {
    const USERS: usize = 60;
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).start().await;
    let agent = server.agent().await;
    let name = |n| user(&format!("numbat-{n:03}"));
    for turn in 0..4 {
        for n in 0..USERS {
            // Of many lengths, so that pages fill up and are divided in many ways.
            let length = |of: usize| "x".repeat((n * 37 + turn * 91 + of * 53) % 440);
            model.finds((0..4).map(|of| {
                let value = format!("quokka-{n:03}-{turn}-{of} {}", length(of));
                fact(Scope::Goals, &value)
            }));
            agent.tells(&name(n), HELLO).await;
        }
    }
    let is_left = |files: &[String], n: usize| {
        holds(files, &format!("quokka-{n:03}")) || holds(files, &format!("numbat-{n:03}"))
    };
    let mut left = Vec::new();
    for n in 0..USERS {
        agent.client.delete_context(&name(n)).await.unwrap();
        if is_left(&files(server.store.path()), n) {
            left.push(n);
        }
    }
    let after = files(server.store.path());
    left.extend((0..USERS).filter(|n| is_left(&after, *n)));
    assert!(left.is_empty(), "something is left of the users {left:?}");
}

#[tokio::test]
async fn a_deletion_is_carried_out_to_its_end_when_the_client_has_gone() {
    let server = Server::start().await;
    let agent = server.agent().await;
    for n in 0..32 {
        let name = format!("numbat-{n:03}");
        agent.tells(&user(&name), HELLO).await;
        {
            let deletion = server
                .raw("DELETE", &format!("/api/context/{name}"))
                .key(&agent.key)
                .send();
            // A little later each time.
            let patience = async {
                for _ in 0..n {
                    tokio::time::sleep(std::time::Duration::from_micros(200)).await;
                }
            };
            tokio::select! {
                _ = deletion => {}
                () = patience => {}
            }
        }
        // Too early a departure may prevent it altogether.
        let mut deleted = false;
        for _ in 0..20 {
            deleted = deleted || agent.client.context(&user(&name)).await.is_err();
        }
        if deleted {
            assert_soon_gone(&server, &name).await;
        }
    }
}

/// Sends a request under an idempotency key.
async fn once(server: &Server, agent: &Agent, name: &str, request: RawRequest) -> RawResponse {
    let request = request.key(&agent.key).header("idempotency-key", name);
    let answer = request.send().await;
    assert!(server.idempotency_keys(agent).await > 0);
    answer
}

fn said(server: &Server, user: &UserId, message: &str) -> RawRequest {
    let body = json!({"userId": user, "userMessage": message, "agentResponse": "Noted."});
    server.raw("POST", "/api/context/update").json(&body)
}

#[tokio::test]
async fn after_deleting_no_file_holds_an_answer_recorded_under_an_idempotency_key() {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).start().await;
    let agent = server.agent().await;
    let (ada, bob) = (user("ada-lovelace-4711"), user("bob"));
    model.finds([named(Scope::Preferences, "editor", "quokka")]);
    // People make keys of what they like.
    let name = "key-of-numbat-4711";
    let first = once(&server, &agent, name, said(&server, &ada, HELLO)).await;
    assert!(first.body.contains("quokka"));
    model.finds([named(Scope::Preferences, "editor", "Helix")]);
    agent.tells(&ada, HELLO).await;
    // Now it stands in the recorded answer only: the deletion of another user takes along
    // whatever was not deleted properly.
    agent.tells(&bob, HELLO).await;
    agent.client.delete_context(&bob).await.unwrap();
    let before = files(server.store.path());
    assert!(holds(&before, "quokka"), "the answer is not recorded");
    assert!(!holds(&before, "numbat"));
    let path = format!("/api/context/{ada}");
    let name = "deletion-of-numbat-4711";
    let deleted = once(&server, &agent, name, server.raw("DELETE", &path)).await;
    assert_eq!(deleted.status, 200);
    let after = files(server.store.path());
    for text in ["quokka", "lovelace", "numbat"] {
        assert!(!holds(&after, text), "{text} is still there");
    }
}

#[tokio::test]
async fn facts_deleted_one_by_one_soon_leave_the_files() {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).start().await;
    let agent = server.agent().await;
    let ada = user("ada");
    let core = server.core();
    let filler = " and more".repeat(50);
    for turn in 0..4 {
        let animals = ["quokka", "wombat", "numbat"];
        model.finds(
            animals.map(|animal| fact(Scope::Knowledge, &format!("{animal}-{turn}{filler}"))),
        );
        agent.tells(&ada, HELLO).await;
    }
    model.finds([fact(Scope::Goals, "bilby")]);
    agent.tells(&ada, HELLO).await;
    let facts = core.facts_with_provenance(&ada).await.unwrap();
    let seen = |kept: &FactWithProvenance| FactVersion {
        scope: kept.fact.scope,
        slot: kept.fact.slot.clone(),
        first_stored_at: kept.fact.first_stored_at,
    };
    for kept in &facts {
        if kept.fact.value.starts_with("quokka") {
            core.delete_fact(ada.clone(), seen(kept)).await.unwrap();
        } else if kept.fact.value.starts_with("wombat") {
            let value = format!("something else {}", kept.fact.position);
            let corrected = core.correct_fact(ada.clone(), seen(kept), value);
            corrected.await.unwrap();
        }
    }
    let now = facts.last().unwrap().fact.first_stored_at;
    let deleted = core.delete_scope(ada.clone(), Scope::Goals, now);
    deleted.await.unwrap();
    let gone = ["quokka", "wombat", "bilby"];
    let before = files(server.store.path());
    for text in gone {
        assert!(holds(&before, text), "{text} was never in the files");
    }
    // What housekeeping does every few minutes.
    core.finish_deletions().await.unwrap();
    let after = files(server.store.path());
    for text in gone {
        assert!(!holds(&after, text), "{text} is still there");
    }
    assert!(holds(&after, "numbat-3") && holds(&after, "something else"));
    // Where nothing was deleted since, the files stay as they are.
    let modified = || {
        let file = std::fs::metadata(server.store.path().join("ctxmem.db"));
        file.unwrap().modified().unwrap()
    };
    let before = modified();
    core.finish_deletions().await.unwrap();
    assert_eq!(modified(), before);
}

#[tokio::test]
async fn a_deletion_is_confirmed_again_only_when_the_bytes_are_gone() {
    let server = Server::start().await;
    let agent = server.agent().await;
    let ada = user("numbat-4711");
    agent.tells(&ada, HELLO).await;
    let delete = || server.raw("DELETE", "/api/context/numbat-4711");
    // Somebody looks at an older state for longer than a deletion waits.
    let url = format!(
        "sqlite://{}",
        server.store.path().join("ctxmem.db").display()
    );
    let mut reader = SqliteConnection::connect(&url).await.unwrap();
    let mut looking = reader.begin().await.unwrap();
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM facts")
        .fetch_one(&mut *looking)
        .await
        .unwrap();
    assert!(count > 0);
    let failed = once(&server, &agent, "k", delete()).await;
    failed.assert_error(500, "PERSISTENCE_ERROR");
    assert!(holds(&files(server.store.path()), "numbat-4711"));
    looking.rollback().await.unwrap();
    reader.close().await.unwrap();
    let again = once(&server, &agent, "k", delete()).await;
    assert_eq!(again.body, r#"{"deleted":true}"#);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert!(!holds(&files(server.store.path()), "numbat-4711"));
}

#[tokio::test]
async fn after_deleting_the_audit_log_is_there_and_names_nobody() {
    let server = Server::start().await;
    let (agent, ada) = (server.agent().await, user("numbat-4711"));
    agent.tells(&ada, HELLO).await;
    agent.injects(&ada).await;
    let entries = async || server.core().trail(&ada, None, 100).await.unwrap().len();
    let before = entries().await;
    assert!(before >= 3, "a grant, an update and an inject");
    // What happened last is still in memory when everything is erased.
    agent.reads(&ada).await;
    server.user_revokes(&ada, &agent).await;
    agent.injects(&ada).await;
    server.user_grants(&ada, &agent, ScopeSet::ALL).await;
    agent.client.delete_context(&ada).await.unwrap();
    // To ask for the trail stores the audit buffer.
    assert!(entries().await >= before + 5);
    // Of the sign-ins the id is left for hours.
    server.core().flush_audit_buffer().await.unwrap();
    let rows = server.store.audit_rows().await.join("\n");
    assert!(rows.contains(" erase ") && rows.contains(" revoke "));
    assert!(!rows.contains("numbat"));
    let other = user("quokka-4711");
    agent.tells(&other, HELLO).await;
    agent.injects(&other).await;
    assert!(holds(&files(server.store.path()), "quokka-4711"));
    agent.client.delete_context(&other).await.unwrap();
    server.core().flush_audit_buffer().await.unwrap();
    let after = files(server.store.path());
    assert!(holds(&after, &agent.id), "the log is there");
    assert!(!holds(&after, "quokka-4711"));
    let stopped = server.stop().await;
    let whole = std::fs::read(stopped.path().join("ctxmem.db")).unwrap();
    assert!(!String::from_utf8_lossy(&whole).contains("quokka-4711"));
}

/// Waits up to ten seconds until no file contains a text.
async fn assert_soon_gone(server: &Server, text: &str) {
    for _ in 0..1_000 {
        if !holds(&files(server.store.path()), text) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{text} is still there");
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
        "a database has a file, a log and an index"
    );
    files
}

fn holds(files: &[String], text: &str) -> bool {
    files.iter().any(|file| file.contains(text))
}
