//! What many updates store by one statement that needs no transaction around it: each only while
//! all is still as it was when it was looked at. Postgres only; on SQLite nobody else writes
//! between a look and what it is for.

use super::arrays::array;
use super::facts::number;
use super::statement::{Arg, statement};
use super::{
    Action, Actor, AuditEvent, LessonStored, NewKeyRecord, Statement, StoreError, StoredFact, Tx,
    audit,
};

/// What an update stores, and as of which version of the user.
pub struct LessonUnchanged<'a> {
    /// What it stores. It removes nothing.
    pub stored: LessonStored<'a>,
    /// The id of the API key.
    pub key_id: &'a str,
    /// The version that it saw.
    pub version: i64,
    /// What is noted of it: what an agent learned, at the instant at which it is stored.
    pub noted: Option<AuditEvent>,
    /// What is recorded of it, where it has a key. Sort by these keys, so that two processes do
    /// not wait for each other.
    pub record: Option<NewKeyRecord<'a>>,
}

pub(super) const STATEMENTS: &[Statement] = &[STORE_UNCHANGED];

// Whatever changes a user's facts, grants or epoch counts the version up in the user's row: a row
// that still has the version that was seen, and is held from now on, proves that all else is as
// it was seen. A row that another holds is left out, so this waits for nobody, and its snapshot
// is not older than what it does. Keys are no part of a user: they are looked at here, and
// where one is not good any more nothing is stored at all.
//
// Each row is looked up by itself, as in `lessons`, then found again by its place in the table.
// Only what `learned` changed is stored. Where a key has a record already, even one that is over,
// nothing is stored at all: that takes a transaction. `IS TRUE` has Postgres make a hash table of its numbers,
// where it would compare each with each.
statement!(
    STORE_UNCHANGED, Facts,
    postgres: "WITH held AS MATERIALIZED (
                   SELECT seen.*, u.here
                   FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::bigint[],
                               $6::bigint[], $7::bigint[], $8::text[], $9::bigint[],
                               $10::text[], $11::bigint[], $30::bytea[], $31::bytea[],
                               $32::text[]) AS seen (
                            n, user_key, agent_id, version, next_position, changed, event_id,
                            scopes, outcome, facts, key_hash, request_hash, answer)
                   CROSS JOIN LATERAL (
                       SELECT ctid AS here FROM users
                       WHERE user_key = seen.user_key AND version = seen.version
                       LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) u
                   WHERE cardinality($12::text[]) = (
                       SELECT COUNT(*) FROM unnest($12::text[]) AS used (key_id)
                       CROSS JOIN LATERAL (
                           SELECT agent_id FROM api_keys
                           WHERE id = used.key_id AND revoked_at IS NULL LIMIT 1) k
                       CROSS JOIN LATERAL (
                           SELECT 1 FROM agents
                           WHERE id = k.agent_id AND deleted_at IS NULL LIMIT 1) a)),
               learned AS (
                   UPDATE users SET version = users.version + 1,
                          next_position = held.next_position,
                          last_updated = CASE WHEN held.changed = 1 THEN $1
                                              ELSE last_updated END
                   FROM held WHERE users.ctid = held.here
                   RETURNING held.*),
               put AS (
                   INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id,
                                      requested, position, first_stored_at, confirmed_at)
                   SELECT user_key, scope, slot, name, value, source_type, agent_id, requested,
                          position, $1, $1
                   FROM unnest($13::bigint[], $14::bytea[], $15::bigint[], $16::text[],
                               $17::text[], $18::text[], $19::text[], $20::text[],
                               $21::bigint[], $22::bigint[]) AS put (
                            n, user_key, scope, slot, name, value, source_type, agent_id,
                            requested, position)
                   WHERE (n IN (SELECT n FROM learned)) IS TRUE
                   ON CONFLICT (user_key, scope, slot) DO UPDATE SET
                       name = excluded.name, value = excluded.value,
                       source_type = excluded.source_type, agent_id = excluded.agent_id,
                       requested = excluded.requested,
                       first_stored_at = excluded.first_stored_at,
                       confirmed_at = excluded.confirmed_at),
               confirmed AS (
                   UPDATE facts SET confirmed_at = $1, requested = said.requested
                   FROM (SELECT f.here, said.requested
                         FROM unnest($23::bigint[], $24::bytea[], $25::bigint[],
                                     $26::text[], $27::bigint[]) AS said (
                                  n, user_key, scope, slot, requested)
                         CROSS JOIN LATERAL (
                             SELECT ctid AS here FROM facts
                             WHERE user_key = said.user_key AND scope = said.scope
                               AND slot = said.slot LIMIT 1) f
                         WHERE (n IN (SELECT n FROM learned)) IS TRUE) AS said
                   WHERE facts.ctid = said.here),
               noted AS (
                   INSERT INTO audit (user_key, id, at, action, actor, agent_id, scopes, outcome,
                                      facts, grants, times)
                   SELECT user_key, event_id, $1, $28, $29, agent_id, scopes, outcome, facts,
                          0, 1
                   FROM learned WHERE event_id IS NOT NULL),
               recorded AS (
                   INSERT INTO idempotency_keys (agent_id, key_hash, user_key, request_hash,
                                                 answer, created_at)
                   SELECT agent_id, key_hash, user_key, request_hash, answer, $1
                   FROM learned WHERE key_hash IS NOT NULL)
               SELECT n FROM learned"
);

impl Tx {
    /// Stores what lessons about different users taught, at this instant, and notes what
    /// happened; of those only that find all as they saw it. Answers of each whether it did.
    /// Postgres commits after it has sent the rows: they count when all were read.
    pub async fn store_unchanged(
        &mut self,
        lessons: &[LessonUnchanged<'_>],
        now: i64,
    ) -> Result<Vec<bool>, StoreError> {
        let mut columns = seen(lessons, now);
        columns.extend(put(lessons));
        columns.extend(confirmed(lessons));
        let mut args = vec![Arg::from(now)];
        args.extend(columns.iter().map(Arg::from));
        args.push(Action::Update.as_str().into());
        args.push(Actor::Agent.as_str().into());
        let recorded = recorded(lessons);
        args.extend(recorded.iter().map(Arg::from));
        let rows = self.list(STORE_UNCHANGED, &args).await?;
        let mut stored = vec![false; lessons.len()];
        for row in &rows {
            let n = usize::try_from(row.int("n")?).ok();
            let stored = n.and_then(|n| stored.get_mut(n));
            *stored.ok_or(StoreError::Corrupt("n"))? = true;
        }
        Ok(stored)
    }
}

fn numbered<'l>(
    lessons: &'l [LessonUnchanged<'l>],
) -> impl Iterator<Item = (i64, &'l LessonUnchanged<'l>)> + Clone {
    (0..).zip(lessons)
}

/// What was seen and is noted: a row a lesson; and then the keys, each once.
fn seen(lessons: &[LessonUnchanged<'_>], now: i64) -> Vec<String> {
    let stored = || lessons.iter().map(|lesson| &lesson.stored);
    let noted = || lessons.iter().map(|lesson| lesson.noted.as_ref());
    let ids: Vec<Option<String>> = noted().map(|noted| noted.map(|_| audit::id(now))).collect();
    let mut keys: Vec<&str> = lessons.iter().map(|lesson| lesson.key_id).collect();
    keys.sort_unstable();
    keys.dedup();
    vec![
        array(numbered(lessons).map(|(n, _)| n)),
        array(stored().map(|stored| stored.user_key)),
        array(stored().map(|stored| stored.agent_id)),
        array(lessons.iter().map(|lesson| lesson.version)),
        array(stored().map(|stored| stored.next_position)),
        array(stored().map(|stored| i64::from(!stored.put.is_empty()))),
        array(ids.iter().map(Option::as_deref)),
        array(noted().map(|noted| noted.map(|event| i64::from(event.scopes.bits())))),
        array(noted().map(|noted| noted.map(|event| event.outcome.as_str()))),
        array(noted().map(|noted| noted.map(|event| event.facts))),
        array(keys),
    ]
}

/// What is recorded, as further columns of these rows.
fn recorded(lessons: &[LessonUnchanged<'_>]) -> [String; 3] {
    let records = || lessons.iter().map(|lesson| lesson.record.as_ref());
    [
        array(records().map(|record| record.map(|record| record.key))),
        array(records().map(|record| record.map(|record| record.request))),
        array(records().map(|record| record.map(|record| record.answer))),
    ]
}

fn put(lessons: &[LessonUnchanged<'_>]) -> Vec<String> {
    let facts: Vec<(i64, &LessonStored<'_>, &StoredFact)> = numbered(lessons)
        .flat_map(|(n, lesson)| {
            let put = lesson.stored.put.iter();
            put.map(move |&fact| (n, &lesson.stored, fact))
        })
        .collect();
    let facts = || facts.iter();
    vec![
        array(facts().map(|(n, ..)| *n)),
        array(facts().map(|(_, stored, _)| stored.user_key)),
        array(facts().map(|(.., fact)| number(fact.scope))),
        array(facts().map(|(.., fact)| &*fact.slot)),
        array(facts().map(|(.., fact)| fact.name.as_deref())),
        array(facts().map(|(.., fact)| &*fact.value)),
        array(facts().map(|(.., fact)| fact.source_type.as_str())),
        array(facts().map(|(_, stored, _)| stored.agent_id)),
        array(facts().map(|(.., fact)| i64::from(fact.requested))),
        array(facts().map(|(.., fact)| fact.position)),
    ]
}

fn confirmed(lessons: &[LessonUnchanged<'_>]) -> Vec<String> {
    let facts: Vec<_> = numbered(lessons)
        .flat_map(|(n, lesson)| {
            let confirmed = lesson.stored.confirmed.iter();
            confirmed.map(move |&fact| (n, lesson.stored.user_key, fact))
        })
        .collect();
    let facts = || facts.iter();
    vec![
        array(facts().map(|(n, ..)| *n)),
        array(facts().map(|(_, user_key, _)| *user_key)),
        array(facts().map(|(.., fact)| number(fact.scope))),
        array(facts().map(|(.., fact)| &*fact.slot)),
        array(facts().map(|(.., fact)| i64::from(fact.requested))),
    ]
}

#[cfg(test)]
mod tests;
