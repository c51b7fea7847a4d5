//! The clock, and waiting on it.

use std::time::Duration;

pub(crate) use std::time::Instant;

pub(crate) async fn sleep(wait: Duration) {
    tokio::time::sleep(wait).await;
}
