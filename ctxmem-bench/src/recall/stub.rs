//! A model that does not think: an OpenAI-compatible endpoint whose answers are made by a function.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use warp::Filter as _;

use super::people::RecordedFact;

/// The words of a message that a fact quotes.
const QUOTED: usize = 8;

/// The endpoint. It stops when this value is dropped.
pub(super) struct Stub {
    pub(super) url: String,
    asked: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

impl Stub {
    /// Starts an endpoint that completes a request with what this function makes of its body.
    pub(super) async fn start(write: impl Fn(&Value) -> String + Send + Sync + 'static) -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let (count, write) = (Arc::clone(&asked), Arc::new(write));
        let complete = warp::path!("v1" / "chat" / "completions")
            .and(warp::post())
            .and(warp::body::json())
            .map(move |request: Value| {
                count.fetch_add(1, Ordering::Relaxed);
                warp::reply::json(&completion(&request, &write(&request)))
            });
        let models = warp::path!("v1" / "models").map(|| warp::reply::json(&json!({ "data": [] })));
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await;
        let listener = listener.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let serving = tokio::spawn(warp::serve(complete.or(models)).incoming(listener).run());
        Self {
            url,
            asked,
            serving,
        }
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn completion(request: &Value, text: &str) -> Value {
    let words = |text: &str| text.split_whitespace().count();
    json!({
        "choices": [{
            "index": 0,
            "finish_reason": "stop",
            "message": { "role": "assistant", "content": text },
        }],
        "usage": {
            "prompt_tokens": words(&request["messages"].to_string()),
            "completion_tokens": words(text),
        },
    })
}

/// A stub that answers each extraction with the facts recorded of the turn.
pub(super) struct Recorded {
    pub(super) stub: Stub,
    next: Arc<Mutex<Vec<RecordedFact>>>,
}

impl Recorded {
    pub(super) async fn start() -> Self {
        let next: Arc<Mutex<Vec<RecordedFact>>> = Arc::default();
        let facts = Arc::clone(&next);
        let stub = Stub::start(move |request| found(request, &facts.lock().unwrap())).await;
        Self { stub, next }
    }

    /// From now on it finds these.
    pub(super) fn finds(&self, facts: &[RecordedFact]) {
        *self.next.lock().unwrap() = facts.to_vec();
    }
}

/// An extraction's answer. Each fact quotes the first words of the message, so that the check of
/// quotes lets it pass: what it rests on was decided by who recorded it.
fn found(request: &Value, facts: &[RecordedFact]) -> String {
    let data = request["messages"][1]["content"].as_str().unwrap();
    // The data stand on a line of their own, between two marks.
    let data: Value = serde_json::from_str(data.lines().nth(1).unwrap()).unwrap();
    let said = data["user"].as_str().unwrap();
    let first: Vec<&str> = said.split_whitespace().take(QUOTED).collect();
    let facts = facts.iter().map(|fact| {
        json!({
            "scope": fact.scope.name(),
            "key": fact.key,
            "value": fact.value,
            "op": "set",
            "known": 0,
            "was": "",
            "quote": first.join(" "),
        })
    });
    json!({ "facts": facts.collect::<Vec<Value>>() }).to_string()
}

#[cfg(test)]
mod tests {
    use ctxmem_types::Scope;

    use super::*;

    #[test]
    fn facts_quote_the_first_words_of_the_message() {
        let data = json!({ "today": "2023-05-08", "user": "one two  three four five six seven eight nine" });
        let request = json!({ "messages": [{}, { "content": format!("mark\n{data}\nmark") }] });
        let fact = RecordedFact {
            scope: Scope::Preferences,
            key: "likes",
            value: "Tea".to_owned(),
        };
        let answer: Value = serde_json::from_str(&found(&request, &[fact])).unwrap();
        let fact = &answer["facts"][0];
        assert_eq!(fact["quote"], "one two three four five six seven eight");
        assert_eq!(
            (&fact["scope"], &fact["key"], &fact["value"]),
            (&json!("preferences"), &json!("likes"), &json!("Tea"))
        );
        assert_eq!(answer["facts"].as_array().map(Vec::len), Some(1));
    }
}
