//! Log lines on their way out. Those that only tell are written many at once: a call of the
//! system with every request would cost more than what the line tells of.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait for others.
const PAUSE: Duration = Duration::from_millis(10);

/// How many bytes may wait: whoever exceeds that writes them, and so is held up where the
/// reader of the log is slow. No line is dropped.
const FULL: usize = 256 << 10;

/// Takes lines and writes them, in the order in which they came.
pub(super) struct Lines<W>(Arc<Shared<W>>);

struct Shared<W> {
    state: Mutex<State<W>>,
    arrived: Condvar,
}

struct State<W> {
    out: W,
    waiting: Vec<u8>,
    /// The thread that writes what waited waits itself, to be told of a line.
    idle: bool,
    /// Nothing may wait any more.
    ended: bool,
}

impl<W: Write + Send + 'static> Lines<W> {
    /// Writes to `out`. What waits when the answered guard is dropped is written then, and
    /// what comes later at once.
    pub(super) fn to(out: W) -> (Self, impl Drop + Send) {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
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
        let end = End(Arc::clone(&shared));
        (Self(shared), end)
    }
}

impl<W: Write> Shared<W> {
    fn state(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, line: &[u8], at_once: bool) {
        let mut state = self.state();
        state.waiting.extend_from_slice(line);
        if at_once || state.ended || state.waiting.len() >= FULL {
            state.write();
        } else if state.idle {
            state.idle = false;
            self.arrived.notify_one();
        }
    }

    fn keep_writing(&self) {
        let mut state = self.state();
        while !state.ended {
            if state.waiting.is_empty() {
                state.idle = true;
                state = self
                    .arrived
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            } else {
                drop(state);
                thread::sleep(PAUSE);
                state = self.state();
                state.write();
            }
        }
    }

    fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        state.write();
        self.arrived.notify_one();
    }
}

impl<W: Write> State<W> {
    fn write(&mut self) {
        // There is nowhere to report that the log can't be written.
        let _ = self.out.write_all(&self.waiting);
        let _ = self.out.flush();
        self.waiting.clear();
    }
}

struct End<W: Write>(Arc<Shared<W>>);

impl<W: Write> Drop for End<W> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<'l, W: Write + 'l> MakeWriter<'l> for Lines<W> {
    type Writer = Line<'l, W>;

    fn make_writer(&'l self) -> Self::Writer {
        Line {
            shared: &self.0,
            at_once: true,
        }
    }

    /// What went wrong is written at once, with all before it: the process may not live long.
    fn make_writer_for(&'l self, event: &Metadata<'_>) -> Self::Writer {
        Line {
            shared: &self.0,
            at_once: *event.level() <= Level::WARN,
        }
    }
}

/// One line.
pub(super) struct Line<'l, W> {
    shared: &'l Shared<W>,
    at_once: bool,
}

impl<W: Write> Write for Line<'_, W> {
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
        let (lines, _end) = Lines::to(written.clone());
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
        let (lines, end) = Lines::to(written.clone());
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
        let (lines, end) = Lines::to(written.clone());
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
