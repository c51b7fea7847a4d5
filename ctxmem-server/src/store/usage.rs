//! Usage counters: what agents did, in numbers by day, and about no user in particular.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::arg::{Arg, args};
use super::row::{FromRow, from_row};
use super::statement::statements;
use super::{DeveloperId, Result, Tx};

/// What an agent did in a day or more. A request belongs to the day, in UTC, on which it ended.
/// What was answered again to an `Idempotency-Key` does not count, nor what was refused before
/// anybody looked at the user: a key that is not good, a body that is not of the form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Injects that were answered, those without a grant or a scope included.
    pub injects: i64,
    /// Updates that passed the first stage and were answered, those that taught nothing
    /// included.
    pub updates: i64,
    /// Updates that the first stage filtered, and that were answered.
    pub filtered: i64,
    /// Injects that were answered `no_grant` or `no_scopes`; updates, reads and deletions that
    /// were refused for want of a grant; updates of which a fact was refused, which count as updates
    /// too; updates beyond the monthly quota.
    pub denied: i64,
    /// Injects, updates, reads and deletions that failed: the model or the database did.
    pub errors: i64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.injects += more.injects;
        self.updates += more.updates;
        self.filtered += more.filtered;
        self.denied += more.denied;
        self.errors += more.errors;
    }
}

statements! {
    ADD_USAGE changes Nothing:
        "INSERT INTO usage_days (agent_id, day, injects, updates, filtered, denied, errors)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (agent_id, day) DO UPDATE SET
             injects = usage_days.injects + excluded.injects,
             updates = usage_days.updates + excluded.updates,
             filtered = usage_days.filtered + excluded.filtered,
             denied = usage_days.denied + excluded.denied,
             errors = usage_days.errors + excluded.errors";
    LIST_USAGE:
        "SELECT day, injects, updates, filtered, denied, errors
         FROM usage_days WHERE agent_id = $1 AND day >= $2 ORDER BY day";
    LIST_USAGE_OF_DEVELOPER:
        "SELECT u.agent_id, u.day, u.injects, u.updates, u.filtered, u.denied, u.errors
         FROM usage_days u JOIN agents a ON a.id = u.agent_id
         WHERE a.developer_id = $1 AND u.day >= $2 ORDER BY u.day, u.agent_id";
    DROP_USAGE changes Nothing: "DELETE FROM usage_days WHERE day < $1";
}

impl Tx {
    /// Adds what an agent did to its day in UTC, such as `2026-03-01`.
    pub async fn add_usage(&mut self, agent_id: &str, day: &str, usage: &Usage) -> Result<()> {
        let args = usage.row(agent_id, day);
        self.run(ADD_USAGE, &args).await
    }

    /// What an agent did from this day on, by day; days without anything are left out.
    pub async fn usage(&mut self, agent_id: &str, since_day: &str) -> Result<Vec<(String, Usage)>> {
        self.list_with(LIST_USAGE, args![agent_id, since_day], |row| {
            Ok((row.text("day")?, Usage::from_row(row)?))
        })
        .await
    }

    /// The usage of all agents that a developer has or had, each with the agent's id.
    pub async fn usage_of_developer(
        &mut self,
        developer: &DeveloperId,
        since_day: &str,
    ) -> Result<Vec<(String, String, Usage)>> {
        let args = args![developer, since_day];
        self.list_with(LIST_USAGE_OF_DEVELOPER, args, |row| {
            Ok((
                row.text("agent_id")?,
                row.text("day")?,
                Usage::from_row(row)?,
            ))
        })
        .await
    }

    /// Forgets the days before this one.
    pub async fn drop_usage(&mut self, before_day: &str) -> Result<u64> {
        self.execute(DROP_USAGE, args![before_day]).await
    }
}

impl Usage {
    /// What is stored of it.
    pub(super) fn row<'a>(&self, agent_id: &'a str, day: &'a str) -> [Arg<'a>; 7] {
        [
            agent_id.into(),
            day.into(),
            self.injects.into(),
            self.updates.into(),
            self.filtered.into(),
            self.denied.into(),
            self.errors.into(),
        ]
    }
}

from_row! { Usage in "usage_days": injects, updates, filtered, denied, errors }

#[cfg(test)]
mod tests {
    use super::super::tests::{committed, on_both};
    use super::*;
    use crate::store::{Agent, Developer};

    async fn add(tx: &mut Tx, agent: &str, developer: &str) -> Result<()> {
        let agent = Agent {
            id: agent.to_owned(),
            developer_id: DeveloperId::new(developer),
            name: String::new(),
        };
        tx.insert_agent(&agent, 0).await
    }

    #[tokio::test]
    async fn a_day_adds_up_and_is_its_agents_own() {
        for opened in on_both().await {
            committed!(&opened.db, |tx| {
                for id in ["ann", "bob"] {
                    let email = format!("{id}@example.com");
                    let developer = Developer::alone(id, email);
                    tx.insert_developer(&developer, 0).await?;
                }
                add(tx, "a", "ann").await?;
                add(tx, "b", "ann").await?;
                add(tx, "c", "bob").await?;
                let once = Usage {
                    injects: 1,
                    updates: 2,
                    filtered: 3,
                    denied: 4,
                    errors: 5,
                };
                for (agent, day) in [
                    ("a", "2026-03-02"),
                    ("a", "2026-03-01"),
                    ("a", "2026-03-02"),
                    ("b", "2026-03-02"),
                    ("c", "2026-03-02"),
                ] {
                    tx.add_usage(agent, day, &once).await?;
                }
                let twice = Usage {
                    injects: 2,
                    updates: 4,
                    filtered: 6,
                    denied: 8,
                    errors: 10,
                };
                let day = |n: u32| format!("2026-03-{n:02}");
                let both = vec![(day(1), once), (day(2), twice)];
                assert_eq!(tx.usage("a", &day(1)).await?, both);
                assert_eq!(tx.usage("a", &day(2)).await?, both[1..]);
                assert_eq!(tx.usage("a", &day(3)).await?, []);
                let of_ann = tx
                    .usage_of_developer(&DeveloperId::new("ann"), &day(2))
                    .await?;
                let a = ("a".to_owned(), day(2), twice);
                assert_eq!(of_ann, [a, ("b".to_owned(), day(2), once)]);
                Ok(())
            });
        }
    }
}
