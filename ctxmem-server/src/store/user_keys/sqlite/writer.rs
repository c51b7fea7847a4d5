//! The thread that changes the keys.
//!
//! A destruction takes two steps: its transaction, and emptying the log, which can have to wait for
//! a reader from outside. Destructions that wait at the same time share both. While they wait, the
//! thread goes on making keys and takes in further destructions.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use super::{BUSY_TIMEOUT, tables};
use crate::failpoint;
use crate::locked;
use crate::store::files::OpenFiles;
use crate::store::user_keys::key::{FreshKey, KeyRef};
use crate::store::user_keys::shared::Shared;
use crate::store::{Result, StoreError};

/// How long one attempt to empty the log waits for a reader. Nobody can write meanwhile.
const ATTEMPT_TIMEOUT: Duration = Duration::from_millis(50);

/// How long others can write until the next attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a destruction waits for the log to be emptied.
const LOG_TIMEOUT: Duration = Duration::from_secs(5);

type Answer<T> = oneshot::Sender<Result<T>>;

type Work = Box<dyn FnOnce(&mut Connection, &Shared) + Send>;

enum Command {
    Fresh(Answer<FreshKey>),
    Destroy(Vec<KeyRef>, Answer<()>),
    Run(Work),
}

/// Sends commands to the thread, which ends when the last of these is dropped.
#[derive(Clone)]
pub(super) struct Writer {
    /// `None` when it is closed.
    commands: Arc<Mutex<Option<Sender<Command>>>>,
    thread: TaskTracker,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        files: OpenFiles,
        log: PathBuf,
        shared: Arc<Shared>,
    ) -> std::io::Result<Self> {
        let (commands, incoming) = channel();
        let tasks = TaskTracker::new();
        let thread = Thread {
            connection,
            files,
            log,
            shared,
            incoming,
            waiting: Vec::new(),
        };
        let at_work = tasks.token();
        std::thread::Builder::new()
            .name("ctxmem-keys".to_owned())
            .spawn(move || {
                thread.run();
                drop(at_work);
            })?;
        tasks.close();
        Ok(Self {
            commands: Arc::new(Mutex::new(Some(commands))),
            thread: tasks,
        })
    }

    pub(super) async fn fresh(&self) -> Result<FreshKey> {
        self.ask(Command::Fresh).await
    }

    pub(super) async fn destroy(&self, keys: Vec<KeyRef>) -> Result<()> {
        self.ask(|answer| Command::Destroy(keys, answer)).await
    }

    /// Runs something between the other commands.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(|answer: Answer<T>| {
            Command::Run(Box::new(move |connection, shared| {
                // The caller may have gone.
                let _ = answer.send(work(connection, shared));
            }))
        })
        .await
    }

    /// Waits until the thread has done what it was asked for and has closed its connection.
    pub(super) async fn close(&self) {
        self.commands().take();
        self.thread.wait().await;
    }

    async fn ask<T>(&self, command: impl FnOnce(Answer<T>) -> Command) -> Result<T> {
        let (caller, answer) = oneshot::channel();
        let sent = match self.commands().as_ref() {
            Some(commands) => commands.send(command(caller)).is_ok(),
            None => false,
        };
        if !sent {
            return Err(sqlx::Error::PoolClosed.into());
        }
        answer.await.map_err(|_| StoreError::Interrupted)?
    }

    fn commands(&self) -> MutexGuard<'_, Option<Sender<Command>>> {
        locked(&self.commands)
    }
}

/// A destruction that is committed and waits for the log to be emptied.
struct Waiting {
    until: Instant,
    answer: Answer<()>,
}

struct Thread {
    connection: Connection,
    files: OpenFiles,
    log: PathBuf,
    shared: Arc<Shared>,
    incoming: Receiver<Command>,
    waiting: Vec<Waiting>,
}

impl Thread {
    fn run(mut self) {
        while let Ok(command) = self.incoming.recv() {
            self.handle(Some(command));
            while !self.waiting.is_empty() {
                self.empty_log();
                let next = self.next_in_pause();
                self.handle(next);
            }
        }
    }

    /// Pauses if a destruction still waits, but not longer than until the next command.
    fn next_in_pause(&self) -> Option<Command> {
        if self.waiting.is_empty() {
            return None;
        }
        match self.incoming.recv_timeout(PAUSE) {
            Ok(command) => Some(command),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(PAUSE);
                None
            }
        }
    }

    /// Carries out this command and those that wait behind it.
    fn handle(&mut self, first: Option<Command>) {
        let (mut fresh, mut works) = (Vec::new(), Vec::new());
        let (mut keys, mut destructions) = (Vec::new(), Vec::new());
        for command in first.into_iter().chain(self.incoming.try_iter()) {
            match command {
                Command::Fresh(answer) => fresh.push(answer),
                Command::Destroy(some, answer) => {
                    keys.extend(some);
                    destructions.push(answer);
                }
                Command::Run(work) => works.push(work),
            }
        }
        self.give(fresh);
        if !destructions.is_empty() {
            self.destroy(&keys, destructions);
        }
        for work in works {
            work(&mut self.connection, &self.shared);
        }
    }

    /// Gives each of them a key.
    fn give(&mut self, answers: Vec<Answer<FreshKey>>) {
        let mut answers = answers.into_iter();
        while let Some(answer) = answers.next() {
            let key = self.unused_key();
            if let Err(error) = &key {
                // The others would wait for the same failure.
                for other in answers.by_ref() {
                    let _ = other.send(Err(error.clone()));
                }
            }
            if let Err(Ok(key)) = answer.send(key) {
                // The caller has gone.
                self.shared.unused.put([key]);
            }
        }
    }

    fn unused_key(&mut self) -> Result<FreshKey> {
        if let Some(key) = self.shared.unused.take() {
            return Ok(key);
        }
        let mut made = tables::make(&mut self.connection, &self.shared.wrapping)?;
        let key = made.pop().ok_or(StoreError::Interrupted)?;
        self.shared.unused.put(made);
        Ok(key)
    }

    /// Overwrites these keys. Callers are answered when the log is empty.
    fn destroy(&mut self, keys: &[KeyRef], answers: Vec<Answer<()>>) {
        // In a file that was replaced, nothing of the one that is put back is destroyed.
        let destroyed = self.files.check();
        let destroyed = destroyed.and_then(|()| tables::destroy(&mut self.connection, keys));
        // If it failed, it may have been committed all the same.
        self.shared.ciphers.forget(keys);
        match destroyed {
            Ok(()) => {
                let until = Instant::now() + LOG_TIMEOUT;
                let waiting = answers.into_iter().map(|answer| Waiting { until, answer });
                self.waiting.extend(waiting);
            }
            Err(error) => {
                for answer in answers {
                    let _ = answer.send(Err(error.clone()));
                }
            }
        }
    }

    /// Tries to empty the log, and answers those who need not or can't wait any longer.
    fn empty_log(&mut self) {
        let outcome = match empty_log(&self.connection, &self.log) {
            // A file may have been replaced since the keys were overwritten in it.
            Ok(true) => self.files.check(),
            Ok(false) => Err(StoreError::Busy),
            Err(error) => Err(error),
        };
        let now = Instant::now();
        let goes_on =
            |waiting: &Waiting| matches!(outcome, Err(StoreError::Busy)) && now < waiting.until;
        for done in self.waiting.extract_if(.., |waiting| !goes_on(waiting)) {
            // The caller may have gone.
            let _ = done.answer.send(outcome.clone());
        }
    }
}

/// Copies the log into the database and empties it, durably. Answers `false` if a reader still
/// needs it.
fn empty_log(connection: &Connection, log: &Path) -> Result<bool> {
    failpoint::reach("before-log-is-emptied");
    connection.busy_timeout(ATTEMPT_TIMEOUT)?;
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let is_busy: bool = emptied?;
    if !is_busy {
        failpoint::reach("before-emptied-log-is-flushed");
        // SQLite has flushed the database itself before it emptied the log, but not the emptied
        // log: after a power cut the former content could be back. SQLite has no locks on this
        // file, so it does no harm to close it.
        let flushed = File::open(log).and_then(|log| log.sync_all());
        flushed.map_err(|error| StoreError::Database(Arc::new(error)))?;
    }
    Ok(!is_busy)
}
