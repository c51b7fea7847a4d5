//! What updates need to know and store. On Postgres, where a statement is a journey, that of many
//! goes by one, whoever they are about; SQLite is asked row by row. What is stored is decided in
//! `core::lesson`.

pub(super) mod singly;

use ctxmem_types::{Scope, ScopeSet, UserId};
use serde::Serialize;

use super::arrays::array;
use super::facts::{number, read};
use super::rows::{hex, json};
use super::statement::{Arg, Row, statement};
use super::{
    AuditEvent, Hash, KeyRecord, Statement, StoreError, StoredFact, Terms, Tx, idempotency,
};

/// What an update asks before it stores.
pub struct LessonAsked<'a> {
    /// The id of the API key.
    pub key_id: &'a str,
    /// The key's agent.
    pub agent_id: &'a str,
    /// The user whom it is about.
    pub user_key: &'a Hash,
    /// The key under which its answer is recorded, where it has one.
    pub once: Option<&'a Hash>,
    /// Where facts may stand that it concerns.
    pub places: Vec<(Scope, String)>,
    /// The scopes of which it has to know how many facts they hold.
    pub counted: ScopeSet,
}

/// What it is told.
pub struct LessonSeen {
    /// Whether the key is good.
    pub key_is_live: bool,
    /// Whether an agent of this developer ever stored a fact.
    pub developer_stored: bool,
    /// Grows at every erasure of the user.
    pub epoch: i64,
    /// Grows with every change of the user's facts and grants.
    pub version: i64,
    /// The position that the next new fact takes.
    pub next_position: i64,
    /// What the newest grant allows, whatever its state.
    pub grant: Option<Terms>,
    /// What was answered before under its key.
    pub record: Option<KeyRecord>,
    /// The facts in its places.
    pub facts: Vec<StoredFact>,
    /// How many facts the scopes of its places hold, where that was asked.
    pub counts: Vec<(Scope, i64)>,
}

/// What an update stores, besides an entry in the log.
pub struct LessonStored<'a> {
    /// The user whom it is about.
    pub user_key: &'a Hash,
    /// The agent that learned it.
    pub agent_id: &'a str,
    /// New facts and new values.
    pub put: Vec<&'a StoredFact>,
    /// Facts that were said again.
    pub confirmed: Vec<&'a StoredFact>,
    /// Facts that were taken back.
    pub removed: Vec<&'a StoredFact>,
    /// The position that the next new fact takes from now on.
    pub next_position: i64,
}

pub(super) const STATEMENTS: &[Statement] =
    &[FIND_LESSONS, STORE_LESSONS, CONFIRM_FACTS, REMOVE_FACTS];

// A row for each place of each lesson. Each is looked up by itself (that is what the limits are
// for): else Postgres reads whole tables while they are small, and keeps to it when they
// have grown. The grants of a user are few, those of an agent many: hence no index on its id.
// The first row of a lesson names its key and tells all but facts and counts, and only a
// place without a fact is counted: no other can make its scope grow.
statement!(
    FIND_LESSONS, Nothing,
    postgres: "SELECT asked.n, asked.scope AS place, k.created_at AS key_created_at,
                      a.created_at AS agent_created_at, d.first_fact_at, u.epoch, u.version,
                      u.next_position, g.scopes AS granted, g.expires_at, g.revoked_at,
                      i.created_at AS answered_at, i.request_hash, i.answer,
                      CASE WHEN asked.counted = 1 AND f.scope IS NULL THEN
                          (SELECT COUNT(*) FROM facts c
                           WHERE c.user_key = asked.user_key AND c.scope = asked.scope)
                      END AS counted,
                      f.scope, f.slot, f.name, f.value, f.source_type, f.requested,
                      f.position, f.first_stored_at, f.confirmed_at
               FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[],
                           $6::bigint[], $7::text[], $8::bigint[]) AS asked (
                        n, key_id, agent_id, user_key, once, scope, slot, counted)
               LEFT JOIN LATERAL (
                   SELECT created_at FROM api_keys
                   WHERE id = asked.key_id AND revoked_at IS NULL LIMIT 1) k ON TRUE
               LEFT JOIN LATERAL (
                   SELECT created_at, developer_id FROM agents
                   WHERE id = asked.agent_id AND deleted_at IS NULL LIMIT 1) a ON TRUE
               LEFT JOIN LATERAL (
                   SELECT first_fact_at FROM developers
                   WHERE id = a.developer_id LIMIT 1) d ON TRUE
               LEFT JOIN LATERAL (
                   SELECT epoch, version, next_position FROM users
                   WHERE user_key = asked.user_key AND asked.key_id IS NOT NULL LIMIT 1) u
                   ON TRUE
               LEFT JOIN LATERAL (
                   SELECT scopes, expires_at, revoked_at FROM grants
                   WHERE user_key = asked.user_key AND agent_id || '' = asked.agent_id
                     AND latest = 1 LIMIT 1) g ON TRUE
               LEFT JOIN LATERAL (
                   SELECT created_at, request_hash, answer FROM idempotency_keys
                   WHERE agent_id = asked.agent_id AND key_hash = asked.once LIMIT 1) i
                   ON i.created_at > $9
               LEFT JOIN LATERAL (
                   SELECT * FROM facts
                   WHERE user_key = asked.user_key AND scope = asked.scope
                     AND slot = asked.slot LIMIT 1) f ON TRUE"
);
// Facts, then users. A replaced value keeps its place in the slice.
statement!(
    STORE_LESSONS, Facts,
    postgres: "WITH put AS (
                   INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id,
                                      requested, position, first_stored_at, confirmed_at)
                   SELECT decode(user_key, 'hex'), scope, slot, name, value, source_type,
                          agent_id, requested, position, $3, $3
                   FROM jsonb_to_recordset($1::jsonb) AS put (
                       user_key TEXT, scope BIGINT, slot TEXT, name TEXT, value TEXT,
                       source_type TEXT, agent_id TEXT, requested BIGINT, position BIGINT)
                   ON CONFLICT (user_key, scope, slot) DO UPDATE SET
                       name = excluded.name, value = excluded.value,
                       source_type = excluded.source_type, agent_id = excluded.agent_id,
                       requested = excluded.requested,
                       first_stored_at = excluded.first_stored_at,
                       confirmed_at = excluded.confirmed_at)
               UPDATE users SET version = version + 1, next_position = learned.next_position,
                      last_updated = CASE WHEN learned.changed = 1 THEN $3
                                          ELSE last_updated END
               FROM jsonb_to_recordset($2::jsonb) AS learned (
                   user_key TEXT, next_position BIGINT, changed BIGINT)
               WHERE users.user_key = decode(learned.user_key, 'hex')"
);
statement!(
    CONFIRM_FACTS, Facts,
    postgres: "UPDATE facts SET confirmed_at = $2, requested = said.requested
               FROM jsonb_to_recordset($1::jsonb) AS said (
                   user_key TEXT, scope BIGINT, slot TEXT, requested BIGINT)
               WHERE facts.user_key = decode(said.user_key, 'hex')
                 AND facts.scope = said.scope AND facts.slot = said.slot"
);
statement!(
    REMOVE_FACTS, Facts,
    postgres: "DELETE FROM facts
               USING jsonb_to_recordset($1::jsonb) AS gone (
                   user_key TEXT, scope BIGINT, slot TEXT)
               WHERE facts.user_key = decode(gone.user_key, 'hex')
                 AND facts.scope = gone.scope AND facts.slot = gone.slot"
);

#[derive(Serialize)]
struct PutRow<'a> {
    user_key: &'a str,
    scope: i64,
    slot: &'a str,
    name: Option<&'a str>,
    value: &'a str,
    source_type: &'a str,
    agent_id: &'a str,
    requested: i64,
    position: i64,
}

#[derive(Serialize)]
struct LearnedRow<'a> {
    user_key: &'a str,
    next_position: i64,
    changed: u8,
}

#[derive(Serialize)]
struct PlaceRow<'a> {
    user_key: &'a str,
    scope: i64,
    slot: String,
    /// Of no meaning where the fact goes.
    requested: i64,
}

impl Tx {
    /// What these lessons need to know, each as it was asked; `None` where the user was never
    /// seen. The users are held until the unit of work ends. Records of `over` (milliseconds
    /// since 1970) or before count as none.
    pub async fn lessons(
        &mut self,
        lessons: &[LessonAsked<'_>],
        over: i64,
    ) -> Result<Vec<Option<LessonSeen>>, StoreError> {
        if !self.is_postgres() {
            return self.lessons_singly(lessons, over).await;
        }
        self.lock_users(lessons.iter().map(|lesson| lesson.user_key))
            .await?;
        self.look_at_lessons(lessons, over).await
    }

    /// The same of users whom nothing holds, on Postgres: what is answered may be over by then.
    pub async fn look_at_lessons(
        &mut self,
        lessons: &[LessonAsked<'_>],
        over: i64,
    ) -> Result<Vec<Option<LessonSeen>>, StoreError> {
        let rows = self.list_by_arrays(lessons, over).await?;
        let mut seen: Vec<Option<LessonSeen>> = lessons.iter().map(|_| None).collect();
        for row in &rows {
            // Whoever has no row was never seen.
            if row.int_or_null("epoch")?.is_none() {
                continue;
            }
            let lesson = seen.get_mut(number_of(row)?);
            let lesson = lesson.ok_or(StoreError::Corrupt("n"))?;
            if lesson.is_none() {
                *lesson = Some(LessonSeen::read(row)?);
            }
        }
        for row in &rows {
            let Some(Some(lesson)) = seen.get_mut(number_of(row)?) else {
                continue;
            };
            if row.int_or_null("scope")?.is_some() {
                lesson.facts.push(read(row)?);
            }
            if let Some(count) = row.int_or_null("counted")? {
                let scope = super::facts::scope_at(row.int("place")?)?;
                if lesson.counts.iter().all(|(counted, _)| *counted != scope) {
                    lesson.counts.push((scope, count));
                }
            }
        }
        Ok(seen)
    }

    async fn list_by_arrays(
        &mut self,
        lessons: &[LessonAsked<'_>],
        over: i64,
    ) -> Result<Vec<Row>, StoreError> {
        let places: Vec<_> = places(lessons).collect();
        let places = || places.iter().copied();
        let n = array(places().map(|(n, ..)| i64::try_from(n).unwrap_or(i64::MAX)));
        let key_id = array(places().map(|(_, lesson, _, first)| first.then_some(lesson.key_id)));
        let agent_id = places().map(|(_, lesson, _, first)| first.then_some(lesson.agent_id));
        let agent_id = array(agent_id);
        let user_key = array(places().map(|(_, lesson, ..)| lesson.user_key));
        let once = places().map(|(_, lesson, _, first)| lesson.once.filter(|_| first));
        let once = array(once);
        let scope = places().map(|(_, _, place, _)| place.map(|(scope, _)| number(*scope)));
        let scope = array(scope);
        let slot = array(places().map(|(_, _, place, _)| place.map(|(_, slot)| &**slot)));
        let counted = places().map(|(_, lesson, place, _)| i64::from(lesson.counts(place)));
        let counted = array(counted);
        let columns = [n, key_id, agent_id, user_key, once, scope, slot, counted];
        let mut args: Vec<Arg<'_>> = columns.iter().map(Arg::from).collect();
        args.push(over.into());
        self.list(FIND_LESSONS, &args).await
    }

    /// Stores what lessons about different users taught, at this instant, and notes what
    /// happened.
    pub async fn store_lessons(
        &mut self,
        lessons: &[LessonStored<'_>],
        noted: &[(&UserId, AuditEvent)],
        now: i64,
    ) -> Result<(), StoreError> {
        if !self.is_postgres() {
            return self.store_lessons_singly(lessons, noted, now).await;
        }
        let keys: Vec<String> = lessons.iter().map(|lesson| hex(lesson.user_key)).collect();
        let (mut put, mut confirmed, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        let mut learned = Vec::new();
        for (lesson, user_key) in lessons.iter().zip(&keys) {
            let place = |fact: &&'_ StoredFact| PlaceRow {
                user_key,
                scope: number(fact.scope),
                slot: fact.slot.clone(),
                requested: i64::from(fact.requested),
            };
            put.extend(lesson.put.iter().map(|fact| PutRow {
                user_key,
                scope: number(fact.scope),
                slot: &fact.slot,
                name: fact.name.as_deref(),
                value: &fact.value,
                source_type: fact.source_type.as_str(),
                agent_id: lesson.agent_id,
                requested: i64::from(fact.requested),
                position: fact.position,
            }));
            confirmed.extend(lesson.confirmed.iter().map(place));
            removed.extend(lesson.removed.iter().map(place));
            learned.push(LearnedRow {
                user_key,
                next_position: lesson.next_position,
                changed: u8::from(!lesson.put.is_empty() || !lesson.removed.is_empty()),
            });
        }
        if !removed.is_empty() {
            self.run(REMOVE_FACTS, &[(&json(&removed)?).into()]).await?;
        }
        if !confirmed.is_empty() {
            let confirmed = json(&confirmed)?;
            self.run(CONFIRM_FACTS, &[(&confirmed).into(), now.into()])
                .await?;
        }
        let (put, learned) = (json(&put)?, json(&learned)?);
        self.run(
            STORE_LESSONS,
            &[(&put).into(), (&learned).into(), now.into()],
        )
        .await?;
        self.audit_all(noted).await
    }
}

/// A lesson's number, the lesson, one of its places, and whether that is its first. A lesson
/// without a place is there once.
type AskedPlace<'l> = (
    usize,
    &'l LessonAsked<'l>,
    Option<&'l (Scope, String)>,
    bool,
);

fn places<'l>(lessons: &'l [LessonAsked<'l>]) -> impl Iterator<Item = AskedPlace<'l>> {
    lessons.iter().enumerate().flat_map(|(n, lesson)| {
        let first = (n, lesson, lesson.places.first(), true);
        let others = lesson.places.iter().skip(1);
        std::iter::once(first).chain(others.map(move |place| (n, lesson, Some(place), false)))
    })
}

fn number_of(row: &Row) -> Result<usize, StoreError> {
    usize::try_from(row.int("n")?).map_err(|_| StoreError::Corrupt("n"))
}

impl LessonAsked<'_> {
    /// Whether the facts of this place's scope are to be counted.
    fn counts(&self, place: Option<&(Scope, String)>) -> bool {
        place.is_some_and(|(scope, _)| self.counted.contains(*scope))
    }
}

impl LessonSeen {
    /// All but facts and counts.
    fn read(row: &Row) -> Result<Self, StoreError> {
        let is_there = |column| Ok::<_, StoreError>(row.int_or_null(column)?.is_some());
        Ok(Self {
            key_is_live: is_there("key_created_at")? && is_there("agent_created_at")?,
            developer_stored: is_there("first_fact_at")?,
            epoch: row.int("epoch")?,
            version: row.int("version")?,
            next_position: row.int("next_position")?,
            grant: Terms::read(row)?,
            record: match row.int_or_null("answered_at")? {
                Some(_) => Some(idempotency::read(row)?),
                None => None,
            },
            facts: Vec::new(),
            counts: Vec::new(),
        })
    }
}
