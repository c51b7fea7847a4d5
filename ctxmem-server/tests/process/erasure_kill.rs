//! kill -9 while users are erased: an erasure that was acknowledged is complete after a restart,
//! one that was under way is complete or has not happened, and other users notice nothing.
//!
//! `CTXMEM_ERASURE_KILLS` sets how many kills there are.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use ctxmem_client::{Client, Error};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::aftermath::{Known, check};
use crate::database_files::DatabaseFolder;
use crate::deployment::{Databases, Deployment};
use crate::evidence::Copies;
use crate::history::{Erasure, History, Seen, Verdict};
use crate::process::{count, setting};

const CLIENTS: usize = 4;

/// Each client erases all of its users but one of so many.
const KEPT: usize = 3;

/// A user is erased when the client has made so many others, which have moved the user's facts
/// to other pages meanwhile.
const LATER: usize = 3;

/// Users of earlier rounds that are looked at again in each round.
const EARLIER: usize = 20;

/// Kills until the next begins with an empty database: each check reads all of it.
const KILLS_ON_ONE: usize = 25;

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_that_kill_9_interrupts_is_complete_or_has_not_happened() {
    Tally::of(kills(10, 500), "SQLite", Deployment::on_sqlite).await;
}

/// Each kill ends a server of ours, and every second one Postgres as well.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_on_postgres() {
    Tally::of(kills(4, 500), "Postgres", Deployment::on_postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_on_postgres_with_the_keys_in_another_database() {
    let engine = "Postgres, keys in another database";
    Tally::of(
        kills(4, 100),
        engine,
        Deployment::on_postgres_with_keys_apart,
    )
    .await;
}

fn kills(in_tests: usize, in_soak: usize) -> usize {
    let wanted = setting("CTXMEM_ERASURE_KILLS");
    wanted.map_or(count(in_tests, in_soak), |kills| kills.try_into().unwrap())
}

/// What came of many kills.
#[derive(Default)]
struct Tally {
    wanted: usize,
    kills: usize,
    /// How many hit an erasure that was under way.
    caught: usize,
    acknowledged: usize,
    completed: usize,
    undone: usize,
    sum: Verdict,
    notes: Vec<String>,
    /// Of whom a backup has the rows that is older than their erasure.
    copies: Copies,
    /// Users whose keys were known when they were erased, and of whom nothing may be left.
    searched: usize,
}

impl Tally {
    /// Kills on one deployment after the other, and judges what came of it.
    async fn of(wanted: usize, engine: &str, deployment: impl AsyncFn() -> Deployment) {
        let mut tally = Self {
            wanted,
            ..Self::default()
        };
        while tally.goes_on() {
            tally.kill_on(deployment().await).await;
        }
        println!("{}", tally.figure(engine));
        tally.judge();
    }

    /// An erasure is short, so not every kill hits one.
    fn goes_on(&self) -> bool {
        self.kills < self.wanted || (self.caught * 2 < self.wanted && self.kills < self.wanted * 8)
    }

    /// Kills on an empty database, some times.
    async fn kill_on(&mut self, mut deployment: Deployment) {
        let mut all: Vec<History> = Vec::new();
        let mut to_erase = VecDeque::new();
        self.copies = Copies::default();
        for round in 0..KILLS_ON_ONE {
            if !self.goes_on() {
                break;
            }
            all = self
                .one_kill(&mut deployment, all, &mut to_erase, round)
                .await;
        }
        // Of those that were completed at a start, only the interface was asked.
        let findings = deployment.check(&all).await;
        self.sum += findings.verdict;
        self.notes.extend(findings.notes);
        if deployment.keeps_keys_apart() {
            // A backup and the archive have the rows of all, and no key of anybody.
            let files = deployment.files_with_rows().await;
            let copies = std::mem::take(&mut self.copies);
            assert_eq!(copies.rows_in(&files), copies.names());
            assert_eq!(copies.readable_with(&files), BTreeSet::new());
            assert_eq!(copies.keys_in(&files), BTreeSet::new());
        }
    }

    /// Answers with everybody who is known after it.
    async fn one_kill(
        &mut self,
        deployment: &mut Deployment,
        mut all: Vec<History>,
        to_erase: &mut VecDeque<History>,
        round: usize,
    ) -> Vec<History> {
        let (killed, kinds) = (self.kills, deployment.killable());
        self.kills += 1;
        // The users who were there before are erased in this round: their keys are known.
        let before = match round {
            0 => None,
            _ => Some(deployment.copies().await),
        };
        if round == 1 {
            deployment.back_up();
        }
        let mut serving = deployment.start().await;
        let client = serving.client(deployment.key.as_deref());
        let mut erasing = Erasing::start(&client, round, std::mem::take(to_erase));
        erasing.until_acknowledged().await;
        // Another moment of the clients' work in every round.
        let moment = (killed * 37) % 150;
        tokio::time::sleep(Duration::from_millis(moment as u64)).await;
        let killed = kinds[killed % kinds.len()];
        deployment.kill(&mut serving, killed);
        let mut histories = erasing.stop().await;
        let killed_at = SystemTime::now();
        let with = |histories: &[History], wanted| -> BTreeSet<String> {
            let erased = histories
                .iter()
                .filter(|one| one.erasure_at(killed_at) == wanted);
            erased.map(|one| one.name().to_owned()).collect()
        };
        let under_way = with(&histories, Erasure::UnderWay);
        let acknowledged = with(&histories, Erasure::Acknowledged);
        self.caught += usize::from(!under_way.is_empty());
        self.acknowledged += acknowledged.len();
        deployment.resume(killed);
        if let Databases::Sqlite(folder) = &deployment.databases {
            self.must_be_gone(&folder.users_named(), &acknowledged, "a file names");
            if let Some(before) = &before {
                let files = deployment.files_with_keys().await;
                let readable = before.readable_with(&files);
                self.must_be_gone(&readable, &acknowledged, "right after the kill a key opens");
                let left = before.keys_in(&files);
                self.must_be_gone(
                    &left,
                    &acknowledged,
                    "right after the kill a file has a key of",
                );
            }
        }

        // Those of before are in `histories` if their erasure was begun.
        all.retain(|one| !histories.iter().any(|new| new.name() == one.name()));
        let step = (all.len() / EARLIER).max(1);
        let earlier = all.iter().skip(round % step).step_by(step);
        let known: Vec<History> = histories.iter().chain(earlier).cloned().collect();
        let findings = deployment.check(&known).await;
        self.sum += findings.verdict;
        self.notes.extend(findings.notes);
        let mut complete = acknowledged;
        for history in &mut histories {
            let Some(seen) = findings.seen.get(history.name()) else {
                continue;
            };
            if under_way.contains(history.name()) {
                let is_complete = matches!(seen, Seen::NoGrant);
                self.completed += usize::from(is_complete);
                self.undone += usize::from(!is_complete);
                complete.extend(is_complete.then(|| history.name().to_owned()));
            }
            history.settle(seen);
        }
        if let Some(before) = before {
            let files = deployment.files_with_keys().await;
            let (readable, left) = (before.readable_with(&files), before.keys_in(&files));
            self.must_be_gone(&readable, &complete, "a key opens");
            self.must_be_gone(&left, &complete, "a file has a key of");
            // The search finds whoever is there.
            let there: BTreeSet<String> = before.names().difference(&complete).cloned().collect();
            assert_eq!(readable, there);
            self.searched += before.names().intersection(&complete).count();
            self.copies.add(before);
        }
        let living = histories.iter().filter(|one| one.erasure.is_none());
        let living = living.enumerate().filter(|(number, _)| number % KEPT != 0);
        to_erase.extend(living.map(|(_, one)| one.clone()));
        all.extend(histories);
        all
    }

    fn must_be_gone(&mut self, found: &BTreeSet<String>, erased: &BTreeSet<String>, how: &str) {
        for name in erased.iter().filter(|name| found.contains(*name)) {
            self.sum.readable += 1;
            self.notes.push(format!("{how} {name}"));
        }
    }

    fn figure(&self, engine: &str) -> String {
        format!(
            "figure: kill -9 in erasures on {engine}: {} kills, {} with erasures under way ({} \
             completed, {} without effect), {} acknowledged, of {} every file left searched for \
             the key, {}",
            self.kills,
            self.caught,
            self.completed,
            self.undone,
            self.acknowledged,
            self.searched,
            self.sum
        )
    }

    fn judge(self) {
        assert_eq!(self.notes, Vec::<String>::new());
        assert_eq!(self.sum, Verdict::default());
        assert!(
            self.caught * 2 >= self.wanted,
            "too few kills hit an erasure"
        );
        assert!(self.searched > 0, "no key was searched for");
    }
}

/// What somebody gets who restores a backup: the control, which the test must detect.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_that_undoes_an_erasure_would_be_noticed() {
    let mut deployment = Deployment::on_sqlite().await;
    let mut serving = deployment.start().await;
    let key = deployment.key.clone();
    let client = serving.client(key.as_deref());
    let (mut ada, mut bob) = (History::new(0, 0, 0), History::new(0, 0, 1));
    ada.update(&client).await.unwrap();
    serving.kill();
    let Databases::Sqlite(folder) = &deployment.databases else {
        panic!("it is on SQLite");
    };
    let before = folder.files();

    let mut serving = deployment.start().await;
    let client = serving.client(key.as_deref());
    ada.erase(&client).await.unwrap();
    bob.update(&client).await.unwrap();
    serving.kill();
    let known = Known {
        interrupted: SystemTime::now(),
        key: key.as_deref(),
        histories: &[ada, bob],
    };
    let restored = DatabaseFolder::holding(&before);
    let found = check(&restored, known).await.verdict;
    assert!(found.readable > 0 && found.lost > 0, "{found:?}");
    let found = deployment.check(known.histories).await.verdict;
    assert_eq!(found, Verdict::default());
}

/// Clients that make users, tell of them, and erase most of them and those of before, until nobody
/// answers.
struct Erasing {
    tasks: JoinSet<(Vec<History>, Option<Error>)>,
    stop: Arc<AtomicBool>,
    first_acknowledged: Arc<Notify>,
}

impl Erasing {
    /// The clients erase those of before too, which are theirs in turn.
    fn start(client: &Client, round: usize, mut of_before: VecDeque<History>) -> Self {
        let mut erasing = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            first_acknowledged: Arc::default(),
        };
        for number in 0..CLIENTS {
            let (client, stop) = (client.clone(), Arc::clone(&erasing.stop));
            let acknowledged = Arc::clone(&erasing.first_acknowledged);
            let share = of_before.len().div_ceil(CLIENTS - number);
            let mut of_before: VecDeque<History> = of_before.drain(..share).collect();
            erasing.tasks.spawn(async move {
                let (mut histories, mut older) = (Vec::new(), Vec::new());
                let mut ended = None;
                for user in 0.. {
                    if stop.load(Ordering::SeqCst) || ended.is_some() {
                        break;
                    }
                    histories.push(History::new(round, number, user));
                    let done = one_user(&client, &mut histories, user, &acknowledged).await;
                    ended = done.err();
                    if ended.is_none()
                        && let Some(mut earlier) = of_before.pop_front()
                    {
                        let erased = earlier.erase(&client).await;
                        ended = erased.err();
                        older.push(earlier);
                    }
                }
                histories.extend(older);
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
