//! The clock and its timers. Browsers have their own.

use std::time::Duration;

use ctxmem_types::Timestamp;

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

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since
        .ok()
        .and_then(|since| i64::try_from(since.as_millis()).ok());
    let at = millis.and_then(Timestamp::from_unix_millis);
    at.unwrap_or_else(|| std::time::UNIX_EPOCH.into())
}
