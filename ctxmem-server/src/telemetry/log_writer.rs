//! Writes log lines. Warnings and errors are written at once. Other lines are buffered for a few
//! milliseconds and written together, which saves a system call per request.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait for others to be written with it.
const FLUSH_DELAY: Duration = Duration::from_millis(10);

/// How many bytes may be buffered. The thread that exceeds this writes them itself and so is
/// slowed down if the reader of the log is slow. No line is dropped.
const MAX_BUFFERED: usize = 256 << 10;

/// Writes lines in the order in which they came.
pub(super) struct LogWriter<W>(Arc<Shared<W>>);

struct Shared<W> {
    buffer: Mutex<Buffer<W>>,
    arrived: Condvar,
}

struct Buffer<W> {
    out: W,
    waiting: Vec<u8>,
    /// The writing thread waits for a line.
    idle: bool,
    /// Lines are no longer buffered.
    ended: bool,
}

impl<W: Write + Send + 'static> LogWriter<W> {
    /// A writer to `out`. Dropping the returned guard writes what is buffered; later lines are
    /// written at once.
    pub(super) fn to(out: W) -> (Self, impl Drop + Send) {
        let shared = Arc::new(Shared {
            buffer: Mutex::new(Buffer {
                out,
                waiting: Vec::new(),
                idle: false,
                ended: false,
            }),
            arrived: Condvar::new(),
        });
        let writing = Arc::clone(&shared);
        let thread = thread::Builder::new().name("log".to_owned());
        if thread.spawn(move || writing.keep_writing()).is_err() {
            shared.end();
        }
        let guard = FlushGuard(Arc::clone(&shared));
        (Self(shared), guard)
    }
}

impl<W: Write> Shared<W> {
    fn buffer(&self) -> MutexGuard<'_, Buffer<W>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, line: &[u8], at_once: bool) {
        let mut buffer = self.buffer();
        buffer.waiting.extend_from_slice(line);
        if at_once || buffer.ended || buffer.waiting.len() >= MAX_BUFFERED {
            buffer.write();
        } else if buffer.idle {
            buffer.idle = false;
            self.arrived.notify_one();
        }
    }

    fn keep_writing(&self) {
        let mut buffer = self.buffer();
        while !buffer.ended {
            if buffer.waiting.is_empty() {
                buffer.idle = true;
                buffer = self
                    .arrived
                    .wait(buffer)
                    .unwrap_or_else(PoisonError::into_inner);
            } else {
                drop(buffer);
                thread::sleep(FLUSH_DELAY);
                buffer = self.buffer();
                buffer.write();
            }
        }
    }

    fn end(&self) {
        let mut buffer = self.buffer();
        buffer.ended = true;
        buffer.write();
        self.arrived.notify_one();
    }
}

impl<W: Write> Buffer<W> {
    fn write(&mut self) {
        // If the log can't be written, there is nowhere to report it.
        let _ = self.out.write_all(&self.waiting);
        let _ = self.out.flush();
        self.waiting.clear();
    }
}

struct FlushGuard<W: Write>(Arc<Shared<W>>);

impl<W: Write> Drop for FlushGuard<W> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<'l, W: Write + 'l> MakeWriter<'l> for LogWriter<W> {
    type Writer = LineWriter<'l, W>;

    fn make_writer(&'l self) -> Self::Writer {
        LineWriter {
            shared: &self.0,
            at_once: true,
        }
    }

    /// Warnings and errors are written at once, with all lines before them, because the process
    /// may not live much longer.
    fn make_writer_for(&'l self, event: &Metadata<'_>) -> Self::Writer {
        LineWriter {
            shared: &self.0,
            at_once: *event.level() <= Level::WARN,
        }
    }
}

/// Writes one line.
pub(super) struct LineWriter<'l, W> {
    shared: &'l Shared<W>,
    at_once: bool,
}

impl<W: Write> Write for LineWriter<'_, W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.shared.take(line, self.at_once);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::Instant;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }

        fn wait_for(&self, expected: &str) {
            let began = Instant::now();
            while self.text() != expected {
                assert!(began.elapsed() < Duration::from_secs(10), "{}", self.text());
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn what_only_tells_is_written_soon_and_what_went_wrong_at_once() {
        let written = Written::default();
        let (lines, _end) = LogWriter::to(written.clone());
        for round in 0..3 {
            let before = written.text();
            lines.0.take(b"told\n", false);
            written.wait_for(&format!("{before}told\n"));
            lines.0.take(b"told too\n", false);
            lines.0.take(b"wrong\n", true);
            let all = "told\ntold too\nwrong\n".repeat(round + 1);
            assert_eq!(written.text(), all);
        }
    }

    #[test]
    fn an_end_writes_what_waits_and_leaves_nothing_waiting_after_it() {
        let written = Written::default();
        let (lines, end) = LogWriter::to(written.clone());
        lines.0.take(b"before\n", false);
        drop(end);
        assert_eq!(written.text(), "before\n");
        lines.0.take(b"after\n", false);
        assert_eq!(written.text(), "before\nafter\n");
    }

    #[test]
    fn no_line_is_lost_divided_or_overtaken() {
        const LINES: usize = 20_000;
        let written = Written::default();
        let (lines, end) = LogWriter::to(written.clone());
        thread::scope(|scope| {
            for name in 0..4 {
                let lines = &lines;
                scope.spawn(move || {
                    let mut line = String::new();
                    for n in 0..LINES {
                        line.clear();
                        writeln!(line, "{name} {n} {}", "x".repeat(n % 100)).unwrap();
                        lines.0.take(line.as_bytes(), n % 997 == 0);
                    }
                });
            }
        });
        drop(end);
        let mut next = [0; 4];
        for line in written.text().lines() {
            let mut fields = line.split(' ');
            let mut field = || fields.next().unwrap();
            let (name, n) = (
                field().parse::<usize>().unwrap(),
                field().parse::<usize>().unwrap(),
            );
            assert_eq!(n, next[name]);
            assert_eq!(field(), "x".repeat(n % 100));
            next[name] += 1;
        }
        assert_eq!(next, [LINES; 4]);
    }
}
