//! Log capture: what a test's own thread logs. The subscriber is shared by all tests of this
//! program.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;

use tracing_subscriber::fmt::format::FmtSpan;

thread_local! {
    static LOG: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

struct ToLog;

impl Write for ToLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                log.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Keeps what this thread logs from now on. For tests on a runtime of one thread.
pub(crate) fn keep() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_span_events(FmtSpan::CLOSE)
            .with_ansi(false)
            .with_writer(|| ToLog)
            .init();
    });
    LOG.set(Some(Vec::new()));
}

/// The lines of the client since [`keep`], which are no longer kept.
pub(crate) fn ours() -> Vec<String> {
    let log = String::from_utf8(LOG.take().unwrap()).unwrap();
    log.lines()
        .filter(|line| line.contains("ctxmem_client"))
        .map(str::to_owned)
        .collect()
}

/// The warnings among [`ours`].
pub(crate) fn warnings() -> Vec<String> {
    let mut lines = ours();
    lines.retain(|line| line.contains(" WARN "));
    lines
}
