//! The monthly quota: updates per agent and calendar month in UTC.
//!
//! An update is reserved before it is extracted, by one statement, and given back if it fails. To
//! check first and count later would let concurrent requests over the limit.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, Utc};

use super::{Error, Memory, unit};

/// The month to which an instant belongs, such as `2026-03`. A request is charged to the
/// month in which it began.
pub(super) fn month(now: DateTime<Utc>) -> String {
    now.format("%Y-%m").to_string()
}

/// How many updates each agent has a month. It can be set while updates are answered.
#[derive(Clone)]
pub(super) struct MonthlyQuota(Arc<AtomicU32>);

impl MonthlyQuota {
    /// `None` for any number.
    pub(super) fn new(quota: Option<NonZeroU32>) -> Self {
        Self(Arc::new(AtomicU32::new(quota.map_or(0, NonZeroU32::get))))
    }

    pub(super) fn get(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn set(&self, quota: Option<NonZeroU32>) {
        let quota = quota.map_or(0, NonZeroU32::get);
        self.0.store(quota, Ordering::Relaxed);
    }
}

impl Memory {
    /// Takes one update from the agent's month and answers whether there was one left.
    pub(super) async fn reserve_update(&self, agent_id: &str, month: &str) -> Result<bool, Error> {
        let Some(limit) = self.monthly_quota.get() else {
            return Ok(true);
        };
        let given = (agent_id.to_owned(), month.to_owned());
        unit::write(&self.db, async move |tx| {
            let (agent_id, month) = &given;
            tx.reserve_update(agent_id, month, limit.get().into()).await
        })
        .await
    }

    pub(super) async fn return_update(&self, agent_id: &str, month: &str) -> Result<(), Error> {
        if self.monthly_quota.get().is_none() {
            return Ok(());
        }
        let given = (agent_id.to_owned(), month.to_owned());
        unit::write(&self.db, async move |tx| {
            let (agent_id, month) = &given;
            tx.return_update(agent_id, month).await
        })
        .await
    }

    /// Whether the agent's month has an update left, without taking it.
    pub(super) async fn has_update_left(&self, agent_id: &str, month: &str) -> Result<bool, Error> {
        let Some(limit) = self.monthly_quota.get() else {
            return Ok(true);
        };
        let used = unit::read(&self.db, async |tx| tx.used_updates(agent_id, month).await).await?;
        Ok(used < i64::from(limit.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_at_midnight_utc() {
        let at = |text: &str| month(text.parse().unwrap());
        assert_eq!(at("2028-02-29T23:59:59.999Z"), "2028-02");
        assert_eq!(at("2028-03-01T00:00:00Z"), "2028-03");
        assert_eq!(at("2026-12-31T23:30:00-01:00"), "2027-01");
    }
}
