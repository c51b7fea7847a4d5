//! Requests that clients send before they have the answer to the one before, as a flood does that is
//! never read. However many such clients there are, only a few of these requests are answered between
//! two looks at everybody else's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::AsyncRead;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio_util::io::InspectReader;

/// How many are let through at a time: as many as a small machine has threads for.
const AT_A_TIME: usize = 2;

/// The queue of requests that were sent ahead.
#[derive(Clone)]
pub(crate) struct Line(Arc<Semaphore>);

/// Whether anything was read on a connection since its last request began.
#[derive(Clone, Default)]
pub(crate) struct ReadAhead(Arc<AtomicBool>);

impl Line {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_A_TIME)))
    }

    /// Has a request wait for its turn if it had been read when the one before it began.
    pub(crate) async fn wait(&self, has_read: &ReadAhead) {
        if has_read.0.swap(false, Ordering::Relaxed) {
            return;
        }
        let _turn = self.0.acquire().await;
        // Everybody who is ready goes first.
        yield_now().await;
    }
}

impl ReadAhead {
    /// The stream, whose reads are noted.
    pub(crate) fn watch<S: AsyncRead>(
        &self,
        stream: S,
    ) -> InspectReader<S, impl FnMut(&[u8]) + use<S>> {
        let noted = Arc::clone(&self.0);
        InspectReader::new(stream, move |bytes: &[u8]| {
            if !bytes.is_empty() {
                noted.store(true, Ordering::Relaxed);
            }
        })
    }
}
