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

use super::fresh::Fresh;
use super::statement::statement;
use super::touched::Touched;
use super::turn::Turn;
use super::{Statement, StoreError, Tx};
use job::Job;

pub(super) use queue::Queue;

/// How many units share a commit at most.
const MOST: usize = 256;

/// How long a group takes further units in. What it took is answered after them, and other
/// processes wait for the lock meanwhile.
const LONGEST: Duration = Duration::from_millis(10);

pub(super) const STATEMENTS: &[Statement] = &[BEGIN, COMMIT, ROLL_BACK, MARK, UNMARK, UNDO];

// Deferred, a transaction that reads first fails when another wrote meanwhile.
statement!(BEGIN, Nothing, sqlite: "BEGIN IMMEDIATE", postgres: "BEGIN");
statement!(COMMIT, Nothing, "COMMIT");
statement!(ROLL_BACK, Nothing, "ROLLBACK");
// Where a unit begins, so that one that fails takes nothing of its neighbours with it.
statement!(MARK, Nothing, "SAVEPOINT unit");
statement!(UNMARK, Nothing, "RELEASE SAVEPOINT unit");
statement!(UNDO, Nothing, "ROLLBACK TO SAVEPOINT unit");

/// A transaction that several units of work share.
struct Group<'w> {
    tx: &'w mut Tx,
    began: Instant,
    /// Those that ran, to be answered when it is known what became of the group.
    ran: Vec<Box<dyn Job>>,
}

impl<'w> Group<'w> {
    async fn begin(tx: &'w mut Tx, turn: &Turn) -> Result<Self, StoreError> {
        let _turn = turn.take().await;
        tx.roll_back().await;
        tx.run(BEGIN, &[]).await?;
        tx.touched = Touched::default();
        Ok(Self {
            tx,
            began: Instant::now(),
            ran: Vec::new(),
        })
    }

    fn has_room(&self) -> bool {
        self.ran.len() < MOST && self.began.elapsed() < LONGEST
    }

    /// Runs one more unit of work. `None` when that ended the group without a commit, and all
    /// have been told.
    async fn run(mut self, mut job: Box<dyn Job>) -> Option<Self> {
        self.tx.failure = None;
        if self.ran.is_empty() {
            // The first one has the transaction for itself and needs no mark: nothing else is
            // lost when it is undone.
            if !job.run(self.tx).await {
                self.tx.roll_back().await;
                job.answer();
                return None;
            }
            self.ran.push(job);
        } else {
            let marked = self.run_marked(&mut *job).await;
            self.ran.push(job);
            if marked.is_err() {
                return self.give_up().await;
            }
        }
        if self.tx.is_in_transaction() {
            Some(self)
        } else {
            // A full disk, say, undid it as a whole.
            self.give_up().await
        }
    }

    async fn run_marked(&mut self, job: &mut dyn Job) -> Result<(), StoreError> {
        self.tx.run(MARK, &[]).await?;
        let mut touched = std::mem::take(&mut self.tx.touched);
        if job.run(self.tx).await {
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
    async fn give_up(self) -> Option<Self> {
        let failure = self.tx.failure.take().unwrap_or(StoreError::Interrupted);
        self.tx.roll_back().await;
        fail(self.ran, &failure);
        None
    }

    /// Commits, and then answers.
    async fn commit(mut self, fresh: &Fresh) {
        let committed = self.commit_counted(fresh).await;
        match committed {
            Ok(()) => self.ran.into_iter().for_each(Job::answer),
            Err(error) => {
                self.tx.roll_back().await;
                fail(self.ran, &error);
            }
        }
    }

    /// Commits, and counts what was committed. Where that fails it is counted too: it may have
    /// come about all the same.
    async fn commit_counted(&mut self, fresh: &Fresh) -> Result<(), StoreError> {
        let touched = std::mem::take(&mut self.tx.touched);
        // Up to here the write lock is held, and nobody else sees what the units did.
        let committing = fresh.begin();
        self.tx.run(COMMIT, &[]).await?;
        // From here on it is durable and all see it, but nobody has been told.
        committing.done(&touched);
        Ok(())
    }
}

impl Tx {
    /// Undoes what the transaction did, where it is not over.
    async fn roll_back(&mut self) {
        if self.is_in_transaction() {
            // Where that fails, it is tried again before the next one begins.
            let _ = self.run(ROLL_BACK, &[]).await;
        }
    }

    fn is_in_transaction(&self) -> bool {
        self.connection()
            .is_some_and(|connection| !connection.is_autocommit())
    }
}

/// Tells all of them that what they asked for did not come about.
fn fail(jobs: impl IntoIterator<Item = Box<dyn Job>>, error: &StoreError) {
    for job in jobs {
        job.fail(error.clone());
    }
}
