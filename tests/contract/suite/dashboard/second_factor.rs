//! One-time codes and recovery codes.

use std::sync::Arc;

use chrono::Duration;

use super::is_in;
use crate::suite::support::{
    Authenticator, Developer, PASSWORD, RawResponse, Server, Setup, TestClock, Text as _, between,
};

const PATH: &str = "/dashboard/settings";

async fn at_start() -> (Arc<TestClock>, Server, Developer) {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let ann = Developer::new(&server, "ann@example.com").await;
    (clock, server, ann)
}

/// Turns the factor on, and answers its app and the recovery codes.
async fn turns_on(ann: &Developer, clock: &TestClock) -> (Authenticator, Vec<String>) {
    let app = ann.begins_second_factor().await;
    let fields = [("code", &*app.code(clock)), ("password", PASSWORD)];
    let answer = ann.post("/dashboard/settings/code/confirm", &fields).await;
    let page = ann.shown_once(&answer).await;
    let codes = between(&page.body, "<code id=\"codes\">", "<").split_whitespace();
    (app, codes.map(ToOwned::to_owned).collect())
}

/// The cookie after the right password.
async fn password(server: &Server) -> String {
    let tried = Developer::tries(server, "ann@example.com", PASSWORD);
    let answer = tried.gets(303).await;
    assert_eq!(answer.header("location"), Some("/dashboard/sign-in/code"));
    assert!(
        answer.cookie("ctxmem_developer").is_none(),
        "that is a session"
    );
    answer.cookie_pair("ctxmem_step")
}

async fn types(server: &Server, cookie: &str, code: &str) -> RawResponse {
    let form = server.raw("POST", "/dashboard/sign-in/code");
    form.cookie(cookie).form(&[("code", code)]).send().await
}

async fn opens(server: &Server, answer: &RawResponse) -> bool {
    let Some(_) = answer.cookie("ctxmem_developer") else {
        return false;
    };
    is_in(server, &answer.cookie_pair("ctxmem_developer")).await
}

#[tokio::test]
async fn with_a_second_factor_the_password_alone_opens_nothing() {
    let (clock, server, ann) = at_start().await;
    let (app, codes) = turns_on(&ann, &clock).await;
    assert_eq!(codes.len(), 10);
    // What the form for the code needs is no session.
    let kept = password(&server).await;
    server.get("/dashboard").cookie(&kept).gets(401).await;
    // The code that turned it on was used.
    let replayed = types(&server, &kept, &app.code(&clock)).await;
    assert_eq!(replayed.status, 401, "{}", replayed.body);
    clock.advance(Duration::seconds(30));
    for wrong in ["", "123", "abcdef", "1234567", &codes[0][..18]] {
        assert_eq!(types(&server, &kept, wrong).await.status, 401, "{wrong}");
    }
    let now = app.code(&clock);
    let spaced = format!("{} {}", &now[..3], &now[3..]);
    let answer = types(&server, &kept, &spaced).await;
    assert!(opens(&server, &answer).await, "{}", answer.body);
    let again = types(&server, &kept, &now).await;
    assert!(again.status == 401 && !opens(&server, &again).await);
}

#[tokio::test]
async fn a_recovery_code_opens_once() {
    let (clock, server, ann) = at_start().await;
    let (_, codes) = turns_on(&ann, &clock).await;
    let page = ann.get(PATH).await;
    page.assert_has("10 recovery codes left");
    assert!(!page.contains(&codes[0]), "they are shown once");
    let kept = password(&server).await;
    let typed = codes[3].to_uppercase().replace('-', " ");
    assert!(opens(&server, &types(&server, &kept, &typed).await).await);
    assert_eq!(types(&server, &kept, &codes[3]).await.status, 401);
    assert!(ann.get(PATH).await.contains("9 recovery codes left"));
}

#[tokio::test]
async fn it_is_on_when_a_first_code_was_right_and_off_by_another() {
    let (clock, server, ann) = at_start().await;
    let first = ann.begins_second_factor().await;
    let app = ann.begins_second_factor().await;
    assert_ne!(first.secret, app.secret);
    for wrong in [first.code(&clock), "000".to_owned()] {
        let fields = [("code", &*wrong)];
        let page = ann.post("/dashboard/settings/code/confirm", &fields).await;
        assert_eq!(page.status, 400);
        page.body.assert_has("Not saved. Enter the six digits");
    }
    // Nobody who only began is locked out.
    let answer = Developer::tries(&server, "ann@example.com", PASSWORD);
    assert!(opens(&server, &answer.send().await).await);
    // A stolen session is not enough to lock its owner out.
    assert!(ann.get(PATH).await.contains("Your password"));
    let now = app.code(&clock);
    for wrong in [None, Some(""), Some("wrong horse battery")] {
        let mut fields = vec![("code", &*now)];
        fields.extend(wrong.map(|wrong| ("password", wrong)));
        let page = ann.post("/dashboard/settings/code/confirm", &fields).await;
        assert_eq!(page.status, 400);
        let said = page.body.contains("Not saved. The password is wrong.");
        assert!(said, "{}", page.body);
    }
    let answer = Developer::tries(&server, "ann@example.com", PASSWORD);
    assert!(opens(&server, &answer.send().await).await);
    let fields = [("code", &*now), ("password", PASSWORD)];
    let on = ann.post("/dashboard/settings/code/confirm", &fields).await;
    assert_eq!(on.status, 303, "{}", on.body);
    let again = ann.post("/dashboard/settings/code", &[]).await;
    again.assert_error(409);
    let page = ann.post("/dashboard/settings/code/end", &fields).await;
    assert_eq!(page.status, 400, "a code is accepted once");
    clock.advance(Duration::seconds(30));
    let fields = [("code", &*app.code(&clock))];
    let page = ann.submit("/dashboard/settings/code/end", &fields).await;
    page.assert_has("The second factor is off.");
    let answer = Developer::tries(&server, "ann@example.com", PASSWORD);
    assert!(opens(&server, &answer.send().await).await);
}

#[tokio::test]
async fn codes_can_not_be_guessed_and_the_password_does_not_count_for_long() {
    let (clock, server, ann) = at_start().await;
    let (app, _) = turns_on(&ann, &clock).await;
    clock.advance(Duration::seconds(30));
    let kept = password(&server).await;
    clock.advance(Duration::minutes(5));
    let late = types(&server, &kept, &app.code(&clock)).await;
    assert_eq!(late.header("location"), Some("/dashboard"));
    assert!(!opens(&server, &late).await);
    for made_up in ["ctxmem_step=", "ctxmem_step=made-up"] {
        let answer = types(&server, made_up, &app.code(&clock)).await;
        assert_eq!(answer.header("location"), Some("/dashboard"));
    }
    // A changed password ends what the old one began.
    let kept = password(&server).await;
    server
        .set_password("ann@example.com", "another horse battery")
        .await;
    let answer = types(&server, &kept, &app.code(&clock)).await;
    assert!(answer.status == 303 && !opens(&server, &answer).await);
    server.set_password("ann@example.com", PASSWORD).await;
    let kept = password(&server).await;
    let mut statuses = Vec::new();
    for _ in 0..11 {
        statuses.push(types(&server, &kept, "000000").await.status);
    }
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
}

/// Like `types`, by somebody in another network.
async fn types_from(server: &Server, from: &str, cookie: &str, code: &str) -> RawResponse {
    let form = server.raw("POST", "/dashboard/sign-in/code").cookie(cookie);
    let form = form.header("x-forwarded-for", from);
    form.form(&[("code", code)]).send().await
}

#[tokio::test]
async fn codes_are_counted_by_developer_wherever_they_come_from() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let trusted = vec!["127.0.0.1/32".parse().unwrap()];
    let setup = Setup::new().clock(&clock);
    let server = setup.with(|config| config.trusted_proxies = trusted);
    let server = server.start().await;
    let ann = Developer::new(&server, "ann@example.com").await;
    let bob = Developer::new(&server, "bob@example.com").await;
    let (app, codes) = turns_on(&ann, &clock).await;
    clock.advance(Duration::seconds(30));
    let kept = password(&server).await;
    let mut statuses = Vec::new();
    for network in 0..10 {
        for n in 0..3 {
            let from = format!("203.0.{network}.{n}");
            statuses.push(types_from(&server, &from, &kept, "000 000").await.status);
        }
    }
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[10..], [429; 20]);
    // The right one is held up, too, and by the form in the settings.
    let now = app.code(&clock);
    let held_up = types_from(&server, "198.51.100.1", &kept, &now).await;
    assert_eq!(held_up.status, 429, "{}", held_up.body);
    let fields = [("code", &*now)];
    let held_up = ann.post("/dashboard/settings/code/end", &fields).await;
    assert_eq!(held_up.status, 429, "{}", held_up.body);
    let wait: u64 = held_up.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // A recovery code is the way in, and out.
    let answer = types_from(&server, "203.0.0.1", &kept, &codes[0]).await;
    assert!(opens(&server, &answer).await, "{}", answer.body);
    let fields = [("code", &*codes[1])];
    ann.submit("/dashboard/settings/code/end", &fields).await;
    // Others are none of that.
    let (app, _) = turns_on(&bob, &clock).await;
    clock.advance(Duration::seconds(30));
    let kept = Developer::tries(&server, &bob.email, PASSWORD).send().await;
    let kept = kept.cookie_pair("ctxmem_step");
    let answer = types(&server, &kept, &app.code(&clock)).await;
    assert!(opens(&server, &answer).await, "{}", answer.body);
}

#[tokio::test]
async fn right_codes_do_not_count() {
    let (clock, server, ann) = at_start().await;
    let (app, _) = turns_on(&ann, &clock).await;
    let known = Developer::tries(&server, &ann.email, PASSWORD).send().await;
    let step = known.cookie_pair("ctxmem_step");
    clock.advance(Duration::seconds(30));
    let answer = types(&server, &step, &app.code(&clock)).await;
    let mut device = answer.cookie_pair("ctxmem_device");
    for n in 0..12 {
        if n == 4 || n == 8 {
            // Another browser: each is counted by itself, too.
            device = String::new();
        }
        let again = Developer::tries(&server, &ann.email, PASSWORD).cookie(&device);
        let step = again.send().await.cookie_pair("ctxmem_step");
        clock.advance(Duration::seconds(30));
        let cookies = format!("{step}; {device}");
        let answer = types(&server, &cookies, &app.code(&clock)).await;
        assert!(opens(&server, &answer).await, "{n}: {}", answer.body);
        device = answer.cookie_pair("ctxmem_device");
    }
}

#[tokio::test]
async fn the_password_can_not_be_guessed_where_the_factor_is_turned_on() {
    let (clock, _, ann) = at_start().await;
    let app = ann.begins_second_factor().await;
    let now = app.code(&clock);
    let mut statuses = Vec::new();
    for _ in 0..10 {
        let fields = [("code", &*now), ("password", "wrong horse battery")];
        let page = ann.post("/dashboard/settings/code/confirm", &fields).await;
        statuses.push(page.status);
    }
    // Ann has signed in once.
    assert_eq!(statuses[..9], [400; 9]);
    assert_eq!(statuses[9], 429);
}

#[tokio::test]
async fn an_operator_can_turn_it_off() {
    let (clock, server, ann) = at_start().await;
    turns_on(&ann, &clock).await;
    let console = &server.console;
    assert!(
        console
            .reset_second_factor("nobody@example.com")
            .await
            .is_err()
    );
    console
        .reset_second_factor("Ann@example.com")
        .await
        .unwrap();
    let answer = Developer::tries(&server, "ann@example.com", PASSWORD);
    assert!(opens(&server, &answer.send().await).await);
}
