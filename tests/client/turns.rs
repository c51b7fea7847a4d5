//! Complete turns: prompt, model, update.

use std::time::Duration;

use ctxmem_client::{Client, Fallback, Turns, Updates};
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{KEY, answering, ok, patient, requests, user};

const BASE: &str = "You help.";
const LONG: Duration = Duration::from_mins(1);

async fn service() -> MockServer {
    let hint = json!({
        "recommended": true,
        "retention": "24h",
        "providerParam": {"prompt_cache_retention": "24h"},
    });
    injecting(&json!({"injectedPrompt": "System:\nAda\n\nYou help.", "cacheHint": hint})).await
}

/// A service that answers injects so, and takes updates.
async fn injecting(answer: &Value) -> MockServer {
    let server = answering(ok(&json!({"updated": true, "delta": {}}))).await;
    let injects = Mock::given(path("/api/context/inject")).respond_with(ok(answer));
    injects.with_priority(1).mount(&server).await;
    server
}

fn turns(url: String) -> Turns {
    Turns::new(Updates::builder(patient(url).build().unwrap()).start())
}

/// The bodies of the calls of this kind that the service received.
async fn bodies(server: &MockServer, call: &str) -> Vec<Value> {
    let mut requests = requests(server).await;
    requests.retain(|request| request.url.path() == format!("/api/context/{call}"));
    let bodies = requests.iter().map(|request| request.body_json().unwrap());
    bodies.collect()
}

/// The updates that the service received: what the user said and what the agent answered.
async fn learned(server: &MockServer) -> Vec<(String, String)> {
    let text = |text: &Value| text.as_str().unwrap().to_owned();
    let updates = bodies(server, "update").await.into_iter();
    let pairs = updates.map(|body| (text(&body["userMessage"]), text(&body["agentResponse"])));
    pairs.collect()
}

fn pair(said: &str, answered: &str) -> (String, String) {
    (said.to_owned(), answered.to_owned())
}

#[tokio::test]
async fn one_call_wraps_a_turn() {
    let server = service().await;
    let turns = turns(server.uri());
    let answer = turns
        .run(&user(), BASE, "Hello", |system| async move {
            assert!(system.is_enriched());
            assert!(system.cache_hint().unwrap().recommended);
            Ok::<_, std::io::Error>(format!("answer to {}", system.prompt()))
        })
        .await
        .unwrap();
    assert_eq!(answer, "answer to System:\nAda\n\nYou help.");
    assert_eq!(turns.updates().flush(LONG).await, 0);
    assert_eq!(learned(&server).await, [pair("Hello", &answer)]);
}

/// What people write first: a closure that borrows, with `?`, in a task of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_natural_closure_is_taken() {
    async fn ask(prompt: &str, said: &str) -> Result<String, std::io::Error> {
        tokio::task::yield_now().await;
        Ok(format!("{} {said}", prompt.len()))
    }
    let server = service().await;
    let turns = turns(server.uri());
    let said = String::from("Hello");
    let turn = async move {
        let answer = turns
            .run(&user(), BASE, said.as_str(), async |system| {
                ask(system.prompt(), &said).await
            })
            .await?;
        assert_eq!(answer, "22 Hello");
        let mut seen = Vec::new();
        let result: Result<String, Box<dyn std::error::Error + Send + Sync>> = turns
            .run(&user(), BASE, "And?", async |system| {
                seen.push(system.is_enriched());
                let number: usize = "7".parse()?;
                let text = ask(system.prompt(), "again").await?;
                Ok(format!("{text} {number}"))
            })
            .await;
        assert_eq!(result.unwrap(), "22 again 7");
        assert_eq!(seen, [true]);
        Ok::<_, std::io::Error>(turns)
    };
    let turns = tokio::spawn(turn).await.unwrap().unwrap();
    assert_eq!(turns.updates().flush(LONG).await, 0);
    assert_eq!(learned(&server).await.len(), 2);
}

#[tokio::test]
async fn nothing_is_learned_if_the_model_fails_or_the_turn_is_dropped() {
    let server = service().await;
    let turns = turns(server.uri());
    let outcome = turns
        .run(&user(), BASE, "Hello", |_| async {
            Err::<String, _>("the model is down")
        })
        .await;
    assert_eq!(outcome.unwrap_err(), "the model is down");
    let ada = user();
    let never = turns.run(&ada, BASE, "Hello", |_| {
        std::future::pending::<Result<String, ()>>()
    });
    let given_up = tokio::time::timeout(Duration::from_millis(200), never).await;
    given_up.unwrap_err();
    drop(turns.begin(&user(), BASE, "Hello").await);
    assert_eq!(turns.updates().shutdown(LONG).await.accepted, 0);
    assert!(learned(&server).await.is_empty());
}

#[tokio::test]
async fn a_streamed_answer_is_collected() {
    let server = service().await;
    let turns = turns(server.uri());
    let mut turn = turns.begin(&user(), BASE, "Hello").await;
    assert_eq!(turn.prompt(), "System:\nAda\n\nYou help.");
    for piece in ["Hi", " ", "there"] {
        turn.push(piece);
    }
    assert!(!format!("{turn:?}").contains("there"));
    turn.finish().unwrap();
    assert_eq!(turns.updates().flush(LONG).await, 0);
    let turn = turns.begin(&user(), BASE, "And?").await;
    turn.finish_with("Whole.").unwrap();
    assert_eq!(turns.updates().flush(LONG).await, 0);
    let expected = [pair("Hello", "Hi there"), pair("And?", "Whole.")];
    assert_eq!(learned(&server).await, expected);
}

#[tokio::test]
async fn the_service_is_told_the_message_of_each_turn() {
    let notes = "Notes about the user.\n- knows: Keeps bees";
    let server = injecting(&json!({"injectedPrompt": BASE, "relevant": notes})).await;
    let turns = turns(server.uri());
    let said = "And my bees?";
    let answer = turns
        .run(&user(), BASE, said, async |system| {
            Ok::<_, std::io::Error>(system.user_message(said).into_owned())
        })
        .await
        .unwrap();
    assert_eq!(answer, format!("{notes}\n\nAnd my bees?"));
    let turn = turns.begin(&user(), BASE, "Hello").await;
    assert_eq!(turn.system().relevant(), Some(notes));
    turn.finish_with("Hi").unwrap();
    let injects = bodies(&server, "inject").await;
    let messages: Vec<&Value> = injects.iter().map(|body| &body["message"]).collect();
    assert_eq!(messages, [said, "Hello"]);
    // What is learned from is what was said.
    assert_eq!(turns.updates().flush(LONG).await, 0);
    let expected = [pair(said, &answer), pair("Hello", "Hi")];
    assert_eq!(learned(&server).await, expected);
}

#[tokio::test]
async fn an_outage_does_not_break_a_turn() {
    let server = answering(ResponseTemplate::new(503)).await;
    let turns = turns(server.uri());
    let answer = turns
        .run(&user(), BASE, "Hello", |system| async move {
            assert!(system.fallback().is_some_and(Fallback::is_outage));
            Ok::<_, std::io::Error>(system.prompt().to_owned())
        })
        .await
        .unwrap();
    assert_eq!(answer, BASE);
    let report = turns.updates().shutdown(Duration::ZERO).await;
    assert_eq!((report.accepted, report.dropped), (1, 1));
}

/// The pattern of the first example: the service asks for half a minute, and the person who talks to
/// the agent waits for none of it, neither for the prompt nor for the update.
#[tokio::test]
async fn a_turn_waits_for_no_rate_limit() {
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "30");
    let server = answering(limited).await;
    let memory = Client::builder().base_url(server.uri()).api_key(KEY);
    let turns = Turns::new(Updates::builder(memory.build().unwrap()).start());
    let user = user();
    let turn = turns.run(&user, BASE, "Hello", async |system| {
        assert!(system.fallback().is_some_and(Fallback::is_outage));
        Ok::<_, std::io::Error>(system.prompt().to_owned())
    });
    let answer = tokio::time::timeout(Duration::from_secs(20), turn).await;
    assert_eq!(answer.expect("waited for the limit").unwrap(), BASE);
    assert_eq!(turns.updates().stats().pending, 1, "the update waits alone");
}

#[tokio::test]
async fn a_turn_without_access_sends_no_conversation() {
    let asking = "https://memory.example.com/consent/a";
    for (reason, page) in [
        ("no_grant", None),
        ("no_scopes", None),
        ("no_grant", Some(asking)),
    ] {
        let mut answer = json!({"injectedPrompt": BASE, "reason": reason});
        if let Some(page) = page {
            answer["consent_url"] = page.into();
        }
        let server = injecting(&answer).await;
        let turns = turns(server.uri());
        let turn = turns.begin(&user(), BASE, "Hello").await;
        assert_eq!(turn.system().consent_url(), page);
        turn.finish_with("Hi").unwrap();
        let user = user();
        let run = turns.run(&user, BASE, "Hello", |_| async { Ok::<_, ()>("Hi") });
        run.await.unwrap();
        assert_eq!(turns.updates().shutdown(LONG).await.accepted, 0, "{answer}");
        assert!(learned(&server).await.is_empty(), "{answer}");
    }
}
