//! All that decides about a request of an agent for a user, and what the agent is told, read
//! at once; for many requests by one statement.

use std::sync::Arc;

use serde::Serialize;

use super::arrays::array;
use super::rows::{hex, json};
use super::statement::{Arg, Row, statement};
use super::{Hash, Statement, StoreError, StoredFact, Terms, Tx, facts};

/// Whose request it is, about whom, and what is wanted of it.
#[derive(Clone)]
pub struct Asked {
    /// The id of the API key.
    pub key_id: Arc<str>,
    /// The key of the user.
    pub user_key: Hash,
    /// Which facts to read.
    pub wanted: Wanted,
}

/// The facts that a request wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None.
    Nothing,
    /// All.
    Facts,
    /// All, unless they are those of this version.
    FactsUnless(i64),
}

impl Wanted {
    /// Versions only grow: facts are read where there is a greater one than this.
    fn unless(self) -> i64 {
        match self {
            Self::Nothing => i64::MAX,
            Self::Facts => -1,
            Self::FactsUnless(version) => version,
        }
    }
}

/// How an agent whose key is good stands with a user, as of one instant.
#[derive(Clone)]
pub struct Admission {
    /// Whether an agent of this developer ever stored a fact.
    pub developer_stored: bool,
    /// What the newest grant between them allows, whatever its state.
    pub grant: Option<Terms>,
    /// Grows at every erasure of the user; 0 for one who was never seen.
    pub epoch: i64,
    /// Grows with every change to what prompts show of the user; 0 for one who was never seen.
    pub version: i64,
    /// Every fact of the user, in prompt order; `None` where they were not wanted.
    pub facts: Option<Vec<StoredFact>>,
}

pub(super) const STATEMENTS: &[Statement] = &[ADMIT];

// A row for each fact of each request, without a fact one; none where the key is not good.
// What is asked comes first, so that everything is found by its key; on Postgres by the limits,
// as in `lessons`.
statement!(
    ADMIT, Nothing,
    sqlite: "WITH asked AS MATERIALIZED (
                 SELECT key AS n, value ->> 'key_id' AS key_id,
                        unhex(value ->> 'user_key') AS user_key, value ->> 'unless' AS unless
                 FROM json_each($1))
             SELECT asked.n, d.first_fact_at, u.epoch, u.version,
                    g.scopes AS granted, g.expires_at, g.revoked_at,
                    f.scope, f.slot, f.name, f.value, f.source_type, f.requested, f.position,
                    f.first_stored_at, f.confirmed_at
             FROM asked
             CROSS JOIN api_keys k ON k.id = asked.key_id AND k.revoked_at IS NULL
             CROSS JOIN agents a ON a.id = k.agent_id AND a.deleted_at IS NULL
             CROSS JOIN developers d ON d.id = a.developer_id
             LEFT JOIN users u ON u.user_key = asked.user_key
             LEFT JOIN grants g
                 ON g.user_key = asked.user_key AND g.agent_id = a.id AND g.latest = 1
             LEFT JOIN facts f ON f.user_key = asked.user_key AND u.version > asked.unless
             ORDER BY asked.n, f.scope, f.position",
    postgres: "SELECT asked.n, d.first_fact_at, u.epoch, u.version,
                      g.scopes AS granted, g.expires_at, g.revoked_at,
                      f.scope, f.slot, f.name, f.value, f.source_type, f.requested,
                      f.position, f.first_stored_at, f.confirmed_at
               FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[]) AS asked (
                        n, key_id, user_key, unless)
               CROSS JOIN LATERAL (
                   SELECT agent_id FROM api_keys
                   WHERE id = asked.key_id AND revoked_at IS NULL LIMIT 1) k
               CROSS JOIN LATERAL (
                   SELECT id, developer_id FROM agents
                   WHERE id = k.agent_id AND deleted_at IS NULL LIMIT 1) a
               CROSS JOIN LATERAL (
                   SELECT first_fact_at FROM developers WHERE id = a.developer_id LIMIT 1) d
               LEFT JOIN LATERAL (
                   SELECT user_key, epoch, version FROM users
                   WHERE user_key = asked.user_key LIMIT 1) u ON TRUE
               LEFT JOIN LATERAL (
                   SELECT scopes, expires_at, revoked_at FROM grants
                   WHERE user_key = asked.user_key
                     AND agent_id || '' = a.id AND latest = 1 LIMIT 1) g ON TRUE
               LEFT JOIN LATERAL (
                   SELECT * FROM facts
                   WHERE facts.user_key = u.user_key AND u.version > asked.unless) f ON TRUE
               ORDER BY asked.n, f.scope, f.position"
);

#[derive(Serialize)]
struct AskedRow<'a> {
    n: usize,
    key_id: &'a str,
    user_key: String,
    unless: i64,
}

impl Tx {
    /// How the agents stand with the users, each as it was asked; `None` where the key is not
    /// good (any more).
    pub async fn admissions(
        &mut self,
        asked: &[Asked],
    ) -> Result<Vec<Option<Admission>>, StoreError> {
        let rows = if self.is_postgres() {
            let columns = [
                array((0..).zip(asked).map(|(n, _): (i64, _)| n)),
                array(asked.iter().map(|asked| &*asked.key_id)),
                array(asked.iter().map(|asked| &asked.user_key)),
                array(asked.iter().map(|asked| asked.wanted.unless())),
            ];
            self.list(ADMIT, &columns.each_ref().map(Arg::from)).await?
        } else {
            let rows: Vec<AskedRow<'_>> = asked
                .iter()
                .enumerate()
                .map(|(n, asked)| AskedRow {
                    n,
                    key_id: &asked.key_id,
                    user_key: hex(&asked.user_key),
                    unless: asked.wanted.unless(),
                })
                .collect();
            self.list(ADMIT, &[(&json(&rows)?).into()]).await?
        };
        let mut admissions = vec![None; asked.len()];
        for row in &rows {
            let n = usize::try_from(row.int("n")?).map_err(|_| StoreError::Corrupt("n"))?;
            let (Some(admission), Some(asked)) = (admissions.get_mut(n), asked.get(n)) else {
                return Err(StoreError::Corrupt("n"));
            };
            let admission = match admission {
                Some(admission) => admission,
                None => admission.insert(read(row, asked.wanted)?),
            };
            if let Some(facts) = &mut admission.facts
                && row.int_or_null("scope")?.is_some()
            {
                facts.push(facts::read(row)?);
            }
        }
        Ok(admissions)
    }
}

/// All but the facts.
fn read(row: &Row, wanted: Wanted) -> Result<Admission, StoreError> {
    let version = row.int_or_null("version")?.unwrap_or(0);
    let have = match wanted {
        Wanted::Nothing => false,
        Wanted::Facts => true,
        Wanted::FactsUnless(unless) => version > unless,
    };
    Ok(Admission {
        developer_stored: row.int_or_null("first_fact_at")?.is_some(),
        grant: Terms::read(row)?,
        epoch: row.int_or_null("epoch")?.unwrap_or(0),
        version,
        facts: have.then(Vec::new),
    })
}
