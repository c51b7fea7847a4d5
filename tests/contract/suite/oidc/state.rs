//! A sign-in is ended once, in time, by the browser that began it.

use std::sync::Arc;

use chrono::Duration;
use futures_util::future::join_all;

use super::{USER, ada, assert_nobody, assert_refused, both};
use crate::suite::support::{OidcProvider, Setup, TestClock, Text as _, user};

#[tokio::test]
async fn a_state_that_was_never_given_out_signs_nobody_in() {
    let (provider, server) = both().await;
    let mut attempt = provider.begin_sign_in(&server, USER).await;
    let good = attempt.state.clone();
    for state in ["", "made-up", "%00", &good.to_uppercase(), &good[1..]] {
        attempt.state = state.to_owned();
        assert_refused(&attempt.returns(&server).await, 403, &["made-up"]);
    }
    for query in ["", "?", "?code=canary", "?state=canary", "?error=canary"] {
        let path = format!("/sign-in/oidc/callback{query}");
        let answer = server.get(&path).cookie(&attempt.cookie);
        assert_refused(&answer.send().await, 403, &["canary"]);
    }
    assert!(provider.asked("/token").await.is_empty());
    assert_nobody(&server).await;
    // Nothing of that used it up.
    attempt.state = good;
    assert_eq!(attempt.returns(&server).await.status, 303);
}

#[tokio::test]
async fn another_browser_cannot_end_it() {
    let (provider, server) = both().await;
    let mallory = provider.begin_sign_in(&server, USER).await;
    let victim = provider.begin_sign_in(&server, USER).await;
    let session = server.sign_in(&user("victim")).await;
    let value = mallory.cookie.split_once('=').unwrap().1.to_owned();
    for cookies in [
        String::new(),
        victim.cookie.clone(),
        session.clone(),
        format!("{}; {session}", victim.cookie),
        "ctxmem_oidc=".to_owned(),
        format!("ctxmem_oidc={}", mallory.state),
        format!("__Host-ctxmem_oidc={value}"),
        format!("ctxmem_session={value}"),
    ] {
        assert_refused(&mallory.returns_with(&server, &cookies).await, 403, &[]);
    }
    assert!(provider.asked("/token").await.is_empty());
    assert_nobody(&server).await;
    assert_eq!(victim.returns(&server).await.status, 303);
    assert_eq!(mallory.returns(&server).await.status, 303);
}

#[tokio::test]
async fn it_is_ended_once() {
    let (provider, server) = both().await;
    let attempt = provider.begin_sign_in(&server, USER).await;
    let answers = join_all((0..20).map(|_| attempt.returns(&server))).await;
    let signed_in = answers.iter().filter(|answer| answer.status == 303);
    assert_eq!(signed_in.count(), 1);
    assert_eq!(provider.asked("/token").await.len(), 1);
    assert_refused(&attempt.returns(&server).await, 403, &[]);
    assert_eq!(server.sessions(&user("ada")).await, 1);
}

#[tokio::test]
async fn a_sign_in_that_failed_is_over_too() {
    let (provider, server) = both().await;
    let mut attempt = provider.begin_sign_in(&server, USER).await;
    let code = std::mem::replace(&mut attempt.code, "wrong".to_owned());
    assert_refused(&attempt.returns(&server).await, 403, &["wrong"]);
    attempt.code = code;
    assert_refused(&attempt.returns(&server).await, 403, &[]);
    assert_nobody(&server).await;
}

#[tokio::test]
async fn it_takes_ten_minutes_at_most() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let provider = OidcProvider::start(ada()).await;
    let server = Setup::new().oidc(&provider).clock(&clock).start().await;
    let visits = [
        provider.begin_sign_in(&server, USER).await,
        provider.begin_sign_in(&server, USER).await,
    ];
    clock.advance(Duration::minutes(10) - Duration::milliseconds(1));
    assert_eq!(visits[0].returns(&server).await.status, 303);
    clock.advance(Duration::milliseconds(1));
    assert_refused(&visits[1].returns(&server).await, 403, &[]);
    // The server may have removed it already, by the same clock.
    server.sign_in.drop_old_oidc_sign_ins().await.unwrap();
    assert_eq!(server.store.oidc_sign_ins().await, 0);
}

#[tokio::test]
async fn the_provider_may_say_no() {
    let (provider, server) = both().await;
    for query in [
        "error=access_denied&error_description=canary",
        "error=canary",
        "error=server_error&code=canary",
        "error=",
        "",
    ] {
        let attempt = provider.begin_sign_in(&server, USER).await;
        let path = format!("/sign-in/oidc/callback?{query}&state={}", attempt.state);
        let answer = server.get(&path).cookie(&attempt.cookie).send().await;
        assert_refused(&answer, 403, &["canary", "access_denied"]);
        answer.body.assert_has(r#"href="/sign-in/oidc""#);
        // That ended it.
        assert_refused(&attempt.returns(&server).await, 403, &[]);
    }
    assert!(provider.asked("/token").await.is_empty());
    assert_nobody(&server).await;
}

#[tokio::test]
async fn a_flood_of_starts_from_one_network_is_cut_off() {
    let provider = OidcProvider::start(ada()).await;
    let trusted = vec!["127.0.0.1".parse::<std::net::IpAddr>().unwrap().into()];
    let setup = Setup::new().oidc(&provider);
    let setup = setup.with(|config| config.trusted_proxies = trusted);
    let server = setup.start().await;
    let attempt = provider.begin_sign_in(&server, USER).await;
    let start = |from: String| server.get(USER).header("x-forwarded-for", &from);
    let starts = (0..140).map(|n| start(format!("203.0.113.{n}")).send());
    let starts = join_all(starts).await;
    let taken = starts.iter().filter(|answer| answer.status == 303).count();
    let refused = starts.iter().filter(|answer| answer.status == 429).count();
    assert_eq!(taken + refused, 140);
    // A few more become due while these are sent.
    assert!((119..135).contains(&taken), "{taken}");
    // Others start as before, and those who are at the provider come back.
    start("198.51.100.1".to_owned()).gets(303).await;
    assert_eq!(attempt.returns(&server).await.status, 303);
}
