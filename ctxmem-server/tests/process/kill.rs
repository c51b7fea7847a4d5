//! kill -9 while updates are acknowledged: what was acknowledged is there after a restart.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_client::Client;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::model;
use crate::process::{Home, count, user};

const WRITERS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_updates_survive_kill_9() {
    let kills = count(50, 1_000);
    let home = Home::new();
    let model = model::model(Duration::from_millis(1)).await;
    let flags = model.flags();
    let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    flags.extend([
        "--rate-limit",
        "0",
        "--facts-per-list",
        "0",
        "--log",
        "warn",
    ]);

    let mut key: Option<String> = None;
    let mut sent: HashSet<String> = HashSet::new();
    let mut acknowledged: HashSet<String> = HashSet::new();
    let mut caught_in_flight = 0;
    for round in 0..kills {
        let mut serving = home.serve(&flags).await;
        let key = &*key.get_or_insert_with(|| {
            let key = serving.announced["api_key"].as_str();
            key.unwrap().to_owned()
        });
        let writing = Writing::start(&serving.client(Some(key)), round);
        writing.until_acknowledged().await;
        // Another moment of the writers' work in every round.
        let moment = (round * 37) % 120;
        tokio::time::sleep(Duration::from_millis(moment as u64)).await;
        let in_flight = writing.in_flight.load(Ordering::SeqCst);
        serving.kill();
        caught_in_flight += usize::from(in_flight > 0);
        let wrote = writing.stop().await;
        sent.extend(wrote.sent);
        acknowledged.extend(wrote.acknowledged);
    }

    let serving = home.serve(&flags).await;
    let context = serving
        .client(key.as_deref())
        .context(&user("ada"))
        .await
        .unwrap();
    let stored: HashSet<String> = context
        .domain_expertise
        .into_iter()
        .map(|fact| fact.value)
        .collect();
    let lost = acknowledged.difference(&stored).count();
    let invented = stored.difference(&sent).count();
    println!(
        "figure: kill -9 on SQLite: {kills} kills, {caught_in_flight} with updates in flight, {} acknowledged, \
         {lost} lost, {invented} never sent",
        acknowledged.len()
    );
    assert_eq!(lost, 0);
    assert_eq!(invented, 0);
    assert!(
        caught_in_flight * 100 >= kills * 95,
        "too few kills hit anything"
    );
    assert!(
        acknowledged.len() >= kills,
        "too little was acknowledged to prove anything"
    );
    drop(serving);
    assert_eq!(home.integrity().await, "ok");
}

/// Writers that send one update after the other until they are stopped or nobody answers.
struct Writing {
    tasks: JoinSet<Wrote>,
    stop: Arc<AtomicBool>,
    in_flight: Arc<AtomicUsize>,
    first_acknowledged: Arc<Notify>,
}

#[derive(Default)]
struct Wrote {
    sent: Vec<String>,
    acknowledged: Vec<String>,
}

impl Writing {
    fn start(client: &Client, round: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let in_flight = Arc::new(AtomicUsize::new(0));
        let first_acknowledged = Arc::new(Notify::new());
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let (client, stop, in_flight) = (client.clone(), stop.clone(), in_flight.clone());
            let first_acknowledged = Arc::clone(&first_acknowledged);
            tasks.spawn(async move {
                let mut wrote = Wrote::default();
                for n in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let fact = format!("r{round}-w{writer}-n{n}");
                    wrote.sent.push(fact.clone());
                    in_flight.fetch_add(1, Ordering::SeqCst);
                    let message = format!("I am good at fact:{fact} these days.");
                    let answer = client.update(&user("ada"), message, "Noted.").await;
                    in_flight.fetch_sub(1, Ordering::SeqCst);
                    match answer {
                        Ok(answer) => {
                            assert!(answer.delta.is_some_and(|delta| !delta.is_empty()));
                            wrote.acknowledged.push(fact);
                            first_acknowledged.notify_one();
                        }
                        Err(_) => break,
                    }
                }
                wrote
            });
        }
        Self {
            tasks,
            stop,
            in_flight,
            first_acknowledged,
        }
    }

    /// Waits until the first update is acknowledged, however slow the machine is: a kill before
    /// that would prove nothing.
    async fn until_acknowledged(&self) {
        let waiting = self.first_acknowledged.notified();
        let came = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        assert!(came.is_ok(), "no update was acknowledged");
    }

    async fn stop(mut self) -> Wrote {
        self.stop.store(true, Ordering::SeqCst);
        let mut all = Wrote::default();
        while let Some(wrote) = self.tasks.join_next().await {
            let wrote = wrote.unwrap();
            all.sent.extend(wrote.sent);
            all.acknowledged.extend(wrote.acknowledged);
        }
        all
    }
}
