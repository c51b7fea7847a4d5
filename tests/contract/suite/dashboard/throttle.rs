//! Throttling of sign-ins: people who guess passwords are held up, and nobody else is.

use std::time::{Duration, Instant};

use ctxmem_server::core::PasswordCost;
use futures_util::future::join_all;

use crate::suite::support::{
    Developer, PASSWORD, RawRequest, RawResponse, Server, Setup, Text as _,
};

const ANN: &str = "ann@example.com";
const WRONG: &str = "wrong horse battery";
const GUESSER: &str = "203.0.113.7";
const ELSEWHERE: &str = "198.51.100.1";

/// A server behind a proxy that runs where the tests do.
async fn behind_proxy() -> Server {
    let trusted = vec!["127.0.0.1/32".parse().unwrap()];
    let setup = Setup::new().with(|config| config.trusted_proxies = trusted);
    setup.start().await
}

/// The same where a password takes as long as in earnest, so that a crowd has to wait.
async fn behind_proxy_in_earnest() -> Server {
    let trusted = vec!["127.0.0.1/32".parse().unwrap()];
    let setup = Setup::new().with(|config| {
        config.trusted_proxies = trusted;
        config.settings.password_cost = PasswordCost::default();
    });
    setup.start().await
}

async fn with_ann(server: &Server) {
    server.console.create_developer(ANN).await.unwrap();
    server.set_password(ANN, PASSWORD).await;
}

fn tries(server: &Server, email: &str, password: &str, from: &str) -> RawRequest {
    Developer::tries(server, email, password).header("x-forwarded-for", from)
}

/// Guesses until the address is locked for everybody who comes from there.
async fn lock(server: &Server, from: &str) {
    for _ in 0..10 {
        assert_eq!(tries(server, ANN, WRONG, from).send().await.status, 401);
    }
    tries(server, ANN, PASSWORD, from).gets(429).await;
}

/// The device cookie that an answer sets.
fn device(answer: &RawResponse) -> String {
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.cookie_pair("ctxmem_device")
}

#[tokio::test]
async fn guesses_from_one_network_lock_no_other_out() {
    let server = behind_proxy().await;
    with_ann(&server).await;
    lock(&server, GUESSER).await;
    // Neighbours of the guesser share the lock, others don't.
    for (from, status) in [
        ("203.0.113.200", 429),
        ("203.0.112.7", 303),
        (ELSEWHERE, 303),
        ("2001:db8::1", 303),
    ] {
        tries(&server, ANN, PASSWORD, from).gets(status).await;
    }
    lock(&server, "2001:db8:0:1000::1").await;
    for (from, status) in [("2001:db8:0:10ff::2", 429), ("2001:db8:0:1100::2", 303)] {
        tries(&server, ANN, PASSWORD, from).gets(status).await;
    }
}

#[tokio::test]
async fn only_what_the_trusted_proxy_adds_is_believed() {
    let server = behind_proxy().await;
    with_ann(&server).await;
    lock(&server, GUESSER).await;
    for (forwarded, status) in [
        // What the client made up stands before what the proxy added.
        ("198.51.100.1, 203.0.113.7", 429),
        ("198.51.100.1, 203.0.113.7, 127.0.0.1", 429),
        ("203.0.113.7, 198.51.100.1", 303),
        ("not an address", 303),
    ] {
        tries(&server, ANN, PASSWORD, forwarded).gets(status).await;
    }
    // Nobody is trusted unless the operator says so.
    let server = Server::start().await;
    with_ann(&server).await;
    lock(&server, GUESSER).await;
    tries(&server, ANN, PASSWORD, ELSEWHERE).gets(429).await;
}

#[tokio::test]
async fn who_signed_in_before_is_not_locked_out_by_others() {
    let server = Server::start().await;
    with_ann(&server).await;
    let first = Developer::tries(&server, ANN, PASSWORD).send().await;
    let device = device(&first);
    for _ in 0..12 {
        Developer::tries(&server, ANN, WRONG).send().await;
    }
    let with = |cookie: &str, email: &str, password: &str| {
        Developer::tries(&server, email, password).cookie(cookie)
    };
    with("", ANN, PASSWORD).gets(429).await;
    with(&device, " Ann@Example.com", PASSWORD).gets(303).await;
    // It opens nothing by itself, and is not for guessing either.
    server.get("/dashboard").cookie(&device).gets(401).await;
    for _ in 0..9 {
        assert_eq!(with(&device, ANN, WRONG).send().await.status, 401);
    }
    assert_eq!(with(&device, ANN, PASSWORD).send().await.status, 429);
}

#[tokio::test]
async fn a_device_cookie_is_good_for_its_address_and_can_not_be_made_up() {
    let server = Server::start().await;
    with_ann(&server).await;
    let eve = Developer::new(&server, "eve@example.com").await;
    let eves = Developer::tries(&server, &eve.email, PASSWORD).send().await;
    let eves = device(&eves);
    for _ in 0..12 {
        Developer::tries(&server, ANN, WRONG).send().await;
    }
    let (name, value) = eves.split_once('=').unwrap();
    let (nonce, mac) = value.split_once('.').unwrap();
    for made_up in [
        eves.clone(),
        format!("{name}=x.{mac}"),
        format!("{name}={nonce}."),
        format!("{name}={nonce}"),
        format!("{name}="),
    ] {
        let tried = Developer::tries(&server, ANN, PASSWORD).cookie(&made_up);
        assert_eq!(tried.send().await.status, 429, "{made_up}");
    }
}

#[tokio::test]
async fn a_device_cookie_is_kept_for_long_and_sent_to_the_dashboard_only() {
    for (public_url, name, secure) in [
        ("http://memory.example.com:8080", "ctxmem_device", false),
        ("https://memory.example.com", "__Secure-ctxmem_device", true),
    ] {
        let server = Setup::new().public_url(public_url).start().await;
        with_ann(&server).await;
        let answer = Developer::tries(&server, ANN, PASSWORD).send().await;
        let cookie = answer.cookie(name).unwrap();
        let mut expected = vec![
            "HttpOnly",
            "Max-Age=31536000",
            "Path=/dashboard",
            "SameSite=Lax",
        ];
        expected.extend(secure.then_some("Secure"));
        assert_eq!(answer.cookie_attributes(name), expected);
        cookie.assert_lacks("ann");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_made_up_addresses_delays_nobody_elsewhere() {
    let server = behind_proxy_in_earnest().await;
    with_ann(&server).await;
    let known = tries(&server, ANN, PASSWORD, ELSEWHERE).send().await;
    let device = device(&known);
    let made_up: Vec<String> = (0..200).map(|n| format!("{n}@example.com")).collect();
    let crowd = join_all(made_up.iter().enumerate().map(|(n, email)| {
        let from = format!("203.0.113.{n}");
        tries(&server, email, WRONG, &from).send()
    }));
    let ann = async {
        // The crowd is there first.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let began = Instant::now();
        let answer = tries(&server, ANN, PASSWORD, ELSEWHERE).send().await;
        let as_stranger = began.elapsed();
        assert_eq!(answer.status, 303);
        let began = Instant::now();
        let with_device = tries(&server, ANN, PASSWORD, GUESSER).cookie(&device);
        assert_eq!(with_device.send().await.status, 303);
        (as_stranger, began.elapsed())
    };
    let (crowd, (as_stranger, known)) = tokio::join!(crowd, ann);
    let refused: Vec<&RawResponse> = crowd.iter().filter(|it| it.status == 503).collect();
    let judged = crowd.iter().filter(|it| it.status == 401).count();
    let counted = crowd.iter().filter(|it| it.status == 429).count();
    println!(
        "figure: a right sign-in beside 200 made-up ones of another network: {as_stranger:?}; \
         with a device cookie: {known:?}; {} of the 200 were turned away",
        refused.len()
    );
    assert_eq!(judged + counted + refused.len(), 200);
    // So few are judged, and so few wait, that nobody waits for long.
    assert!(judged < 100, "{judged}");
    for answer in refused {
        assert_eq!(answer.header("retry-after"), Some("1"));
        answer.body.assert_has("busy");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_in_five_networks_shuts_nobody_out() {
    let server = behind_proxy_in_earnest().await;
    with_ann(&server).await;
    let crowd = join_all((0..300).map(async |n| {
        let email = format!("{n}@example.com");
        let from = format!("203.0.{}.{}", n % 5, n % 250);
        tries(&server, &email, WRONG, &from).send().await.status
    }));
    let ann = async {
        // The crowd is there first.
        tokio::time::sleep(Duration::from_millis(50)).await;
        for _ in 0..2 {
            if tries(&server, ANN, PASSWORD, ELSEWHERE).send().await.status == 303 {
                return true;
            }
        }
        false
    };
    let (crowd, is_in) = tokio::join!(crowd, ann);
    let busy = crowd.iter().filter(|status| **status == 503).count();
    println!("figure: of 300 from five networks {busy} were turned away");
    assert!(is_in, "{busy} of the crowd were turned away, too");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_turned_away_in_a_crowd_has_tried_nothing() {
    let server = behind_proxy_in_earnest().await;
    with_ann(&server).await;
    // All at once, with one address: ten are as many as may be judged in a row.
    let crowd = (0..10).map(|_| tries(&server, ANN, WRONG, GUESSER).send());
    let crowd = join_all(crowd).await;
    let judged = crowd.iter().filter(|it| it.status == 401).count();
    let busy = crowd.iter().filter(|it| it.status == 503).count();
    assert_eq!(judged + busy, 10);
    for _ in 0..busy {
        let answer = tries(&server, ANN, WRONG, GUESSER).send().await;
        assert_eq!(answer.status, 401, "{judged} were judged before");
    }
    tries(&server, ANN, WRONG, GUESSER).gets(429).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_developer_with_many_known_browsers_holds_no_other_up() {
    let server = behind_proxy_in_earnest().await;
    with_ann(&server).await;
    let eve = Developer::new(&server, "eve@example.com").await;
    let mut devices = Vec::new();
    for n in 0..20 {
        let from = format!("203.0.{n}.1");
        devices.push(device(
            &tries(&server, &eve.email, PASSWORD, &from).send().await,
        ));
    }
    let anns = device(&tries(&server, ANN, PASSWORD, ELSEWHERE).send().await);
    let crowd = join_all(devices.iter().map(|device| {
        let tried = tries(&server, &eve.email, PASSWORD, GUESSER).cookie(device);
        tried.send()
    }));
    let ann = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let tried = tries(&server, ANN, PASSWORD, GUESSER).cookie(&anns);
        tried.send().await
    };
    let (_, ann) = tokio::join!(crowd, ann);
    assert_eq!(ann.status, 303, "{}", ann.body);
    // A browser that is known stays the same one.
    assert_eq!(device(&ann), anns);
}

#[tokio::test]
async fn whoever_joins_in_a_crowd_keeps_what_they_typed() {
    let server = behind_proxy_in_earnest().await;
    let ann = Developer::new(&server, ANN).await;
    // Each has a password hashed that takes longer than reading the form, but on a busy machine a crowd
    // may come in so slowly that it is none.
    let mut turned_away = Vec::new();
    for round in 0..20 {
        let token = ann.invites().await;
        let crowd = (0..40).map(|n| {
            let email = format!("{round}-{n}@example.com");
            let form = Developer::joining(&server, &token, &email);
            form.header("accept", "text/html").send()
        });
        let answers = join_all(crowd).await;
        let joined = answers.iter().filter(|answer| answer.status == 303).count();
        assert_eq!(joined, 1);
        turned_away.extend(answers.into_iter().filter(|answer| answer.status == 503));
        if !turned_away.is_empty() {
            break;
        }
    }
    assert!(!turned_away.is_empty());
    for answer in turned_away {
        assert_eq!(answer.header("retry-after"), Some("1"));
        let page = &answer.body;
        page.assert_has("The server is busy.");
        page.assert_has("value=\"A new member\"");
        page.assert_has("@example.com\" maxlength");
        page.assert_lacks(PASSWORD);
    }
}
