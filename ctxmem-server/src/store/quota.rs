//! Updates used per agent and calendar month.

use super::arg::args;
use super::statement::statements;
use super::{Result, Tx};

statements! {
    // Checking and counting are one statement: two requests can't both take the last one.
    RESERVE_UPDATE changes Nothing:
        "INSERT INTO quota (agent_id, month, used) VALUES ($1, $2, 1)
         ON CONFLICT (agent_id, month) DO UPDATE SET used = quota.used + 1
         WHERE quota.used < $3";
    RETURN_UPDATE changes Nothing:
        "UPDATE quota SET used = used - 1 WHERE agent_id = $1 AND month = $2 AND used > 0";
    FIND_USED: "SELECT used FROM quota WHERE agent_id = $1 AND month = $2";
}

impl Tx {
    /// Takes one update from the month's quota and answers whether there was one left.
    pub async fn reserve_update(
        &mut self,
        agent_id: &str,
        month: &str,
        limit: i64,
    ) -> Result<bool> {
        let args = args![agent_id, month, limit];
        let touched = self.execute(RESERVE_UPDATE, args).await?;
        Ok(touched > 0)
    }

    /// Gives a reserved update back.
    pub async fn return_update(&mut self, agent_id: &str, month: &str) -> Result<()> {
        self.run(RETURN_UPDATE, args![agent_id, month]).await
    }

    /// How many updates of the month's quota are used.
    pub async fn used_updates(&mut self, agent_id: &str, month: &str) -> Result<i64> {
        let row = self.find(FIND_USED, args![agent_id, month]).await?;
        row.map_or(Ok(0), |row| row.int("used"))
    }
}
