//! kill -9 at each named point of an erasure (`failpoint::reach` in the server): whatever the
//! point, the erasure is complete after a restart or has not happened, what was acknowledged can't
//! be read by any key in any file left, and other users notice nothing.

use std::time::SystemTime;

use ctxmem_client::Client;
use tokio::task::JoinHandle;

use crate::deployment::{Deployment, Killed};
use crate::evidence::Copies;
use crate::history::{Erasure, History, Seen, Verdict};
use crate::process::count;

/// What leads to a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A deletion comes there and is not answered.
    Deletion,
    /// A deletion is answered; another one, for the same user, comes there.
    RepeatedDeletion,
    /// A deletion is answered; a server that starts later comes there.
    Start,
    /// The first update of a new user comes there.
    FirstUpdate,
}

const BOTH: [(&str, Way); 6] = [
    ("before-commit", Way::Deletion),
    ("after-commit", Way::Deletion),
    ("before-destruction-is-committed", Way::Deletion),
    ("before-answer", Way::Deletion),
    ("before-note-is-dropped", Way::RepeatedDeletion),
    ("before-row-of-new-key", Way::FirstUpdate),
];

const ON_SQLITE: [(&str, Way); 2] = [
    ("before-log-is-emptied", Way::Deletion),
    ("before-emptied-log-is-flushed", Way::Deletion),
];

const ON_POSTGRES: [(&str, Way); 3] = [
    ("before-swap", Way::Start),
    ("before-swap-is-committed", Way::Start),
    ("after-swap", Way::Start),
];

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_that_is_killed_at_any_point_is_complete_or_has_not_happened() {
    kill_at_all(Deployment::on_sqlite().await, &ON_SQLITE, "SQLite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_on_postgres() {
    kill_at_all(Deployment::on_postgres().await, &ON_POSTGRES, "Postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_on_postgres_with_the_keys_in_another_database() {
    let deployment = Deployment::on_postgres_with_keys_apart().await;
    kill_at_all(deployment, &ON_POSTGRES, "Postgres, keys apart").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_erasure_is_completed_before_anybody_is_answered() {
    completed_before_anybody_is_answered(Deployment::on_sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_erasure_is_completed_before_anybody_is_answered_on_postgres() {
    completed_before_anybody_is_answered(Deployment::on_postgres().await).await;
}

async fn completed_before_anybody_is_answered(mut deployment: Deployment) {
    let mut users = Users::new(0);
    let before = users.stored(&mut deployment).await;
    let mut serving = deployment.start_until("after-commit").await.unwrap();
    let client = serving.client(deployment.key.as_deref());
    users
        .come_to_the_point(&deployment, client, Way::Deletion)
        .await;
    serving.kill();
    users.settle(Way::Deletion).await;
    // The key is there as before.
    let erased = users.erased.name();
    let files = deployment.files_with_keys().await;
    assert!(before.readable_with(files).contains(erased));
    // The next start comes to where the key is destroyed, and hasn't said that it listens.
    tokio::select! {
        _ = deployment.start_until("before-note-is-dropped") => panic!("it listens already"),
        () = deployment.until_reached() => {}
    }
    // Killed there, the one after that does the rest.
    let findings = deployment.check(&users.all()).await;
    assert_eq!(findings.notes, Vec::<String>::new());
    let files = deployment.files_with_keys().await;
    assert!(!before.keys_in(files).contains(erased));
}

/// Each point with one kind of kill, and in `scripts/soak.sh` with every kind.
async fn kill_at_all(mut deployment: Deployment, own: &[(&str, Way)], engine: &str) {
    let kinds = deployment.killable();
    let mut round = 0;
    for (number, (point, way)) in BOTH.iter().chain(own).enumerate() {
        for repetition in 0..count(1, kinds.len()) {
            let killed = kinds[(number + repetition) % kinds.len()];
            kill_at(&mut deployment, point, *way, killed, round).await;
            round += 1;
        }
    }
    println!(
        "figure: kill -9 at named points of an erasure on {engine}: {round} kills at {} points, \
         0 readable, 0 keys left, 0 others harmed",
        BOTH.len() + own.len()
    );
}

async fn kill_at(deployment: &mut Deployment, point: &str, way: Way, killed: Killed, round: usize) {
    let place = format!("{point}, {killed:?} killed");
    let mut users = Users::new(round);
    let before = users.stored(deployment).await;
    if way == Way::Start {
        let mut serving = deployment.start().await;
        let client = serving.client(deployment.key.as_deref());
        users.erased.erase(&client).await.unwrap();
        serving.kill();
    }
    let mut serving = deployment.start_until(point).await.unwrap();
    let client = serving.client(deployment.key.as_deref());
    users.come_to_the_point(deployment, client, way).await;
    // At worst everything was written that Postgres has in memory.
    deployment.files_with_keys().await;
    deployment.kill(&mut serving, killed);
    users.settle(way).await;
    let state = users.erased.erasure_at(SystemTime::now());
    let expected = match way {
        Way::Deletion => Erasure::UnderWay,
        Way::RepeatedDeletion | Way::Start => Erasure::Acknowledged,
        Way::FirstUpdate => Erasure::Unsent,
    };
    assert_eq!(state, expected, "{place}");
    deployment.resume(killed);
    if state == Erasure::Acknowledged && deployment.is_on_sqlite() {
        assert_gone(&before, deployment, &users.erased, &place).await;
    }

    let findings = deployment.check(&users.all()).await;
    assert_eq!(findings.notes, Vec::<String>::new(), "{place}");
    assert_eq!(findings.verdict, Verdict::default());
    let is_gone = matches!(findings.seen[users.erased.name()], Seen::NoGrant);
    assert_eq!(
        is_gone,
        way != Way::FirstUpdate && point != "before-commit",
        "{place}"
    );
    let newcomer = &findings.seen[users.newcomer.name()];
    assert!(matches!(newcomer, Seen::NoGrant), "{place}: {newcomer:?}");
    if is_gone {
        assert_gone(&before, deployment, &users.erased, &place).await;
    } else {
        let files = deployment.files_with_keys().await;
        assert!(before.readable_with(files).contains(users.erased.name()));
    }
    let files = deployment.files_with_keys().await;
    assert!(before.readable_with(files).contains(users.other.name()));

    // All goes on as before: a new user comes, and another one goes.
    let mut serving = deployment.start().await;
    let client = serving.client(deployment.key.as_deref());
    users.newcomer = History::new(round, 1, 0);
    users.newcomer.update(&client).await.unwrap();
    users.other.erase(&client).await.unwrap();
    serving.kill();
    let findings = deployment.check(&users.all()).await;
    assert_eq!(findings.notes, Vec::<String>::new());
    assert_gone(&before, deployment, &users.other, &place).await;
}

/// No key opens the user's rows, and no file has a piece of the user's key.
async fn assert_gone(before: &Copies, deployment: &Deployment, user: &History, place: &str) {
    let (name, files) = (user.name(), deployment.files_with_keys().await);
    let readable = before.readable_with(&files).contains(name);
    let left = before.keys_in(&files).contains(name);
    assert!(
        !readable && !left,
        "{place}: {name}, read {readable}, key left {left}"
    );
}

/// The users of one kill.
struct Users {
    erased: History,
    other: History,
    newcomer: History,
    /// The call that is under way when the server is killed.
    pending: Option<JoinHandle<History>>,
}

impl Users {
    fn new(round: usize) -> Self {
        let [erased, other, newcomer] = [0, 1, 2].map(|number| History::new(round, 0, number));
        Self {
            erased,
            other,
            newcomer,
            pending: None,
        }
    }

    fn all(&self) -> [History; 3] {
        [&self.erased, &self.other, &self.newcomer].map(Clone::clone)
    }

    /// Has two of them stored, and answers what a backup from then holds. With the keys from then
    /// they can be read: the search finds what is there.
    async fn stored(&mut self, deployment: &mut Deployment) -> Copies {
        let mut serving = deployment.start().await;
        let client = serving.client(deployment.key.as_deref());
        for user in [&mut self.erased, &mut self.other] {
            user.update(&client).await.unwrap();
        }
        serving.kill();
        let before = deployment.copies().await;
        let files = deployment.files_with_keys().await;
        let (readable, keys) = (before.readable_with(&files), before.keys_in(&files));
        for user in [&self.erased, &self.other] {
            assert!(readable.contains(user.name()) && keys.contains(user.name()));
        }
        before
    }

    /// Makes the call that comes to the point where the server stops.
    async fn come_to_the_point(&mut self, deployment: &Deployment, client: Client, way: Way) {
        if way == Way::RepeatedDeletion {
            self.erased.erase(&client).await.unwrap();
        }
        let mut user = match way {
            Way::FirstUpdate => self.newcomer.clone(),
            _ => self.erased.clone(),
        };
        self.pending = match way {
            Way::Start => None,
            _ => Some(tokio::spawn(async move {
                // The server is killed before it answers.
                let _ = match way {
                    Way::FirstUpdate => user.update(&client).await,
                    _ => user.erase(&client).await,
                };
                user
            })),
        };
        deployment.until_reached().await;
    }

    /// Takes in what became of the call.
    async fn settle(&mut self, way: Way) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let user = pending.await.unwrap();
        match way {
            Way::Deletion => self.erased = user,
            Way::FirstUpdate => self.newcomer = user,
            // The first call was answered, whatever became of the second.
            Way::RepeatedDeletion | Way::Start => {}
        }
    }
}
