//! Awaits a future up to a deadline, mostly without a timer.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::time::Instant;
use tokio::time::error::Elapsed;

/// Awaits the future until `deadline` at most.
///
/// Setting and cancelling a timer often costs more than what is awaited: a body usually arrives
/// together with its head, and hyper returns it at the second poll. So a timer is only set
/// for a future that is not ready by then.
pub(super) async fn within<F: Future>(deadline: Instant, future: F) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    match ready_in_two_polls(future.as_mut()).await {
        Some(output) => Ok(output),
        None => tokio::time::timeout_at(deadline, future).await,
    }
}

/// The output if the future is ready at the first or the second poll.
async fn ready_in_two_polls<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    let mut polled = false;
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if polled => Poll::Ready(None),
        Poll::Pending => {
            polled = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn what_is_ready_soon_or_later_is_answered_and_what_is_not_is_given_up() {
        let soon = || Instant::now() + Duration::from_millis(50);
        let far = Instant::now() + Duration::from_mins(1);
        assert_eq!(within(soon(), async { 1 }).await.unwrap(), 1);
        let second = async {
            tokio::task::yield_now().await;
            2
        };
        assert_eq!(within(soon(), second).await.unwrap(), 2);
        let later = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            3
        };
        assert_eq!(within(far, later).await.unwrap(), 3);
        assert!(within(soon(), std::future::pending::<()>()).await.is_err());
        // As if the first poll had taken longer than allowed.
        let past = Instant::now();
        assert!(within(past, std::future::pending::<()>()).await.is_err());
    }
}
