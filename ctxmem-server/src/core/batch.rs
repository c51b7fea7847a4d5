//! Items that cost less together: those that arrive while a batch is running form the next batch.
//!
//! There is no timer. An item that arrives while fewer than `concurrent` batches are running starts
//! a task, which takes what has arrived by then. Items that arrive later wait in a queue until that
//! task has finished its batch; it ends when the queue is empty. So a lone request is never delayed,
//! and under load the batches grow by themselves.
//!
//! This exists for speed only. On Postgres, where a statement is a round trip, injects that share
//! statements reach 29,940 requests a second with 64 connections; a bare handler with one raw
//! statement for each request reaches 24,104 (`benches/results/2026-11-21-485411c.md`).

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use crate::locked;

/// Handles some items, and answers the caller of each.
type Work<I, O> =
    dyn Fn(Vec<(I, Caller<O>)>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// The caller that waits for the outcome of an item.
pub(super) struct Caller<O>(oneshot::Sender<O>);

impl<O> Caller<O> {
    pub(super) fn answer(self, outcome: O) {
        // The receiver is gone when its caller stopped waiting.
        let _ = self.0.send(outcome);
    }
}

/// Collects items for one kind of work.
pub(super) struct Batcher<I, O>(Arc<Batches<I, O>>);

struct Batches<I, O> {
    work: Box<Work<I, O>>,
    /// How many items a batch has at most.
    batch_size: usize,
    /// How many batches run at the same time at most.
    concurrent: usize,
    queue: Mutex<BatchQueue<I, O>>,
    /// They finish batches whose callers have gone.
    tasks: TaskTracker,
}

struct BatchQueue<I, O> {
    waiting: VecDeque<(I, Caller<O>)>,
    running: usize,
}

impl<I: Send + 'static, O: Send + 'static> Batcher<I, O> {
    /// The work returns one outcome for each item, in their order.
    pub(super) fn new<F>(
        batch_size: usize,
        concurrent: usize,
        tasks: &TaskTracker,
        work: impl Fn(Vec<I>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Vec<O>> + Send + 'static,
    {
        Self::answering(batch_size, concurrent, tasks, move |batch| {
            let (items, callers): (Vec<I>, Vec<_>) = batch.into_iter().unzip();
            let working = work(items);
            async move {
                for (caller, outcome) in callers.into_iter().zip(working.await) {
                    caller.answer(outcome);
                }
            }
        })
    }

    /// The work answers each caller itself: nobody waits for the others.
    pub(super) fn answering<F>(
        batch_size: usize,
        concurrent: usize,
        tasks: &TaskTracker,
        work: impl Fn(Vec<(I, Caller<O>)>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self(Arc::new(Batches {
            work: Box::new(move |items| Box::pin(work(items))),
            batch_size,
            concurrent,
            queue: Mutex::new(BatchQueue {
                waiting: VecDeque::new(),
                running: 0,
            }),
            tasks: tasks.clone(),
        }))
    }

    /// Handles an item and returns its outcome; `None` when the work panicked. Work that has
    /// started goes on when the caller stops waiting.
    pub(super) async fn run(&self, item: I) -> Option<O> {
        let (sender, receiver) = oneshot::channel();
        if self.0.enqueue(item, Caller(sender)) {
            let batches = Arc::clone(&self.0);
            let slot = BatchSlot {
                batches,
                ended: false,
            };
            self.0.tasks.spawn(slot.run_all());
        }
        receiver.await.ok()
    }
}

impl<I, O> Batches<I, O> {
    /// Queues an item. Returns whether the caller has to run a batch, which then counts as running.
    fn enqueue(&self, item: I, caller: Caller<O>) -> bool {
        let mut queue = locked(&self.queue);
        queue.waiting.push_back((item, caller));
        let starts = queue.running < self.concurrent;
        queue.running += usize::from(starts);
        starts
    }

    /// The next batch; `None` when the queue is empty, and then one batch less counts as running. Items that
    /// nobody is waiting for any longer are dropped.
    fn next(&self) -> Option<Vec<(I, Caller<O>)>> {
        let mut queue = locked(&self.queue);
        queue.waiting.retain(|(_, caller)| !caller.0.is_closed());
        if queue.waiting.is_empty() {
            queue.running -= 1;
            return None;
        }
        let size = self.batch_size.min(queue.waiting.len());
        Some(queue.waiting.drain(..size).collect())
    }
}

/// The right to run batches, one at a time. It counts as running until the queue is empty.
struct BatchSlot<I: Send + 'static, O: Send + 'static> {
    batches: Arc<Batches<I, O>>,
    /// Whether the queue was empty, so that this counts no longer.
    ended: bool,
}

impl<I: Send + 'static, O: Send + 'static> BatchSlot<I, O> {
    async fn run_all(mut self) {
        while let Some(batch) = self.batches.next() {
            // A panic fails the items of this batch only: those that were not answered yet.
            let working = async { (self.batches.work)(batch).await };
            let _ = AssertUnwindSafe(working).catch_unwind().await;
        }
        self.ended = true;
    }
}

impl<I: Send + 'static, O: Send + 'static> Drop for BatchSlot<I, O> {
    /// It is dropped before its end only when the runtime shuts down. Nothing runs there any more, not even
    /// a new task: what waits is dropped, and its callers hear that it was not done.
    fn drop(&mut self) {
        if !self.ended {
            let mut queue = locked(&self.batches.queue);
            queue.running -= 1;
            let waiting = std::mem::take(&mut queue.waiting);
            // Whatever their ends do, the queue is not locked meanwhile.
            drop(queue);
            drop(waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// Doubles numbers once it has a permit, and notes the size of each batch.
    fn doubling(
        may: &Arc<Semaphore>,
        batch_size: usize,
        concurrent: usize,
    ) -> (Batcher<u32, u32>, Arc<Mutex<Vec<usize>>>) {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let (may, noted) = (Arc::clone(may), Arc::clone(&sizes));
        let tasks = TaskTracker::new();
        let batcher = Batcher::new(batch_size, concurrent, &tasks, move |items: Vec<u32>| {
            noted.lock().unwrap().push(items.len());
            let may = Arc::clone(&may);
            async move {
                may.acquire().await.unwrap().forget();
                assert!(!items.contains(&13), "a number that panics");
                items.iter().map(|n| n * 2).collect()
            }
        });
        (batcher, sizes)
    }

    #[tokio::test]
    async fn items_that_arrive_meanwhile_form_the_next_batch() {
        let may = Arc::new(Semaphore::new(0));
        let (batcher, sizes) = doubling(&may, 4, 1);
        let meanwhile = async {
            while sizes.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            let rest = join_all((1..6).map(|n| batcher.run(n)));
            // All of them are waiting when the first batch may end.
            tokio::join!(rest, async { may.add_permits(10) }).0
        };
        let (first, rest) = tokio::join!(batcher.run(0), meanwhile);
        let outcomes: Vec<u32> = std::iter::once(first).chain(rest).flatten().collect();
        assert_eq!(outcomes, [0, 2, 4, 6, 8, 10]);
        assert_eq!(*sizes.lock().unwrap(), [1, 4, 1]);
    }

    #[test]
    fn what_waits_when_the_runtime_shuts_down_ends_with_it() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let may = Arc::new(Semaphore::new(0));
        let (batcher, sizes) = doubling(&may, 1, 1);
        let batcher = Arc::new(batcher);
        let run = |n| {
            let batcher = Arc::clone(&batcher);
            runtime.spawn(async move { batcher.run(n).await })
        };
        let waiting = [0, 1, 2].map(run);
        runtime.block_on(async {
            while sizes.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(locked(&batcher.0.queue).waiting.len(), 2);
        // It once made new tasks for what waited, each dropped as soon as it was made, until the stack was full.
        drop(runtime);
        assert!(waiting.iter().all(tokio::task::JoinHandle::is_finished));
        let queue = locked(&batcher.0.queue);
        assert_eq!((queue.running, queue.waiting.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_lone_item_is_not_delayed() {
        let may = Arc::new(Semaphore::new(10));
        let (batcher, sizes) = doubling(&may, 4, 1);
        for n in 0..3 {
            assert_eq!(batcher.run(n).await, Some(n * 2));
        }
        assert_eq!(*sizes.lock().unwrap(), [1, 1, 1]);
    }

    #[tokio::test]
    async fn a_panic_fails_its_batch_only() {
        let may = Arc::new(Semaphore::new(10));
        let (batcher, _) = doubling(&may, 1, 1);
        let outcomes = join_all([13, 1, 2].map(|n| batcher.run(n))).await;
        assert_eq!(outcomes, [None, Some(2), Some(4)]);
        assert_eq!(batcher.run(3).await, Some(6));
    }

    #[tokio::test]
    async fn started_work_goes_on_without_its_caller() {
        let may = Arc::new(Semaphore::new(0));
        let (batcher, sizes) = doubling(&may, 1, 1);
        let gave_up = tokio::time::timeout(Duration::from_millis(1), batcher.run(1)).await;
        assert!(gave_up.is_err());
        may.add_permits(2);
        assert_eq!(batcher.run(2).await, Some(4));
        assert_eq!(sizes.lock().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_begun() {
        let may = Arc::new(Semaphore::new(0));
        let (batcher, sizes) = doubling(&may, 1, 1);
        let meanwhile = async {
            while sizes.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            let gave_up = tokio::time::timeout(Duration::from_millis(1), batcher.run(1)).await;
            assert!(gave_up.is_err());
            may.add_permits(10);
        };
        assert_eq!(tokio::join!(batcher.run(0), meanwhile).0, Some(0));
        assert_eq!(batcher.run(2).await, Some(4));
        assert_eq!(*sizes.lock().unwrap(), [1, 1]);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_item_is_forgotten() {
        let done = Arc::new(AtomicUsize::new(0));
        let may = Arc::new(Semaphore::new(100_000));
        let (batcher, _) = doubling(&may, 3, 2);
        let batcher = Arc::new(batcher);
        join_all((0..64_u32).map(|n| {
            let (batcher, done) = (Arc::clone(&batcher), Arc::clone(&done));
            tokio::spawn(async move {
                for m in 0..100 {
                    let number = 100 + n * 100 + m;
                    assert_eq!(batcher.run(number).await, Some(number * 2));
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        }))
        .await
        .into_iter()
        .for_each(Result::unwrap);
        assert_eq!(done.load(Ordering::Relaxed), 6_400);
    }
}
