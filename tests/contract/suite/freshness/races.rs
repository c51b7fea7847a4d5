//! Many readers while access is taken away and given back.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ctxmem_client::UserClient;
use ctxmem_types::{GrantRequest, Scope};
use futures_util::future::join_all;
use futures_util::join;

use super::FreshnessFixture;
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
    fixture: &FreshnessFixture,
    acknowledged: &Acknowledged,
    rounds: usize,
    takes_all: impl Fn(usize) -> bool,
) {
    let there = fixture.there();
    let session = there.client_of(&there.sign_in(&fixture.ada).await);
    for round in 0..rounds {
        let grant = gives(fixture, &session).await;
        acknowledged.moves_on();
        acknowledged.is_seen().await;
        acknowledged.moves_on();
        if takes_all(round) {
            let erased = fixture.other.delete_context(&fixture.ada).await;
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

async fn gives(fixture: &FreshnessFixture, session: &UserClient) -> String {
    let everything = |agent| GrantRequest::new(fixture.ada.clone(), agent, Scope::ALL);
    let grant = session.create_grant(&everything(&*fixture.other.id)).await;
    grant.unwrap();
    fixture.other.tells(&fixture.ada, HELLO).await;
    let grant = session.create_grant(&everything(&*fixture.agent.id)).await;
    grant.unwrap().id
}

/// The agent's first call for the user. Where users are asked first, somebody consents for them then,
/// and must not do so while access is taken away.
async fn meets(fixture: &FreshnessFixture) {
    fixture.prompt().await;
}

/// How many answers were checked in each phase, and how many of all were wrong.
#[derive(Debug, Default)]
struct Tally {
    revoked: usize,
    granted: usize,
    wrong: usize,
}

/// Asks until it is over.
async fn asks(fixture: &FreshnessFixture, acknowledged: &Acknowledged) -> Tally {
    let mut tally = Tally::default();
    while !acknowledged.is_over() {
        let inject = fixture.agent.inject(&fixture.ada, "Be brief.");
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
                tally.granted += 1;
                tally.wrong += usize::from(!served);
            }
            Some(Phase::Revoked) => {
                tally.revoked += 1;
                tally.wrong += usize::from(served || !refused);
            }
            Some(Phase::Changing) | None => {}
        }
    }
    tally
}

/// Sends updates until it is over, each with a goal of its own. Returns how many should have
/// been refused and were not, and the goals of those that were refused.
async fn teaches(
    fixture: &FreshnessFixture,
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
        let update = fixture.agent.update(&fixture.ada, &message, "Noted.");
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
    let fixture = &FreshnessFixture::new(two).await;
    meets(fixture).await;
    let acknowledged = &Acknowledged::default();
    let rounds = count(60, 2_000);
    let readers = (0..READERS).map(|_| asks(fixture, acknowledged));
    let ((), tally) = join!(
        takes_and_gives(fixture, acknowledged, rounds, |round| round % 2 == 1),
        join_all(readers)
    );
    let sum = |of: fn(&Tally) -> usize| tally.iter().map(of).sum::<usize>();
    let (revoked, granted) = (sum(|tally| tally.revoked), sum(|tally| tally.granted));
    assert!(revoked >= rounds && granted >= rounds);
    assert_eq!(sum(|tally| tally.wrong), 0);
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
    for fixture in &FreshnessFixture::each().await {
        meets(fixture).await;
        let acknowledged = &Acknowledged::default();
        let rounds = count(30, 500);
        let teachers = (0..READERS).map(|teacher| teaches(fixture, acknowledged, teacher));
        let ((), taught) = join!(
            takes_and_gives(fixture, acknowledged, rounds, |_| false),
            join_all(teachers)
        );
        assert!(taught.iter().all(|(wrong, _)| *wrong == 0), "{taught:?}");
        let context = fixture.other.context(&fixture.ada).await.unwrap();
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
