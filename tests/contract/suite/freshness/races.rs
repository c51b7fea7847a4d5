//! Many ask, over and over, while one takes access away and gives it back.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ctxmem_client::Client;
use ctxmem_types::{GrantRequest, Scope};
use futures_util::future::join_all;
use futures_util::join;

use super::Scene;
use crate::suite::support::{HELLO, count};

/// How many ask at the same time.
const READERS: usize = 4;

/// What was acknowledged last, and whether something is under way. It moves on before a change
/// is asked for and when it is acknowledged.
#[derive(Default)]
struct Acknowledged {
    phase: AtomicU64,
    /// Requests that began and ended within this phase.
    within: AtomicU64,
    over: AtomicBool,
}

/// What has to hold of a request that begins and ends in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Changing,
    Granted,
    Revoked,
}

impl Acknowledged {
    /// In the order in which they follow each other.
    fn phase(at: u64) -> Phase {
        match at % 4 {
            1 => Phase::Granted,
            3 => Phase::Revoked,
            _ => Phase::Changing,
        }
    }

    fn moves_on(&self) {
        self.phase.fetch_add(1, Ordering::SeqCst);
        self.within.store(0, Ordering::SeqCst);
    }

    /// Waits until some requests began and ended in this phase.
    async fn is_seen(&self) {
        while self.within.load(Ordering::SeqCst) < READERS as u64 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The phase in which a request began and ended; `None` where it was more than one.
    async fn during<T>(&self, request: impl Future<Output = T>) -> (Option<Phase>, T) {
        let began = self.phase.load(Ordering::SeqCst);
        let answer = request.await;
        let ended = self.phase.load(Ordering::SeqCst);
        if began == ended {
            self.within.fetch_add(1, Ordering::SeqCst);
        }
        ((began == ended).then(|| Self::phase(began)), answer)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

/// Takes access away, by a revocation or an erasure, and gives it back.
async fn takes_and_gives(
    scene: &Scene,
    acknowledged: &Acknowledged,
    rounds: usize,
    takes_all: impl Fn(usize) -> bool,
) {
    let there = scene.there();
    let session = there.client_of(&there.sign_in(&scene.ada).await);
    for round in 0..rounds {
        let grant = gives(scene, &session).await;
        acknowledged.moves_on();
        acknowledged.is_seen().await;
        acknowledged.moves_on();
        if takes_all(round) {
            let erased = scene.other.client.delete_context(&scene.ada).await;
            assert!(erased.unwrap().deleted);
        } else {
            assert!(session.revoke_grant(&grant).await.unwrap().revoked);
        }
        acknowledged.moves_on();
        acknowledged.is_seen().await;
        acknowledged.moves_on();
    }
    acknowledged.over.store(true, Ordering::SeqCst);
}

async fn gives(scene: &Scene, session: &Client) -> String {
    let everything = |agent| GrantRequest::new(scene.ada.clone(), agent, Scope::ALL);
    let grant = session.create_grant(&everything(&*scene.other.id)).await;
    grant.unwrap();
    scene.other.tells(&scene.ada, HELLO).await;
    let grant = session.create_grant(&everything(&*scene.agent.id)).await;
    grant.unwrap().id
}

/// How many answers were judged, and how many of them were wrong.
#[derive(Debug, Default)]
struct Judged {
    revoked: usize,
    granted: usize,
    wrong: usize,
}

/// Asks until it is over.
async fn asks(scene: &Scene, acknowledged: &Acknowledged) -> Judged {
    let mut judged = Judged::default();
    while !acknowledged.is_over() {
        let inject = scene.agent.client.inject(&scene.ada, "Be brief.");
        let (phase, answer) = acknowledged.during(inject).await;
        let answer = answer.unwrap();
        let (served, refused) = (
            answer.prompt().contains("Lisbon"),
            answer
                .reason()
                .is_some_and(|reason| reason.as_str() == "no_grant"),
        );
        match phase {
            Some(Phase::Granted) => {
                judged.granted += 1;
                judged.wrong += usize::from(!served);
            }
            Some(Phase::Revoked) => {
                judged.revoked += 1;
                judged.wrong += usize::from(served || !refused);
            }
            Some(Phase::Changing) | None => {}
        }
    }
    judged
}

/// Sends updates until it is over, each with a goal of its own. Answers how many had to be
/// refused and were not, and the goals of those that were.
async fn teaches(
    scene: &Scene,
    acknowledged: &Acknowledged,
    teacher: usize,
) -> (usize, Vec<String>) {
    let (mut wrong, mut refused) = (0, Vec::new());
    for n in 0.. {
        if acknowledged.is_over() {
            break;
        }
        let goal = format!("project-{teacher}-{n}");
        let message = format!("I'm working on {goal}.");
        let update = scene.agent.client.update(&scene.ada, &message, "Noted.");
        let (phase, answer) = acknowledged.during(update).await;
        match (phase, answer) {
            (_, Err(error)) => {
                assert_eq!(error.status(), Some(403), "{error}");
                refused.push(goal);
            }
            (Some(Phase::Revoked), Ok(_)) => wrong += 1,
            (_, Ok(_)) => {}
        }
    }
    (wrong, refused)
}

async fn race(two: bool) {
    let scene = &Scene::new(two).await;
    let acknowledged = &Acknowledged::default();
    let rounds = count(60, 2_000);
    let readers = (0..READERS).map(|_| asks(scene, acknowledged));
    let ((), judged) = join!(
        takes_and_gives(scene, acknowledged, rounds, |round| round % 2 == 1),
        join_all(readers)
    );
    let sum = |of: fn(&Judged) -> usize| judged.iter().map(of).sum::<usize>();
    let (revoked, granted) = (sum(|judged| judged.revoked), sum(|judged| judged.granted));
    assert!(revoked >= rounds && granted >= rounds);
    assert_eq!(sum(|judged| judged.wrong), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_answer_is_older_than_an_acknowledged_revocation() {
    race(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_answer_is_older_than_a_revocation_at_another_server() {
    race(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_update_that_follows_an_acknowledged_revocation_is_stored() {
    for scene in &Scene::each().await {
        let acknowledged = &Acknowledged::default();
        let rounds = count(30, 500);
        let teachers = (0..READERS).map(|teacher| teaches(scene, acknowledged, teacher));
        let ((), taught) = join!(
            takes_and_gives(scene, acknowledged, rounds, |_| false),
            join_all(teachers)
        );
        assert!(taught.iter().all(|(wrong, _)| *wrong == 0), "{taught:?}");
        let context = scene.other.client.context(&scene.ada).await.unwrap();
        let stored: HashSet<String> = context
            .ongoing_tasks
            .into_iter()
            .map(|goal| goal.value)
            .collect();
        let mut refused = taught.iter().flat_map(|(_, refused)| refused);
        assert!(stored.len() >= rounds && refused.clone().count() >= rounds);
        let kept = refused.find(|goal| stored.contains(*goal));
        assert_eq!(kept, None);
    }
}
