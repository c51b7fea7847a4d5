//! Access snapshots: everything that decides about an agent's request for a user, read by one
//! statement, so that it is true of one instant. One statement answers many requests.
//!
//! Injects, reads and the preview on the user's page read only this. Updates start with it, and
//! check again when they store.

use std::sync::Arc;

use super::arg::{BYTES, INT, TEXT, args};
use super::ciphers::READ_AGAIN;
use super::row::Row;
use super::statement::statements;
use super::user_keys::UserCipher;
use super::{GrantTerms, Hash, Result, StoreError, StoredFact, Tx};

/// What to read: for which API key, about which user.
#[derive(Clone)]
pub struct AccessQuery {
    /// The id of the API key.
    pub key_id: Arc<str>,
    /// The key of the user.
    pub user_key: Hash,
    /// Which facts to read.
    pub facts: FactsWanted,
}

/// Which facts a snapshot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactsWanted {
    /// None.
    None,
    /// All facts.
    All,
    /// All facts if the user's version is newer than this one, else none.
    NewerThan(i64),
}

impl FactsWanted {
    /// Facts are read if the user's version is greater than this. Versions only grow.
    fn above(self) -> i64 {
        match self {
            Self::None => i64::MAX,
            Self::All => -1,
            Self::NewerThan(version) => version,
        }
    }
}

/// What an agent may do with a user's memory, and what is in it, at one instant.
#[derive(Clone)]
pub struct AccessSnapshot {
    /// When the API key stops working, in milliseconds since 1970. That it is not revoked, the
    /// snapshot itself says.
    pub key_expires_at: Option<i64>,
    /// Whether an agent of this developer ever stored a fact.
    pub developer_stored: bool,
    /// What the newest grant between them allows, whatever its state.
    pub grant: Option<GrantTerms>,
    /// Grows with every erasure of the user; 0 for an unknown user.
    pub epoch: i64,
    /// Grows with every change to the user's facts or grants; 0 for an unknown user.
    pub version: i64,
    /// When the user's stored content last changed, or else when the grant was made, in
    /// milliseconds since 1970; `None` without either.
    pub changed_at: Option<i64>,
    /// Every fact of the user, by scope and in the order of storing; `None` where they were not
    /// wanted.
    pub facts: Option<Vec<StoredFact>>,
}

impl AccessSnapshot {
    /// The facts that were read.
    pub fn facts(&self) -> &[StoredFact] {
        self.facts.as_deref().unwrap_or_default()
    }
}

statements! {
    // One row for each fact of each query, one row for a query without facts, none for a key that
    // no longer works. The queries come first in the join, so that both engines look every row up
    // by its key; `LIMIT 1` makes Postgres do so whatever the size of a table was when it planned.
    // While a user has paused all access, every grant is one of nothing.
    READ_ACCESS changes Nothing: {
        sqlite: "WITH asked AS MATERIALIZED (
                     SELECT key AS n, value ->> 0 AS key_id, unhex(value ->> 1) AS user_key,
                            value ->> 2 AS above
                     FROM json_each($1))
                 SELECT asked.n, k.expires_at AS key_expires_at, d.first_fact_at, u.epoch,
                        u.version, u.key_slot, u.key_id,
                        COALESCE(u.last_updated, g.created_at) AS changed_at,
                        CASE WHEN u.paused_at IS NULL OR g.scopes IS NULL THEN g.scopes ELSE 0 END
                            AS granted,
                        g.expires_at, g.expired_at, g.revoked_at,
                        f.scope, f.slot_hash, f.sealed, f.source_type, f.requested, f.position,
                        f.first_stored_at, f.confirmed_at
                 FROM asked
                 CROSS JOIN api_keys k ON k.id = asked.key_id AND k.revoked_at IS NULL
                 CROSS JOIN agents a ON a.id = k.agent_id AND a.deleted_at IS NULL
                 CROSS JOIN developers d ON d.id = a.developer_id
                 LEFT JOIN users u ON u.user_key = asked.user_key
                 LEFT JOIN grants g
                     ON g.user_key = asked.user_key AND g.agent_id = a.id AND g.latest = 1
                 LEFT JOIN facts f ON f.user_key = asked.user_key AND u.version > asked.above
                 ORDER BY asked.n, f.scope, f.position",
        postgres: "SELECT asked.n, k.expires_at AS key_expires_at, d.first_fact_at, u.epoch,
                          u.version, u.key_slot, u.key_id,
                          COALESCE(u.last_updated, g.created_at) AS changed_at,
                          CASE WHEN u.paused_at IS NULL OR g.scopes IS NULL THEN g.scopes ELSE 0
                          END AS granted, g.expires_at, g.expired_at, g.revoked_at,
                          f.scope, f.slot_hash, f.sealed, f.source_type, f.requested,
                          f.position, f.first_stored_at, f.confirmed_at
                   FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[]) AS asked (
                            n, key_id, user_key, above)
                   CROSS JOIN LATERAL (
                       SELECT agent_id, expires_at FROM api_keys
                       WHERE id = asked.key_id AND revoked_at IS NULL LIMIT 1) k
                   CROSS JOIN LATERAL (
                       SELECT id, developer_id FROM agents
                       WHERE id = k.agent_id AND deleted_at IS NULL LIMIT 1) a
                   CROSS JOIN LATERAL (
                       SELECT first_fact_at FROM developers WHERE id = a.developer_id LIMIT 1) d
                   LEFT JOIN LATERAL (
                       SELECT user_key, epoch, version, last_updated, key_slot, key_id,
                              paused_at
                       FROM users WHERE user_key = asked.user_key LIMIT 1) u ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT scopes, created_at, expires_at, expired_at, revoked_at
                       FROM grants
                       WHERE user_key = asked.user_key
                         AND agent_id || '' = a.id AND latest = 1 LIMIT 1) g ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT * FROM facts
                       WHERE facts.user_key = u.user_key AND u.version > asked.above) f ON TRUE
                   ORDER BY asked.n, f.scope, f.position",
        // One query each: it goes to the machine that has the user, which is how every table of users
        // has to name the user.
        citus: "SELECT k.expires_at AS key_expires_at, d.first_fact_at,
                       u.epoch, u.version, u.key_slot, u.key_id,
                       COALESCE(u.last_updated, g.created_at) AS changed_at,
                       CASE WHEN u.paused_at IS NULL OR g.scopes IS NULL THEN g.scopes ELSE 0
                       END AS granted, g.expires_at, g.expired_at, g.revoked_at,
                       f.scope, f.slot_hash, f.sealed, f.source_type, f.requested,
                       f.position, f.first_stored_at, f.confirmed_at
                FROM api_keys k
                JOIN agents a ON a.id = k.agent_id AND a.deleted_at IS NULL
                JOIN developers d ON d.id = a.developer_id
                LEFT JOIN users u ON u.user_key = $2
                LEFT JOIN grants g
                    ON g.user_key = $2 AND g.agent_id || '' = a.id AND g.latest = 1
                LEFT JOIN facts f ON f.user_key = $2 AND u.version > $3
                WHERE k.id = $1 AND k.revoked_at IS NULL
                ORDER BY f.scope, f.position",
    };
}

impl Tx {
    /// Answers these queries in their order; `None` where the key no longer works.
    pub async fn access_snapshots(
        &mut self,
        queries: &[AccessQuery],
    ) -> Result<Vec<Option<AccessSnapshot>>> {
        for _ in 0..READ_AGAIN {
            match self.read_access(queries, false).await {
                Err(StoreError::KeyReplaced) => {}
                snapshots => return snapshots,
            }
        }
        self.read_access(queries, true).await
    }

    /// The last time, a key that is still gone was destroyed: the user was erased, and a restored database
    /// forgot it. Making a grant locks the user and erases again.
    async fn read_access(
        &mut self,
        queries: &[AccessQuery],
        is_last: bool,
    ) -> Result<Vec<Option<AccessSnapshot>>> {
        let rows = if self.is_distributed() {
            let mut rows = Vec::new();
            for (n, query) in queries.iter().enumerate() {
                let args = args![&*query.key_id, &query.user_key, query.facts.above()];
                let own = self.list(READ_ACCESS, args).await?;
                rows.extend(own.into_iter().map(|row| (n, row)));
            }
            rows
        } else if self.is_postgres() {
            let asked: Vec<_> = (0_i64..)
                .zip(queries)
                .map(|(n, query)| {
                    let (key_id, above) = (&*query.key_id, query.facts.above());
                    [
                        n.into(),
                        key_id.into(),
                        (&query.user_key).into(),
                        above.into(),
                    ]
                })
                .collect();
            let types = [INT, TEXT, BYTES, INT];
            numbered(self.list_of(READ_ACCESS, &asked, types).await?)?
        } else {
            let rows = queries.iter().map(|query| {
                let user_key = hex::encode(query.user_key);
                (&*query.key_id, user_key, query.facts.above())
            });
            let rows = serde_json::to_string(&rows.collect::<Vec<_>>())
                .map_err(|_| StoreError::corrupt("asked", "json"))?;
            numbered(self.list(READ_ACCESS, args![&rows]).await?)?
        };
        let mut snapshots = vec![None; queries.len()];
        // Rows of one query follow each other.
        let mut cipher: Option<(usize, Arc<UserCipher>)> = None;
        for (n, row) in &rows {
            let n = *n;
            let (Some(snapshot), Some(query)) = (snapshots.get_mut(n), queries.get(n)) else {
                return Err(StoreError::corrupt("asked", "n"));
            };
            let snapshot = match snapshot {
                Some(snapshot) => snapshot,
                None => snapshot.insert(AccessSnapshot::from_row(row, query.facts)?),
            };
            if let Some(facts) = &mut snapshot.facts
                && row.int_or_null("scope")?.is_some()
            {
                let (_, cipher) = match &cipher {
                    Some(same) if same.0 == n => same,
                    _ => {
                        let read = match self.cipher_of_row(row).await {
                            Err(StoreError::KeyReplaced) if is_last => {
                                snapshot.grant = None;
                                continue;
                            }
                            read => read?,
                        };
                        let read = read.ok_or(StoreError::corrupt("users", "key_slot"))?;
                        cipher.insert((n, read))
                    }
                };
                facts.push(StoredFact::from_row(row, &query.user_key, cipher)?);
            }
        }
        Ok(snapshots)
    }
}

/// Each row with the number of its query.
fn numbered(rows: Vec<Row>) -> Result<Vec<(usize, Row)>> {
    let rows = rows.into_iter();
    rows.map(|row| Ok((row.number()?, row))).collect()
}

impl AccessSnapshot {
    /// Everything except the facts themselves.
    fn from_row(row: &Row, wanted: FactsWanted) -> Result<Self> {
        let version = row.int_or_null("version")?.unwrap_or(0);
        let has_facts = match wanted {
            FactsWanted::None => false,
            FactsWanted::All => true,
            FactsWanted::NewerThan(known) => version > known,
        };
        Ok(Self {
            key_expires_at: row.int_or_null("key_expires_at")?,
            developer_stored: row.int_or_null("first_fact_at")?.is_some(),
            grant: GrantTerms::from_row(row)?,
            epoch: row.int_or_null("epoch")?.unwrap_or(0),
            version,
            changed_at: row.int_or_null("changed_at")?,
            facts: has_facts.then(Vec::new),
        })
    }
}
