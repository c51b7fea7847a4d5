//! The clock and its timers. Browsers have their own.

use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
pub(crate) use std::time::{Instant, SystemTime, UNIX_EPOCH};
#[cfg(target_family = "wasm")]
pub(crate) use web_time::{Instant, SystemTime, UNIX_EPOCH};

#[cfg(not(target_family = "wasm"))]
pub(crate) async fn sleep(wait: Duration) {
    tokio::time::sleep(wait).await;
}

#[cfg(target_family = "wasm")]
pub(crate) async fn sleep(wait: Duration) {
    gloo_timers::future::sleep(wait).await;
}
