//! Signing in by address and password: who gets in, and what refusals reveal.

use ctxmem_client::UserId;

use super::is_in;
use crate::suite::support::{Developer, PASSWORD, RawResponse, Server, Setup, Text as _, fields};

const WRONG: &str = "Incorrect email or password.";

async fn tries(server: &Server, email: &str, password: &str) -> RawResponse {
    Developer::tries(server, email, password).send().await
}

#[tokio::test]
async fn without_a_session_the_page_shows_the_sign_in_form() {
    let server = Server::start().await;
    for cookie in ["", "ctxmem_developer=made-up", "ctxmem_developer="] {
        let page = server.get("/dashboard").cookie(cookie).gets(401).await;
        page.assert_html();
        page.body.assert_has(r#"action="/dashboard/sign-in""#);
        page.body.assert_has("developer set-password");
        page.body.assert_lacks(WRONG);
    }
}

#[tokio::test]
async fn a_password_signs_in_whatever_the_case_of_the_address() {
    let (server, ann) = Developer::start().await;
    assert!(ann.get("/dashboard").await.contains("ann@example.com"));
    let answer = tries(&server, " Ann@Example.COM ", PASSWORD).await;
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("location"), Some("/dashboard"));
    assert!(is_in(&server, &answer.session_cookie()).await);
    assert_eq!(server.store.sign_ins(&ann.id).await, 2);
}

#[tokio::test]
async fn all_failures_look_the_same() {
    let (server, ann) = Developer::start().await;
    server.add_developer("bob@example.com").await;
    let mut looks = Vec::new();
    for (email, password) in [
        ("ann@example.com", "wrong horse battery"),
        ("ann@example.com", ""),
        // Without a password, and nobody's at all.
        ("bob@example.com", PASSWORD),
        ("eve@example.com", PASSWORD),
        ("not an address", PASSWORD),
    ] {
        let answer = tries(&server, email, password).await;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.header("set-cookie"), None);
        answer.body.assert_has(WRONG);
        let typed = format!(r#"name="email" value="{email}""#);
        assert!(answer.body.contains(&typed), "{}", answer.body);
        answer.body.assert_lacks(PASSWORD);
        looks.push(answer.body.replace(email, "ADDRESS"));
    }
    looks.dedup();
    assert_eq!(looks.len(), 1);
    assert_eq!(server.store.sign_ins(&ann.id).await, 1);
}

#[tokio::test]
async fn a_typed_address_is_text_and_never_markup() {
    let server = Server::start().await;
    let answer = tries(&server, r#""><img src=x>"#, PASSWORD).await;
    assert_eq!(answer.status, 401);
    answer.body.assert_lacks("<img");
}

#[tokio::test]
async fn the_eleventh_attempt_waits_and_other_addresses_do_not() {
    let (server, ann) = Developer::start().await;
    let bob = Developer::new(&server, "bob@example.com").await;
    // Whether the address is anybody's makes no difference. Ann has signed in once.
    for (email, left) in [("ann@example.com", 9), ("nobody@example.com", 10)] {
        for n in 0..left {
            let answer = tries(&server, email, "wrong horse battery").await;
            assert_eq!(answer.status, 401, "{email}, attempt {n}");
        }
        // Now even the right password does not help.
        for typed in [email.to_owned(), email.to_uppercase()] {
            let answer = tries(&server, &typed, PASSWORD).await;
            assert_eq!(answer.status, 429, "{typed}");
            assert_eq!(answer.header("set-cookie"), None);
            let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
            answer.body.assert_has("Too many attempts");
            assert!(answer.body.contains(&typed));
        }
    }
    assert_eq!(tries(&server, &bob.email, PASSWORD).await.status, 303);
    assert!(is_in(&server, &ann.cookie).await, "who is in stays in");
}

#[tokio::test]
async fn a_form_names_both() {
    let server = Server::start().await;
    Developer::new(&server, "ann@example.com").await;
    for fields in [
        &[("email", "ann@example.com")][..],
        &[("password", PASSWORD)],
        &[],
    ] {
        let form = server.raw("POST", "/dashboard/sign-in").form(fields);
        form.send().await.assert_error(400);
    }
}

#[tokio::test]
async fn other_sites_can_neither_sign_in_nor_out_nor_act() {
    let (server, ann) = Developer::start().await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    for (header, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let forged = Developer::tries(&server, &ann.email, PASSWORD).header(header, value);
        let answer = forged.send().await;
        answer.assert_error(403);
        assert_eq!(answer.header("set-cookie"), None);
        for (path, sent) in [
            ("/dashboard/sign-out", ""),
            ("/dashboard/agents", "name=X&scope=goals"),
            ("/dashboard/agents/delete", "agent_id={agent}&name=Helper"),
        ] {
            let sent = sent.replace("{agent}", &agent_id);
            let forged = ann.form(path, &fields(&sent));
            forged.header(header, value).gets_error(403).await;
        }
    }
    let page = ann.get("/dashboard").await;
    assert!(page.contains("Helper") && !page.contains(">X<"));
}

#[tokio::test]
async fn the_cookie_is_kept_from_scripts_and_other_sites() {
    for (public_url, name, secure) in [
        ("http://memory.example.com:8080", "ctxmem_developer", None),
        (
            "https://memory.example.com",
            "__Host-ctxmem_developer",
            Some("Secure"),
        ),
    ] {
        let (server, ann) = Developer::start_on(Setup::new().public_url(public_url)).await;
        let answer = tries(&server, &ann.email, PASSWORD).await;
        let mut expected = vec!["HttpOnly", "Path=/", "SameSite=Lax"];
        expected.extend(secure);
        assert_eq!(answer.cookie_attributes(name), expected);
        let pair = answer.cookie_pair(name);
        let (_, value) = pair.split_once('=').unwrap();
        assert!(value.len() >= 32 && value.bytes().all(|b| b.is_ascii_alphanumeric()));
        for other in [
            "ctxmem_session",
            "ctxmem_developer",
            "__Host-ctxmem_developer",
        ] {
            let renamed = format!("{other}={value}");
            assert_eq!(is_in(&server, &renamed).await, other == name);
        }
    }
}

#[tokio::test]
async fn a_session_of_a_user_is_none_of_a_developer_and_vice_versa() {
    let (server, ann) = Developer::start().await;
    let user = server
        .sign_in(&UserId::new("ann@example.com").unwrap())
        .await;
    let value = |cookie: &str| cookie.split_once('=').unwrap().1.to_owned();
    for (path, cookie, status) in [
        ("/dashboard", ann.cookie.clone(), 200),
        ("/account", user.clone(), 200),
        ("/dashboard", user.clone(), 401),
        ("/account", ann.cookie.clone(), 401),
        // Nor under the other's name.
        (
            "/dashboard",
            format!("ctxmem_developer={}", value(&user)),
            401,
        ),
        (
            "/account",
            format!("ctxmem_session={}", value(&ann.cookie)),
            401,
        ),
    ] {
        server.get(path).cookie(&cookie).gets(status).await;
    }
    // Signing out of one leaves the other.
    let both = format!("{}; {user}", ann.cookie);
    server
        .raw("POST", "/dashboard/sign-out")
        .cookie(&both)
        .made_for(&ann.mark)
        .gets(303)
        .await;
    server.get("/account").cookie(&user).gets(200).await;
    assert!(!is_in(&server, &ann.cookie).await);
}
