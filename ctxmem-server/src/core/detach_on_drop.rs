//! A future that is finished even when its caller goes away.
//!
//! The caller polls it in its own task. Only when it is dropped unfinished, because a client closed
//! its connection, does it move to a task. Spawning it at once would be simpler. This way saves each
//! update, and each request that reads the database, a task with a switch to another thread and back.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio_util::task::TaskTracker;

/// Runs in its caller's task, and in a task of its own after it was dropped.
pub(super) struct DetachOnDrop<T: Send + 'static> {
    /// `None` once it has ended.
    work: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    tasks: TaskTracker,
}

impl<T: Send + 'static> DetachOnDrop<T> {
    /// `tasks` gets the work when this is dropped unfinished.
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static, tasks: &TaskTracker) -> Self {
        Self {
            work: Some(Box::pin(work)),
            tasks: tasks.clone(),
        }
    }
}

impl<T: Send + 'static> Future for DetachOnDrop<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        // Taken out, so that work that panics is not polled again by a task.
        let Some(mut work) = self.work.take() else {
            return Poll::Pending;
        };
        let polled = work.as_mut().poll(cx);
        if polled.is_pending() {
            self.work = Some(work);
        }
        polled
    }
}

impl<T: Send + 'static> Drop for DetachOnDrop<T> {
    fn drop(&mut self) {
        // The runtime may be gone while the process shuts down.
        if let Some(work) = self.work.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let work = async move {
                work.await;
            };
            self.tasks.spawn_on(work, &runtime);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn dropped_before_or_after_its_first_poll_it_still_finishes() {
        for polled in [false, true] {
            let tasks = TaskTracker::new();
            let ended = Arc::new(AtomicBool::new(false));
            let (go, may) = oneshot::channel::<()>();
            let mut work = Box::pin({
                let ended = Arc::clone(&ended);
                let work = async move {
                    may.await.unwrap();
                    ended.store(true, Ordering::SeqCst);
                };
                DetachOnDrop::new(work, &tasks)
            });
            if polled {
                assert!(work.as_mut().now_or_never().is_none());
            }
            drop(work);
            go.send(()).unwrap();
            tasks.close();
            tasks.wait().await;
            assert!(ended.load(Ordering::SeqCst), "polled before: {polled}");
        }
    }

    #[tokio::test]
    async fn awaited_it_needs_no_task() {
        let tasks = TaskTracker::new();
        assert_eq!(DetachOnDrop::new(async { 7 }, &tasks).await, 7);
        assert!(tasks.is_empty());
    }
}
