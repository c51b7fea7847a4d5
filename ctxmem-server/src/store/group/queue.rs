//! Units of work in the order in which they were asked for, and the task that runs them.

use std::collections::VecDeque;
use std::sync::Arc;

use sqlx::SqlitePool;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::job::{self, Job};
use super::{Group, fail};
use crate::store::fresh::Fresh;
use crate::store::turn::Turn;
use crate::store::{Salt, StoreError, Tx, Unit};

/// Where units of work wait for the one task that writes.
///
/// It has no bound of its own: nobody waits here but requests, and of those there are as many
/// as connections may be open. To wait for room would cut units off whose callers leave.
#[derive(Clone)]
pub(in crate::store) struct Queue {
    jobs: UnboundedSender<Box<dyn Job>>,
    closing: CancellationToken,
    writer: TaskTracker,
}

impl Queue {
    /// Starts the task. It takes the writing connection for a group at a time, so that others
    /// get their turn in between.
    pub(in crate::store) fn start(pool: SqlitePool, turn: Turn, fresh: Arc<Fresh>) -> Self {
        let (jobs, incoming) = unbounded_channel();
        let closing = CancellationToken::new();
        let tasks = TaskTracker::new();
        let writer = Writer {
            pool,
            turn,
            fresh,
            incoming,
            waiting: VecDeque::new(),
        };
        tasks.spawn(writer.run(closing.clone()));
        tasks.close();
        Self {
            jobs,
            closing,
            writer: tasks,
        }
    }

    /// Has a unit of work run, and answers after its commit. Once asked for it runs, whether
    /// or not the caller waits.
    pub(in crate::store) async fn write<T, E, F>(&self, unit: F, salt: Salt) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (job, answer) = job::asked(unit, salt);
        if self.closing.is_cancelled() || self.jobs.send(job).is_err() {
            return Err(StoreError::from(sqlx::Error::PoolClosed).into());
        }
        answer.await.map_err(|_| StoreError::Interrupted)?
    }

    /// Takes no further units and waits for those that it took.
    pub(in crate::store) async fn close(&self) {
        self.closing.cancel();
        self.writer.wait().await;
    }
}

/// The task that writes.
struct Writer {
    pool: SqlitePool,
    turn: Turn,
    fresh: Arc<Fresh>,
    incoming: UnboundedReceiver<Box<dyn Job>>,
    /// Those that were there when the last group began.
    waiting: VecDeque<Box<dyn Job>>,
}

impl Writer {
    /// Ends when the queue is closed, or nobody is left who could ask, and all that was
    /// asked for has run.
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
            while !self.waiting.is_empty() {
                self.run_group().await;
            }
        }
    }

    /// Runs those that wait, and those that come meanwhile, up to the bounds of a group.
    async fn run_group(&mut self) {
        while let Ok(job) = self.incoming.try_recv() {
            self.waiting.push_back(job);
        }
        let mut group = match Group::begin(&self.pool, &self.turn).await {
            Ok(group) => group,
            // They all waited for the lock that was not to be had. Another attempt is made
            // for those that came meanwhile.
            Err(error) => return fail(self.waiting.drain(..), &error),
        };
        while group.has_room()
            && let Some(job) = self.next()
        {
            group = match group.run(job).await {
                Some(group) => group,
                None => return,
            };
        }
        group.commit(&self.fresh).await;
    }

    fn next(&mut self) -> Option<Box<dyn Job>> {
        let job = self.waiting.pop_front();
        job.or_else(|| self.incoming.try_recv().ok())
    }
}
