//! From a program that knows nothing but the address of `/mcp` to its first call.

use serde_json::json;

use super::{
    ALL, CLAUDE, Program, back, call, calling, connected, field, is_over, registers, remembers,
    seen, server,
};
use crate::suite::account::browser::Browser;
use crate::suite::mcp;
use crate::suite::support::{Text as _, user};

#[tokio::test]
async fn a_program_finds_its_way_from_the_address_alone() {
    let server = server().await;
    let bare = server.raw("POST", "/mcp").json(&json!({})).send().await;
    bare.assert_error(401);
    let asks = bare.header("www-authenticate").unwrap();
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", server.url);
    let expected = format!("Bearer realm=\"ctxmem\", resource_metadata=\"{metadata}\"");
    assert_eq!(asks, expected);

    let get = async |path: &str| server.get(path).gets(200).await.json();
    let resource = get("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!(resource, get("/.well-known/oauth-protected-resource").await);
    assert_eq!(resource["resource"], format!("{}/mcp", server.url));
    assert_eq!(resource["authorization_servers"], json!([server.url]));
    let there = get("/.well-known/oauth-authorization-server").await;
    assert_eq!(there["issuer"], *server.url);
    assert_eq!(there["code_challenge_methods_supported"], json!(["S256"]));
    for (endpoint, path) in [
        ("registration_endpoint", "/oauth/register"),
        ("authorization_endpoint", "/oauth/authorize"),
        ("token_endpoint", "/oauth/token"),
        ("revocation_endpoint", "/oauth/revoke"),
    ] {
        assert_eq!(there[endpoint], format!("{}{path}", server.url));
    }
}

#[tokio::test]
async fn a_user_who_signs_in_meanwhile_lets_it_in_and_it_remembers() {
    let server = server().await;
    let claude = Program::claude(&server).await;
    let page = claude.page(&[("resource", &format!("{}/mcp", server.url))]);

    // Who is not signed in is told who asks, and comes back after signing in.
    let signed_out = server.get(&page).gets(401).await;
    signed_out.body.assert_has("Claude");
    let cookie = signed_out.cookie_pair("ctxmem_back");
    let link = server.link_for(&user("ada")).await;
    let signing_in = server.raw("POST", "/sign-in").cookie(&cookie);
    let signed_in = signing_in.form(&[("token", &link)]).send().await;
    let there = signed_in.header("location").unwrap();
    assert!(there.starts_with("/oauth/authorize?client_id="), "{there}");

    let ada = Browser::of_ada(&server).await;
    let page = ada.get(there).await;
    page.assert_has_all([
        "Claude",
        "<strong><bdi>claude.ai</bdi></strong>",
        "New to this service",
    ]);
    // Nothing is decided beforehand.
    page.assert_lacks(" checked aria");
    page.assert_lacks(" checked>");
    assert_eq!(server.store.rows("oauth_connections").await, 0);

    let decision = [
        ("decision", "allow"),
        ("until", "30"),
        ("scope", "general"),
        ("scope", "preferences"),
    ];
    let answer = claude.decides(&ada, &decision).await;
    let back = back(&answer);
    assert!(back.as_str().starts_with(CLAUDE), "{back}");
    assert_eq!(field(&back, "state").as_deref(), Some("a state"));
    assert_eq!(field(&back, "iss"), Some(server.url.clone()));
    let tokens = claude.redeem(&field(&back, "code").unwrap()).await;
    assert_eq!(tokens.scope, "general preferences");

    remembers(&server, &tokens.access, "Please remember that I am vegan.").await;
    assert!(seen(&server, &tokens.access).await.contains("egan"));
    let listed = call(&server, &tokens.access, "list_facts", json!({})).await;
    assert!(listed.text().contains("egan"));
    // It is an app like any other.
    let apps = ada.apps().await;
    apps.assert_has("Claude");
    apps.assert_has("claude.ai");
}

#[tokio::test]
async fn who_connects_again_is_known_and_both_connections_work() {
    let server = server().await;
    let ada = Browser::of_ada(&server).await;
    let first = Program::claude(&server).await;
    let one = first.connect(&ada, &ALL).await;
    let second = Program::claude(&server).await;
    assert_ne!(first.client_id, second.client_id);
    let page = ada.get(&second.page(&[])).await;
    page.assert_has("Known to this service since");
    let other = second.connect(&ada, &ALL).await;
    for tokens in [&one, &other] {
        assert!(!is_over(&server, &tokens.access).await);
    }
    assert_eq!(server.store.rows("agents").await, 1);
    assert_eq!(server.store.rows("oauth_connections").await, 2);
    // Ended by one, the other goes on.
    let revoked = server.raw("POST", "/oauth/revoke");
    let revoked = revoked.form(&[("token", &one.refresh)]).send().await;
    assert_eq!((revoked.status, &*revoked.body), (200, ""));
    assert!(is_over(&server, &one.access).await);
    assert!(!is_over(&server, &other.access).await);
}

#[tokio::test]
async fn each_user_has_a_memory_of_their_own_behind_the_same_program() {
    let server = server().await;
    let claude = Program::claude(&server).await;
    let (ada, ben) = (user("ada"), user("ben"));
    let ada = Browser::of(&server, &ada).await;
    let ben = Browser::of(&server, &ben).await;
    let of_ada = claude.connect(&ada, &ALL).await;
    let of_ben = claude.connect(&ben, &ALL).await;
    remembers(&server, &of_ada.access, "Please remember that I am vegan.").await;
    assert!(seen(&server, &of_ada.access).await.contains("egan"));
    assert!(!seen(&server, &of_ben.access).await.contains("egan"));
    // A token may name its own user, and nobody else's.
    for (named, status) in [("ada", 200), ("ben", 403), ("nobody", 403)] {
        let raw = server.raw("POST", "/mcp").key(&of_ada.access);
        let request = mcp::request::call(raw, named, "list_facts", &json!({}));
        assert_eq!(request.send().await.status, status, "{named}");
        let at = server.raw("POST", &format!("/mcp/users/{named}"));
        let request = mcp::request::call(at.key(&of_ada.access), "", "list_facts", &json!({}));
        assert_eq!(request.send().await.status, status, "{named}");
    }
}

#[tokio::test]
async fn a_program_on_the_users_own_machine_may_listen_anywhere_and_is_said_to_be_there() {
    let server = server().await;
    let sent = json!({ "client_name": "Code", "redirect_uris": ["http://localhost/callback"] });
    let registered = registers(&server, &sent).send().await;
    let code = Program {
        server: server.clone(),
        client_id: registered.json()["client_id"].as_str().unwrap().to_owned(),
        redirect: "http://localhost:51234/callback",
    };
    let ada = Browser::of_ada(&server).await;
    let page = ada.request("GET", &code.page(&[])).send().await;
    page.body.assert_has("a program on your own computer");
    let policy = page.header("content-security-policy").unwrap();
    let expected = "form-action 'self' http://localhost:51234";
    assert!(policy.ends_with(expected), "{policy}");
    let tokens = code.connect(&ada, &ALL).await;
    assert!(!is_over(&server, &tokens.access).await);
}

#[tokio::test]
async fn where_it_is_not_offered_there_is_nothing_and_no_token_works() {
    let (offering, ada, claude, tokens) = connected().await;
    drop((ada, claude));
    let setup = crate::suite::support::Setup::on(offering.stop().await);
    let server = setup.with(|config| config.mcp = true).start().await;
    for (method, path) in [
        ("GET", "/.well-known/oauth-protected-resource"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("GET", "/.well-known/oauth-authorization-server"),
        ("POST", "/oauth/register"),
        ("GET", "/oauth/authorize"),
        ("POST", "/oauth/authorize"),
        ("POST", "/oauth/token"),
        ("POST", "/oauth/revoke"),
    ] {
        server.raw(method, path).gets_error(404).await;
    }
    let call = calling(&server, &tokens.access, "list_facts", &json!({}));
    let answer = call.send().await;
    answer.assert_error(401);
    let asks = answer.header("www-authenticate");
    assert_eq!(asks, Some("Bearer realm=\"ctxmem\""));
}
