//! Group commit on SQLite: units of work that arrive at the same time share one commit, because a
//! small write spends nearly all its time on the flush to disk.
//!
//! Tasks send their units through the [`Queue`] to the writer thread, which has the only connection
//! that writes. The thread begins a [`Group`], which is one transaction, and runs the waiting
//! units in it one after the other, each in a savepoint: if one fails, only its own work is
//! undone. When no more units wait or the group is full, the thread commits and then answers all of
//! them. A lone unit is committed at once.
//!
//! Sharing exists for speed only: 64 clients get 2.08 times as many updates a second as with a
//! commit for each (9,542 and 4,637, `benches/results/2026-11-21-485411c.md`).

mod queue;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use super::change_set::ChangeSet;
use super::commit_tracker::CommitTracker;
use super::files::OpenFiles;
use super::job::Job;
use super::metrics::StoreMetrics;
use super::statement::statements;
use super::writer_lock::WriterLock;
use super::{Result, StoreError, Tx};

pub(super) use queue::{Queue, Writer};

const MAX_UNITS: usize = 256;

/// How long a group accepts further units. The first ones wait for their answers meanwhile, and
/// other processes wait for the lock.
const MAX_INTAKE: Duration = Duration::from_millis(10);

statements! {
    // A deferred transaction that reads first fails if another process writes before it does.
    BEGIN changes Nothing: {
        sqlite: "BEGIN IMMEDIATE",
        postgres: "BEGIN",
    };
    COMMIT changes Nothing: "COMMIT";
    ROLL_BACK changes Nothing: "ROLLBACK";
    // Each unit begins with a savepoint, so that a failure undoes nothing of its neighbours.
    SAVEPOINT changes Nothing: "SAVEPOINT unit";
    RELEASE_SAVEPOINT changes Nothing: "RELEASE SAVEPOINT unit";
    ROLL_BACK_TO_SAVEPOINT changes Nothing: "ROLLBACK TO SAVEPOINT unit";
}

/// A transaction that several units of work share.
struct Group<'w> {
    tx: &'w mut Tx,
    began: Instant,
    /// The units that ran. They are answered once the outcome of the commit is known.
    finished: Vec<Box<dyn Job>>,
}

impl<'w> Group<'w> {
    async fn begin(tx: &'w mut Tx, lock: &WriterLock) -> Result<Self> {
        let _guard = lock.acquire().await;
        tx.roll_back().await;
        tx.run(BEGIN, &[]).await?;
        if let Err(error) = tx.check_compatibility().await {
            tx.roll_back().await;
            return Err(error);
        }
        tx.changes = ChangeSet::default();
        Ok(Self {
            tx,
            began: Instant::now(),
            finished: Vec::new(),
        })
    }

    fn has_room(&self) -> bool {
        self.finished.len() < MAX_UNITS && self.began.elapsed() < MAX_INTAKE
    }

    /// Runs one more unit of work. `None` if that ended the group without a commit; then everybody
    /// has been answered.
    async fn run(mut self, mut job: Box<dyn Job>) -> Option<Self> {
        self.tx.failure = None;
        if self.finished.is_empty() {
            // The first one needs no savepoint: to undo it, the transaction is rolled back.
            if !job.run(self.tx).await {
                self.tx.roll_back().await;
                job.answer();
                return None;
            }
            self.finished.push(job);
        } else {
            let ran = self.run_in_savepoint(&mut *job).await;
            self.finished.push(job);
            if ran.is_err() {
                return self.give_up().await;
            }
        }
        if self.tx.is_in_transaction() {
            Some(self)
        } else {
            // A full disk, for example, makes SQLite roll back the whole transaction.
            self.give_up().await
        }
    }

    async fn run_in_savepoint(&mut self, job: &mut dyn Job) -> Result<()> {
        self.tx.run(SAVEPOINT, &[]).await?;
        let mut changes = std::mem::take(&mut self.tx.changes);
        if job.run(self.tx).await {
            changes.add(std::mem::take(&mut self.tx.changes));
        } else {
            self.tx.run(ROLL_BACK_TO_SAVEPOINT, &[]).await?;
        }
        // What was undone is not counted.
        self.tx.changes = changes;
        self.tx.run(RELEASE_SAVEPOINT, &[]).await
    }

    /// Rolls back. Units that had succeeded are answered with the failure.
    async fn give_up(self) -> Option<Self> {
        let failure = self.tx.failure.take().unwrap_or(StoreError::Interrupted);
        self.tx.roll_back().await;
        fail(self.finished, &failure);
        None
    }

    async fn commit(mut self, commits: &CommitTracker, files: &OpenFiles, metrics: &StoreMetrics) {
        let began = Instant::now();
        // What is in a file that can no longer be found is lost. Checked before, nothing is stored
        // in one file that needs what is lost with another.
        let committed = match files.check() {
            Ok(()) => self.commit_counted(commits).await,
            Err(replaced) => Err(replaced),
        };
        metrics.record_commit(began.elapsed());
        metrics.record_commit_units(self.finished.len());
        // One may have been replaced meanwhile.
        let committed = committed.and_then(|()| files.check());
        match committed {
            Ok(()) => self.finished.into_iter().for_each(Job::answer),
            Err(error) => {
                metrics.record_failed_commit();
                self.tx.roll_back().await;
                fail(self.finished, &error);
            }
        }
    }

    /// Commits and counts the commit. A failed one counts as well, since it may have succeeded all
    /// the same.
    async fn commit_counted(&mut self, commits: &CommitTracker) -> Result<()> {
        let changes = std::mem::take(&mut self.tx.changes);
        // The write lock is still held, and nobody else sees what the units did.
        let committing = commits.begin();
        self.tx.run(COMMIT, &[]).await?;
        // Now the commit is durable and visible to all, but nobody has been answered yet.
        committing.done(&changes);
        Ok(())
    }
}

impl Tx {
    /// Rolls the transaction back if it is still open.
    async fn roll_back(&mut self) {
        if self.is_in_transaction() {
            // If this fails, the next group tries again before it begins.
            let _ = self.run(ROLL_BACK, &[]).await;
        }
    }

    fn is_in_transaction(&self) -> bool {
        self.connection()
            .is_some_and(|connection| !connection.is_autocommit())
    }
}

fn fail(jobs: impl IntoIterator<Item = Box<dyn Job>>, error: &StoreError) {
    for job in jobs {
        job.fail(error.clone());
    }
}
