//! Lessons that are stored without holding their users: one statement looks, and one stores what
//! still is as it was seen. What it leaves out, and what takes more than these two, is stored while
//! the users are held, under the epoch that was seen.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::learned::Learned;
use super::{Judged, Lesson, Stored, Storing};
use crate::core::idempotency::{self, Once};
use crate::core::{Answered, Error};
use crate::store::{LessonAsked, LessonUnchanged, StoreError, Tx};

/// What came of a lesson that nothing held.
#[expect(clippy::large_enum_variant, reason = "nearly all are done")]
enum Looked {
    /// It is done with.
    Done(Stored),
    /// It is still to be stored. The epoch of its user, where there is one.
    Begun(Option<i64>),
}

impl Storing {
    pub(super) async fn store_unchanged(&self, lessons: Vec<Lesson>) -> Vec<Stored> {
        let lessons = Arc::new(lessons);
        match self.look_and_store(Arc::clone(&lessons)).await {
            Ok(looked) => self.hold_the_rest(&lessons, looked).await,
            Err(error) if lessons.len() == 1 => vec![Err(error)],
            Err(Error::Store(error @ (StoreError::Unavailable | StoreError::Interrupted))) => {
                lessons.iter().map(|_| Err(error.clone().into())).collect()
            }
            // One that fails does not fail its neighbours.
            Err(_) => {
                let alone = lessons.iter().map(|lesson| async {
                    let alone = vec![lesson.clone()];
                    let looked = self.look_and_store(Arc::new(alone.clone())).await?;
                    let stored = self.hold_the_rest(&alone, looked).await;
                    stored.into_iter().next().ok_or(StoreError::Interrupted)?
                });
                futures_util::future::join_all(alone).await
            }
        }
    }

    async fn look_and_store(&self, lessons: Arc<Vec<Lesson>>) -> Result<Vec<Looked>, Error> {
        let list_cap = self.list_cap;
        let now = self.clock.now().timestamp_millis();
        self.db
            .apart(move |tx| {
                Box::pin(async move { look_and_store(tx, &lessons, list_cap, now).await })
            })
            .await
    }

    async fn hold_the_rest(&self, lessons: &[Lesson], looked: Vec<Looked>) -> Vec<Stored> {
        let rest: Vec<Lesson> = lessons
            .iter()
            .zip(&looked)
            .filter_map(|(lesson, looked)| match looked {
                Looked::Done(_) => None,
                Looked::Begun(epoch) => {
                    let mut lesson = lesson.clone();
                    lesson.visit.epoch = lesson.visit.epoch.or(*epoch);
                    Some(lesson)
                }
            })
            .collect();
        let mut held = Vec::new();
        if !rest.is_empty() {
            held = self.store_held(rest).await;
        }
        let mut held = held.into_iter();
        let outcomes = looked.into_iter().map(|looked| match looked {
            Looked::Done(stored) => stored,
            Looked::Begun(_) => held.next().ok_or(StoreError::Interrupted)?,
        });
        outcomes.collect()
    }
}

async fn look_and_store(
    tx: &mut Tx,
    lessons: &[Lesson],
    list_cap: Option<NonZeroU32>,
    now: i64,
) -> Result<Vec<Looked>, Error> {
    let asked: Vec<LessonAsked<'_>> = lessons
        .iter()
        .map(|lesson| lesson.asked(list_cap))
        .collect();
    let seen = tx.look_at_lessons(&asked, idempotency::over(now)).await?;
    let mut looked: Vec<Looked> = Vec::new();
    let mut learned: Vec<(Learned<'_>, i64)> = Vec::new();
    let mut users = HashSet::new();
    for (n, (lesson, seen)) in lessons.iter().zip(seen).enumerate() {
        looked.push(Looked::Begun(seen.as_ref().map(|seen| seen.epoch)));
        match lesson.judge(seen, now) {
            Err(refused) => looked[n] = Looked::Done(Err(refused)),
            Ok(Judged::Stranger) => looked[n] = Looked::Done(Ok(None)),
            Ok(Judged::Before(answer)) => looked[n] = Looked::Done(Ok(Some((answer, None)))),
            // The second lesson about a user is to see what the first stores.
            Ok(Judged::May(seen, granted))
                if users.insert(&lesson.visit.user_key) && lesson.searched(granted).is_empty() =>
            {
                let version = seen.version;
                let lesson = lesson.learn(n, seen, granted, Vec::new(), now);
                if lesson.is_plain(list_cap) {
                    learned.push((lesson, version));
                }
            }
            Ok(Judged::May(..)) => {}
        }
    }
    // What changes nothing is done: it was answered as of the look.
    let (mut changing, mut idle): (Vec<_>, Vec<_>) = learned
        .iter()
        .partition(|(learned, _)| !learned.changes.is_empty());
    idle.retain(|(learned, _)| learned.lesson.visit.once.is_none());
    changing.sort_by_key(|(learned, _)| learned.lesson.visit.once.as_ref().map(Once::key));
    let stored = store(tx, &changing, now).await?;
    let done = changing.into_iter().zip(stored);
    let done = done.filter_map(|(learned, stored)| stored.then_some(learned));
    for (learned, _) in done.chain(idle) {
        let (answer, event) = learned.answer();
        looked[learned.n] = Looked::Done(Ok(Some((Answered::Now(answer), event))));
    }
    Ok(looked)
}

/// Answers of each whether it is stored.
async fn store(
    tx: &mut Tx,
    learned: &[&(Learned<'_>, i64)],
    now: i64,
) -> Result<Vec<bool>, StoreError> {
    let mut texts = Vec::new();
    for (learned, _) in learned {
        let keyed = learned.lesson.visit.once.is_some();
        let text = keyed.then(|| idempotency::text(&learned.answer().0));
        texts.push(text.transpose()?);
    }
    let unchanged: Vec<LessonUnchanged<'_>> = learned
        .iter()
        .zip(&texts)
        .filter_map(|((learned, version), text)| {
            let visit = &learned.lesson.visit;
            let once = visit.once.as_ref().zip(text.as_deref());
            Some(LessonUnchanged {
                record: once.map(|(once, text)| once.of(Some(&visit.user_id), text)),
                stored: learned.stored()?,
                key_id: &visit.key.id,
                version: *version,
                noted: learned.noted(now),
            })
        })
        .collect();
    if unchanged.is_empty() {
        return Ok(Vec::new());
    }
    match tx.store_unchanged(&unchanged, now).await {
        // What was given up on may come about all the same: it is not begun again.
        Err(error @ (StoreError::Unavailable | StoreError::Interrupted)) => Err(error),
        // A statement that failed stored nothing.
        Err(_) => Ok(vec![false; unchanged.len()]),
        stored => stored,
    }
}

impl Learned<'_> {
    /// Whether one statement stores it: nothing is removed, nothing has to make room, and no
    /// demo ends.
    fn is_plain(&self, list_cap: Option<NonZeroU32>) -> bool {
        self.removed().next().is_none()
            && self.grown(list_cap).all(|(_, over)| over <= 0)
            && (self.seen.developer_stored || self.put().next().is_none())
    }
}
