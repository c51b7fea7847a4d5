//! The audit buffer: what agents do without changing anything, in memory until it is stored, so
//! that an inject costs no write.
//!
//! Equal events become one with a count and the time of the last, so an agent that reads a thousand
//! times leaves a few rows. What changes something is logged by the unit of work that changes it; the
//! buffer then holds only that the grant was used, and the usage.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use ctxmem_types::{ScopeSet, UserId};
use tokio::sync::Notify;

use super::clock::DAY_MILLIS;
use super::metrics::QueueLength;
use crate::locked;
use crate::store::{
    Action, Actor, AuditDetails, AuditEvent, LastUse, Outcome, StoreError, Tx, Usage,
};

/// At this number of entries the buffer is stored early.
const LONG: usize = 8_192;
/// More entries than this are not kept.
const FULL: usize = 65_536;
/// How many entries one unit of work stores at most: others want to write as well.
const BATCH: usize = 1_024;

/// What happened, without saying to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Event {
    pub(super) action: Action,
    pub(super) outcome: Outcome,
    pub(super) scopes: ScopeSet,
    pub(super) details: AuditDetails,
}

impl Event {
    /// An event that is about no scope.
    pub(super) fn new(action: Action, outcome: Outcome) -> Self {
        Self {
            action,
            outcome,
            scopes: ScopeSet::EMPTY,
            details: AuditDetails::default(),
        }
    }
}

/// What an agent did with a user's memory.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) user_id: UserId,
    pub(super) agent_id: String,
    /// `None` where the unit of work noted it.
    pub(super) event: Option<Event>,
}

impl Entry {
    /// Whether the agent was let in.
    fn is_use(&self) -> bool {
        self.event.is_none_or(|event| match event.outcome {
            Outcome::Done | Outcome::Nothing | Outcome::Filtered | Outcome::Partly => true,
            Outcome::Denied | Outcome::LimitReached | Outcome::Failed => false,
        })
    }
}

#[derive(Clone, Copy)]
struct Happened {
    times: i64,
    /// In milliseconds since 1970.
    last: i64,
}

/// Buffered entries, or those that were taken out to be stored.
#[derive(Default)]
pub(super) struct AuditBatch {
    entries: HashMap<Entry, Happened>,
    /// By agent and days since 1970.
    usage: HashMap<String, BTreeMap<i64, Usage>>,
    /// How many events found no room.
    lost: i64,
}

/// What a batch holds, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) entries: usize,
    pub(super) events: i64,
}

impl AuditBatch {
    fn note(&mut self, entry: Entry, usage: Usage, at: i64) {
        self.count(&entry.agent_id, at.div_euclid(DAY_MILLIS), usage);
        self.add(entry, Happened { times: 1, last: at });
    }

    fn count(&mut self, agent_id: &str, day: i64, usage: Usage) {
        if usage == Usage::default() {
            return;
        }
        if let Some(days) = self.usage.get_mut(agent_id) {
            *days.entry(day).or_default() += usage;
        } else {
            let days = BTreeMap::from([(day, usage)]);
            self.usage.insert(agent_id.to_owned(), days);
        }
    }

    fn add(&mut self, entry: Entry, happened: Happened) {
        if let Some(before) = self.entries.get_mut(&entry) {
            before.times += happened.times;
            before.last = before.last.max(happened.last);
        } else if self.entries.len() < FULL {
            self.entries.insert(entry, happened);
        } else {
            self.lost += happened.times;
        }
    }

    /// Takes out as much as one unit of work stores.
    fn take(&mut self) -> Self {
        let entries = if self.entries.len() <= BATCH {
            std::mem::take(&mut self.entries)
        } else {
            let all = self.entries.extract_if(|_, _| true);
            all.take(BATCH).collect()
        };
        Self {
            entries,
            usage: std::mem::take(&mut self.usage),
            lost: 0,
        }
    }

    /// Takes back what could not be stored.
    fn put_back(&mut self, batch: &Self) {
        for (agent_id, days) in &batch.usage {
            for (day, usage) in days {
                self.count(agent_id, *day, *usage);
            }
        }
        for (entry, happened) in &batch.entries {
            self.add(entry.clone(), *happened);
        }
    }

    /// The same in parts that each concern one user, or one agent: where the database is distributed,
    /// each is stored on one machine, and what can't be stored is that of one machine.
    pub(super) fn split(self) -> Vec<Self> {
        let mut of_users: HashMap<UserId, Self> = HashMap::new();
        for (entry, happened) in self.entries {
            let part = of_users.entry(entry.user_id.clone()).or_default();
            part.entries.insert(entry, happened);
        }
        let of_agents = self.usage.into_iter().map(|usage| Self {
            usage: HashMap::from([usage]),
            ..Self::default()
        });
        of_users.into_values().chain(of_agents).collect()
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.usage.is_empty()
    }

    pub(super) fn size(&self) -> Size {
        Size {
            entries: self.entries.len(),
            events: self.entries.values().map(|happened| happened.times).sum(),
        }
    }

    fn events(&self) -> Vec<(&UserId, AuditEvent)> {
        let events = self.entries.iter().filter_map(|(entry, happened)| {
            let event = entry.event?;
            let noted = AuditEvent {
                times: happened.times,
                ..AuditEvent::new(event.action, Actor::Agent, happened.last)
                    .agent(&entry.agent_id)
                    .scopes(event.scopes)
                    .outcome(event.outcome)
                    .details(event.details)
            };
            Some((&entry.user_id, noted))
        });
        let mut events: Vec<_> = events.collect();
        // Those of one millisecond too have an order then: that of their actions.
        events.sort_by_key(|(_, event)| (event.at, event.action, event.outcome));
        events
    }

    /// When each agent last used what each user grants it.
    fn uses(&self) -> Vec<LastUse> {
        let mut uses: HashMap<(&UserId, &str), i64> = HashMap::new();
        for (entry, happened) in self.entries.iter().filter(|(entry, _)| entry.is_use()) {
            let last = uses.entry((&entry.user_id, &entry.agent_id)).or_default();
            *last = happened.last.max(*last);
        }
        let uses = uses.into_iter().map(|((user_id, agent_id), at)| LastUse {
            user_id: user_id.clone(),
            agent_id: agent_id.to_owned(),
            at,
        });
        uses.collect()
    }

    /// By agent and day, in this order: two processes that store theirs lock the same rows in
    /// the same order.
    fn usage(&self) -> BTreeMap<(&str, i64), Usage> {
        let agents = self.usage.iter();
        agents
            .flat_map(|(agent_id, days)| {
                let days = days.iter();
                days.map(|(day, usage)| ((&**agent_id, *day), *usage))
            })
            .collect()
    }

    /// Stores the last uses whose grants nobody has locked and answers the others. To store one
    /// again does no harm.
    pub(super) async fn store_uses(&self, tx: &mut Tx) -> Result<Vec<LastUse>, StoreError> {
        match self.uses() {
            uses if uses.is_empty() => Ok(uses),
            uses => tx.use_grants(uses).await,
        }
    }

    /// Stores everything else, and those uses.
    pub(super) async fn store(&self, tx: &mut Tx, uses: Vec<LastUse>) -> Result<(), StoreError> {
        if !uses.is_empty() {
            tx.use_locked_grants(uses).await?;
        }
        tx.audit_all(&self.events()).await?;
        for ((agent_id, day), usage) in self.usage() {
            tx.add_usage(agent_id, &day_text(day), &usage).await?;
        }
        Ok(())
    }
}

/// A day as it is stored, such as `2026-03-01`, from the days since 1970.
fn day_text(day: i64) -> String {
    let at = chrono::DateTime::from_timestamp_millis(day.saturating_mul(DAY_MILLIS));
    at.unwrap_or_default().date_naive().to_string()
}

/// The day to which an instant belongs, in milliseconds since 1970.
pub(super) fn day(at: i64) -> String {
    day_text(at.div_euclid(DAY_MILLIS))
}

/// Collects entries until they are stored.
#[derive(Default)]
pub(super) struct AuditBuffer {
    batch: Mutex<AuditBatch>,
    long: Notify,
    /// Held while the buffer is stored: anybody who waits for that also waits for what others are storing.
    pub(super) storing: tokio::sync::Mutex<()>,
}

impl AuditBuffer {
    pub(super) fn note(&self, entry: Entry, usage: Usage, at: i64) {
        let mut batch = locked(&self.batch);
        let before = batch.entries.len();
        batch.note(entry, usage, at);
        // Once: while nothing can be stored, to be reminded is of no use.
        if before < LONG && batch.entries.len() == LONG {
            self.long.notify_one();
        }
    }

    /// Counts what an agent did, about nobody.
    pub(super) fn count(&self, agent_id: &str, usage: Usage, at: i64) {
        locked(&self.batch).count(agent_id, at.div_euclid(DAY_MILLIS), usage);
    }

    /// Waits until it is time to store it.
    pub(super) async fn is_long(&self) {
        self.long.notified().await;
    }

    pub(super) fn length(&self) -> QueueLength {
        QueueLength {
            waiting: locked(&self.batch).entries.len(),
            limit: FULL,
        }
    }

    pub(super) fn pages(&self) -> usize {
        locked(&self.batch).entries.len() / BATCH + 1
    }

    /// What one unit of work is to store; `None` when there is nothing.
    pub(super) fn take(&self) -> Option<AuditBatch> {
        let batch = locked(&self.batch).take();
        (!batch.is_empty()).then_some(batch)
    }

    pub(super) fn put_back(&self, batch: &AuditBatch) {
        locked(&self.batch).put_back(batch);
    }

    /// How many events found no room since this was last asked.
    pub(super) fn take_lost(&self) -> i64 {
        std::mem::take(&mut locked(&self.batch).lost)
    }
}

#[cfg(test)]
mod tests;
