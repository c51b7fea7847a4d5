//! What the journal of the core stores: many rows by one statement each. For SQLite the rows come
//! as one JSON text, for Postgres as an array a column.

use ctxmem_types::UserId;
use serde::Serialize;

use super::arrays::array;
use super::rows::{hex, json};
use super::statement::{Arg, statement};
use super::{AuditEvent, Hash, Salt, Statement, StoreError, Tx, audit, user_key};

pub(super) const STATEMENTS: &[Statement] = &[INSERT_EVENTS, USE_GRANTS];

statement!(
    INSERT_EVENTS, Nothing,
    sqlite: "INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id, scopes,
                                outcome, facts, grants, times)
             SELECT unhex(value ->> 'user_key'), value ->> 'id', value ->> 'at',
                    value ->> 'action', value ->> 'actor', value ->> 'agent_id',
                    value ->> 'developer_id', value ->> 'scopes', value ->> 'outcome',
                    value ->> 'facts', value ->> 'grants', value ->> 'times'
             FROM json_each($1)",
    postgres: "INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id, scopes,
                                  outcome, facts, grants, times)
               SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[],
                                    $5::text[], $6::text[], $7::text[], $8::bigint[],
                                    $9::text[], $10::bigint[], $11::bigint[], $12::bigint[])"
);
// A grant that was made later was not used then. On Postgres each is looked up by itself, as in
// `lessons`, and what others hold at that moment is left out, so that this waits for nobody: they
// change the grant, and its next use is noted again.
statement!(
    USE_GRANTS, Nothing,
    sqlite: "UPDATE grants SET last_used_at = used.at
             FROM (SELECT unhex(value ->> 'user_key') AS user_key,
                          value ->> 'agent_id' AS agent_id, value ->> 'at' AS at
                   FROM json_each($1)) AS used
             WHERE grants.user_key = used.user_key AND grants.agent_id = used.agent_id
               AND grants.latest = 1 AND grants.created_at <= used.at
               AND (grants.last_used_at IS NULL OR grants.last_used_at < used.at)",
    postgres: "UPDATE grants SET last_used_at = used.at
               FROM (SELECT g.at AS here, used.at
                     FROM unnest($1::bytea[], $2::text[], $3::bigint[]) AS used (
                         user_key, agent_id, at)
                     CROSS JOIN LATERAL (
                         SELECT ctid AS at FROM grants
                         WHERE user_key = used.user_key AND agent_id || '' = used.agent_id
                           AND latest = 1 AND created_at <= used.at
                           AND (last_used_at IS NULL OR last_used_at < used.at)
                         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) g) AS used
               WHERE grants.ctid = used.here"
);

#[derive(Serialize)]
struct Noted<'a> {
    user_key: String,
    id: String,
    at: i64,
    action: &'a str,
    actor: &'a str,
    agent_id: Option<&'a str>,
    developer_id: Option<&'a str>,
    scopes: u8,
    outcome: &'a str,
    facts: i64,
    grants: i64,
    times: i64,
}

#[derive(Serialize)]
struct Used<'a> {
    user_key: String,
    agent_id: &'a str,
    at: i64,
}

impl Tx {
    /// Notes what happened, each with the user whom it concerns.
    pub async fn audit_all(&mut self, noted: &[(&UserId, AuditEvent)]) -> Result<(), StoreError> {
        if self.is_postgres() {
            let columns = event_columns(&self.salt, noted);
            self.run(INSERT_EVENTS, &columns.each_ref().map(Arg::from))
                .await?;
        } else {
            let events = events(&self.salt, noted)?;
            self.run(INSERT_EVENTS, &[(&events).into()]).await?;
        }
        Ok(())
    }

    /// Notes when agents last used what users grant them.
    pub async fn use_grants(&mut self, uses: &[(&UserId, &str, i64)]) -> Result<(), StoreError> {
        if self.is_postgres() {
            let keys: Vec<Hash> = uses
                .iter()
                .map(|(user_id, ..)| user_key(&self.salt, user_id))
                .collect();
            let columns = [
                array(&keys),
                array(uses.iter().map(|(_, agent_id, _)| *agent_id)),
                array(uses.iter().map(|(.., at)| *at)),
            ];
            self.run(USE_GRANTS, &columns.each_ref().map(Arg::from))
                .await?;
        } else {
            let rows: Vec<Used<'_>> = uses
                .iter()
                .map(|&(user_id, agent_id, at)| Used {
                    user_key: hex(&user_key(&self.salt, user_id)),
                    agent_id,
                    at,
                })
                .collect();
            self.run(USE_GRANTS, &[(&json(&rows)?).into()]).await?;
        }
        Ok(())
    }
}

/// Events as the columns of rows, for Postgres.
fn event_columns(salt: &Salt, noted: &[(&UserId, AuditEvent)]) -> [String; 12] {
    let keys: Vec<Hash> = noted
        .iter()
        .map(|(user_id, _)| user_key(salt, user_id))
        .collect();
    let ids: Vec<String> = noted.iter().map(|(_, event)| audit::id(event.at)).collect();
    let events = || noted.iter().map(|(_, event)| event);
    [
        array(&keys),
        array(ids.iter().map(|id| &**id)),
        array(events().map(|event| event.at)),
        array(events().map(|event| event.action.as_str())),
        array(events().map(|event| event.actor.as_str())),
        array(events().map(|event| event.agent_id.as_deref())),
        array(events().map(|event| event.developer_id.as_deref())),
        array(events().map(|event| i64::from(event.scopes.bits()))),
        array(events().map(|event| event.outcome.as_str())),
        array(events().map(|event| event.facts)),
        array(events().map(|event| event.grants)),
        array(events().map(|event| event.times)),
    ]
}

/// Events as rows.
pub(super) fn events(salt: &Salt, events: &[(&UserId, AuditEvent)]) -> Result<String, StoreError> {
    let noted: Vec<Noted<'_>> = events
        .iter()
        .map(|(user_id, event)| Noted {
            user_key: hex(&user_key(salt, user_id)),
            id: audit::id(event.at),
            at: event.at,
            action: event.action.as_str(),
            actor: event.actor.as_str(),
            agent_id: event.agent_id.as_deref(),
            developer_id: event.developer_id.as_deref(),
            scopes: event.scopes.bits(),
            outcome: event.outcome.as_str(),
            facts: event.facts,
            grants: event.grants,
            times: event.times,
        })
        .collect();
    json(&noted)
}
