//! The log writer: a thread that writes log lines, so that requests go on when nobody reads them.
//!
//! `tracing-appender` does the same, but says on stdout at the end that nobody reads stderr, and brings seven
//! packages.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use tracing_subscriber::fmt::MakeWriter;

/// How many lines wait at most, some 2 MB.
const MAX_WAITING_LINES: usize = 8192;

/// For how long the end of the process waits for the lines that wait.
const END_WITHIN: Duration = Duration::from_secs(1);

/// How often the end of the process looks whether there is room for its last word.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// For how long lines are gathered behind one that was written. A thread that waited for each would be woken by every
/// request of a busy server.
const GATHER: Duration = Duration::from_millis(5);

/// How much of them is written at once, in bytes.
const AT_ONCE: usize = 64 << 10;

/// Hands lines to the thread that writes them.
#[derive(Clone)]
pub(crate) struct LogWriter {
    messages: SyncSender<Message>,
    dropped: Arc<AtomicUsize>,
}

enum Message {
    Line(Vec<u8>),
    /// To be answered when the lines before it are written.
    End(SyncSender<()>),
}

impl LogWriter {
    pub(crate) fn start(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (messages, waiting) = mpsc::sync_channel(MAX_WAITING_LINES);
        let thread = thread::Builder::new().name("ctxmem-log".to_owned());
        thread.spawn(move || write_all(&waiting, out))?;
        Ok(Self {
            messages,
            dropped: Arc::default(),
        })
    }

    /// How many lines found no room.
    pub(crate) fn dropped_lines(&self) -> usize {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Waits until the lines are written that wait, unless that takes longer than a second.
    pub(crate) fn finish(&self) {
        let until = Instant::now() + END_WITHIN;
        let (done, is_done) = mpsc::sync_channel(1);
        let mut end = Message::End(done);
        while let Err(TrySendError::Full(unsent)) = self.messages.try_send(end) {
            if Instant::now() >= until {
                return;
            }
            thread::sleep(LOOK_AGAIN);
            end = unsent;
        }
        let _ = is_done.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

fn write_all(waiting: &Receiver<Message>, out: impl Write) {
    let mut out = BufWriter::with_capacity(AT_ONCE, out);
    while let Ok(first) = waiting.recv() {
        let is_line = matches!(first, Message::Line(_));
        write(first, &mut out);
        let _ = out.flush();
        if is_line {
            thread::sleep(GATHER);
        }
        for message in waiting.try_iter() {
            write(message, &mut out);
        }
        let _ = out.flush();
    }
}

fn write(message: Message, out: &mut impl Write) {
    match message {
        // There is nowhere to say that the log can't be written.
        Message::Line(line) => drop(out.write_all(&line)),
        Message::End(done) => {
            let _ = out.flush();
            let _ = done.send(());
        }
    }
}

/// The subscriber writes each line at once.
impl Write for &LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self
            .messages
            .try_send(Message::Line(line.to_vec()))
            .is_err()
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for LogWriter {
    type Writer = &'w Self;

    fn make_writer(&'w self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Writes as soon as it may, into memory.
    #[derive(Clone, Default)]
    struct Slow {
        gate: Arc<Mutex<()>>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _open = self.gate.lock().unwrap();
            self.written.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_end_waits_for_the_lines_before_it() {
        let out = Slow::default();
        let writer = LogWriter::start(out.clone()).unwrap();
        for n in 0..100 {
            writeln!(&writer, "{n}").unwrap();
        }
        writer.finish();
        let written = String::from_utf8(out.written.lock().unwrap().clone()).unwrap();
        assert_eq!(written.lines().count(), 100);
        assert!(written.ends_with("98\n99\n"), "{written}");
        assert_eq!(writer.dropped_lines(), 0);
    }

    #[test]
    fn what_finds_no_room_is_counted_and_holds_nobody_up() {
        let out = Slow::default();
        let closed = out.gate.lock().unwrap();
        let writer = LogWriter::start(out.clone()).unwrap();
        let too_many = MAX_WAITING_LINES + 10;
        for _ in 0..too_many {
            (&writer).write_all(b"line\n").unwrap();
        }
        let dropped = writer.dropped_lines();
        // The thread may hold one.
        assert!((9..=10).contains(&dropped), "{dropped}");
        // It gives up.
        writer.finish();
        drop(closed);
        writer.finish();
        assert_eq!(out.written.lock().unwrap().len(), (too_many - dropped) * 5);
    }
}
