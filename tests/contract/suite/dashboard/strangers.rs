//! On every path, objects of another developer look like absent ones.

use ctxmem_types::ScopeSet;

use super::ABSENT;
use crate::suite::support::{Developer, RawResponse, Server, Text as _, user};

/// What a form has besides the object it is about.
type Fields = &'static [(&'static str, &'static str)];

/// The whole answer without headers that always differ and without the requested id.
fn look(answer: &RawResponse, id: &str) -> String {
    let mut headers: Vec<String> = answer
        .headers()
        .filter(|(name, _)| !["date", "x-request-id"].contains(name))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    headers.sort();
    let text = format!("{} {headers:?} {}", answer.status, answer.body);
    text.replace(id, "ID")
}

#[tokio::test]
async fn nothing_of_another_developer_is_seen_or_touched() {
    let server = Server::start().await;
    let mine = server
        .new_agent("Mine", "ann@example.com", ScopeSet::ALL)
        .await;
    let yours = server
        .new_agent("Yours", "bob@example.com", ScopeSet::ALL)
        .await;
    yours.injects(&user("ada")).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    for path in ["/dashboard", "/dashboard/playground"] {
        let page = ann.get(path).await;
        page.assert_has("Mine");
        for secret in ["Yours", &yours.id, &yours.key_id, &yours.key[..11], "bob@"] {
            assert!(!page.contains(secret), "{path} tells {secret}");
        }
    }
    let forms: [(&str, &str, Fields); 6] = [
        ("agents/rename", "agent_id", &[("name", "Taken")]),
        ("agents/delete", "agent_id", &[("name", "Yours")]),
        ("keys", "agent_id", &[("scope", "goals")]),
        ("keys/revoke", "key_id", &[]),
        ("keys/rotate", "key_id", &[("grace", "1")]),
        (
            "playground",
            "key_id",
            &[("user", "test"), ("action", "inject")],
        ),
    ];
    for accept in ["*/*", "text/html"] {
        for (form, field, more) in forms {
            let path = format!("/dashboard/{form}");
            let ask = async |id: &str| {
                let fields = [&[(field, id), ("base_prompt", "Hi")], more].concat();
                let form = ann.request("POST", &path).header("accept", accept);
                let form = form.form(&fields).made_for(&ann.mark);
                look(&form.send().await, id)
            };
            let id = if field == "key_id" {
                &yours.key_id
            } else {
                &yours.id
            };
            let answer = ask(id).await;
            assert!(answer.starts_with("404 "), "{path}: {answer}");
            assert_eq!(answer, ask(ABSENT).await, "{path}");
        }
        let ask = async |id: &str| {
            let path = format!("/dashboard/agents/{id}");
            let page = ann.request("GET", &path).header("accept", accept);
            look(&page.send().await, id)
        };
        let answer = ask(&yours.id).await;
        assert!(answer.starts_with("404 "), "{answer}");
        assert_eq!(answer, ask(ABSENT).await);
        assert_eq!(ask("%00").await.split(' ').next(), Some("404"));
    }
    let agents = server.console.agents().await.unwrap();
    let mut names: Vec<&str> = agents.iter().map(|(agent, ..)| &*agent.name).collect();
    // Both may have been created in the same millisecond.
    names.sort_unstable();
    assert_eq!(names, ["Mine", "Yours"]);
    yours.injects(&user("ada")).await;
    mine.injects(&user("ada")).await;
    assert_eq!(server.grants.keys().await.unwrap().len(), 2);
}

#[tokio::test]
async fn without_a_session_no_page_is_told_from_another() {
    let server = Server::start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    for (method, path) in [
        ("GET", format!("/dashboard/agents/{}", agent.id)),
        ("GET", format!("/dashboard/agents/{ABSENT}")),
        ("GET", "/dashboard/playground".to_owned()),
        ("POST", "/dashboard/playground".to_owned()),
        ("POST", "/dashboard/playground/erase".to_owned()),
        ("POST", "/dashboard/agents".to_owned()),
        ("POST", "/dashboard/keys".to_owned()),
    ] {
        // A key is no session.
        for key in [None, Some(&agent.key)] {
            let request = server.raw(method, &path).form(&[]);
            let request = match key {
                Some(key) => request.key(key),
                None => request,
            };
            let text = request.send().await.assert_error(401);
            assert_eq!(text, "Not signed in.", "{method} {path}");
        }
    }
    let page = server.get("/dashboard/playground");
    let page = page.header("accept", "text/html").gets(401).await;
    // The way to the form.
    page.body.assert_has(r#"href="/dashboard""#);
}
