//! Group commit on SQLite: units of work that are asked for at the same time share one commit,
//! since nearly all that a small write takes is the flush to the disk.
//!
//! [`Queue`] hands them over in the order in which they were asked for. A [`Group`] is one
//! transaction: it runs them one after the other, commits, and only then are they answered.
//! A lone unit waits for nobody: a group ends when nobody waits.

mod job;
mod queue;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use sqlx::SqlitePool;

use super::fresh::Fresh;
use super::statement::statement;
use super::turn::Turn;
use super::tx::Inner;
use super::{Salt, Statement, StoreError, Tx};
use job::Job;

pub(super) use queue::Queue;

/// How many units share a commit at most.
const MOST: usize = 256;

/// How long a group takes further units in. What it took is answered after them, and other
/// processes wait for the lock meanwhile.
const LONGEST: Duration = Duration::from_millis(10);

pub(super) const STATEMENTS: &[Statement] = &[MARK, UNMARK, UNDO];

// Where a unit begins, so that one that fails takes nothing of its neighbours with it.
statement!(MARK, Nothing, "SAVEPOINT unit");
statement!(UNMARK, Nothing, "RELEASE SAVEPOINT unit");
statement!(UNDO, Nothing, "ROLLBACK TO SAVEPOINT unit");

/// A transaction that several units of work share.
struct Group {
    tx: Tx,
    began: Instant,
    /// Those that ran, to be answered when it is known what became of the group.
    ran: Vec<Box<dyn Job>>,
    /// Whether it takes no further units in.
    is_closed: bool,
}

impl Group {
    async fn begin(pool: &SqlitePool, turn: &Turn) -> Result<Self, StoreError> {
        let _turn = turn.take().await;
        // Deferred, a transaction that reads first fails when another wrote meanwhile.
        let begun = pool.begin_with("BEGIN IMMEDIATE").await?;
        Ok(Self {
            // Each unit brings the salt.
            tx: Tx::new(Inner::SqliteWrite(begun), Salt::default()),
            began: Instant::now(),
            ran: Vec::new(),
            is_closed: false,
        })
    }

    fn has_room(&self) -> bool {
        !self.is_closed && self.ran.len() < MOST && self.began.elapsed() < LONGEST
    }

    /// Runs one more unit of work. `None` when that ended the group without a commit, and all
    /// have been told.
    async fn run(self, job: Box<dyn Job>) -> Option<Self> {
        if self.ran.is_empty() {
            self.run_first(job).await
        } else {
            self.run_next(job).await
        }
    }

    /// The first one has the transaction for itself and needs no mark: nothing else is lost
    /// when it is undone.
    async fn run_first(mut self, mut job: Box<dyn Job>) -> Option<Self> {
        if job.run(&mut self.tx).await {
            // Some failures end the transaction, and a mark would begin another one. The
            // commit tells.
            self.is_closed = self.tx.failure.is_some();
            self.ran.push(job);
            Some(self)
        } else {
            self.tx.roll_back().await;
            job.answer();
            None
        }
    }

    async fn run_next(mut self, mut job: Box<dyn Job>) -> Option<Self> {
        self.tx.failure = None;
        let stands = self.run_marked(&mut *job).await.is_ok();
        self.ran.push(job);
        if stands {
            Some(self)
        } else {
            self.give_up().await;
            None
        }
    }

    /// Fails when the transaction is over: a full disk, say, may undo it as a whole.
    async fn run_marked(&mut self, job: &mut dyn Job) -> Result<(), StoreError> {
        self.tx.run(MARK, &[]).await?;
        let mut touched = std::mem::take(&mut self.tx.touched);
        if job.run(&mut self.tx).await {
            touched.add(std::mem::take(&mut self.tx.touched));
        } else {
            self.tx.run(UNDO, &[]).await?;
            touched.add(std::mem::take(&mut self.tx.touched).undo());
        }
        self.tx.touched = touched;
        self.tx.run(UNMARK, &[]).await?;
        Ok(())
    }

    /// Undoes all. Whoever thought to have succeeded is told what went wrong.
    async fn give_up(mut self) {
        let failure = self.tx.failure.take().unwrap_or(StoreError::Interrupted);
        self.tx.roll_back().await;
        fail(self.ran, &failure);
    }

    /// Commits, and then answers.
    async fn commit(mut self, fresh: &Fresh) {
        let touched = std::mem::take(&mut self.tx.touched);
        // Up to here the write lock is held, and nobody else sees what the units did.
        let committing = fresh.begin();
        if let Err(error) = self.tx.commit().await {
            return fail(self.ran, &error.into());
        }
        // From here on it is durable and all see it, but nobody has been told.
        committing.done(&touched);
        for job in self.ran {
            job.answer();
        }
    }
}

/// Tells all of them that what they asked for did not come about.
fn fail(jobs: impl IntoIterator<Item = Box<dyn Job>>, error: &StoreError) {
    for job in jobs {
        job.fail(error.clone());
    }
}
