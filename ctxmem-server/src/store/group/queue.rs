//! Units of work in the order in which they were asked for, and the thread that runs them.

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
use crate::store::direct::Direct;
use crate::store::fresh::Fresh;
use crate::store::turn::Turn;
use crate::store::tx::Inner;
use crate::store::{Salt, StoreError, Tx, Unit};

/// Where units of work wait for the one thread that writes. The connection is in its hands
/// alone: a statement that is handed to another thread takes longer than it runs.
///
/// It has no bound of its own: nobody waits here but requests, and of those there are as many
/// as connections may be open. To wait for room would cut units off whose callers leave.
#[derive(Clone)]
pub(in crate::store) struct Queue {
    asked: UnboundedSender<Asked>,
    closing: CancellationToken,
    writer: TaskTracker,
}

/// What the thread is asked for.
enum Asked {
    Unit(Box<dyn Job>),
    /// Something that goes in no transaction.
    Alone(Box<dyn FnOnce(&Connection) + Send>),
}

impl Queue {
    /// Starts the thread, which ends when the queue is closed or nobody is left who could ask.
    pub(in crate::store) fn start(
        connection: Connection,
        turn: Turn,
        fresh: Arc<Fresh>,
    ) -> std::io::Result<Self> {
        let (asked, incoming) = unbounded_channel();
        let closing = CancellationToken::new();
        let tasks = TaskTracker::new();
        let writer = Writer {
            // Each unit brings the salt.
            tx: Tx::new(Inner::SqliteWrite(Direct::new(connection)), Salt::default()),
            turn,
            fresh,
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
            asked,
            closing,
            writer: tasks,
        })
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
        self.ask(Asked::Unit(job))?;
        answer.await.map_err(|_| StoreError::Interrupted)?
    }

    /// Has something done while no unit runs, in its turn among processes.
    pub(in crate::store) async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (caller, answer) = oneshot::channel();
        self.ask(Asked::Alone(Box::new(move |connection| {
            // Whoever asked may have gone.
            let _ = caller.send(work(connection));
        })))?;
        answer.await.map_err(|_| StoreError::Interrupted)?
    }

    fn ask(&self, asked: Asked) -> Result<(), StoreError> {
        if self.closing.is_cancelled() || self.asked.send(asked).is_err() {
            return Err(sqlx::Error::PoolClosed.into());
        }
        Ok(())
    }

    /// Whether there is a thread that runs what is asked for.
    pub(in crate::store) fn is_served(&self) -> bool {
        !self.asked.is_closed()
    }

    /// Takes no further units and waits for those that it took.
    pub(in crate::store) async fn close(&self) {
        self.closing.cancel();
        self.writer.wait().await;
    }
}

/// What the thread does.
struct Writer {
    tx: Tx,
    turn: Turn,
    fresh: Arc<Fresh>,
    incoming: UnboundedReceiver<Asked>,
    /// Those that were there when the last group began.
    waiting: VecDeque<Asked>,
}

impl Writer {
    /// Ends when the queue is closed, or nobody is left who could ask, and all that was
    /// asked for has run.
    async fn run(mut self, closing: CancellationToken) {
        loop {
            let asked = tokio::select! {
                asked = self.incoming.recv() => asked,
                () = closing.cancelled(), if !self.incoming.is_closed() => {
                    self.incoming.close();
                    continue;
                }
            };
            let Some(asked) = asked else { return };
            self.waiting.push_back(asked);
            while let Some(asked) = self.waiting.pop_front() {
                match asked {
                    Asked::Unit(job) => self.run_group(job).await,
                    Asked::Alone(work) => self.run_alone(work).await,
                }
            }
        }
    }

    /// Runs those that wait, and those that come meanwhile, up to the bounds of a group.
    async fn run_group(&mut self, first: Box<dyn Job>) {
        while let Ok(asked) = self.incoming.try_recv() {
            self.waiting.push_back(asked);
        }
        let mut group = match Group::begin(&mut self.tx, &self.turn).await {
            Ok(group) => group,
            // They all waited for the lock that was not to be had. Another attempt is made
            // for those that came meanwhile.
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
                && let Ok(asked) = self.incoming.try_recv()
            {
                self.waiting.push_back(asked);
            }
            job = group
                .has_room()
                .then(|| next_unit(&mut self.waiting))
                .flatten();
        }
        group.commit(&self.fresh).await;
    }

    async fn run_alone(&self, work: Box<dyn FnOnce(&Connection) + Send>) {
        let _turn = self.turn.take().await;
        if let Some(connection) = self.tx.connection() {
            work(connection);
        }
    }
}

/// The next one, where it is a unit.
fn next_unit(waiting: &mut VecDeque<Asked>) -> Option<Box<dyn Job>> {
    match waiting.pop_front()? {
        Asked::Unit(job) => Some(job),
        alone @ Asked::Alone(_) => {
            waiting.push_front(alone);
            None
        }
    }
}
