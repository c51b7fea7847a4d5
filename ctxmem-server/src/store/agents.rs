//! Agents: what keys and grants are for. Each belongs to a developer.

use super::statement::{Row, statement};
use super::{Statement, StoreError, Tx};

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// A UUID.
    pub id: String,
    /// The developer who owns it.
    pub developer_id: String,
    /// What people call it.
    pub name: String,
}

pub(super) const STATEMENTS: &[Statement] = &[FIND_AGENT, LIST_AGENTS, INSERT_AGENT];

statement!(
    FIND_AGENT,
    "SELECT id, developer_id, name FROM agents WHERE id = $1"
);
statement!(
    LIST_AGENTS,
    "SELECT a.id, a.developer_id, a.name, a.created_at, d.email
     FROM agents a JOIN developers d ON d.id = a.developer_id ORDER BY a.created_at, a.id"
);
statement!(
    INSERT_AGENT,
    "INSERT INTO agents (id, developer_id, name, created_at) VALUES ($1, $2, $3, $4)"
);

impl Tx {
    /// The agent with this id.
    pub async fn agent(&mut self, id: &str) -> Result<Option<Agent>, StoreError> {
        let row = self.find(FIND_AGENT, &[id.into()]).await?;
        row.as_ref().map(read).transpose()
    }

    /// Every agent, oldest first, with its developer's address and when it was created (in
    /// milliseconds since 1970).
    pub async fn agents(&mut self) -> Result<Vec<(Agent, String, i64)>, StoreError> {
        let rows = self.list(LIST_AGENTS, &[]).await?;
        rows.iter()
            .map(|row| Ok((read(row)?, row.text("email")?, row.int("created_at")?)))
            .collect()
    }

    /// Adds an agent.
    pub async fn insert_agent(&mut self, agent: &Agent, now: i64) -> Result<(), StoreError> {
        self.run(
            INSERT_AGENT,
            &[
                (&agent.id).into(),
                (&agent.developer_id).into(),
                (&agent.name).into(),
                now.into(),
            ],
        )
        .await?;
        Ok(())
    }
}

fn read(row: &Row) -> Result<Agent, StoreError> {
    Ok(Agent {
        id: row.text("id")?,
        developer_id: row.text("developer_id")?,
        name: row.text("name")?,
    })
}
