//! What updates need to know and store. On Postgres, where a statement is a journey, that of many
//! goes by one, whoever they are about; SQLite is asked row by row. What is stored is decided in
//! `core::lesson`.

pub(super) mod singly;

use ctxmem_types::{Scope, ScopeSet, UserId};
use serde::Serialize;

use super::facts::{number, read};
use super::journal::events;
use super::rows::{hex, json};
use super::statement::{Row, statement};
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

// A row for each place of each lesson. On Postgres each is looked up by itself (that is what the
// limits are for): else it reads whole tables while they are small, and keeps to it when they
// have grown. The grants of a user are few, those of an agent many: hence no index on its id.
statement!(
    FIND_LESSONS, Nothing,
    postgres: "SELECT asked.n, asked.scope AS place, k.created_at AS key_created_at,
                      a.created_at AS agent_created_at, d.first_fact_at, u.epoch,
                      u.next_position, g.scopes AS granted, g.expires_at, g.revoked_at,
                      i.created_at AS answered_at, i.request_hash, i.answer,
                      CASE WHEN asked.counted = 1 THEN
                          (SELECT COUNT(*) FROM facts c
                           WHERE c.user_key = asked.user_key AND c.scope = asked.scope)
                      END AS counted,
                      f.scope, f.slot, f.name, f.value, f.source_type, f.position,
                      f.confirmed_at
               FROM (SELECT n, key_id, agent_id, decode(user_key, 'hex') AS user_key,
                            decode(once, 'hex') AS once, scope, slot, counted
                     FROM jsonb_to_recordset($1::jsonb) AS asked (
                         n BIGINT, key_id TEXT, agent_id TEXT, user_key TEXT, once TEXT,
                         scope BIGINT, slot TEXT, counted BIGINT)) asked
               LEFT JOIN api_keys k ON k.id = asked.key_id AND k.revoked_at IS NULL
               LEFT JOIN agents a ON a.id = asked.agent_id AND a.deleted_at IS NULL
               LEFT JOIN developers d ON d.id = a.developer_id
               LEFT JOIN LATERAL (
                   SELECT epoch, next_position FROM users
                   WHERE user_key = asked.user_key LIMIT 1) u ON TRUE
               LEFT JOIN LATERAL (
                   SELECT scopes, expires_at, revoked_at FROM grants
                   WHERE user_key = asked.user_key AND agent_id || '' = asked.agent_id
                     AND latest = 1 LIMIT 1) g ON TRUE
               LEFT JOIN LATERAL (
                   SELECT created_at, request_hash, answer FROM idempotency_keys
                   WHERE agent_id = asked.agent_id AND key_hash = asked.once
                     AND created_at > $2 LIMIT 1) i ON TRUE
               LEFT JOIN LATERAL (
                   SELECT * FROM facts
                   WHERE user_key = asked.user_key AND scope = asked.scope
                     AND slot = asked.slot LIMIT 1) f ON TRUE"
);
// Facts, then users, then the log. A replaced value keeps its place in the slice.
statement!(
    STORE_LESSONS, Facts,
    postgres: "WITH put AS (
                   INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id,
                                      position, first_stored_at, confirmed_at)
                   SELECT decode(user_key, 'hex'), scope, slot, name, value, source_type,
                          agent_id, position, $4, $4
                   FROM jsonb_to_recordset($1::jsonb) AS put (
                       user_key TEXT, scope BIGINT, slot TEXT, name TEXT, value TEXT,
                       source_type TEXT, agent_id TEXT, position BIGINT)
                   ON CONFLICT (user_key, scope, slot) DO UPDATE SET
                       name = excluded.name, value = excluded.value,
                       source_type = excluded.source_type, agent_id = excluded.agent_id,
                       first_stored_at = excluded.first_stored_at,
                       confirmed_at = excluded.confirmed_at),
               learned AS (
                   UPDATE users SET version = version + 1, next_position = learned.next_position,
                          last_updated = CASE WHEN learned.changed = 1 THEN $4
                                              ELSE last_updated END
                   FROM jsonb_to_recordset($2::jsonb) AS learned (
                       user_key TEXT, next_position BIGINT, changed BIGINT)
                   WHERE users.user_key = decode(learned.user_key, 'hex'))
               INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id,
                                  scopes, outcome, facts, grants, times)
               SELECT decode(user_key, 'hex'), id, at, action, actor, agent_id, developer_id,
                      scopes, outcome, facts, grants, times
               FROM jsonb_to_recordset($3::jsonb) AS noted (
                   user_key TEXT, id TEXT, at BIGINT, action TEXT, actor TEXT, agent_id TEXT,
                   developer_id TEXT, scopes BIGINT, outcome TEXT, facts BIGINT, grants BIGINT,
                   times BIGINT)"
);
statement!(
    CONFIRM_FACTS, Facts,
    postgres: "UPDATE facts SET confirmed_at = $2
               FROM jsonb_to_recordset($1::jsonb) AS said (
                   user_key TEXT, scope BIGINT, slot TEXT)
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
struct AskedRow<'a> {
    n: usize,
    key_id: &'a str,
    agent_id: &'a str,
    user_key: &'a str,
    once: Option<String>,
    scope: Option<i64>,
    slot: Option<&'a str>,
    counted: u8,
}

#[derive(Serialize)]
struct PutRow<'a> {
    user_key: &'a str,
    scope: i64,
    slot: &'a str,
    name: Option<&'a str>,
    value: &'a str,
    source_type: &'a str,
    agent_id: &'a str,
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
    slot: &'a str,
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
        let keys: Vec<String> = lessons.iter().map(|lesson| hex(lesson.user_key)).collect();
        let mut asked = Vec::new();
        for (n, (lesson, user_key)) in lessons.iter().zip(&keys).enumerate() {
            let row = |place: Option<&'_ (Scope, String)>| AskedRow {
                n,
                key_id: lesson.key_id,
                agent_id: lesson.agent_id,
                user_key,
                once: lesson.once.map(hex),
                scope: place.map(|(scope, _)| number(*scope)),
                slot: None,
                counted: place.map_or(0, |(scope, _)| u8::from(lesson.counted.contains(*scope))),
            };
            if lesson.places.is_empty() {
                asked.push(row(None));
            }
            asked.extend(lesson.places.iter().map(|place| AskedRow {
                slot: Some(&place.1),
                ..row(Some(place))
            }));
        }
        let asked = json(&asked)?;
        self.lock_users(&asked).await?;
        let rows = self
            .list(FIND_LESSONS, &[(&asked).into(), over.into()])
            .await?;
        let mut seen: Vec<Option<LessonSeen>> = lessons.iter().map(|_| None).collect();
        for row in &rows {
            // Whoever has no row was never seen.
            if row.int_or_null("epoch")?.is_none() {
                continue;
            }
            let n = usize::try_from(row.int("n")?).map_err(|_| StoreError::Corrupt("n"))?;
            let lesson = seen.get_mut(n).ok_or(StoreError::Corrupt("n"))?;
            let lesson = match lesson {
                Some(lesson) => lesson,
                None => lesson.insert(LessonSeen::read(row)?),
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
            let place = |fact: &&'_ StoredFact| (number(fact.scope), fact.slot.clone());
            put.extend(lesson.put.iter().map(|fact| PutRow {
                user_key,
                scope: number(fact.scope),
                slot: &fact.slot,
                name: fact.name.as_deref(),
                value: &fact.value,
                source_type: fact.source_type.as_str(),
                agent_id: lesson.agent_id,
                position: fact.position,
            }));
            confirmed.extend(lesson.confirmed.iter().map(|fact| (user_key, place(fact))));
            removed.extend(lesson.removed.iter().map(|fact| (user_key, place(fact))));
            learned.push(LearnedRow {
                user_key,
                next_position: lesson.next_position,
                changed: u8::from(!lesson.put.is_empty() || !lesson.removed.is_empty()),
            });
        }
        let places = |places: &[(&String, (i64, String))]| {
            let rows = places.iter().map(|(user_key, (scope, slot))| PlaceRow {
                user_key,
                scope: *scope,
                slot,
            });
            json(&rows.collect::<Vec<_>>())
        };
        if !removed.is_empty() {
            self.run(REMOVE_FACTS, &[(&places(&removed)?).into()])
                .await?;
        }
        if !confirmed.is_empty() {
            let places = places(&confirmed)?;
            self.run(CONFIRM_FACTS, &[(&places).into(), now.into()])
                .await?;
        }
        let noted = events(&self.salt, noted)?;
        self.run(
            STORE_LESSONS,
            &[
                (&json(&put)?).into(),
                (&json(&learned)?).into(),
                (&noted).into(),
                now.into(),
            ],
        )
        .await?;
        Ok(())
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
