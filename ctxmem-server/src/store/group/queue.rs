//! The queue of units of work, in the order of their arrival, and the thread that runs them.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Group, MAX_UNITS, fail};
use crate::store::commit_tracker::CommitTracker;
use crate::store::files::OpenFiles;
use crate::store::job::Job;
use crate::store::metrics::{QueueLength, StoreMetrics};
use crate::store::writer_lock::WriterLock;
use crate::store::{StoreError, Tx};

/// How many units wait at most, besides those of a group. Callers that have left don't take theirs
/// with them, so nothing else bounds the queue while the disk stalls.
pub(super) const MAX_WAITING: usize = 4096;

/// Sends units of work to the one thread that writes. Only this thread uses the connection:
/// handing each statement to another thread takes longer than running it.
#[derive(Clone)]
pub(in crate::store) struct Queue {
    jobs: Sender<Box<dyn Job>>,
    closing: CancellationToken,
    writer: TaskTracker,
    look: Arc<Notify>,
}

impl Queue {
    /// Starts the thread. It ends when the queue is closed or its last sender is dropped.
    pub(in crate::store) fn start(writer: Writer) -> std::io::Result<Self> {
        let (jobs, incoming) = channel(MAX_WAITING);
        let closing = CancellationToken::new();
        let tasks = TaskTracker::new();
        let look = Arc::new(Notify::new());
        let thread = WriterThread {
            writer,
            look: Arc::clone(&look),
            incoming,
            waiting: VecDeque::new(),
        };
        let (runtime, at_work, closed) = (Handle::current(), tasks.token(), closing.clone());
        std::thread::Builder::new()
            .name("ctxmem-writer".to_owned())
            .spawn(move || {
                runtime.block_on(thread.run(closed));
                drop(at_work);
            })?;
        tasks.close();
        Ok(Self {
            jobs,
            closing,
            writer: tasks,
            look,
        })
    }

    /// Queues a unit of work, which is answered after its commit. Once queued it runs, whether or
    /// not the caller waits.
    pub(in crate::store) fn send(&self, job: Box<dyn Job>) {
        if self.closing.is_cancelled() {
            return job.fail(sqlx::Error::PoolClosed.into());
        }
        match self.jobs.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(job)) => job.fail(StoreError::Overloaded),
            Err(TrySendError::Closed(job)) => job.fail(sqlx::Error::PoolClosed.into()),
        }
    }

    /// How many units wait, without those that the thread has taken.
    pub(in crate::store) fn length(&self) -> QueueLength {
        QueueLength {
            waiting: MAX_WAITING - self.jobs.capacity(),
            limit: MAX_WAITING,
        }
    }

    /// Has the thread free the pages that it keeps in memory if it wrote nothing since the last call.
    pub(in crate::store) fn evict_idle(&self) {
        self.look.notify_one();
    }

    pub(in crate::store) fn is_running(&self) -> bool {
        !self.jobs.is_closed()
    }

    /// Accepts no further units and waits for those that it has accepted.
    pub(in crate::store) async fn close(&self) {
        self.closing.cancel();
        self.writer.wait().await;
    }
}

/// What is written with.
pub(in crate::store) struct Writer {
    /// On the connection that only the thread uses.
    pub(in crate::store) tx: Tx,
    pub(in crate::store) lock: WriterLock,
    pub(in crate::store) files: OpenFiles,
    pub(in crate::store) commits: Arc<CommitTracker>,
    pub(in crate::store) metrics: Arc<StoreMetrics>,
}

impl Writer {
    /// Frees the pages that SQLite keeps for the next write.
    fn release_pages(&self) {
        if let Some(connection) = self.tx.connection() {
            // They stay if this fails, which does no harm.
            let _ = connection.execute_batch("PRAGMA shrink_memory");
        }
    }
}

struct WriterThread {
    writer: Writer,
    incoming: Receiver<Box<dyn Job>>,
    /// Told now and then, to see whether it is idle.
    look: Arc<Notify>,
    /// Units that arrived while a group was running.
    waiting: VecDeque<Box<dyn Job>>,
}

impl WriterThread {
    /// Runs until the queue is closed or its last sender is dropped, and all units have run.
    async fn run(mut self, closing: CancellationToken) {
        let mut wrote = false;
        loop {
            let job = tokio::select! {
                job = self.incoming.recv() => job,
                () = self.look.notified() => {
                    if !std::mem::take(&mut wrote) {
                        self.writer.release_pages();
                    }
                    continue;
                }
                () = closing.cancelled(), if !self.incoming.is_closed() => {
                    self.incoming.close();
                    continue;
                }
            };
            let Some(job) = job else { return };
            wrote = true;
            self.waiting.push_back(job);
            while let Some(job) = self.waiting.pop_front() {
                self.run_group(job).await;
            }
        }
    }

    /// Runs the units that wait and those that arrive meanwhile, up to the bounds of a group.
    async fn run_group(&mut self, first: Box<dyn Job>) {
        while self.waiting.len() < MAX_UNITS
            && let Ok(job) = self.incoming.try_recv()
        {
            self.waiting.push_back(job);
        }
        let writer = &mut self.writer;
        let mut group = match Group::begin(&mut writer.tx, &writer.lock).await {
            Ok(group) => group,
            // They all waited for a lock that could not be acquired. Units that arrive from now on
            // get another attempt.
            Err(error) => {
                let jobs = std::iter::once(first).chain(self.waiting.drain(..));
                return fail(jobs, &error);
            }
        };
        let mut job = Some(first);
        while let Some(next) = job {
            group = match group.run(next).await {
                Some(group) => group,
                None => return,
            };
            if self.waiting.is_empty()
                && let Ok(arrived) = self.incoming.try_recv()
            {
                self.waiting.push_back(arrived);
            }
            job = if group.has_room() {
                self.waiting.pop_front()
            } else {
                None
            };
        }
        group
            .commit(&writer.commits, &writer.files, &writer.metrics)
            .await;
    }
}
