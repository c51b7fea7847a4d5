//! kill -9 while users are erased: an erasure that was acknowledged is complete after a restart,
//! one that was under way is complete or has not happened, and other users notice nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use ctxmem_client::{Client, Error};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::aftermath::{FLAGS, Findings, Known, check};
use crate::database_files::DatabaseFolder;
use crate::history::{Erasure, History, Seen, Verdict};
use crate::model;
use crate::process::{Home, ServerProcess, count};

const CLIENTS: usize = 4;

/// Each client erases all of its users but one of so many.
const KEPT: usize = 3;

/// A user is erased when the client has made so many others, which have moved the user's facts
/// to other pages meanwhile.
const LATER: usize = 3;

/// Users of earlier rounds that are looked at again in each round.
const EARLIER: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_that_kill_9_interrupts_is_complete_or_has_not_happened() {
    let kills = count(10, 500);
    let mut rounds = 0;
    let servers = Servers::new().await;
    let mut all: Vec<History> = Vec::new();
    let (mut sum, mut notes) = (Verdict::default(), Vec::new());
    let (mut caught, mut acknowledged, mut completed, mut undone) = (0, 0, 0, 0);
    let mut key = None;
    // An erasure is short, so not every kill hits one.
    for round in 0..kills * 8 {
        if round >= kills && caught * 2 >= kills {
            break;
        }
        rounds += 1;
        let mut serving = servers.start().await;
        let key = &*key.get_or_insert_with(|| {
            let key = serving.announced["api_key"].as_str();
            key.unwrap().to_owned()
        });
        let mut erasing = Erasing::start(&serving.client(Some(key)), round);
        erasing.until_acknowledged().await;
        // Another moment of the clients' work in every round.
        let moment = (round * 37) % 150;
        tokio::time::sleep(Duration::from_millis(moment as u64)).await;
        serving.kill();
        let mut histories = erasing.stop().await;

        let killed = SystemTime::now();
        let erasures = |histories: &[History], state| {
            let erasures = histories.iter().map(|one| one.erasure_at(killed));
            erasures.filter(|one| *one == state).count()
        };
        caught += usize::from(erasures(&histories, Erasure::UnderWay) > 0);
        acknowledged += erasures(&histories, Erasure::Acknowledged);
        let left = named_although_erased(&servers.folder, &histories, killed);
        sum.readable += left.len();
        notes.extend(left);

        let step = (all.len() / EARLIER).max(1);
        let earlier = all.iter().skip(round % step).step_by(step);
        let known: Vec<History> = histories.iter().chain(earlier).cloned().collect();
        let findings = servers.check(Some(key), &known).await;
        sum += findings.verdict;
        notes.extend(findings.notes);
        for history in &mut histories {
            if let Some(seen) = findings.seen.get(history.name()) {
                if history.erasure_at(killed) == Erasure::UnderWay {
                    let complete = matches!(seen, Seen::NoGrant);
                    completed += usize::from(complete);
                    undone += usize::from(!complete);
                }
                history.settle(seen);
            }
        }
        // Of those that were completed at the start, only the interface is asked.
        all.extend(histories);
    }
    let findings = servers.check(key.as_deref(), &all).await;
    sum += findings.verdict;
    notes.extend(findings.notes);
    println!(
        "figure: kill -9 in erasures on SQLite: {rounds} kills, {caught} with erasures under way \
         ({completed} completed, {undone} without effect), {acknowledged} acknowledged, {} lost, \
         {} corrupt, {} half, {} readable after an erasure",
        sum.lost, sum.corrupt, sum.half, sum.readable
    );
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(sum, Verdict::default());
    assert!(caught * 2 >= kills, "too few kills hit an erasure");
}

/// What somebody gets who restores a backup: the control, which the test must detect.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_that_undoes_an_erasure_would_be_noticed() {
    let servers = Servers::new().await;
    let mut serving = servers.start().await;
    let key = serving.announced["api_key"].as_str().unwrap().to_owned();
    let client = serving.client(None);
    let (mut ada, mut bob) = (History::new(0, 0, 0), History::new(0, 0, 1));
    ada.update(&client).await.unwrap();
    serving.kill();
    let before = servers.folder.files();

    let mut serving = servers.start().await;
    let client = serving.client(Some(&key));
    ada.erase(&client).await.unwrap();
    bob.update(&client).await.unwrap();
    serving.kill();
    let known = Known {
        interrupted: SystemTime::now(),
        key: Some(&key),
        histories: &[ada, bob],
    };
    let restored = DatabaseFolder::holding(&before);
    let found = check(&restored, known).await.verdict;
    assert!(found.readable > 0 && found.lost > 0, "{found:?}");
    let found = check(&servers.folder, known).await.verdict;
    assert_eq!(found, Verdict::default());
}

/// Servers that run on one folder, one after the other.
struct Servers {
    folder: DatabaseFolder,
    home: Home,
    flags: Vec<String>,
    /// It must live as long as the servers ask it.
    _model: ctxmem_test_server::FakeModel,
}

impl Servers {
    async fn new() -> Self {
        let folder = DatabaseFolder::new();
        let model = model::model(Duration::ZERO).await;
        let flags = FLAGS.map(str::to_owned);
        Self {
            home: Home::on(&folder.url()),
            flags: model.flags().into_iter().chain(flags).collect(),
            folder,
            _model: model,
        }
    }

    async fn start(&self) -> ServerProcess {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        self.home.serve(&flags).await
    }

    async fn check(&self, key: Option<&str>, histories: &[History]) -> Findings {
        let known = Known {
            interrupted: SystemTime::now(),
            key,
            histories,
        };
        check(&self.folder, known).await
    }
}

/// Users that the files name, as a kill left them, although their erasure was acknowledged.
fn named_although_erased(
    folder: &DatabaseFolder,
    histories: &[History],
    killed: SystemTime,
) -> Vec<String> {
    let named = folder.users_named();
    let erased = histories.iter().filter(|one| {
        one.erasure_at(killed) == Erasure::Acknowledged && named.contains(one.name())
    });
    let left = erased.map(|one| format!("right after the kill a file names {}", one.name()));
    left.collect()
}

/// Clients that make users, tell of them, and erase most of them, until nobody answers.
struct Erasing {
    tasks: JoinSet<(Vec<History>, Option<Error>)>,
    stop: Arc<AtomicBool>,
    first_acknowledged: Arc<Notify>,
}

impl Erasing {
    fn start(client: &Client, round: usize) -> Self {
        let mut erasing = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            first_acknowledged: Arc::default(),
        };
        for number in 0..CLIENTS {
            let (client, stop) = (client.clone(), Arc::clone(&erasing.stop));
            let acknowledged = Arc::clone(&erasing.first_acknowledged);
            erasing.tasks.spawn(async move {
                let mut histories = Vec::new();
                let mut ended = None;
                for user in 0.. {
                    if stop.load(Ordering::SeqCst) || ended.is_some() {
                        break;
                    }
                    histories.push(History::new(round, number, user));
                    let done = one_user(&client, &mut histories, user, &acknowledged).await;
                    ended = done.err();
                }
                (histories, ended)
            });
        }
        erasing
    }

    /// Waits until the first erasure is acknowledged, however slow the machine is.
    async fn until_acknowledged(&mut self) {
        let waiting = self.first_acknowledged.notified();
        let came = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        if came.is_err() {
            let first = self.tasks.join_next().await;
            panic!(
                "no erasure was acknowledged: {:?}",
                first.unwrap().unwrap().1
            );
        }
    }

    async fn stop(self) -> Vec<History> {
        self.stop.store(true, Ordering::SeqCst);
        let all = self.tasks.join_all().await.into_iter();
        all.flat_map(|(histories, _)| histories).collect()
    }
}

/// Tells of one more user, and erases one of before.
async fn one_user(
    client: &Client,
    histories: &mut [History],
    user: usize,
    acknowledged: &Notify,
) -> Result<(), Error> {
    for _ in 0..=(user % 2) {
        histories[user].update(client).await?;
    }
    if let Some(earlier) = user.checked_sub(LATER)
        && earlier % KEPT != 0
    {
        histories[earlier].erase(client).await?;
        acknowledged.notify_one();
    }
    Ok(())
}
