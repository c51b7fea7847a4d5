//! How a program may register and ask, and what it is told otherwise.

use serde_json::{Value, json};

use super::{ALLOW, CLAUDE, Program, ada_and_claude, back, field, refusal, registers, server};
use crate::suite::account::browser::Browser;
use crate::suite::support::Text as _;

#[tokio::test]
async fn a_registration_is_answered_with_what_counts() {
    let server = server().await;
    let sent = json!({
        "client_name": " Claude ",
        "redirect_uris": [CLAUDE],
        "token_endpoint_auth_method": "client_secret_post",
        "grant_types": ["authorization_code", "refresh_token"],
        "logo_uri": "https://claude.ai/logo.png",
        "made_up": { "anything": 1 },
    });
    let answer = registers(&server, &sent).gets(201).await;
    let registered = answer.json();
    assert_eq!(registered["client_name"], "Claude");
    assert_eq!(registered["redirect_uris"], json!([CLAUDE]));
    assert_eq!(registered["token_endpoint_auth_method"], "none");
    // It holds all of it, and shows nothing.
    let id = registered["client_id"].as_str().unwrap();
    assert!(id.starts_with("ctxi_") && !id.contains("laude"), "{id}");
    assert_eq!(server.store.rows("agents").await, 0);
}

#[tokio::test]
async fn a_registration_without_a_safe_way_back_is_refused() {
    let server = server().await;
    let redirect = "invalid_redirect_uri";
    let metadata = "invalid_client_metadata";
    for (sent, code) in [
        (json!({ "client_name": "Claude" }), redirect),
        (json!({ "redirect_uris": [] }), redirect),
        (
            json!({ "redirect_uris": ["javascript:alert(1)"] }),
            redirect,
        ),
        (
            json!({ "redirect_uris": ["http://evil.example/"] }),
            redirect,
        ),
        (
            json!({ "redirect_uris": [CLAUDE], "client_name": "a\u{202e}b" }),
            metadata,
        ),
        (json!({ "redirect_uris": CLAUDE }), metadata),
        (json!([]), metadata),
        (Value::Null, metadata),
    ] {
        let request = registers(&server, &sent);
        assert_eq!(refusal(&request.send().await), code, "{sent}");
    }
    let large = json!({ "redirect_uris": [CLAUDE], "padding": "a".repeat(16 << 10) });
    registers(&server, &large).gets(413).await;
}

#[tokio::test]
async fn nobody_is_sent_where_no_client_registered() {
    let (server, ada, claude) = ada_and_claude().await;
    let long = "a".repeat(4_000);
    for (name, value) in [
        ("client_id", ""),
        ("client_id", "ctxi_made-up"),
        ("client_id", "https://claude.ai/client.json"),
        ("redirect_uri", ""),
        ("redirect_uri", "https://evil.example/"),
        (
            "redirect_uri",
            "https://claude.ai/api/mcp/auth_callback/../../x",
        ),
        (
            "redirect_uri",
            "https://claude.ai.evil.example/api/mcp/auth_callback",
        ),
        ("state", &long),
    ] {
        let page = claude.page(&[(name, value)]);
        for request in [ada.request("GET", &page), server.get(&page)] {
            let answer = request.header("accept", "text/html").gets(400).await;
            assert_eq!(answer.header("location"), None, "{name} {value}");
            assert_eq!(answer.cookie("ctxmem_back"), None);
            answer.body.assert_lacks("evil");
        }
        // Nor by the form.
        let query = claude.query(&[(name, value)]);
        let fields = [&[("request", &*query)], &ALLOW[..]].concat();
        ada.form("/oauth/authorize", &fields).gets(400).await;
    }
    assert_eq!(server.store.rows("grants").await, 0);
}

#[tokio::test]
async fn what_a_request_lacks_is_shown_and_sends_nobody_on() {
    let (server, ada, claude) = ada_and_claude().await;
    let other = "https://other.example/mcp";
    for (field, value) in [
        ("response_type", "token"),
        ("response_type", ""),
        ("code_challenge", ""),
        ("code_challenge", "short"),
        ("code_challenge_method", "plain"),
        ("code_challenge_method", ""),
        ("resource", other),
        ("resource", "/mcp"),
    ] {
        let page = claude.page(&[(field, value)]);
        for request in [ada.request("GET", &page), server.get(&page)] {
            let text = request.send().await.assert_error(400);
            let named = field.trim_end_matches("_method");
            assert!(text.starts_with(named), "{field}={value}: {text}");
        }
    }
    for resource in ["/mcp", "/mcp/", "/mcp/users/ada", "/", ""] {
        let resource = format!("{}{resource}", server.url);
        let page = claude.page(&[("resource", &resource)]);
        assert!(ada.get(&page).await.contains("Claude"), "{resource}");
    }
    // Whatever else it sends is ignored.
    let page = claude.page(&[("scope", "openid offline_access"), ("prompt", "none")]);
    assert!(ada.get(&page).await.contains("value=\"history\""));
    // And what it does not ask for is not offered.
    let page = ada.get(&claude.page(&[("scope", "goals openid")])).await;
    page.assert_has("value=\"goals\"");
    page.assert_lacks("value=\"history\"");
}

#[tokio::test]
async fn what_can_not_be_granted_adds_no_agent() {
    let (server, ada, claude) = ada_and_claude().await;
    let decision = [
        ("decision", "allow"),
        ("until", "never"),
        ("scope", "made-up"),
    ];
    assert_eq!(claude.decides(&ada, &decision).await.status, 400);
    for table in ["agents", "developers", "api_keys", "grants", "users"] {
        assert_eq!(server.store.rows(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_user_adds_two_hundred_programs_at_most() {
    let server = server().await;
    let ada = Browser::of_ada(&server).await;
    let mut last = 303;
    for n in 0..201 {
        let program = Program::register(&server, &format!("Program {n}"), CLAUDE).await;
        last = program.decides(&ada, &ALLOW).await.status;
        assert_eq!(last == 409, n == 200, "{n}: {last}");
    }
    assert_eq!(last, 409);
    assert_eq!(server.store.rows("agents").await, 200);
}

#[tokio::test]
async fn a_user_who_does_not_allow_it_sends_it_away_and_nothing_is_kept() {
    let (server, ada, claude) = ada_and_claude().await;
    let answer = claude.decides(&ada, &[("decision", "refuse")]).await;
    let back = back(&answer);
    assert_eq!(field(&back, "error").as_deref(), Some("access_denied"));
    assert_eq!(field(&back, "state").as_deref(), Some("a state"));
    for table in ["grants", "agents", "oauth_connections"] {
        assert_eq!(server.store.rows(table).await, 0, "{table}");
    }
    // A choice that is not complete is given back.
    for incomplete in [
        &[("decision", "allow"), ("until", "never")][..],
        &[("decision", "allow"), ("scope", "goals")],
    ] {
        let answer = claude.decides(&ada, incomplete).await;
        assert_eq!(answer.status, 400);
        answer.body.assert_has("Claude");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.ends_with("form-action 'self' https://claude.ai"),
            "{policy}"
        );
    }
    assert_eq!(claude.decides(&ada, &[("decision", "x")]).await.status, 400);
    assert_eq!(server.store.rows("grants").await, 0);
}

#[tokio::test]
async fn the_token_endpoint_says_what_it_expects() {
    let server = server().await;
    let claude = Program::claude(&server).await;
    let other = "https://other.example/mcp";
    for (fields, code) in [
        (&[("grant_type", "password")][..], "unsupported_grant_type"),
        (&[], "invalid_request"),
        (&[("grant_type", "authorization_code")], "invalid_grant"),
        (&[("grant_type", "refresh_token")], "invalid_grant"),
        (
            &[("grant_type", "refresh_token"), ("resource", other)],
            "invalid_target",
        ),
    ] {
        let fields = [fields, &[("client_id", &*claude.client_id)]].concat();
        let request = server.raw("POST", "/oauth/token").form(&fields);
        assert_eq!(refusal(&request.send().await), code, "{fields:?}");
    }
    // A client that is none registers anew.
    for client_id in ["", "ctxi_made-up", "https://claude.ai/client.json"] {
        let fields = [("grant_type", "refresh_token"), ("client_id", client_id)];
        let answer = server.raw("POST", "/oauth/token").form(&fields);
        assert_eq!(answer.gets(401).await.json()["error"], "invalid_client");
    }
    let twice = [("grant_type", "refresh_token"), ("grant_type", "password")];
    for request in [
        server.raw("POST", "/oauth/token").json(&json!({})),
        server.raw("POST", "/oauth/token").form(&twice),
    ] {
        assert_eq!(refusal(&request.send().await), "invalid_request");
    }
    // What is no matter of the form is said as everywhere.
    let long = "a".repeat(17 << 10);
    let large = server.raw("POST", "/oauth/token").form(&[("code", &long)]);
    assert_eq!(large.send().await.status, 413);
}
