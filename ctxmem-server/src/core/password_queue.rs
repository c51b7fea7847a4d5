//! The queue in front of the hashing of passwords, which is slow on purpose: a few at a time, a few
//! more that wait, and who comes after that is refused at once. So a crowd from one network costs
//! others a fraction of a second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::metrics::QueueLength;
use super::{Error, Network, SignInOrigin};
use crate::locked;
use crate::store::StoreError;

/// How many are hashed at once for strangers. Each takes 19 MiB and occupies a core for a while.
const MAX_CONCURRENT: usize = 2;
/// How many of those may wait whose browsers are known, and how many of all others.
const MAX_WAITING: usize = 16;
/// How many of one network may wait.
const MAX_WAITING_OF_NETWORK: usize = 4;
/// How many of one developer may wait whose browsers are known.
const MAX_WAITING_OF_DEVELOPER: usize = 2;

pub(super) struct PasswordQueue {
    /// Of those who signed in before, by address, and of operators: one at a time.
    known: Lane<String>,
    strangers: Lane<Network>,
}

/// A lane. Its places are shared by groups: nobody takes them all.
struct Lane<G> {
    permits: Arc<Semaphore>,
    /// How many of one group may wait.
    of_group: usize,
    /// Those who wait, in the order in which they came.
    waiting: Mutex<Waiting<G>>,
}

struct Waiting<G> {
    waiters: Vec<Waiter<G>>,
    next_id: u64,
}

struct Waiter<G> {
    id: u64,
    group: G,
    /// Is dropped when somebody else gets the place.
    _displaced: oneshot::Sender<()>,
}

impl Default for PasswordQueue {
    fn default() -> Self {
        Self {
            known: Lane::new(1, MAX_WAITING_OF_DEVELOPER),
            strangers: Lane::new(MAX_CONCURRENT, MAX_WAITING_OF_NETWORK),
        }
    }
}

impl PasswordQueue {
    /// Waits for a turn, which lasts until the permit is dropped. A known browser that finds no place in the lane for
    /// such browsers waits as a stranger. Fails with [`Error::Overloaded`] if too many wait already.
    pub(super) async fn turn(&self, origin: &SignInOrigin) -> Result<OwnedSemaphorePermit, Error> {
        let network = match origin {
            SignInOrigin::Device { email, network, .. } => match self.known.turn(email).await {
                Err(Error::Overloaded(_)) => network,
                turn => return turn,
            },
            SignInOrigin::Network(network) => network,
        };
        self.strangers.turn(network).await
    }

    pub(super) fn length(&self) -> QueueLength {
        let lanes = [
            locked(&self.known.waiting).waiters.len(),
            locked(&self.strangers.waiting).waiters.len(),
        ];
        QueueLength {
            waiting: lanes.iter().sum(),
            limit: lanes.len() * MAX_WAITING,
        }
    }

    /// Waits for an operator's turn, however long that takes.
    pub(super) async fn operators_turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        self.known.permit().await
    }
}

impl<G: Clone + Eq + Hash> Lane<G> {
    fn new(at_once: usize, of_group: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            of_group,
            waiting: Mutex::new(Waiting {
                waiters: Vec::new(),
                next_id: 0,
            }),
        }
    }

    async fn turn(&self, group: &G) -> Result<OwnedSemaphorePermit, Error> {
        // Somebody who need not wait takes no place among those who do.
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let (_place, displaced) = self.place(group).ok_or(Error::BUSY)?;
        tokio::select! {
            biased;
            permit = self.permit() => permit,
            _ = displaced => Err(Error::BUSY),
        }
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        Ok(permit.map_err(|_| StoreError::Interrupted)?)
    }

    /// A place among those who wait, unless they are too many. The receiver ends when somebody else
    /// gets the place.
    fn place(&self, group: &G) -> Option<(Place<'_, G>, oneshot::Receiver<()>)> {
        let mut waiting = locked(&self.waiting);
        let of_group = waiting.waiters.iter().filter(|it| it.group == *group);
        let of_group = of_group.count();
        if of_group >= self.of_group {
            return None;
        }
        if waiting.waiters.len() >= MAX_WAITING {
            let last = (of_group == 0).then(|| waiting.last_of_largest()).flatten();
            waiting.waiters.remove(last?);
        }
        let id = waiting.next_id;
        waiting.next_id += 1;
        let (sender, receiver) = oneshot::channel();
        waiting.waiters.push(Waiter {
            id,
            group: group.clone(),
            _displaced: sender,
        });
        Some((Place { lane: self, id }, receiver))
    }
}

impl<G: Eq + Hash> Waiting<G> {
    /// The last to come of the group that has the most places, if that is more than one.
    fn last_of_largest(&self) -> Option<usize> {
        let mut counts: HashMap<&G, usize> = HashMap::new();
        for waiter in &self.waiters {
            *counts.entry(&waiter.group).or_default() += 1;
        }
        let most = counts.values().copied().max().filter(|most| *most > 1)?;
        self.waiters
            .iter()
            .rposition(|waiter| counts.get(&waiter.group) == Some(&most))
    }
}

/// A place in the queue, until its holder has a turn or leaves.
struct Place<'l, G: Clone + Eq + Hash> {
    lane: &'l Lane<G>,
    id: u64,
}

impl<G: Clone + Eq + Hash> Drop for Place<'_, G> {
    fn drop(&mut self) {
        let mut waiting = locked(&self.lane.waiting);
        waiting.waiters.retain(|waiter| waiter.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt as _;

    use super::*;

    type Turn<'q> = Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, Error>> + Send + 'q>>;

    fn network(n: u8) -> SignInOrigin {
        SignInOrigin::Network(Network::of([203, 0, n, 1].into()))
    }

    /// A browser of a developer.
    fn device(email: &str) -> SignInOrigin {
        SignInOrigin::Device {
            nonce: "nonce".to_owned(),
            email: email.to_owned(),
            network: Network::of([198, 51, 100, 1].into()),
        }
    }

    /// Asks for a turn: the one that was given, an error, or one that waits.
    fn ask<'q>(
        queue: &'q PasswordQueue,
        origin: &'q SignInOrigin,
    ) -> Result<Result<OwnedSemaphorePermit, Error>, Turn<'q>> {
        let mut turn: Turn<'q> = Box::pin(queue.turn(origin));
        (&mut turn).now_or_never().ok_or(turn)
    }

    fn is_busy(answer: &Result<Result<OwnedSemaphorePermit, Error>, Turn<'_>>) -> bool {
        matches!(answer, Ok(Err(Error::Overloaded(_))))
    }

    #[tokio::test]
    async fn a_network_has_four_places_and_all_have_sixteen() {
        let queue = PasswordQueue::default();
        let networks: Vec<SignInOrigin> = (0..17).map(network).collect();
        let _running = [0, 0].map(|n| ask(&queue, &networks[n]).ok().unwrap().unwrap());
        let mut waiting = Vec::new();
        for origin in &networks[..4] {
            for _ in 0..4 {
                waiting.push(ask(&queue, origin).err().unwrap());
            }
            assert!(is_busy(&ask(&queue, origin)));
        }
        // Somebody who leaves makes room.
        waiting.pop();
        assert!(is_busy(&ask(&queue, &networks[0])));
        waiting.push(ask(&queue, &networks[4]).err().unwrap());
        // Only a network with nobody there takes a place from others.
        assert!(is_busy(&ask(&queue, &networks[4])));
        drop(waiting);
        assert!(locked(&queue.strangers.waiting).waiters.is_empty());
    }

    #[tokio::test]
    async fn a_network_with_nobody_there_takes_a_place_of_the_one_that_has_most() {
        let queue = PasswordQueue::default();
        let networks: Vec<SignInOrigin> = (0..17).map(network).collect();
        let running = [0, 0].map(|n| ask(&queue, &networks[n]).ok().unwrap().unwrap());
        let mut crowd: Vec<Turn<'_>> = (0..16)
            .map(|n| ask(&queue, &networks[n / 4]).err().unwrap())
            .collect();
        let mut latecomer = ask(&queue, &networks[4]).err().unwrap();
        // The last of all was displaced.
        let displaced = crowd.pop().unwrap().now_or_never();
        assert!(matches!(displaced, Some(Err(Error::Overloaded(_)))));
        assert!(crowd.iter_mut().all(|turn| turn.now_or_never().is_none()));
        assert_eq!(queue.length().waiting, 16);
        // The latecomer has a turn after those who were there before.
        drop(running);
        assert!((&mut latecomer).now_or_never().is_none());
        for turn in crowd {
            drop(turn.await.unwrap());
        }
        drop(latecomer.await.unwrap());
    }

    #[tokio::test]
    async fn sixteen_networks_take_no_places_from_each_other() {
        let queue = PasswordQueue::default();
        let networks: Vec<SignInOrigin> = (0..17).map(network).collect();
        let _running = [0, 0].map(|n| ask(&queue, &networks[n]).ok().unwrap().unwrap());
        let waiting: Vec<Turn<'_>> = networks[..16]
            .iter()
            .map(|origin| ask(&queue, origin).err().unwrap())
            .collect();
        assert!(is_busy(&ask(&queue, &networks[16])));
        assert_eq!(waiting.len(), 16);
    }

    #[tokio::test]
    async fn known_browsers_do_not_wait_for_strangers() {
        let queue = PasswordQueue::default();
        let (stranger, known) = (network(0), device("ann@example.com"));
        let _running = [0, 0].map(|_| ask(&queue, &stranger).ok().unwrap().unwrap());
        let _waiting = [0; 4].map(|_| ask(&queue, &stranger).err().unwrap());
        let turn = ask(&queue, &known).ok().unwrap().unwrap();
        let next = ask(&queue, &known).err().unwrap();
        drop(turn);
        drop(next.await.unwrap());
    }

    #[tokio::test]
    async fn one_developer_does_not_fill_the_lane_of_known_browsers() {
        let queue = PasswordQueue::default();
        let (eve, ann) = (device("eve@example.com"), device("ann@example.com"));
        let running = ask(&queue, &eve).ok().unwrap().unwrap();
        let waiting = [0; 2].map(|_| ask(&queue, &eve).err().unwrap());
        // The next ones are strangers.
        let _strangers = [0; 2].map(|_| ask(&queue, &eve).ok().unwrap().unwrap());
        let _more = [0; 4].map(|_| ask(&queue, &eve).err().unwrap());
        assert!(is_busy(&ask(&queue, &eve)));
        let anns = ask(&queue, &ann).err().unwrap();
        drop(running);
        for turn in waiting {
            drop(turn.await.unwrap());
        }
        drop(anns.await.unwrap());
    }
}
