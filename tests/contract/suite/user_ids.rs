//! User ids: what may be one, and that each is one user only, wherever it stands.

use ctxmem_client::{GrantRequest, Injected, Scope, UserId};
use ctxmem_types::ScopeSet;
use serde_json::json;

use crate::suite::support::{Agent, Server, Text as _, refused, user};

const CITY: &str = "Reykjavik";

/// Ids that something on the way might take for something else.
fn awkward() -> Vec<UserId> {
    let ids = [
        "f3b1c2d4-0000-4000-8000-000000000001",
        "inject",
        "update",
        "grants",
        "a/b/c",
        "/",
        "//",
        "/api/context/ada",
        "../../etc/passwd",
        "..%2f..",
        " ",
        " ada ",
        "ada lovelace",
        "\t\r\n",
        "%",
        "%%",
        "%2F",
        "%25",
        "%252F",
        "%2e%2e",
        "100%",
        "a.b",
        "...",
        ".hidden",
        "a+b",
        "+",
        "?",
        "ada?userId=bob",
        "#",
        "ada#bob",
        "&=;",
        "\"quoted\"",
        "'; DROP TABLE facts; --",
        "\\",
        "<script>",
        "{userId}",
        "*",
        "ada@example.com",
        "null",
        "👩🏽‍🚀",
        "Zoë",
        "Zoe\u{308}",
        "עדה",
        "\u{202e}ada",
        "\u{feff}ada",
        "\u{1}\u{7f}\u{85}",
        "\u{10ffff}",
    ];
    let longest = ["a".repeat(256), "é".repeat(128), "%".repeat(256)];
    ids.into_iter()
        .map(ToOwned::to_owned)
        .chain(longest)
        .map(|id| UserId::new(id).unwrap())
        .collect()
}

/// Ids that look or sound alike, and are of different users.
fn look_alikes() -> Vec<UserId> {
    [
        "ada",
        "Ada",
        "ADA",
        " ada",
        "ada ",
        "ada/",
        "ada.",
        "%61da",
        "\u{430}da",
        "ada\u{200b}",
        "ad\u{e1}",
        "ada\u{301}",
        "ﬁ",
        "fi",
        "ß",
        "ss",
        "Ｋ",
        "K",
        "\u{212a}",
        "i",
        "İ",
        "ı",
    ]
    .map(user)
    .to_vec()
}

async fn teach(agent: &Agent, user: &UserId, city: &str) {
    let message = format!("I live in {city}.");
    let updated = agent.update(user, message, "Nice.").await.unwrap();
    let delta = updated.delta.unwrap();
    assert!(!delta.is_empty(), "the message teaches something");
}

async fn inject(agent: &Agent, user: &UserId) -> Injected {
    agent.inject(user, "Be brief.").await.unwrap()
}

#[tokio::test]
async fn every_id_works_at_every_endpoint() {
    let (server, agent) = Server::with_agent().await;
    for id in awkward() {
        teach(&agent, &id, CITY).await;
        assert!(
            inject(&agent, &id).await.prompt().contains(CITY),
            "{}",
            id.as_str()
        );
        let context = agent.context(&id).await.unwrap();
        assert_eq!(context.user_id, id);
        assert_eq!(context.general.unwrap()["location"].value, CITY);

        let session = server.client_of(&server.sign_in(&id).await);
        let request = GrantRequest::new(id.clone(), &agent.id, [Scope::General]);
        let grant = session.create_grant(&request).await.unwrap();
        assert_eq!(grant.user_id, id);
        assert!(agent.delete_context(&id).await.unwrap().deleted);
        refused(agent.context(&id).await, 403);
    }
}

#[tokio::test]
async fn ids_that_look_alike_are_different_users() {
    let (_server, agent) = Server::with_agent().await;
    let ids = look_alikes();
    for id in &ids {
        refused(agent.context(id).await, 403);
        teach(&agent, id, CITY).await;
    }
    let (deleted, kept) = ids.split_at(ids.len() / 2);
    for id in deleted {
        agent.delete_context(id).await.unwrap();
    }
    for id in kept {
        let context = agent.context(id).await.unwrap();
        assert_eq!(context.user_id, *id);
        assert!(inject(&agent, id).await.is_enriched());
    }
    for id in deleted {
        refused(agent.context(id).await, 403);
    }
}

#[tokio::test]
async fn a_session_is_of_exactly_one_id() {
    let (server, agent) = Server::with_agent().await;
    let session = server.client_of(&server.sign_in(&user("ada")).await);
    for other in look_alikes().iter().filter(|id| id.as_str() != "ada") {
        let request = GrantRequest::new(other.clone(), &agent.id, ScopeSet::ALL.iter());
        refused(session.create_grant(&request).await, 403);
    }
}

#[tokio::test]
async fn an_id_in_a_path_is_decoded_exactly_once() {
    let (_server, agent) = Server::with_agent().await;
    for (path, id) in [
        ("ada", "ada"),
        ("%61%64%61", "ada"),
        ("a%2Fb", "a/b"),
        ("a%2fb", "a/b"),
        ("a%252Fb", "a%2Fb"),
        ("a%25252Fb", "a%252Fb"),
        ("a+b", "a+b"),
        ("a%20b", "a b"),
        ("%E2%82%AC", "€"),
        ("%e2%82%ac", "€"),
        ("ada?x=1", "ada"),
        ("ada%3Fx=1", "ada?x=1"),
        ("a;b=c", "a;b=c"),
        ("...", "..."),
        ("%69nject", "inject"),
    ] {
        inject(&agent, &user(id)).await;
        let path = format!("/api/context/{path}");
        let answer = agent.raw("GET", &path).gets(200).await;
        assert_eq!(answer.json()["userId"], id, "{path}");
    }
}

#[tokio::test]
async fn a_path_that_holds_no_id_is_refused() {
    let (_server, agent) = Server::with_agent().await;
    let long = ["a".repeat(257), "%61".repeat(257), "%C3%A9".repeat(129)];
    let broken = [
        ".",
        "..",
        "%2e",
        "%2E",
        "%2e%2e",
        ".%2e",
        "%2E.",
        "%00",
        "a%00b",
        "%",
        "a%",
        "%2",
        "%zz",
        "%2g",
        "%ff",
        "%c3",
        "%ed%a0%80",
        "%c0%af",
        "%f5%80%80%80",
    ];
    for id in broken.into_iter().chain(long.iter().map(String::as_str)) {
        for method in ["GET", "DELETE"] {
            let path = format!("/api/context/{id}");
            let answer = agent.raw(method, &path).send().await;
            answer.assert_bad_request("userId: expected ");
        }
    }
}

#[tokio::test]
async fn a_body_that_holds_no_id_is_refused() {
    let (_server, agent) = Server::with_agent().await;
    for id in [
        "",
        ".",
        "..",
        "\0",
        "canary\0",
        &"a".repeat(257),
        &"é".repeat(129),
    ] {
        for (path, body) in [
            (
                "/api/context/inject",
                json!({"userId": id, "basePrompt": ""}),
            ),
            (
                "/api/context/update",
                json!({"userId": id, "userMessage": "Hi", "agentResponse": "Hi"}),
            ),
            (
                "/api/grants",
                json!({"userId": id, "agentId": agent.id, "scopes": []}),
            ),
        ] {
            let text = agent.raw("POST", path).json(&body).gets_error(400).await;
            assert!(text.starts_with("userId: expected "), "{text}");
            text.assert_lacks("canary");
        }
    }
}
