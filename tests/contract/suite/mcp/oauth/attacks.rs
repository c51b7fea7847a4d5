//! What somebody gets who has a code or a token that is not theirs, or none.

use ctxmem_server::http::ROUTES;
use serde_json::json;

use super::{
    ALL, ALLOW, CLAUDE, Program, VERIFIER, ada_and_claude, calling, connected, is_over, refusal,
    remembers, server,
};
use crate::suite::account::browser::Browser;
use crate::suite::mcp;
use crate::suite::support::{Text as _, user};

#[tokio::test]
async fn a_code_is_good_for_its_client_its_address_and_its_verifier() {
    let (server, ada, claude) = ada_and_claude().await;
    let other = Program::claude(&server).await;
    let code = claude.code(&ada, &ALL).await;
    let with = |client_id: &str, redirect: &str, code: &str, verifier: &str| {
        server.raw("POST", "/oauth/token").form(&[
            ("grant_type", "authorization_code"),
            ("client_id", client_id),
            ("redirect_uri", redirect),
            ("code", code),
            ("code_verifier", verifier),
        ])
    };
    let id = &*claude.client_id;
    let (begin, end) = code.split_at(code.len() / 2);
    let other_letter = if end.starts_with('A') { "B" } else { "A" };
    let changed = format!("{begin}{other_letter}{}", &end[1..]);
    for request in [
        with(&other.client_id, CLAUDE, &code, VERIFIER),
        with(id, "https://claude.ai/other", &code, VERIFIER),
        with(id, "", &code, VERIFIER),
        with(id, CLAUDE, &code, ""),
        with(id, CLAUDE, &code, &super::challenge(VERIFIER)),
        with(id, CLAUDE, &code, &format!("{VERIFIER}x")),
        with(id, CLAUDE, &changed, VERIFIER),
        with(id, CLAUDE, "", VERIFIER),
    ] {
        assert_eq!(refusal(&request.send().await), "invalid_grant");
    }
    // None of that used it up.
    let tokens = claude.redeem(&code).await;
    assert!(!is_over(&server, &tokens.access).await);
}

#[tokio::test]
async fn a_code_that_is_used_twice_ends_what_it_was_for() {
    let (server, ada, claude) = ada_and_claude().await;
    let code = claude.code(&ada, &ALL).await;
    let tokens = claude.redeem(&code).await;
    let again = claude.exchange(&code, VERIFIER).send().await;
    assert_eq!(refusal(&again), "invalid_grant");
    assert!(is_over(&server, &tokens.access).await);
    claude.assert_renews_nothing(&tokens.refresh).await;
}

#[tokio::test]
async fn a_refresh_token_is_good_for_its_client_alone() {
    let (server, ada, claude) = ada_and_claude().await;
    let other = Program::register(&server, "Other", "https://other.example/").await;
    let tokens = claude.connect(&ada, &ALL).await;
    for stranger in [&other, &Program::claude(&server).await] {
        let refused = stranger.renewal(&tokens.refresh).await;
        assert_eq!(refusal(&refused), "invalid_grant");
    }
    claude.assert_renews_nothing(&tokens.access).await;
    assert!(!is_over(&server, &claude.renew(&tokens.refresh).await.access).await);
}

#[tokio::test]
async fn an_access_token_opens_nothing_but_mcp() {
    let (server, _, _, tokens) = connected().await;
    remembers(&server, &tokens.access, "Please remember that I am vegan.").await;
    for route in ROUTES {
        let path = route.template().replace("{userId}", "ada");
        let path = path.replace(['{', '}'], "");
        if path.starts_with("/mcp") {
            continue;
        }
        let bare = server.raw(route.method(), &path).send().await;
        let with = server.raw(route.method(), &path).key(&tokens.access);
        let with = with.send().await;
        assert_eq!(with.status, bare.status, "{} {path}", route.method());
        assert!(!with.body.contains("egan"), "{path}: {}", with.body);
    }
    let inject = json!({ "userId": "ada", "basePrompt": "Be brief." });
    for (path, body) in [
        ("/api/context/inject", inject),
        ("/api/context/ada/facts/search", json!({ "query": "vegan" })),
    ] {
        let request = server.raw("POST", path).key(&tokens.access).json(&body);
        request.send().await.assert_error(401);
    }
}

#[tokio::test]
async fn nothing_else_is_an_access_token() {
    let (server, ada, claude) = ada_and_claude().await;
    let code = claude.code(&ada, &ALL).await;
    let tokens = claude.redeem(&claude.code(&ada, &ALL).await).await;
    let renamed = |text: &str| text.replacen(&text[..5], "ctxa_", 1);
    let access = &*tokens.access;
    for text in [
        "",
        "ctxa_",
        "ctxa_AAAA",
        &access[..access.len() - 2],
        &access.to_uppercase(),
        &renamed(&code),
        &renamed(&tokens.refresh),
        &renamed(&claude.client_id),
        &code,
        &tokens.refresh,
    ] {
        assert!(is_over(&server, text).await, "{text}");
    }
    // One from elsewhere.
    let elsewhere = super::server().await;
    let there = Browser::of_ada(&elsewhere).await;
    let foreign = Program::claude(&elsewhere)
        .await
        .connect(&there, &ALL)
        .await;
    assert!(is_over(&server, &foreign.access).await);
    assert!(!is_over(&server, access).await);
}

#[tokio::test]
async fn no_other_page_and_no_other_account_decides() {
    let (server, ada, claude) = ada_and_claude().await;
    let query = claude.query(&[]);
    let fields = [&[("request", &*query)], &ALLOW[..]].concat();
    let form = || server.raw("POST", "/oauth/authorize").form(&fields);
    let signed_in = || form().cookie(&ada.cookie);
    let own = || signed_in().made_for(&ada.mark);
    for (request, status) in [
        (form().made_for(&ada.mark), 401),
        (signed_in(), 400),
        (signed_in().made_for(&server.mark(&user("ben"))), 409),
        (own().header("origin", "https://evil.example"), 403),
        (own().header("sec-fetch-site", "cross-site"), 403),
    ] {
        assert_eq!(request.send().await.status, status);
    }
    assert_eq!(server.store.rows("grants").await, 0);
    let page = ada.request("GET", &claude.page(&[])).send().await;
    let policy = page.header("content-security-policy").unwrap();
    policy.assert_has("frame-ancestors 'none'");
}

#[tokio::test]
async fn what_a_program_calls_itself_is_text() {
    let server = server().await;
    let ada = Browser::of_ada(&server).await;
    let name = "<script>alert(1)</script>";
    let program = Program::register(&server, name, CLAUDE).await;
    let signed_out = server.get(&program.page(&[])).send().await.body;
    let page = ada.get(&program.page(&[("state", "\"><script>")])).await;
    program.connect(&ada, &ALL).await;
    for page in [signed_out, page, ada.apps().await] {
        page.assert_has("alert(1)");
        page.assert_lacks("<script>");
    }
}

#[tokio::test]
async fn a_name_of_somebody_else_is_another_agent_with_its_own_host() {
    let (server, ada, _, tokens) = connected().await;
    remembers(&server, &tokens.access, "Please remember that I am vegan.").await;
    let evil = Program::register(&server, "Claude", "https://claude-ai.example/").await;
    let page = ada.get(&evil.page(&[])).await;
    page.assert_has("claude-ai.example");
    page.assert_has("New to this service");
    let of_evil = evil.connect(&ada, &["goals"]).await;
    let call = calling(&server, &of_evil.access, "list_facts", &json!({}));
    assert!(!call.send().await.body.contains("egan"));
}

#[tokio::test]
async fn the_key_of_its_agent_is_nobodys() {
    let (server, ada, claude) = ada_and_claude().await;
    claude.connect(&ada, &ALL).await;
    let keys = server.grants.keys().await.unwrap();
    let [key] = &keys[..] else {
        panic!("{} keys", keys.len());
    };
    for guess in [&key.id, &key.prefix, &key.agent_id] {
        for credential in [guess.clone(), format!("ctxm_{guess}")] {
            let raw = server.raw("POST", "/mcp").key(&credential);
            let call = mcp::request::call(raw, "ada", "list_facts", &json!({}));
            assert_eq!(call.send().await.status, 401, "{credential}");
        }
    }
    // Nobody signs in as the host that its agent is said to be of.
    let developers = server.console.developers().await.unwrap();
    assert!(developers.is_empty());
}
