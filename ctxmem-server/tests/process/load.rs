//! Clients that send one update after the other, whatever comes of them, and what is kept of that.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode};
use tokio::task::JoinSet;

use crate::process::{user, within};

/// Facts by user.
type Facts = HashMap<String, HashSet<String>>;

pub(crate) struct Load {
    tasks: JoinSet<Outcome>,
    stop: Arc<AtomicBool>,
    pub(crate) in_flight: Arc<AtomicUsize>,
    pub(crate) failed: Arc<AtomicUsize>,
    acknowledged: Arc<AtomicUsize>,
}

/// What a load came to.
#[derive(Default)]
pub(crate) struct Outcome {
    sent: Facts,
    acknowledged: Facts,
    /// Updates and reads that failed.
    pub(crate) failed: usize,
    /// What they were answered, if they were.
    pub(crate) refusals: Vec<(Option<ErrorCode>, String)>,
    /// Facts that had been acknowledged and were not shown.
    pub(crate) stale: usize,
    /// How long the slowest update took.
    pub(crate) slowest: Duration,
}

impl Load {
    /// A writer for each of these users, who goes to one of the clients. Where there are several, another one
    /// is asked now and then for what is known of the user. The facts of a round are its own.
    pub(crate) fn start(clients: &[Client], users: &[String], round: usize) -> Self {
        let mut load = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            in_flight: Arc::default(),
            failed: Arc::default(),
            acknowledged: Arc::default(),
        };
        for (writer, name) in users.iter().cloned().enumerate() {
            let client = clients[writer % clients.len()].clone();
            let reader = clients[(writer + 1) % clients.len()].clone();
            let is_read = clients.len() > 1;
            let (stop, in_flight) = (load.stop.clone(), load.in_flight.clone());
            let (failed, done) = (load.failed.clone(), load.acknowledged.clone());
            load.tasks.spawn(async move {
                let (mut outcome, ada) = (Outcome::default(), user(&name));
                let (mut sent, mut acknowledged) = (HashSet::new(), HashSet::new());
                for n in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let fact = format!("r{round}-w{writer}-n{n}");
                    sent.insert(fact.clone());
                    let message = format!("I am good at fact:{fact} these days.");
                    let began = Instant::now();
                    in_flight.fetch_add(1, Ordering::SeqCst);
                    let answer = client.update(&ada, message, "Noted.").await;
                    in_flight.fetch_sub(1, Ordering::SeqCst);
                    outcome.slowest = outcome.slowest.max(began.elapsed());
                    if let Err(error) = answer {
                        outcome
                            .refusals
                            .push((error.code().cloned(), error.to_string()));
                        failed.fetch_add(1, Ordering::SeqCst);
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    } else {
                        acknowledged.insert(fact);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                    // Every few updates: the list grows.
                    if is_read && n % 8 == 0 {
                        match reader.context(&ada).await {
                            Ok(context) => {
                                let shown = context.domain_expertise.into_iter();
                                let shown: HashSet<String> = shown.map(|fact| fact.value).collect();
                                outcome.stale += acknowledged.difference(&shown).count();
                            }
                            Err(_) => {
                                failed.fetch_add(1, Ordering::SeqCst);
                            }
                        }
                    }
                }
                outcome.sent.insert(name.clone(), sent);
                outcome.acknowledged.insert(name, acknowledged);
                outcome
            });
        }
        load
    }

    /// Waits until so many more updates were acknowledged, however slow the machine is.
    pub(crate) async fn until_acknowledged(&self, more: usize) {
        let goal = self.acknowledged.load(Ordering::SeqCst) + more;
        let enough = async || self.acknowledged.load(Ordering::SeqCst) >= goal;
        within(Duration::from_mins(1), "updates are acknowledged", enough).await;
    }

    /// Waits until so many updates have had an answer, whatever it was. After a refusal writers pause.
    pub(crate) async fn until_answered(&self, updates: usize) {
        let enough = async || {
            let acknowledged = self.acknowledged.load(Ordering::SeqCst);
            acknowledged + self.failed.load(Ordering::SeqCst) >= updates
        };
        within(Duration::from_mins(5), "updates are answered", enough).await;
    }

    pub(crate) async fn stop(mut self) -> Outcome {
        self.stop.store(true, Ordering::SeqCst);
        let mut all = Outcome::default();
        while let Some(outcome) = self.tasks.join_next().await {
            all.add(outcome.unwrap());
        }
        all.failed = self.failed.load(Ordering::SeqCst);
        all
    }
}

impl Outcome {
    /// Adds what another load came to.
    pub(crate) fn add(&mut self, other: Self) {
        for (all, more) in [
            (&mut self.sent, other.sent),
            (&mut self.acknowledged, other.acknowledged),
        ] {
            for (name, facts) in more {
                all.entry(name).or_default().extend(facts);
            }
        }
        self.failed += other.failed;
        self.refusals.extend(other.refusals);
        self.stale += other.stale;
        self.slowest = self.slowest.max(other.slowest);
    }

    /// How many updates were acknowledged.
    pub(crate) fn count(&self) -> usize {
        self.acknowledged.values().map(HashSet::len).sum()
    }

    /// How many acknowledged facts are not shown, and how many are shown that nobody sent.
    pub(crate) async fn lost_and_invented(&self, client: &Client) -> (usize, usize) {
        let (mut lost, mut invented) = (0, 0);
        for (name, acknowledged) in &self.acknowledged {
            let context = client.context(&user(name)).await.unwrap();
            let shown = context.domain_expertise.into_iter();
            let shown: HashSet<String> = shown.map(|fact| fact.value).collect();
            lost += acknowledged.difference(&shown).count();
            invented += shown.difference(&self.sent[name]).count();
        }
        (lost, invented)
    }
}

/// So many users, each of whom has a writer.
pub(crate) fn users(writers: usize) -> Vec<String> {
    (0..writers).map(|writer| format!("ada-{writer}")).collect()
}
