//! Lessons on SQLite: a statement a row costs less there than rows in a text that has to be read
//! first.

use ctxmem_types::{ScopeSet, UserId};

use super::{LessonAsked, LessonSeen, LessonStored};
use crate::store::facts::number;
use crate::store::statement::statement;
use crate::store::{AuditEvent, Statement, StoreError, Tx};

pub(in crate::store) const STATEMENTS: &[Statement] = &[FIND_LESSON, CONFIRM_FACT, LEARN];

statement!(
    FIND_LESSON,
    "SELECT k.created_at AS key_created_at, a.created_at AS agent_created_at, d.first_fact_at,
            u.epoch, u.version, u.next_position, g.scopes AS granted, g.expires_at, g.revoked_at,
            i.created_at AS answered_at, i.request_hash, i.answer
     FROM users u
     LEFT JOIN api_keys k ON k.id = $2 AND k.revoked_at IS NULL
     LEFT JOIN agents a ON a.id = $3 AND a.deleted_at IS NULL
     LEFT JOIN developers d ON d.id = a.developer_id
     LEFT JOIN grants g ON g.user_key = $1 AND g.agent_id = $3 AND g.latest = 1
     LEFT JOIN idempotency_keys i
         ON i.agent_id = $3 AND i.key_hash = $4 AND i.created_at > $5
     WHERE u.user_key = $1"
);
statement!(
    CONFIRM_FACT,
    Facts,
    "UPDATE facts SET confirmed_at = $4, requested = $5
     WHERE user_key = $1 AND scope = $2 AND slot = $3"
);
statement!(
    LEARN,
    Facts,
    "UPDATE users SET version = version + 1, next_position = $2,
                      last_updated = COALESCE($3, last_updated)
     WHERE user_key = $1"
);

impl Tx {
    pub(super) async fn lessons_singly(
        &mut self,
        lessons: &[LessonAsked<'_>],
        over: i64,
    ) -> Result<Vec<Option<LessonSeen>>, StoreError> {
        let mut seen = Vec::new();
        for lesson in lessons {
            seen.push(self.lesson(lesson, over).await?);
        }
        Ok(seen)
    }

    async fn lesson(
        &mut self,
        asked: &LessonAsked<'_>,
        over: i64,
    ) -> Result<Option<LessonSeen>, StoreError> {
        self.name_user(*asked.user_key);
        let row = self
            .find(
                FIND_LESSON,
                &[
                    asked.user_key.into(),
                    asked.key_id.into(),
                    asked.agent_id.into(),
                    asked.once.into(),
                    over.into(),
                ],
            )
            .await?;
        let Some(row) = row else { return Ok(None) };
        let mut seen = LessonSeen::read(&row)?;
        let mut growing = ScopeSet::EMPTY;
        for (scope, slot) in &asked.places {
            match self.fact_of(asked.user_key, *scope, slot).await? {
                Some(fact) => seen.facts.push(fact),
                None => growing = growing.with(*scope),
            }
        }
        // No other scope can grow.
        for scope in asked.counted.intersection(growing).iter() {
            let count = self.count_facts_of(asked.user_key, scope).await?;
            seen.counts.push((scope, count));
        }
        Ok(Some(seen))
    }

    pub(super) async fn store_lessons_singly(
        &mut self,
        lessons: &[LessonStored<'_>],
        noted: &[(&UserId, AuditEvent)],
        now: i64,
    ) -> Result<(), StoreError> {
        for lesson in lessons {
            self.store_lesson(lesson, now).await?;
        }
        self.audit_all(noted).await
    }

    async fn store_lesson(
        &mut self,
        lesson: &LessonStored<'_>,
        now: i64,
    ) -> Result<(), StoreError> {
        let user_key = lesson.user_key;
        for fact in &lesson.removed {
            self.remove_fact_of(user_key, fact.scope, &fact.slot)
                .await?;
        }
        for fact in &lesson.confirmed {
            let (scope, requested) = (number(fact.scope), i64::from(fact.requested));
            self.run(
                CONFIRM_FACT,
                &[
                    user_key.into(),
                    scope.into(),
                    (&fact.slot).into(),
                    now.into(),
                    requested.into(),
                ],
            )
            .await?;
        }
        for fact in &lesson.put {
            self.put_fact_of(user_key, lesson.agent_id, fact).await?;
        }
        let has_changed = !lesson.put.is_empty() || !lesson.removed.is_empty();
        self.run(
            LEARN,
            &[
                user_key.into(),
                lesson.next_position.into(),
                has_changed.then_some(now).into(),
            ],
        )
        .await?;
        Ok(())
    }
}
