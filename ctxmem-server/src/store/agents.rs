//! Agents. Each belongs to a developer, and keys and grants are made for it. A deleted agent keeps
//! its row, so that users still see who wrote what, but nothing here finds it.

use super::arg::args;
use super::row::{FromRow, from_row};
use super::statement::statements;
use super::{DeveloperId, Result, Tx};

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// A UUID.
    pub id: String,
    /// The developer who owns it.
    pub developer_id: DeveloperId,
    /// What people call it.
    pub name: String,
}

/// An agent with what its developer wants to know of it at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSummary {
    /// The agent.
    pub agent: Agent,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// How many of its keys work.
    pub live_keys: i64,
    /// How many users grant it access now.
    pub users: i64,
    /// How many updates it sent since the day in question.
    pub updates: i64,
    /// How much of the month's quota of updates it used.
    pub quota_used: i64,
}

statements! {
    FIND_AGENT: "SELECT id, developer_id, name FROM agents WHERE id = $1 AND deleted_at IS NULL";
    FIND_AGENT_AGE: "SELECT created_at FROM agents WHERE id = $1";
    FIND_AGENT_OF_DEVELOPER:
        "SELECT id, developer_id, name FROM agents
         WHERE id = $1 AND developer_id = $2 AND deleted_at IS NULL";
    FIND_AGENT_BEFORE_ANY_USE:
        "SELECT id FROM agents
         WHERE deleted_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM api_keys WHERE last_used_at IS NOT NULL)
         ORDER BY created_at, id LIMIT 1";
    FIND_ANY_AGENT: "SELECT id FROM agents LIMIT 1";
    LIST_AGENTS:
        "SELECT a.id, a.developer_id, a.name, a.created_at, COALESCE(d.contact, d.email) AS email
         FROM agents a JOIN developers d ON d.id = a.developer_id
         WHERE a.deleted_at IS NULL ORDER BY a.created_at, a.id";
    // $2 is one agent, or NULL for all.
    SUM_UP_AGENTS: {
        all: "SELECT a.id, a.developer_id, a.name, a.created_at,
                (SELECT COUNT(*) FROM api_keys k
                 WHERE k.agent_id = a.id AND k.revoked_at IS NULL
                   AND (k.expires_at IS NULL OR k.expires_at > $3)) AS live_keys,
                (SELECT COUNT(*) FROM grants g
                 WHERE g.agent_id = a.id AND g.latest = 1 AND g.revoked_at IS NULL
                   AND g.expired_at IS NULL
                   AND (g.expires_at IS NULL OR g.expires_at > $3)) AS users,
                (SELECT CAST(COALESCE(SUM(u.updates), 0) AS BIGINT) FROM usage_days u
                 WHERE u.agent_id = a.id AND u.day >= $4) AS updates,
                (SELECT CAST(COALESCE(SUM(q.used), 0) AS BIGINT) FROM quota q
                 WHERE q.agent_id = a.id AND q.month = $5) AS quota_used
         FROM agents a
         WHERE a.developer_id = $1 AND a.deleted_at IS NULL
           AND (CAST($2 AS TEXT) IS NULL OR a.id = $2)
         ORDER BY a.created_at, a.id",
        // What is counted lies on all machines, so each is counted by itself.
        citus: "SELECT a.id, a.developer_id, a.name, a.created_at,
                       COALESCE(k.live_keys, 0) AS live_keys, COALESCE(g.users, 0) AS users,
                       COALESCE(u.updates, 0) AS updates, COALESCE(q.quota_used, 0) AS quota_used
                FROM agents a
                LEFT JOIN (SELECT agent_id, COUNT(*) AS live_keys FROM api_keys
                           WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
                           GROUP BY agent_id) k ON k.agent_id = a.id
                LEFT JOIN (SELECT agent_id, COUNT(*) AS users FROM grants
                           WHERE latest = 1 AND revoked_at IS NULL AND expired_at IS NULL
                             AND (expires_at IS NULL OR expires_at > $3)
                             AND agent_id IN (SELECT id FROM agents WHERE developer_id = $1)
                           GROUP BY agent_id) g ON g.agent_id = a.id
                LEFT JOIN (SELECT agent_id, CAST(SUM(updates) AS BIGINT) AS updates
                           FROM usage_days WHERE day >= $4
                             AND agent_id IN (SELECT id FROM agents WHERE developer_id = $1)
                           GROUP BY agent_id) u ON u.agent_id = a.id
                LEFT JOIN (SELECT agent_id, CAST(SUM(used) AS BIGINT) AS quota_used
                           FROM quota WHERE month = $5
                             AND agent_id IN (SELECT id FROM agents WHERE developer_id = $1)
                           GROUP BY agent_id) q ON q.agent_id = a.id
                WHERE a.developer_id = $1 AND a.deleted_at IS NULL
                  AND (CAST($2 AS TEXT) IS NULL OR a.id = $2)
                ORDER BY a.created_at, a.id",
    };
    INSERT_AGENT: "INSERT INTO agents (id, developer_id, name, created_at) VALUES ($1, $2, $3, $4)";
    RENAME_AGENT:
        "UPDATE agents SET name = $3 WHERE id = $1 AND developer_id = $2 AND deleted_at IS NULL";
    DELETE_AGENT:
        "UPDATE agents SET deleted_at = $3 WHERE id = $1 AND developer_id = $2 AND deleted_at IS NULL";
}

impl Tx {
    /// The agent with this id.
    pub async fn agent(&mut self, id: &str) -> Result<Option<Agent>> {
        self.find_as(FIND_AGENT, args![id]).await
    }

    /// When an agent was created, in milliseconds since 1970.
    pub async fn agent_created_at(&mut self, id: &str) -> Result<Option<i64>> {
        self.find_with(FIND_AGENT_AGE, args![id], |row| row.int("created_at"))
            .await
    }

    /// The agent with this id when it belongs to this developer.
    pub async fn agent_of_developer(
        &mut self,
        id: &str,
        developer: &DeveloperId,
    ) -> Result<Option<Agent>> {
        let args = args![id, developer];
        self.find_as(FIND_AGENT_OF_DEVELOPER, args).await
    }

    /// Whether there is, or ever was, an agent.
    pub async fn ever_had_agents(&mut self) -> Result<bool> {
        Ok(self.find(FIND_ANY_AGENT, &[]).await?.is_some())
    }

    /// The id of the oldest agent, unless any key has ever been used.
    pub async fn agent_before_any_use(&mut self) -> Result<Option<String>> {
        let found = self.find(FIND_AGENT_BEFORE_ANY_USE, &[]).await?;
        found.map(|row| row.text("id")).transpose()
    }

    /// Every agent, oldest first, with its developer's address and when it was created (in
    /// milliseconds since 1970).
    pub async fn agents(&mut self) -> Result<Vec<(Agent, String, i64)>> {
        self.list_with(LIST_AGENTS, &[], |row| {
            Ok((
                Agent::from_row(row)?,
                row.text("email")?,
                row.int("created_at")?,
            ))
        })
        .await
    }

    /// The agents of a developer, or one of them, oldest first, as of `now`. Updates are counted
    /// since a day (`2026-03-01`), the quota in a month (`2026-03`).
    pub async fn summed_up_agents(
        &mut self,
        developer: &DeveloperId,
        agent_id: Option<&str>,
        now: i64,
        since_day: &str,
        month: &str,
    ) -> Result<Vec<AgentSummary>> {
        let args = args![developer, agent_id, now, since_day, month];
        self.list_with(SUM_UP_AGENTS, args, |row| {
            Ok(AgentSummary {
                agent: Agent::from_row(row)?,
                created_at: row.int("created_at")?,
                live_keys: row.int("live_keys")?,
                users: row.int("users")?,
                updates: row.int("updates")?,
                quota_used: row.int("quota_used")?,
            })
        })
        .await
    }

    /// Adds an agent. Its developer must be there.
    pub async fn insert_agent(&mut self, agent: &Agent, now: i64) -> Result<()> {
        let args = args![&agent.id, &agent.developer_id, &agent.name, now];
        self.run(INSERT_AGENT, args).await
    }

    /// Renames an agent of this developer and answers whether there is such an agent.
    pub async fn rename_agent(
        &mut self,
        id: &str,
        developer: &DeveloperId,
        name: &str,
    ) -> Result<bool> {
        let args = args![id, developer, name];
        Ok(self.execute(RENAME_AGENT, args).await? > 0)
    }

    /// Deletes an agent of this developer and answers whether there was such an agent.
    pub async fn delete_agent(
        &mut self,
        id: &str,
        developer: &DeveloperId,
        now: i64,
    ) -> Result<bool> {
        let args = args![id, developer, now];
        Ok(self.execute(DELETE_AGENT, args).await? > 0)
    }
}

from_row! { Agent in "agents": id, developer_id, name }
