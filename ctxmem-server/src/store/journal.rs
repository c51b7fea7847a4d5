//! What the journal of the core stores: many rows, on Postgres by one statement each.

use std::collections::HashSet;

use ctxmem_types::UserId;

use super::arrays::array;
use super::statement::{Arg, statement};
use super::{AuditEvent, Hash, Salt, Statement, StoreError, Tx, audit, user_key};

pub(super) const STATEMENTS: &[Statement] = &[INSERT_EVENTS, USE_GRANT, USE_GRANTS];

statement!(
    INSERT_EVENTS, Nothing,
    postgres: "INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id, scopes,
                                  outcome, facts, grants, times)
               SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[],
                                    $5::text[], $6::text[], $7::text[], $8::bigint[],
                                    $9::text[], $10::bigint[], $11::bigint[], $12::bigint[])"
);
// A grant that was made later was not used then.
statement!(
    USE_GRANT,
    Nothing,
    "UPDATE grants SET last_used_at = $3
     WHERE user_key = $1 AND agent_id = $2 AND latest = 1 AND created_at <= $3
       AND (last_used_at IS NULL OR last_used_at < $3)"
);
// Each is looked up by itself, as in `lessons`, and what others hold at that moment is left out, so
// that this waits for nobody.
statement!(
    USE_GRANTS, Nothing,
    postgres: "UPDATE grants SET last_used_at = used.at
               FROM (SELECT used.n, g.at AS here, used.at
                     FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[]) AS used (
                         n, user_key, agent_id, at)
                     CROSS JOIN LATERAL (
                         SELECT ctid AS at FROM grants
                         WHERE user_key = used.user_key AND agent_id || '' = used.agent_id
                           AND latest = 1 AND created_at <= used.at
                           AND (last_used_at IS NULL OR last_used_at < used.at)
                         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) g) AS used
               WHERE grants.ctid = used.here
               RETURNING used.n"
);

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
    /// Notes what happened, each with the user whom it concerns.
    pub async fn audit_all(&mut self, noted: &[(&UserId, AuditEvent)]) -> Result<(), StoreError> {
        if noted.is_empty() {
            return Ok(());
        }
        if self.is_postgres() {
            let columns = event_columns(&self.salt, noted);
            self.run(INSERT_EVENTS, &columns.each_ref().map(Arg::from))
                .await?;
        } else {
            for (user_id, event) in noted {
                self.audit(Some(user_id), event).await?;
            }
        }
        Ok(())
    }

    /// Notes when agents last used what users grant them. It waits for nobody: those that it did
    /// not note, since somebody holds their grants or there is nothing to note, are answered.
    pub async fn use_grants(&mut self, uses: Vec<LastUse>) -> Result<Vec<LastUse>, StoreError> {
        if self.is_postgres() {
            return self.use_free_grants(uses).await;
        }
        for LastUse {
            user_id,
            agent_id,
            at,
        } in &uses
        {
            let key = user_key(&self.salt, user_id);
            self.run(USE_GRANT, &[(&key).into(), agent_id.into(), (*at).into()])
                .await?;
        }
        Ok(Vec::new())
    }

    async fn use_free_grants(&mut self, uses: Vec<LastUse>) -> Result<Vec<LastUse>, StoreError> {
        let columns = [
            array((0..).take(uses.len())),
            array(&self.keys_of(&uses)),
            array(uses.iter().map(|used| &*used.agent_id)),
            array(uses.iter().map(|used| used.at)),
        ];
        let rows = self
            .list(USE_GRANTS, &columns.each_ref().map(Arg::from))
            .await?;
        let noted: HashSet<i64> = rows
            .iter()
            .map(|row| row.int("n"))
            .collect::<Result<_, _>>()?;
        let uses = (0..).zip(uses);
        Ok(uses
            .filter_map(|(n, used)| (!noted.contains(&n)).then_some(used))
            .collect())
    }

    /// The same once nobody else changes anything of these users, whom it holds from now on.
    pub async fn use_held_grants(&mut self, uses: Vec<LastUse>) -> Result<(), StoreError> {
        let keys = self.keys_of(&uses);
        self.lock_users(keys.iter()).await?;
        self.use_grants(uses).await?;
        Ok(())
    }

    fn keys_of(&self, uses: &[LastUse]) -> Vec<Hash> {
        let keys = uses.iter().map(|used| user_key(&self.salt, &used.user_id));
        keys.collect()
    }
}

/// Events as the columns of rows.
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
