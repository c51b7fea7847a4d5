//! One lock for each key: tasks that ask for the same key wait for each other, others don't.
//!
//! The map only holds keys that somebody has locked or is waiting for. Everybody who does holds a
//! clone of the key's lock, made while the map is locked. A guard gives its clone back before it
//! looks, with the map locked, whether others are left; the last one finds none and removes the key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use crate::locked;

/// A lock holds when something last failed under it that would fail whoever waits as well.
type Locks<K> = HashMap<K, Arc<tokio::sync::Mutex<Option<Instant>>>>;

/// The locks of the keys that are in use.
pub(super) struct KeyedLock<K: Eq + Hash>(Arc<Mutex<Locks<K>>>);

/// Holds the lock of one key until it is dropped.
pub(super) struct KeyedGuard<K: Eq + Hash> {
    locks: Arc<Mutex<Locks<K>>>,
    key: K,
    /// `None` while waiting.
    guard: Option<OwnedMutexGuard<Option<Instant>>>,
}

impl<K: Eq + Hash> Default for KeyedLock<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash + Clone> KeyedLock<K> {
    /// Waits until nobody else holds the lock of this key, then takes it.
    pub(super) async fn lock(&self, key: K) -> KeyedGuard<K> {
        let lock = Arc::clone(locked(&self.0).entry(key.clone()).or_default());
        // Made before the wait, so that a wait that is cancelled cleans up too.
        let mut keyed = KeyedGuard {
            locks: Arc::clone(&self.0),
            key,
            guard: None,
        };
        keyed.guard = Some(lock.lock_owned().await);
        keyed
    }
}

impl<K: Eq + Hash> KeyedGuard<K> {
    /// Tells those who are waiting that what was tried under this lock would fail for them as well.
    pub(super) fn note_failure(&mut self) {
        if let Some(guard) = &mut self.guard {
            **guard = Some(Instant::now());
        }
    }

    /// Whether that was told after somebody began to wait.
    pub(super) fn has_failed_since(&self, began: Instant) -> bool {
        let failed_at = self.guard.as_ref().and_then(|guard| **guard);
        failed_at.is_some_and(|failed_at| failed_at >= began)
    }
}

impl<K: Eq + Hash> Drop for KeyedGuard<K> {
    fn drop(&mut self) {
        let mut locks = locked(&self.locks);
        self.guard = None;
        // Clones are only made while `locks` is held: a count of one means that nobody uses it.
        let lock = locks.get(&self.key);
        if lock.is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
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
    async fn one_task_holds_a_key_and_other_keys_are_free() {
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
    async fn those_who_wait_hear_of_a_failure_and_those_who_come_later_do_not() {
        let lock = KeyedLock::default();
        let began = Instant::now();
        let mut held = lock.lock("a").await;
        let mut waiting = Box::pin(lock.lock("a"));
        assert!((&mut waiting).now_or_never().is_none());
        held.note_failure();
        drop(held);
        let waited = waiting.await;
        assert!(waited.has_failed_since(began));
        assert!(!waited.has_failed_since(Instant::now() + std::time::Duration::from_millis(1)));
        drop(waited);
        assert!(!lock.lock("a").await.has_failed_since(began));
    }

    #[tokio::test]
    async fn a_cancelled_wait_leaves_nothing_behind() {
        let lock = KeyedLock::default();
        let held = lock.lock("a").await;
        let mut waiting = Box::pin(lock.lock("a"));
        assert!((&mut waiting).now_or_never().is_none());
        // The other order: it stops waiting when it already has the lock.
        let mut late = Box::pin(lock.lock("a"));
        assert!((&mut late).now_or_never().is_none());
        drop(waiting);
        drop(held);
        drop(late);
        assert!(is_empty(&lock));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn many_tasks_never_share_a_key() {
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
