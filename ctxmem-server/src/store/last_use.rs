//! Last use of grants by agents: many rows, on Postgres by one statement.

use std::collections::HashSet;

use ctxmem_types::UserId;

use super::arg::{BYTES, INT, TEXT, args};
use super::statement::statements;
use super::{Hash, Result, Tx};

statements! {
    // It is noted at the newest grant also when that is newer than the use: people are told when an
    // agent last used their memory, not by which grant.
    USE_GRANT changes Nothing:
        "UPDATE grants SET last_used_at = $3
         WHERE user_key = $1 AND agent_id = $2 AND latest = 1
           AND (last_used_at IS NULL OR last_used_at < $3)";
    // Each grant is looked up by itself, as in `update::postgres`. Grants that somebody else has
    // locked are skipped, so this waits for nobody.
    USE_GRANTS changes Nothing: {
        postgres: "UPDATE grants SET last_used_at = used.at
                   FROM (SELECT used.n, g.at AS here, used.at
                         FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[]) AS used (
                             n, user_key, agent_id, at)
                         CROSS JOIN LATERAL (
                             SELECT ctid AS at FROM grants
                             WHERE user_key = used.user_key AND agent_id || '' = used.agent_id
                               AND latest = 1
                               AND (last_used_at IS NULL OR last_used_at < used.at)
                             LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) g) AS used
                   WHERE grants.ctid = used.here
                   RETURNING used.n",
    };
}

/// When an agent last used what a user grants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastUse {
    /// Whose grant it is.
    pub user_id: UserId,
    /// The agent.
    pub agent_id: String,
    /// In milliseconds since 1970.
    pub at: i64,
}

impl Tx {
    /// Notes when agents last used what users grant them. It waits for nobody and answers the uses
    /// that it did not note, because somebody else has locked their grants or because there is
    /// nothing to note.
    pub async fn use_grants(&mut self, uses: Vec<LastUse>) -> Result<Vec<LastUse>> {
        if self.shares_statements() {
            return self.use_free_grants(uses).await;
        }
        for LastUse {
            user_id,
            agent_id,
            at,
        } in &uses
        {
            let key = self.keys.user_key(user_id);
            self.run(USE_GRANT, args![&key, agent_id, *at]).await?;
        }
        Ok(Vec::new())
    }

    async fn use_free_grants(&mut self, uses: Vec<LastUse>) -> Result<Vec<LastUse>> {
        let keys = self.keys_of(&uses);
        let asked: Vec<_> = (0_i64..)
            .zip(keys.iter().zip(&uses))
            .map(|(n, (key, last_use))| {
                let agent_id = &last_use.agent_id;
                [n.into(), key.into(), agent_id.into(), last_use.at.into()]
            })
            .collect();
        let types = [INT, BYTES, TEXT, INT];
        let rows = self.list_of(USE_GRANTS, &asked, types).await?;
        let noted: HashSet<i64> = rows
            .iter()
            .map(|row| row.int("n"))
            .collect::<Result<_, _>>()?;
        drop(asked);
        let uses = (0..).zip(uses);
        Ok(uses
            .filter_map(|(n, last_use)| (!noted.contains(&n)).then_some(last_use))
            .collect())
    }

    /// Locks the users first, then notes the uses of all their grants.
    pub async fn use_locked_grants(&mut self, uses: Vec<LastUse>) -> Result<()> {
        let keys = self.keys_of(&uses);
        self.lock_users(keys.iter()).await?;
        self.use_grants(uses).await?;
        Ok(())
    }

    fn keys_of(&self, uses: &[LastUse]) -> Vec<Hash> {
        let keys = uses
            .iter()
            .map(|last_use| self.keys.user_key(&last_use.user_id));
        keys.collect()
    }
}
