//! Work that goes on to its end when nobody waits for it any more.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio_util::task::TaskTracker;

/// Work in the hands of whoever waits for it: no task of its own as long as somebody does, which
/// spares a way to another thread and back. Dropped before its end, it becomes a task.
pub(super) struct Carried<T: Send + 'static> {
    /// `None` once it has ended.
    work: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    tasks: TaskTracker,
}

impl<T: Send + 'static> Carried<T> {
    /// `tasks` take it over where it is dropped.
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static, tasks: &TaskTracker) -> Self {
        Self {
            work: Some(Box::pin(work)),
            tasks: tasks.clone(),
        }
    }
}

impl<T: Send + 'static> Future for Carried<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        // Work that panics is over: it must not be polled again by a task.
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

impl<T: Send + 'static> Drop for Carried<T> {
    fn drop(&mut self) {
        // There is no runtime any more when the process ends.
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
    async fn dropped_before_it_has_begun_or_half_way_it_ends_all_the_same() {
        for polled in [false, true] {
            let tasks = TaskTracker::new();
            let ended = Arc::new(AtomicBool::new(false));
            let (go, may) = oneshot::channel::<()>();
            let mut carried = Box::pin({
                let ended = Arc::clone(&ended);
                let work = async move {
                    may.await.unwrap();
                    ended.store(true, Ordering::SeqCst);
                };
                Carried::new(work, &tasks)
            });
            if polled {
                assert!(carried.as_mut().now_or_never().is_none());
            }
            drop(carried);
            go.send(()).unwrap();
            tasks.close();
            tasks.wait().await;
            assert!(ended.load(Ordering::SeqCst), "polled before: {polled}");
        }
    }

    #[tokio::test]
    async fn waited_for_it_is_no_task() {
        let tasks = TaskTracker::new();
        assert_eq!(Carried::new(async { 7 }, &tasks).await, 7);
        assert!(tasks.is_empty());
    }
}
