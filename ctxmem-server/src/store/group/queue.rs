//! The queue of units of work, in the order of their arrival, and the thread that runs them.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Group, fail};
use crate::store::Tx;
use crate::store::commit_tracker::CommitTracker;
use crate::store::direct::Direct;
use crate::store::job::Job;
use crate::store::keyring::Keyring;
use crate::store::tx::Inner;
use crate::store::writer_lock::WriterLock;

/// Sends units of work to the one thread that writes. Only this thread uses the connection:
/// handing each statement to another thread takes longer than running it.
///
/// The queue has no bound of its own. Only requests wait here, and the limit on open connections
/// bounds these. If they had to wait for room, a unit whose caller leaves would be lost.
#[derive(Clone)]
pub(in crate::store) struct Queue {
    jobs: UnboundedSender<Box<dyn Job>>,
    closing: CancellationToken,
    writer: TaskTracker,
}

impl Queue {
    /// Starts the thread. It ends when the queue is closed or its last sender is dropped.
    pub(in crate::store) fn start(
        connection: Connection,
        lock: WriterLock,
        commits: Arc<CommitTracker>,
        keys: Keyring,
    ) -> std::io::Result<Self> {
        let (jobs, incoming) = unbounded_channel();
        let closing = CancellationToken::new();
        let tasks = TaskTracker::new();
        let writer = Writer {
            tx: Tx::new(Inner::SqliteWrite(Direct::new(connection)), keys),
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
            jobs,
            closing,
            writer: tasks,
        })
    }

    /// Queues a unit of work, which is answered after its commit. Once queued it runs, whether or
    /// not the caller waits.
    pub(in crate::store) fn send(&self, job: Box<dyn Job>) {
        let refused = if self.closing.is_cancelled() {
            Some(job)
        } else {
            self.jobs.send(job).err().map(|refused| refused.0)
        };
        if let Some(job) = refused {
            job.fail(sqlx::Error::PoolClosed.into());
        }
    }

    /// Whether the thread is running.
    pub(in crate::store) fn is_running(&self) -> bool {
        !self.jobs.is_closed()
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
    incoming: UnboundedReceiver<Box<dyn Job>>,
    /// Units that arrived while a group was running.
    waiting: VecDeque<Box<dyn Job>>,
}

impl Writer {
    /// Runs until the queue is closed or its last sender is dropped, and all units have run.
    async fn run(mut self, closing: CancellationToken) {
        loop {
            let job = tokio::select! {
                job = self.incoming.recv() => job,
                () = closing.cancelled(), if !self.incoming.is_closed() => {
                    self.incoming.close();
                    continue;
                }
            };
            let Some(job) = job else { return };
            self.waiting.push_back(job);
            while let Some(job) = self.waiting.pop_front() {
                self.run_group(job).await;
            }
        }
    }

    /// Runs the units that wait and those that arrive meanwhile, up to the bounds of a group.
    async fn run_group(&mut self, first: Box<dyn Job>) {
        while let Ok(job) = self.incoming.try_recv() {
            self.waiting.push_back(job);
        }
        let mut group = match Group::begin(&mut self.tx, &self.lock).await {
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
        group.commit(&self.commits).await;
    }
}
