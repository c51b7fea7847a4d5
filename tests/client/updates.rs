//! Background updates: the queue is bounded and in order, and every update is counted and
//! reported.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use ctxmem_client::types::Timestamp;
use ctxmem_client::updates::{
    BackgroundUpdate, RejectReason, UpdateResult, UpdateStats, UpdatesBuilder,
};
use ctxmem_client::{Interaction, Updates, UserId};
use serde_json::{Value, json};
use wiremock::{MockServer, Request, Respond, ResponseTemplate};

use crate::support::{self, answering, header, json, ok, requests};

const LONG: Duration = Duration::from_mins(1);

fn user(n: usize) -> UserId {
    UserId::new(format!("user-{n}")).unwrap()
}

fn interaction(user_number: usize, said: impl Into<String>) -> Interaction {
    Interaction::new(user(user_number), said, "Noted.")
}

/// A service whose behaviour can be changed while it runs.
#[derive(Clone, Default)]
struct Service {
    is_down: Arc<AtomicBool>,
    delay: Duration,
    answer: Option<(u16, Value)>,
}

impl Respond for Service {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = request.body_json().unwrap();
        let answer = if self.is_down.load(Ordering::SeqCst) {
            json(503, &json!({"error": "Later.", "code": "INTERNAL_ERROR"}))
        } else if body["userMessage"] == "forbidden" {
            json(403, &json!({"error": "No.", "code": "FORBIDDEN"}))
        } else if let Some((status, body)) = &self.answer {
            json(*status, body)
        } else {
            ok(&json!({"updated": true, "delta": {}}))
        };
        answer.set_delay(self.delay)
    }
}

impl Service {
    /// A memory that answers with this status and body.
    fn answering(status: u16, body: Value) -> Self {
        Self {
            answer: Some((status, body)),
            ..Self::default()
        }
    }

    /// A memory that is down for now.
    fn down() -> Self {
        let service = Self::default();
        service.is_down.store(true, Ordering::SeqCst);
        service
    }

    /// A memory that takes this long to answer.
    fn slow(delay: Duration) -> Self {
        Self {
            delay,
            ..Self::default()
        }
    }
}

fn builder(server: &MockServer) -> UpdatesBuilder {
    let client = support::builder(server.uri());
    Updates::builder(client.build().unwrap())
}

/// Keeps every result.
#[derive(Clone, Default)]
struct Results(Arc<Mutex<Vec<BackgroundUpdate>>>);

impl Results {
    fn keeper(&self) -> impl Fn(&BackgroundUpdate) + Send + Sync + 'static {
        let kept = self.0.clone();
        move |update| kept.lock().unwrap().push(update.clone())
    }

    fn all(&self) -> Vec<BackgroundUpdate> {
        self.0.lock().unwrap().clone()
    }

    /// How many were sent, failed, were rejected and were dropped.
    fn counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        for update in self.all() {
            counts[match update.result {
                UpdateResult::Sent(_) => 0,
                UpdateResult::Failed(_) => 1,
                UpdateResult::Rejected(_) => 2,
                UpdateResult::Dropped => 3,
                other => panic!("{other:?}"),
            }] += 1;
        }
        counts
    }
}

/// A queue of updates to this server, and what becomes of them.
fn queue(server: &MockServer) -> (Updates, Results) {
    let results = Results::default();
    let updates = builder(server).on_result(results.keeper()).start();
    (updates, results)
}

fn is_exact(stats: UpdateStats) -> bool {
    stats.accepted == stats.sent + stats.failed + stats.dropped + stats.pending
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_updates_at_ten_times_the_capacity() {
    let server = answering(Service::default()).await;
    let results = Results::default();
    let updates = builder(&server)
        .max_items(1_000)
        .concurrency(8)
        .on_result(results.keeper())
        .start();
    let mut came_back = 0;
    for n in 0..10_000 {
        let said = if n % 20 == 0 {
            "forbidden"
        } else {
            "I like tea."
        };
        came_back += usize::from(updates.send(interaction(n % 100, said)).is_err());
    }
    let left = updates.flush(LONG).await;
    let stats = updates.shutdown(LONG).await;
    println!(
        "figure: 10,000 updates at ten times capacity: accepted {} = sent {} + failed {} + \
         dropped {}; rejected {}; left after flush {left}",
        stats.accepted, stats.sent, stats.failed, stats.dropped, stats.rejected
    );
    assert_eq!(left, 0);
    assert_eq!(stats.accepted, stats.sent + stats.failed + stats.dropped);
    assert_eq!(stats.accepted + stats.rejected, 10_000);
    assert_eq!(stats.rejected, came_back);
    assert!(came_back > 0, "the capacity was reached");
    assert!(stats.failed > 0);
    assert_eq!(stats.dropped, 0);
    assert_eq!(stats.pending, 0);
    // The reported results match the counts and the requests at the service.
    assert_eq!(results.all().len(), 10_000);
    let expected = [stats.sent, stats.failed, stats.rejected, 0];
    assert_eq!(results.counts(), expected);
    assert_eq!(requests(&server).await.len(), stats.accepted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_in_the_middle_counts_exactly() {
    let server = answering(Service::slow(Duration::from_millis(20))).await;
    let (updates, results) = queue(&server);
    for n in 0..1_000 {
        updates.send(interaction(n % 50, "Hi")).unwrap();
    }
    let start = Instant::now();
    let stats = updates.shutdown(Duration::from_millis(300)).await;
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(stats.accepted, 1_000);
    assert_eq!(stats.accepted, stats.sent + stats.failed + stats.dropped);
    assert!(stats.sent > 0, "{stats:?}");
    assert!(stats.dropped > 0, "{stats:?}");
    assert_eq!(results.all().len(), 1_000);
    assert_eq!(results.counts()[3], stats.dropped);
    let rejected = updates.send(interaction(1, "Hi")).unwrap_err();
    assert_eq!(rejected.reason, RejectReason::Closed);
    assert_eq!(rejected.interaction.user_message, "Hi");
    assert!(is_exact(updates.stats()));
    // A second shutdown does no harm.
    let again = updates.shutdown(Duration::ZERO).await;
    assert_eq!(again.dropped, stats.dropped);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_users_updates_keep_their_order() {
    struct Uneven(AtomicUsize);
    impl Respond for Uneven {
        fn respond(&self, _: &Request) -> ResponseTemplate {
            let n = self.0.fetch_add(1, Ordering::SeqCst) as u64;
            ok(&json!({"updated": true})).set_delay(Duration::from_millis(n * 7 % 11))
        }
    }
    let server = answering(Uneven(AtomicUsize::new(0))).await;
    let results = Results::default();
    let updates = builder(&server)
        .concurrency(8)
        .on_result(results.keeper())
        .start();
    let mut keys: HashMap<UserId, Vec<String>> = HashMap::new();
    for n in 0..400 {
        let interaction = interaction(n % 10, n.to_string());
        let of_user = keys.entry(interaction.user_id.clone()).or_default();
        of_user.push(interaction.idempotency_key().to_owned());
        updates.send(interaction).unwrap();
    }
    assert_eq!(updates.flush(LONG).await, 0);
    // Each update ended before the next one was sent. Otherwise the varying delays would change
    // the order.
    let mut ended: HashMap<UserId, Vec<String>> = HashMap::new();
    for update in results.all() {
        let of_user = ended.entry(update.user_id).or_default();
        of_user.push(update.idempotency_key);
    }
    assert!(ended == keys, "the updates of a user overtook each other");
}

#[tokio::test]
async fn an_outage_is_waited_out() {
    let service = Service::down();
    let server = answering(service.clone()).await;
    let (updates, results) = queue(&server);
    for n in 0..40 {
        updates.send(interaction(n % 8, n.to_string())).unwrap();
    }
    let start = Instant::now();
    let left = updates.flush(Duration::from_millis(700)).await;
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(left, 40, "nothing is given up yet");
    service.is_down.store(false, Ordering::SeqCst);
    assert_eq!(updates.flush(LONG).await, 0);
    assert_eq!(updates.stats().sent, 40);
    assert!(results.all().iter().all(|update| !update.is_lost()));
    // All attempts at an interaction send the same key.
    let mut keys: HashMap<Vec<u8>, String> = HashMap::new();
    for request in requests(&server).await {
        let key = header(&request, "idempotency-key");
        let first = keys.entry(request.body).or_insert_with(|| key.clone());
        assert_eq!(*first, key);
    }
    assert_eq!(keys.len(), 40);
}

#[tokio::test]
async fn updates_that_are_too_old_fail() {
    let server = answering(Service::down()).await;
    let results = Results::default();
    let updates = builder(&server)
        .max_age(Duration::ZERO)
        .on_result(results.keeper())
        .start();
    updates.send(interaction(1, "Hi")).unwrap();
    assert_eq!(updates.flush(LONG).await, 0);
    assert_eq!(updates.stats().failed, 1);
    let all = results.all();
    let UpdateResult::Failed(error) = &all[0].result else {
        panic!("{all:?}");
    };
    assert_eq!(error.status(), Some(503));
}

#[tokio::test]
async fn items_and_bytes_are_bounded() {
    let server = answering(Service::slow(Duration::from_millis(200))).await;
    let updates = builder(&server).max_items(2).max_bytes(1_000).start();
    let rejected = updates.send(interaction(1, "x".repeat(1_000))).unwrap_err();
    assert_eq!(rejected.reason, RejectReason::Full);
    let words = "the update was rejected: the queue is full";
    assert_eq!(rejected.to_string(), words);
    assert!(!format!("{rejected:?}").contains("xxx"));
    updates.send(interaction(1, "a")).unwrap();
    updates.send(interaction(2, "b")).unwrap();
    assert!(updates.send(interaction(3, "c")).is_err());
    assert_eq!(updates.flush(LONG).await, 0);
    updates.send(interaction(3, "c")).unwrap();
    let stats = updates.shutdown(LONG).await;
    assert_eq!((stats.accepted, stats.sent, stats.rejected), (3, 3, 2));
}

#[tokio::test]
async fn results_say_what_was_learned_denied_or_over_the_quota() {
    let learned = json!({
        "updated": true,
        "delta": {"general": {"name": {"value": "Ada", "source_type": "observed"}}},
        "denied_scopes": ["goals"],
        "notice": "Not granted.",
    });
    let server = answering(Service::answering(200, learned)).await;
    let (updates, results) = queue(&server);
    let sent = interaction(1, "I am Ada.");
    let key = sent.idempotency_key().to_owned();
    updates.send(sent).unwrap();
    updates.shutdown(LONG).await;
    let update = results.all().remove(0);
    assert_eq!(update.user_id, user(1));
    assert_eq!(update.idempotency_key, key);
    assert_eq!(update.denied_scopes().len(), 1);
    assert!(!update.is_over_quota() && !update.is_lost());
    let delta = update.response().unwrap().delta.as_ref().unwrap();
    assert_eq!(delta.facts().count(), 1);
    assert!(!format!("{update:?}").contains("Ada"));

    let over = json!({"updated": false, "limitReached": true});
    let server = answering(Service::answering(200, over)).await;
    let (updates, results) = queue(&server);
    updates.send(interaction(1, "I am Ada.")).unwrap();
    updates.shutdown(LONG).await;
    let update = results.all().remove(0);
    assert!(update.is_over_quota() && update.is_lost());
}

#[tokio::test]
async fn a_callback_that_panics_stops_nothing() {
    let server = answering(Service::default()).await;
    let updates = builder(&server).on_result(|_| panic!("oh")).start();
    for n in 0..20 {
        updates.send(interaction(n, "Hi")).unwrap();
    }
    assert_eq!(updates.flush(LONG).await, 0);
    assert_eq!(updates.stats().sent, 20);
}

#[tokio::test]
async fn what_is_pending_when_the_last_handle_is_dropped_is_still_sent() {
    let server = answering(Service::default()).await;
    let (updates, results) = queue(&server);
    let clone = updates.clone();
    drop(updates);
    for n in 0..20 {
        clone.send(interaction(n, "Hi")).unwrap();
    }
    drop(clone);
    let start = Instant::now();
    while results.all().len() < 20 && start.elapsed() < LONG {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(results.counts(), [20, 0, 0, 0]);
}

/// When a runtime ends its workers end with it, but their updates are still reported.
#[test]
fn a_runtime_that_ends_drops_what_was_being_sent() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let results = Results::default();
    let updates = runtime.block_on(async {
        let server = answering(Service::slow(LONG)).await;
        let updates = builder(&server).on_result(results.keeper()).start();
        updates.send(interaction(1, "Hi")).unwrap();
        while requests(&server).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        updates
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    assert_eq!(updates.stats().dropped, 1);
    assert_eq!(results.counts(), [0, 0, 0, 1]);
}

/// The `at` of each update that the service received, in order.
async fn times(server: &MockServer) -> Vec<Value> {
    let at = |request: &Request| request.body_json::<Value>().unwrap()["at"].clone();
    requests(server).await.iter().map(at).collect()
}

fn ago(minutes: i64) -> Timestamp {
    (Utc::now() - TimeDelta::minutes(minutes)).into()
}

#[tokio::test]
async fn what_goes_out_late_says_when_it_was() {
    let server = answering(Service::default()).await;
    let updates = builder(&server).start();
    let late = ago(90);
    let odd: Timestamp = "2026-03-01T09:30:00.5+02:00".parse().unwrap();
    for at in [
        Some(&late),
        Some(&odd),
        None,
        Some(&ago(0)),
        Some(&ago(-90)),
    ] {
        let mut interaction = interaction(1, "My exam is tomorrow.");
        interaction.at = at.cloned();
        updates.send(interaction).unwrap();
    }
    assert_eq!(updates.flush(LONG).await, 0);
    // What is sent at once needs no time, and of one that is still to come the service hears nothing.
    let (none, text) = (Value::Null, |at: &Timestamp| json!(at.as_str()));
    let expected = [text(&late), text(&odd), none.clone(), none.clone(), none];
    assert_eq!(times(&server).await, expected);
}

#[tokio::test]
async fn the_queue_notes_when_a_turn_ended() {
    let server = answering(Service::default()).await;
    let updates = builder(&server).max_items(0).start();
    let before = Utc::now();
    let rejected = updates.send(interaction(1, "Hi")).unwrap_err();
    let noted = rejected.interaction.at.unwrap();
    // It has milliseconds.
    assert!(noted.at() >= before - TimeDelta::milliseconds(1) && noted.at() <= Utc::now());
    let told = interaction(1, "Hi").with_time(ago(90));
    let rejected = updates.send(told.clone()).unwrap_err();
    assert_eq!(rejected.interaction.at, told.at);
}

/// A clock that runs ahead, an answer that was given before, a deployment that does not know the field.
#[tokio::test]
async fn an_update_whose_time_is_refused_goes_out_without_it() {
    struct Refusing(&'static str);
    impl Respond for Refusing {
        fn respond(&self, request: &Request) -> ResponseTemplate {
            let body: Value = request.body_json().unwrap();
            if body.get("at").is_some() {
                return json(400, &json!({"error": self.0, "code": "BAD_REQUEST"}));
            }
            ok(&json!({"updated": true, "delta": {}}))
        }
    }
    for why in [
        "at: expected when the exchange was, not a time in the future",
        "Idempotency-Key: it was used with a different request",
        "unknown field",
    ] {
        let server = answering(Refusing(why)).await;
        let (updates, results) = queue(&server);
        let late = interaction(1, "My exam is tomorrow.").with_time(ago(90));
        updates.send(late.clone()).unwrap();
        assert_eq!(updates.flush(LONG).await, 0);
        assert_eq!(results.counts(), [1, 0, 0, 0]);
        let sent = times(&server).await;
        assert_eq!(sent.len(), 2, "{why}");
        assert!(sent[0].is_string() && sent[1].is_null(), "{sent:?}");
        // With the same key, so that it is learned from once.
        for request in requests(&server).await {
            let key = header(&request, "idempotency-key");
            assert_eq!(key, late.idempotency_key());
        }
    }
}

/// An update that is wrong in another way is tried once more and no further.
#[tokio::test]
async fn an_update_that_is_refused_without_its_time_as_well_fails() {
    let no = json!({"error": "No.", "code": "BAD_REQUEST"});
    let server = answering(Service::answering(400, no)).await;
    let (updates, results) = queue(&server);
    let late = interaction(1, "Hi").with_time(ago(90));
    updates.send(late).unwrap();
    updates.send(interaction(1, "Hi")).unwrap();
    assert_eq!(updates.flush(LONG).await, 0);
    assert_eq!(results.counts(), [0, 2, 0, 0]);
    assert_eq!(times(&server).await.len(), 3);
}

/// All attempts send the same, to the byte: a service compares a repeated key with the request.
#[tokio::test]
async fn every_attempt_at_a_late_update_is_the_same() {
    let service = Service::down();
    let server = answering(service.clone()).await;
    let updates = builder(&server).start();
    let late = interaction(1, "Hi").with_time(ago(90));
    updates.send(late).unwrap();
    updates.flush(Duration::from_millis(700)).await;
    service.is_down.store(false, Ordering::SeqCst);
    assert_eq!(updates.flush(LONG).await, 0);
    let requests = requests(&server).await;
    assert!(requests.len() > 2, "{}", requests.len());
    for request in &requests {
        assert_eq!(request.body, requests[0].body);
    }
    assert!(times(&server).await[0].is_string());
}
