//! How often an agent that waits has called, as pages show it.

use crate::core::ConsentRequest;
use crate::http::words::PageTime;

/// How often an agent that waits has called.
pub(crate) struct AskedView {
    pub(crate) first: PageTime,
    pub(crate) last: PageTime,
    pub(crate) times: i64,
}

impl AskedView {
    pub(crate) fn new(request: &ConsentRequest) -> Self {
        Self {
            first: PageTime::new(request.first_at),
            last: PageTime::new(request.last_at),
            times: request.times,
        }
    }
}
