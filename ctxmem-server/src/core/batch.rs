//! Work that is cheaper together: what comes while a batch is under way makes up the next one.
//! Who comes alone waits for nobody.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use super::carried::Carried;

/// Does the work of some items and answers as many outcomes, in their order.
type Work<I, O> = dyn Fn(Vec<I>) -> Pin<Box<dyn Future<Output = Vec<O>> + Send>> + Send + Sync;

/// Collects items of one kind of work.
pub(super) struct Batcher<I, O>(Arc<Inner<I, O>>);

struct Inner<I, O> {
    work: Box<Work<I, O>>,
    /// How many items a batch has at most.
    most: usize,
    /// How many batches are under way at most.
    at_once: usize,
    state: Mutex<State<I, O>>,
    /// They go on with what nobody waits for any more.
    tasks: TaskTracker,
}

struct State<I, O> {
    waiting: VecDeque<(I, oneshot::Sender<O>)>,
    under_way: usize,
}

impl<I: Send + 'static, O: Send + 'static> Batcher<I, O> {
    pub(super) fn new<F>(
        most: usize,
        at_once: usize,
        tasks: &TaskTracker,
        work: impl Fn(Vec<I>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Vec<O>> + Send + 'static,
    {
        Self(Arc::new(Inner {
            work: Box::new(move |items| Box::pin(work(items))),
            most,
            at_once,
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                under_way: 0,
            }),
            tasks: tasks.clone(),
        }))
    }

    /// Has the work of an item done. What has begun goes on when the caller stops waiting.
    /// `None` when the work panicked.
    pub(super) async fn run(&self, item: I) -> Option<O> {
        let (sender, receiver) = oneshot::channel();
        if self.0.enqueue(item, sender) {
            // By the caller itself: who comes alone pays for no task.
            let turn = Turn(Arc::clone(&self.0));
            Carried::new(turn.work_once(), &self.0.tasks).await;
        }
        receiver.await.ok()
    }
}

impl<I, O> Inner<I, O> {
    /// Answers whether another batch may begin, and counts it as begun.
    fn enqueue(&self, item: I, sender: oneshot::Sender<O>) -> bool {
        let mut state = self.state();
        state.waiting.push_back((item, sender));
        let begins = state.under_way < self.at_once;
        state.under_way += usize::from(begins);
        begins
    }

    /// The next batch; `None` when nobody waits: then the turn is over.
    fn next(&self) -> Option<Vec<(I, oneshot::Sender<O>)>> {
        let mut state = self.state();
        if state.waiting.is_empty() {
            return None;
        }
        let most = self.most.min(state.waiting.len());
        Some(state.waiting.drain(..most).collect())
    }

    fn state(&self) -> MutexGuard<'_, State<I, O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts as under way until it is dropped.
struct Turn<I: Send + 'static, O: Send + 'static>(Arc<Inner<I, O>>);

impl<I: Send + 'static, O: Send + 'static> Turn<I, O> {
    async fn work_off(self) {
        while let Some(batch) = self.0.next() {
            self.work(batch).await;
        }
    }

    /// Leaves what came meanwhile to a task.
    async fn work_once(self) {
        if let Some(batch) = self.0.next() {
            self.work(batch).await;
        }
    }

    async fn work(&self, batch: Vec<(I, oneshot::Sender<O>)>) {
        let (items, senders): (Vec<I>, Vec<_>) = batch.into_iter().unzip();
        // One who panics lets the others down, but not the caller who happens to work for all.
        let work = AssertUnwindSafe((self.0.work)(items)).catch_unwind();
        for (sender, outcome) in senders.into_iter().zip(work.await.unwrap_or_default()) {
            // Whoever stopped waiting does not want to know.
            let _ = sender.send(outcome);
        }
    }
}

impl<I: Send + 'static, O: Send + 'static> Drop for Turn<I, O> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        // Somebody came meanwhile, or the work panicked: who waits needs a turn.
        if state.waiting.is_empty() {
            state.under_way -= 1;
        } else {
            drop(state);
            // There is no runtime any more when the process ends.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                let work = Self(Arc::clone(&self.0)).work_off();
                self.0.tasks.spawn_on(work, &runtime);
            }
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

    /// Doubles numbers when it may, and notes how many it was given each time.
    fn doubling(
        may: &Arc<Semaphore>,
        most: usize,
        at_once: usize,
    ) -> (Batcher<u32, u32>, Arc<Mutex<Vec<usize>>>) {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let (may, noted) = (Arc::clone(may), Arc::clone(&sizes));
        let tasks = TaskTracker::new();
        let batcher = Batcher::new(most, at_once, &tasks, move |items: Vec<u32>| {
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
    async fn what_comes_meanwhile_makes_up_the_next_batch() {
        let may = Arc::new(Semaphore::new(0));
        let (batcher, sizes) = doubling(&may, 4, 1);
        let all = join_all((0..6).map(|n| batcher.run(n)));
        let allowing = async {
            while sizes.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            may.add_permits(10);
        };
        let (outcomes, ()) = tokio::join!(all, allowing);
        let outcomes: Vec<u32> = outcomes.into_iter().flatten().collect();
        assert_eq!(outcomes, [0, 2, 4, 6, 8, 10]);
        // The first came alone.
        assert_eq!(*sizes.lock().unwrap(), [1, 4, 1]);
    }

    #[tokio::test]
    async fn who_comes_alone_waits_for_nobody() {
        let may = Arc::new(Semaphore::new(10));
        let (batcher, sizes) = doubling(&may, 4, 1);
        for n in 0..3 {
            assert_eq!(batcher.run(n).await, Some(n * 2));
        }
        assert_eq!(*sizes.lock().unwrap(), [1, 1, 1]);
    }

    #[tokio::test]
    async fn a_panic_is_told_and_others_go_on() {
        let may = Arc::new(Semaphore::new(10));
        let (batcher, _) = doubling(&may, 1, 1);
        let outcomes = join_all([13, 1, 2].map(|n| batcher.run(n))).await;
        assert_eq!(outcomes, [None, Some(2), Some(4)]);
        assert_eq!(batcher.run(3).await, Some(6));
    }

    #[tokio::test]
    async fn what_has_begun_goes_on_without_its_caller() {
        let may = Arc::new(Semaphore::new(0));
        let (batcher, sizes) = doubling(&may, 1, 1);
        let gave_up = tokio::time::timeout(Duration::from_millis(1), batcher.run(1)).await;
        assert!(gave_up.is_err());
        may.add_permits(2);
        assert_eq!(batcher.run(2).await, Some(4));
        assert_eq!(sizes.lock().unwrap().len(), 2);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn nobody_is_forgotten() {
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
