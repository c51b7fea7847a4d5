//! Clients that send one update after the other, whatever comes of them, and what is kept of that.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_client::Client;
use tokio::task::JoinSet;

use crate::process::user;

/// Each has a user of their own.
pub(crate) const WRITERS: usize = 12;

/// Facts by user.
pub(crate) type Facts = HashMap<String, HashSet<String>>;

pub(crate) struct Load {
    tasks: JoinSet<(String, Wrote)>,
    stop: Arc<AtomicBool>,
    failed: Arc<AtomicUsize>,
    stale: Arc<AtomicUsize>,
    acknowledged: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Wrote {
    sent: HashSet<String>,
    acknowledged: HashSet<String>,
}

/// What a load came to.
pub(crate) struct Outcome {
    pub(crate) sent: Facts,
    pub(crate) acknowledged: Facts,
    /// Updates and reads that failed.
    pub(crate) failed: usize,
    /// Reads that showed less than had been acknowledged.
    pub(crate) stale: usize,
}

impl Load {
    /// Each writer goes to one of the clients, and after each update another client is asked for what
    /// is known of the user.
    pub(crate) fn start(clients: &[Client], prefix: &str) -> Self {
        let mut load = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            failed: Arc::default(),
            stale: Arc::default(),
            acknowledged: Arc::default(),
        };
        for writer in 0..WRITERS {
            let name = format!("{prefix}-{writer}");
            let client = clients[writer % clients.len()].clone();
            let reader = clients[(writer + 1) % clients.len()].clone();
            let (stop, failed) = (load.stop.clone(), load.failed.clone());
            let (stale, done) = (load.stale.clone(), load.acknowledged.clone());
            load.tasks.spawn(async move {
                let (mut wrote, ada) = (Wrote::default(), user(&name));
                for n in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let fact = format!("w{writer}-n{n}");
                    wrote.sent.insert(fact.clone());
                    let message = format!("I am good at fact:{fact} these days.");
                    if client.update(&ada, message, "Noted.").await.is_ok() {
                        wrote.acknowledged.insert(fact);
                        done.fetch_add(1, Ordering::SeqCst);
                    } else {
                        failed.fetch_add(1, Ordering::SeqCst);
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                    // Every few updates: the list grows.
                    if n % 8 == 0 {
                        match reader.context(&ada).await {
                            Ok(context) => {
                                let shown = context.domain_expertise.into_iter();
                                let shown: HashSet<String> = shown.map(|fact| fact.value).collect();
                                let missing = wrote.acknowledged.difference(&shown).count();
                                stale.fetch_add(missing, Ordering::SeqCst);
                            }
                            Err(_) => {
                                failed.fetch_add(1, Ordering::SeqCst);
                            }
                        }
                    }
                }
                (name, wrote)
            });
        }
        load
    }

    /// Waits until so many more updates were acknowledged.
    pub(crate) async fn until_acknowledged(&self, more: usize) {
        let goal = self.acknowledged.load(Ordering::SeqCst) + more;
        let waiting = async {
            while self.acknowledged.load(Ordering::SeqCst) < goal {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let came = tokio::time::timeout(Duration::from_mins(1), waiting).await;
        assert!(came.is_ok(), "nothing is acknowledged any more");
    }

    pub(crate) async fn stop(mut self) -> Outcome {
        self.stop.store(true, Ordering::SeqCst);
        let mut outcome = Outcome {
            sent: Facts::new(),
            acknowledged: Facts::new(),
            failed: self.failed.load(Ordering::SeqCst),
            stale: 0,
        };
        while let Some(done) = self.tasks.join_next().await {
            let (name, wrote) = done.unwrap();
            outcome.sent.insert(name.clone(), wrote.sent);
            outcome.acknowledged.insert(name, wrote.acknowledged);
        }
        outcome.failed = self.failed.load(Ordering::SeqCst);
        outcome.stale = self.stale.load(Ordering::SeqCst);
        outcome
    }
}

impl Outcome {
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
