//! The queue in front of the hashing of passwords, which is slow on purpose: a few at a time, a few
//! more that wait, and whoever comes then is turned away at once. So a crowd from one network costs
//! others a fraction of a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::figures::QueueLength;
use super::{Error, Network, SignInOrigin};
use crate::store::StoreError;

/// How many are hashed at once for strangers. Each takes 19 MiB and occupies a core for a while.
const MAX_CONCURRENT: usize = 2;
/// How many of those may wait whose browsers are known, and how many of all others.
const MAX_WAITING: usize = 16;
/// How many of one network may wait.
const MAX_WAITING_OF_NETWORK: usize = 4;

/// The lanes of the queue.
pub(super) struct PasswordQueue {
    /// Of those who signed in before, and of operators: one at a time.
    known: Lane,
    strangers: Lane,
}

#[derive(Clone)]
struct Lane {
    permits: Arc<Semaphore>,
    /// How many wait, by network; those without one share an entry.
    waiting: Arc<Mutex<HashMap<Option<Network>, usize>>>,
}

impl Default for PasswordQueue {
    fn default() -> Self {
        Self {
            known: Lane::new(1),
            strangers: Lane::new(MAX_CONCURRENT),
        }
    }
}

impl PasswordQueue {
    /// Waits for a turn, which lasts until the permit is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Overloaded`] if too many wait already.
    pub(super) async fn turn(&self, origin: &SignInOrigin) -> Result<OwnedSemaphorePermit, Error> {
        match origin {
            SignInOrigin::Device(_) => self.known.turn(None, MAX_WAITING).await,
            SignInOrigin::Network(network) => {
                self.strangers
                    .turn(Some(*network), MAX_WAITING_OF_NETWORK)
                    .await
            }
        }
    }

    /// How many wait for a turn.
    pub(super) fn length(&self) -> QueueLength {
        let lanes = [&self.known, &self.strangers];
        QueueLength {
            waiting: lanes
                .map(|lane| lane.waiting().values().sum::<usize>())
                .iter()
                .sum(),
            limit: lanes.len() * MAX_WAITING,
        }
    }

    /// Waits for an operator's turn, however long that takes.
    ///
    /// # Errors
    ///
    /// When the process ends.
    pub(super) async fn operators_turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        self.known.permit().await
    }
}

impl Lane {
    fn new(at_once: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            waiting: Arc::default(),
        }
    }

    async fn turn(
        &self,
        network: Option<Network>,
        at_most: usize,
    ) -> Result<OwnedSemaphorePermit, Error> {
        // Who need not wait takes no place among those who do.
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _place = self.place(network, at_most).ok_or(Error::BUSY)?;
        self.permit().await
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        Ok(permit.map_err(|_| StoreError::Interrupted)?)
    }

    /// A place among those who wait, unless they are too many.
    fn place(&self, network: Option<Network>, at_most: usize) -> Option<Place> {
        let mut waiting = self.waiting();
        let all: usize = waiting.values().sum();
        let of_network = waiting.get(&network).copied().unwrap_or(0);
        if all >= MAX_WAITING || of_network >= at_most {
            return None;
        }
        waiting.insert(network, of_network + 1);
        Some(Place {
            lane: self.clone(),
            network,
        })
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Option<Network>, usize>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue, until its holder has a turn or leaves.
struct Place {
    lane: Lane,
    network: Option<Network>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self.lane.waiting();
        if let Some(count) = waiting.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.network);
            }
        }
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
        let networks: Vec<SignInOrigin> = (0..6).map(network).collect();
        let _running = [0, 0].map(|n| ask(&queue, &networks[n]).ok().unwrap().unwrap());
        let mut waiting = Vec::new();
        for origin in &networks[..4] {
            for _ in 0..4 {
                waiting.push(ask(&queue, origin).err().unwrap());
            }
            assert!(is_busy(&ask(&queue, origin)));
        }
        assert!(is_busy(&ask(&queue, &networks[4])));
        // Who leaves makes room.
        waiting.pop();
        assert!(is_busy(&ask(&queue, &networks[0])));
        waiting.push(ask(&queue, &networks[5]).err().unwrap());
        assert!(is_busy(&ask(&queue, &networks[4])));
        drop(waiting);
        assert!(queue.strangers.waiting().is_empty());
    }

    #[tokio::test]
    async fn known_browsers_do_not_wait_for_strangers() {
        let queue = PasswordQueue::default();
        let (stranger, known) = (network(0), SignInOrigin::Device("nonce".to_owned()));
        let _running = [0, 0].map(|_| ask(&queue, &stranger).ok().unwrap().unwrap());
        let _waiting = [0; 4].map(|_| ask(&queue, &stranger).err().unwrap());
        let turn = ask(&queue, &known).ok().unwrap().unwrap();
        let next = ask(&queue, &known).err().unwrap();
        drop(turn);
        drop(next.await.unwrap());
    }
}
