//! A lock for each key: those who ask for the same key wait for each other.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OwnedMutexGuard;

type Locks<K> = HashMap<K, Arc<tokio::sync::Mutex<()>>>;

/// It holds the keys that somebody has or waits for, and no others.
pub(super) struct KeyedLock<K: Eq + Hash>(Arc<Mutex<Locks<K>>>);

/// The lock of one key. It is free again when this is dropped.
pub(super) struct Held<K: Eq + Hash> {
    locks: Arc<Mutex<Locks<K>>>,
    key: K,
    /// `None` while it waits.
    guard: Option<OwnedMutexGuard<()>>,
}

impl<K: Eq + Hash> Default for KeyedLock<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash + Clone> KeyedLock<K> {
    /// Waits until nobody else holds the lock of this key.
    pub(super) async fn lock(&self, key: K) -> Held<K> {
        let lock = Arc::clone(locked(&self.0).entry(key.clone()).or_default());
        // It is there before the wait, to clean up after one that is given up as well.
        let mut held = Held {
            locks: Arc::clone(&self.0),
            key,
            guard: None,
        };
        held.guard = Some(lock.lock_owned().await);
        held
    }
}

impl<K: Eq + Hash> Drop for Held<K> {
    fn drop(&mut self) {
        let mut locks = locked(&self.locks);
        self.guard = None;
        // Nobody comes to share a lock but under `locks`: one that is not shared is unused.
        let lock = locks.get(&self.key);
        if lock.is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

fn locked<K>(locks: &Mutex<Locks<K>>) -> MutexGuard<'_, Locks<K>> {
    locks.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt as _;
    use futures_util::future::join_all;

    use super::*;

    fn is_empty(lock: &KeyedLock<&str>) -> bool {
        locked(&lock.0).is_empty()
    }

    #[tokio::test]
    async fn a_key_is_held_by_one_at_a_time_and_others_are_free() {
        let lock = KeyedLock::default();
        let held = lock.lock("a").await;
        let mut second = Box::pin(lock.lock("a"));
        assert!((&mut second).now_or_never().is_none());
        assert!(lock.lock("b").now_or_never().is_some());
        drop(held);
        let held = second.now_or_never().unwrap();
        assert!(lock.lock("a").now_or_never().is_none());
        drop(held);
        assert!(is_empty(&lock));
    }

    #[tokio::test]
    async fn one_that_stops_waiting_leaves_nothing_behind() {
        let lock = KeyedLock::default();
        let held = lock.lock("a").await;
        let mut waiting = Box::pin(lock.lock("a"));
        assert!((&mut waiting).now_or_never().is_none());
        // The other order: it stops waiting when the lock is its own already.
        let mut late = Box::pin(lock.lock("a"));
        assert!((&mut late).now_or_never().is_none());
        drop(waiting);
        drop(held);
        drop(late);
        assert!(is_empty(&lock));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn of_many_at_once_each_is_alone() {
        let lock: Arc<KeyedLock<usize>> = Arc::default();
        let inside = Arc::new(AtomicUsize::new(0));
        join_all((0..64).map(|n| {
            let (lock, inside) = (Arc::clone(&lock), Arc::clone(&inside));
            tokio::spawn(async move {
                for _ in 0..50 {
                    let _held = lock.lock(n % 2).await;
                    if n % 2 == 0 {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        tokio::task::yield_now().await;
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            })
        }))
        .await
        .into_iter()
        .for_each(Result::unwrap);
        assert!(locked(&lock.0).is_empty());
    }
}
