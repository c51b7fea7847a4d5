//! Reports of problems: in the log once a minute, and in the texts of errors.

use std::time::Duration;

use ctxmem_client::{ClientBuilder, Error, Interaction, Turns, Updates};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::faulty::{Fault, Faulty};
use crate::logs;
use crate::raw::{Ending, RawServer};
use crate::support::{answering, json as answer, patient as builder, requests, user};

const BASE: &str = "You help.";
const LONG: Duration = Duration::from_mins(1);

fn rejection(status: u16, code: &str) -> ResponseTemplate {
    answer(status, &json!({"error": "canary", "code": code})).insert_header("x-request-id", "r-7")
}

#[tokio::test]
async fn a_refusal_is_logged_once_with_its_code_and_request_id() {
    for (status, code) in [
        (401, "UNAUTHORIZED"),
        (403, "FORBIDDEN"),
        (400, "BAD_REQUEST"),
    ] {
        let server = answering(rejection(status, code)).await;
        let client = builder(server.uri()).build().unwrap();
        logs::keep();
        for _ in 0..5 {
            let injected = client.inject_or_base(&user(), BASE).await;
            assert!(injected.fallback().is_some());
        }
        let warnings = logs::warnings();
        assert_eq!(warnings.len(), 1, "{warnings:#?}");
        assert!(warnings[0].contains(code), "{warnings:#?}");
        assert!(warnings[0].contains("r-7"), "{warnings:#?}");
        assert!(!warnings[0].contains("canary"), "{warnings:#?}");
    }
}

#[tokio::test]
async fn turns_log_a_wrong_key_once_and_not_in_every_turn() {
    let server = answering(rejection(401, "UNAUTHORIZED")).await;
    let client = builder(server.uri()).build().unwrap();
    logs::keep();
    let turns = Turns::new(Updates::builder(client).start());
    for _ in 0..5 {
        let turn = turns.begin(&user(), BASE, "Hello").await;
        turn.finish_with("Hi").unwrap();
    }
    assert_eq!(turns.updates().flush(LONG).await, 0);
    let warnings = logs::warnings();
    let refusals = warnings.iter().filter(|line| line.contains("refused"));
    assert_eq!(refusals.count(), 1, "{warnings:#?}");
    // That a conversation is lost is said as well, and no more often.
    assert_eq!(warnings.len(), 2, "{warnings:#?}");
}

#[tokio::test]
async fn a_turn_that_is_dropped_is_logged_without_its_text() {
    let good = json!({"injectedPrompt": BASE, "updated": true});
    let server = answering(answer(200, &good)).await;
    logs::keep();
    let turns = Turns::start(builder(server.uri()).build().unwrap());
    let mut turn = turns.begin(&user(), BASE, "canary").await;
    turn.push("canary");
    drop(turn);
    let warnings = logs::warnings();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    let unfinished = warnings[0].contains("before it was finished");
    assert!(unfinished, "{warnings:#?}");
    assert!(!warnings[0].contains("canary"), "{warnings:#?}");
    logs::keep();
    // One that is finished is not, nor one whose model failed, which its caller knows.
    let turn = turns.begin(&user(), BASE, "Hello").await;
    turn.finish_with("Hi").unwrap();
    let ada = user();
    let failed = turns.run(&ada, BASE, "Hello", async |_| Err::<String, _>("down"));
    assert_eq!(failed.await, Err("down"));
    assert_eq!(logs::warnings(), [""; 0]);
}

#[tokio::test]
async fn the_end_of_a_queue_logs_the_losses_that_were_only_counted() {
    let server = answering(rejection(401, "UNAUTHORIZED")).await;
    let lose_five = async |url: String| {
        let updates = Updates::builder(builder(&url).build().unwrap()).start();
        for _ in 0..5 {
            let interaction = Interaction::new(user(), "I use Helix.", "Noted.");
            updates.send(interaction).unwrap();
        }
        updates
    };
    logs::keep();
    let updates = lose_five(server.uri()).await;
    assert_eq!(updates.shutdown(LONG).await.failed, 5);
    let lost = logs_of_lost();
    assert_eq!(lost.len(), 2, "{lost:#?}");
    assert!(lost[0].contains("unlogged=0"), "{lost:#?}");
    assert!(lost[1].contains("unlogged=4"), "{lost:#?}");

    // What is dropped because nobody answers counts as well.
    let silent = answering(ResponseTemplate::new(200).set_delay(LONG)).await;
    logs::keep();
    let updates = lose_five(silent.uri()).await;
    assert_eq!(updates.shutdown(Duration::from_millis(50)).await.dropped, 5);
    let lost = logs_of_lost();
    assert!(lost[1].contains("unlogged=4"), "{lost:#?}");
}

/// The warnings about interactions that were lost.
fn logs_of_lost() -> Vec<String> {
    let mut warnings = logs::warnings();
    warnings.retain(|line| line.contains("not learned from"));
    warnings
}

#[tokio::test]
async fn an_outage_is_logged_once_as_a_warning() {
    let server = answering(rejection(503, "INTERNAL_ERROR")).await;
    let client = builder(server.uri()).build().unwrap();
    logs::keep();
    for _ in 0..7 {
        client.inject_or_base(&user(), BASE).await;
    }
    let warnings = logs::warnings();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(warnings[0].contains("503"), "{warnings:#?}");
}

/// Two users, so that two workers wait for the service at the same time.
#[tokio::test]
async fn a_flush_does_not_shorten_a_wait_that_the_service_asked_for() {
    let limited = rejection(429, "RATE_LIMITED").insert_header("retry-after", "90");
    let server = answering(limited).await;
    let updates = Updates::builder(builder(server.uri()).build().unwrap()).start();
    for said in ["one", "two"] {
        updates.send(Interaction::new(user(), said, "Hi")).unwrap();
    }
    let other = ctxmem_client::UserId::new("grace").unwrap();
    let three = Interaction::new(other, "three", "Hi");
    updates.send(three).unwrap();
    assert_eq!(updates.flush(Duration::from_secs(2)).await, 3);
    let stats = updates.shutdown(Duration::from_secs(1)).await;
    assert_eq!((stats.accepted, stats.dropped), (3, 3));
    let requests = requests(&server).await.len();
    assert!(requests <= 2, "{requests} requests under Retry-After");
}

async fn fail(client: ClientBuilder) -> Error {
    let client = client.build().unwrap();
    client.inject(&user(), BASE).await.unwrap_err()
}

#[tokio::test]
async fn an_outage_says_what_it_is() {
    let nobody = Faulty::start(Fault::Refused);
    let error = fail(builder(&nobody.url)).await.to_string();
    assert!(error.contains("refused"), "{error}");

    let error = fail(builder("http://ctxmem.invalid")).await.to_string();
    assert!(error.contains("DNS"), "{error}");

    let plain = RawServer::saying_at_once("220 mail.example.com ESMTP\r\n");
    let url = plain.url.replace("http://", "https://");
    let error = fail(builder(&url)).await.to_string();
    assert!(error.contains("TLS"), "{error}");

    let hung = RawServer::saying("", Ending::Hang);
    let client = builder(&hung.url).inject_timeout(Duration::from_millis(200));
    let error = fail(client).await.to_string();
    assert!(error.contains("in time"), "{error}");
}

#[tokio::test]
async fn a_bad_request_names_field_and_expectation_in_our_servers_words_only() {
    let ours = [
        "basePrompt: expected a string, found a number",
        "userId: a required field is missing",
        "scopes[1]: expected a string, found null",
        "expiresAt: expected a time in the future",
        "userId: expected 1 to 256 bytes of text without NUL, other than `.` and `..`",
        "Content-Type: expected application/json.",
        "body: expected JSON, broken at line 1 column 17",
    ];
    let others = [
        "basePrompt: expected canary, found a number",
        "canary: expected a string, found a number",
        "basePrompt: expected a string, found a canary",
        "preferences.canary: expected a string, found a number",
        "scopes[canary]: expected a string, found null",
        "You said: canary",
        "body: expected JSON, broken at line canary column 17",
    ];
    let ours = ours.map(|text| (text, true));
    for (text, shown) in ours.into_iter().chain(others.map(|text| (text, false))) {
        let server = answering(answer(400, &json!({"error": text, "code": "BAD_REQUEST"}))).await;
        let error = fail(builder(server.uri())).await;
        let printed = error.to_string();
        let is_shown = printed.contains(text.trim_end_matches('.'));
        assert_eq!(is_shown, shown, "{printed}");
        assert!(!printed.contains("canary"), "{printed}");
        assert!(!format!("{error:?}").contains("canary"));
    }
}
