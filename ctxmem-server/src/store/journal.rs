//! What the journal of the core stores: many rows by one statement each. The rows come as one
//! JSON text, which both engines can read.

use ctxmem_types::UserId;
use serde::Serialize;

use super::rows::{hex, json};
use super::statement::statement;
use super::{AuditEvent, Salt, Statement, StoreError, Tx, audit, user_key};

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
               SELECT decode(user_key, 'hex'), id, at, action, actor, agent_id, developer_id,
                      scopes, outcome, facts, grants, times
               FROM jsonb_to_recordset($1::jsonb) AS noted (
                   user_key TEXT, id TEXT, at BIGINT, action TEXT, actor TEXT, agent_id TEXT,
                   developer_id TEXT, scopes BIGINT, outcome TEXT, facts BIGINT, grants BIGINT,
                   times BIGINT)"
);
// A grant that was made later was not used then. The grants of a user are few, those of an agent
// many: on Postgres no plan may go by the index on the agent's id.
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
               FROM jsonb_to_recordset($1::jsonb) AS used (
                   user_key TEXT, agent_id TEXT, at BIGINT)
               WHERE grants.user_key = decode(used.user_key, 'hex')
                 AND grants.agent_id || '' = used.agent_id
                 AND grants.latest = 1 AND grants.created_at <= used.at
                 AND (grants.last_used_at IS NULL OR grants.last_used_at < used.at)"
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
        let events = events(&self.salt, noted)?;
        self.run(INSERT_EVENTS, &[(&events).into()]).await?;
        Ok(())
    }

    /// Notes when agents last used what users grant them. It holds these users from now on.
    pub async fn use_grants(&mut self, uses: &[(&UserId, &str, i64)]) -> Result<(), StoreError> {
        let rows: Vec<Used<'_>> = uses
            .iter()
            .map(|&(user_id, agent_id, at)| Used {
                user_key: hex(&user_key(&self.salt, user_id)),
                agent_id,
                at,
            })
            .collect();
        let rows = json(&rows)?;
        self.lock_users(&rows).await?;
        self.run(USE_GRANTS, &[(&rows).into()]).await?;
        Ok(())
    }
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
