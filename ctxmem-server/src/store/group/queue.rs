//! The queue of units of work, in the order of their arrival, and the thread that runs them.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::job::{self, Job};
use super::{Group, fail};
use crate::store::commit_tracker::CommitTracker;
use crate::store::direct::Direct;
use crate::store::tx::Inner;
use crate::store::writer_lock::WriterLock;
use crate::store::{Salt, StoreError, Tx, Unit};

/// Sends units of work to the one thread that writes. Only this thread uses the connection:
/// handing each statement to another thread takes longer than running it.
///
/// The queue has no bound of its own. Only requests wait here, and the limit on open connections
/// bounds these. If they had to wait for room, a unit whose caller leaves would be lost.
#[derive(Clone)]
pub(in crate::store) struct Queue {
    commands: UnboundedSender<Command>,
    closing: CancellationToken,
    writer: TaskTracker,
}

/// What the thread can do.
enum Command {
    Write(Box<dyn Job>),
    /// Something that runs outside of any transaction.
    Exclusive(Box<dyn FnOnce(&Connection) + Send>),
}

impl Queue {
    /// Starts the thread. It ends when the queue is closed or its last sender is dropped.
    pub(in crate::store) fn start(
        connection: Connection,
        lock: WriterLock,
        commits: Arc<CommitTracker>,
    ) -> std::io::Result<Self> {
        let (commands, incoming) = unbounded_channel();
        let closing = CancellationToken::new();
        let tasks = TaskTracker::new();
        let writer = Writer {
            // Each unit brings the salt.
            tx: Tx::new(Inner::SqliteWrite(Direct::new(connection)), Salt::default()),
            lock,
            commits,
            incoming,
            waiting: VecDeque::new(),
        };
        let (runtime, at_work, closed) = (Handle::current(), tasks.token(), closing.clone());
        std::thread::Builder::new()
            .name("ctxmem-writer".to_owned())
            .spawn(move || {
                runtime.block_on(writer.run(closed));
                drop(at_work);
            })?;
        tasks.close();
        Ok(Self {
            commands,
            closing,
            writer: tasks,
        })
    }

    /// Runs a unit of work and answers after its commit. Once queued it runs, whether or not the
    /// caller waits.
    pub(in crate::store) async fn write<T, E, F>(&self, unit: F, salt: Salt) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (job, answer) = job::queued(unit, salt);
        self.send(Command::Write(job))?;
        answer.await.map_err(|_| StoreError::Interrupted)?
    }

    /// Runs something between groups, while this process holds the writer lock.
    pub(in crate::store) async fn run_exclusive<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (caller, answer) = oneshot::channel();
        self.send(Command::Exclusive(Box::new(move |connection| {
            // The caller may have gone.
            let _ = caller.send(work(connection));
        })))?;
        answer.await.map_err(|_| StoreError::Interrupted)?
    }

    fn send(&self, command: Command) -> Result<(), StoreError> {
        if self.closing.is_cancelled() || self.commands.send(command).is_err() {
            return Err(sqlx::Error::PoolClosed.into());
        }
        Ok(())
    }

    /// Whether the thread is running.
    pub(in crate::store) fn is_running(&self) -> bool {
        !self.commands.is_closed()
    }

    /// Accepts no further units and waits for those that it has accepted.
    pub(in crate::store) async fn close(&self) {
        self.closing.cancel();
        self.writer.wait().await;
    }
}

/// The thread that writes.
struct Writer {
    tx: Tx,
    lock: WriterLock,
    commits: Arc<CommitTracker>,
    incoming: UnboundedReceiver<Command>,
    /// Commands that arrived while a group was running.
    waiting: VecDeque<Command>,
}

impl Writer {
    /// Runs until the queue is closed or its last sender is dropped, and all commands have run.
    async fn run(mut self, closing: CancellationToken) {
        loop {
            let command = tokio::select! {
                command = self.incoming.recv() => command,
                () = closing.cancelled(), if !self.incoming.is_closed() => {
                    self.incoming.close();
                    continue;
                }
            };
            let Some(command) = command else { return };
            self.waiting.push_back(command);
            while let Some(command) = self.waiting.pop_front() {
                match command {
                    Command::Write(job) => self.run_group(job).await,
                    Command::Exclusive(work) => self.run_exclusive(work).await,
                }
            }
        }
    }

    /// Runs the units that wait and those that arrive meanwhile, up to the bounds of a group.
    async fn run_group(&mut self, first: Box<dyn Job>) {
        while let Ok(command) = self.incoming.try_recv() {
            self.waiting.push_back(command);
        }
        let mut group = match Group::begin(&mut self.tx, &self.lock).await {
            Ok(group) => group,
            // They all waited for a lock that could not be acquired. Units that arrive from now on
            // get another attempt.
            Err(error) => {
                let units = std::iter::from_fn(|| next_unit(&mut self.waiting));
                return fail(std::iter::once(first).chain(units), &error);
            }
        };
        let mut job = Some(first);
        while let Some(next) = job {
            group = match group.run(next).await {
                Some(group) => group,
                None => return,
            };
            if self.waiting.is_empty()
                && let Ok(command) = self.incoming.try_recv()
            {
                self.waiting.push_back(command);
            }
            job = group
                .has_room()
                .then(|| next_unit(&mut self.waiting))
                .flatten();
        }
        group.commit(&self.commits).await;
    }

    async fn run_exclusive(&self, work: Box<dyn FnOnce(&Connection) + Send>) {
        let _guard = self.lock.acquire().await;
        if let Some(connection) = self.tx.connection() {
            work(connection);
        }
    }
}

/// The next command if it is a unit.
fn next_unit(waiting: &mut VecDeque<Command>) -> Option<Box<dyn Job>> {
    match waiting.pop_front()? {
        Command::Write(job) => Some(job),
        exclusive @ Command::Exclusive(_) => {
            waiting.push_front(exclusive);
            None
        }
    }
}
