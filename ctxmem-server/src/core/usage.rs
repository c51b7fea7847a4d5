//! Usage statistics for developers: what their agents did, in numbers by day, and about no user in particular.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use chrono::{Datelike as _, Days, NaiveDate};

use super::manager::NO_AGENT;
use super::{Console, Error, quota, unit};
use crate::store::{AgentSummary, DeveloperId, Usage};

/// The usage of one day after the other, days without any included.
pub type Daily = Vec<(NaiveDate, Usage)>;

impl Console {
    /// The agents of a developer, oldest first, with what they did this month.
    pub async fn agents_of(&self, developer: &DeveloperId) -> Result<Vec<AgentSummary>, Error> {
        self.summed_up(developer, None).await
    }

    /// One of them.
    pub async fn agent_summary(
        &self,
        developer: &DeveloperId,
        agent_id: &str,
    ) -> Result<AgentSummary, Error> {
        let mut found = self.summed_up(developer, Some(agent_id)).await?;
        found.pop().ok_or(NO_AGENT)
    }

    async fn summed_up(
        &self,
        developer: &DeveloperId,
        agent_id: Option<&str>,
    ) -> Result<Vec<AgentSummary>, Error> {
        let now = self.clock.now();
        let month = quota::month(now);
        let first_day = first_of_month(now.date_naive()).to_string();
        let now = self.grant_clock.now();
        let mut agents = unit::read(&self.db, async |tx| {
            tx.summed_up_agents(developer, agent_id, now, &first_day, &month)
                .await
        })
        .await?;
        if self.monthly_quota().is_some() {
            // What is counted against the quota is exact; the days lag behind by some seconds.
            for agent in &mut agents {
                agent.updates = agent.quota_used;
            }
        }
        Ok(agents)
    }

    /// How many updates an agent has a month; `None` for any number.
    pub fn monthly_quota(&self) -> Option<NonZeroU32> {
        self.monthly_quota.get()
    }

    /// Sets how many updates an agent has in a month, while updates are answered; `None` for any
    /// number.
    pub fn set_monthly_quota(&self, quota: Option<NonZeroU32>) {
        self.monthly_quota.set(quota);
    }

    /// What an agent of this developer did in the last days, today included; without one, what all did, those included
    /// that were deleted.
    pub async fn usage_of(
        &self,
        developer: &DeveloperId,
        agent_id: Option<&str>,
        days: u64,
    ) -> Result<Daily, Error> {
        let first = self.clock.now().date_naive() - Days::new(days.saturating_sub(1));
        let since = first.to_string();
        let agent = match agent_id {
            Some(agent_id) => Some(self.agent_of(developer, agent_id).await?),
            None => None,
        };
        let rows = unit::read(&self.db, async |tx| {
            if let Some(agent) = agent {
                return tx.usage(&agent.id, &since).await;
            }
            let rows = tx.usage_of_developer(developer, &since).await?;
            let rows = rows.into_iter();
            Ok(rows.map(|(_agent, day, usage)| (day, usage)).collect())
        })
        .await?;
        Ok(daily(first, days, rows))
    }

    /// What each agent that this developer has or had did by day, as long as it is kept: the agent's
    /// id, the day and the numbers, in the order of the days.
    pub async fn usage_by_agent(
        &self,
        developer: &DeveloperId,
    ) -> Result<Vec<(String, String, Usage)>, Error> {
        unit::read(&self.db, async |tx| {
            tx.usage_of_developer(developer, "").await
        })
        .await
    }
}

/// Sums the usage of each day, with zeros for days without any.
fn daily(first: NaiveDate, days: u64, rows: impl IntoIterator<Item = (String, Usage)>) -> Daily {
    let mut used: BTreeMap<String, Usage> = BTreeMap::new();
    for (day, usage) in rows {
        *used.entry(day).or_default() += usage;
    }
    (0..days)
        .map(|n| first + Days::new(n))
        .map(|day| (day, used.remove(&day.to_string()).unwrap_or_default()))
        .collect()
}

fn first_of_month(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injects(injects: i64) -> Usage {
        Usage {
            injects,
            ..Usage::default()
        }
    }

    #[test]
    fn every_day_is_there_once_in_order() {
        let first: NaiveDate = "2028-02-15".parse().unwrap();
        let rows = [
            ("2028-02-29".to_owned(), injects(1)),
            ("2028-02-29".to_owned(), injects(2)),
            ("2028-03-15".to_owned(), injects(4)),
            // A clock that went back may have left days that are still to come.
            ("2028-03-16".to_owned(), injects(8)),
        ];
        let days = daily(first, 30, rows);
        assert_eq!(days.len(), 30);
        assert!(days.is_sorted_by(|(a, _), (b, _)| *a + Days::new(1) == *b));
        assert_eq!(days[0], (first, Usage::default()));
        assert_eq!(days[14].0.to_string(), "2028-02-29");
        assert_eq!(days[14].1, injects(3));
        assert_eq!(days[29].1, injects(4));
        assert_eq!(days.iter().map(|(_, usage)| usage.injects).sum::<i64>(), 7);
    }

    #[test]
    fn a_month_begins_with_its_first_day() {
        let day: NaiveDate = "2026-03-31".parse().unwrap();
        assert_eq!(first_of_month(day).to_string(), "2026-03-01");
    }
}
