//! How often an agent that waits has called, as pages show it.

use crate::core::ConsentRequest;
use crate::http::page_time::PageTime;

/// How often an agent that waits has called.
pub(in crate::http) struct AskedView {
    pub(in crate::http) first: PageTime,
    pub(in crate::http) last: PageTime,
    pub(in crate::http) times: i64,
}

impl AskedView {
    pub(in crate::http) fn new(request: &ConsentRequest) -> Self {
        Self {
            first: PageTime::new(request.first_at),
            last: PageTime::new(request.last_at),
            times: request.times,
        }
    }
}
