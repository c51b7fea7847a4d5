//! Lessons that are stored while their users are held, each judged by itself.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_types::{UpdateResponse, UserId};

use super::learned::Learned;
use super::{Judged, Lesson, Stored, Storing};
use crate::core::idempotency;
use crate::core::journal::Event;
use crate::core::{Answered, Error};
use crate::store::{AuditEvent, Hash, LessonAsked, LessonStored, StoreError, Tx};

impl Storing {
    /// Stores them while their users are held.
    pub(super) async fn store_held(&self, lessons: Vec<Lesson>) -> Vec<Stored> {
        let lessons = Arc::new(lessons);
        match self.store_together(Arc::clone(&lessons)).await {
            Ok(updated) => updated,
            Err(error) if lessons.len() == 1 => vec![Err(error)],
            // What was given up on may come about all the same: it is not begun again.
            Err(Error::Store(error @ (StoreError::Unavailable | StoreError::Interrupted))) => {
                lessons.iter().map(|_| Err(error.clone().into())).collect()
            }
            // One that fails does not fail its neighbours.
            Err(_) => {
                let alone = lessons.iter().map(|lesson| async {
                    let mut stored = self.store_together(Arc::new(vec![lesson.clone()])).await?;
                    stored.pop().ok_or(StoreError::Interrupted)?
                });
                futures_util::future::join_all(alone).await
            }
        }
    }

    async fn store_together(&self, lessons: Arc<Vec<Lesson>>) -> Result<Vec<Stored>, Error> {
        let (clock, list_cap) = (Arc::clone(&self.clock), self.list_cap);
        self.db
            .write(move |tx| {
                let lessons = Arc::clone(&lessons);
                // The model may have taken its time: what has expired since is over.
                let now = clock.now().timestamp_millis();
                Box::pin(async move { store(tx, &lessons, list_cap, now).await })
            })
            .await
    }
}

/// Stores what the grants allow now, each under the epoch in which its request began. It fails
/// for all where one fails for another reason than that it may not be stored.
async fn store(
    tx: &mut Tx,
    lessons: &[Lesson],
    list_cap: Option<NonZeroU32>,
    now: i64,
) -> Result<Vec<Stored>, Error> {
    let mut updated: Vec<Option<Stored>> = lessons.iter().map(|_| None).collect();
    for round in rounds(lessons) {
        let lessons: Vec<&Lesson> = round.iter().filter_map(|&n| lessons.get(n)).collect();
        let outcomes = store_round(tx, &lessons, list_cap, now).await?;
        for (n, outcome) in round.into_iter().zip(outcomes) {
            updated[n] = Some(outcome);
        }
    }
    let updated = updated.into_iter().collect::<Option<_>>();
    Ok(updated.ok_or(StoreError::Interrupted)?)
}

/// Lessons about one user come one after the other: the second sees what the first stored.
fn rounds(lessons: &[Lesson]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<(HashSet<&Hash>, Vec<usize>)> = Vec::new();
    for (n, lesson) in lessons.iter().enumerate() {
        let user_key = &lesson.visit.user_key;
        let free = rounds
            .iter_mut()
            .find(|(users, _)| !users.contains(user_key));
        match free {
            Some((users, round)) => {
                users.insert(user_key);
                round.push(n);
            }
            None => rounds.push((HashSet::from([user_key]), vec![n])),
        }
    }
    rounds.into_iter().map(|(_, round)| round).collect()
}

async fn store_round(
    tx: &mut Tx,
    lessons: &[&Lesson],
    list_cap: Option<NonZeroU32>,
    now: i64,
) -> Result<Vec<Stored>, Error> {
    let asked: Vec<LessonAsked<'_>> = lessons
        .iter()
        .map(|lesson| lesson.asked(list_cap))
        .collect();
    let seen = tx.lessons(&asked, idempotency::over(now)).await?;
    let mut updated: Vec<Stored> = Vec::new();
    let mut learned: Vec<Learned<'_>> = Vec::new();
    for (n, (lesson, seen)) in lessons.iter().zip(seen).enumerate() {
        // Whoever may learn is answered at the end.
        updated.push(Err(Error::NO_GRANT));
        match lesson.judge(seen, now) {
            Err(refused) => updated[n] = Err(refused),
            Ok(Judged::Stranger) => updated[n] = Ok(None),
            Ok(Judged::Before(answer)) => updated[n] = Ok(Some((answer, None))),
            Ok(Judged::May(seen, granted)) => {
                let mut found = Vec::new();
                for scope in lesson.searched(granted).iter() {
                    found.extend(tx.facts(&lesson.visit.user_id, scope).await?);
                }
                learned.push(lesson.learn(n, seen, granted, found, now));
            }
        }
    }
    write(tx, &mut learned, list_cap, now).await?;
    let answers: Vec<(UpdateResponse, Option<Event>)> =
        learned.iter().map(Learned::answer).collect();
    record(tx, &learned, &answers, now).await?;
    for (learned, (answer, event)) in learned.iter().zip(answers) {
        updated[learned.n] = Ok(Some((Answered::Now(answer), event)));
    }
    Ok(updated)
}

/// Writes the facts, and notes what changed the memory.
async fn write(
    tx: &mut Tx,
    learned: &mut [Learned<'_>],
    list_cap: Option<NonZeroU32>,
    now: i64,
) -> Result<(), Error> {
    let mut full = false;
    let mut first: HashSet<&str> = HashSet::new();
    for learned in &*learned {
        full |= learned.grown(list_cap).any(|(_, over)| over > 0);
        if !learned.seen.developer_stored && learned.put().next().is_some() {
            first.insert(&learned.lesson.visit.key.agent_id);
        }
    }
    let stored: Vec<LessonStored<'_>> = learned.iter().filter_map(Learned::stored).collect();
    if full {
        // What makes room is known only when all is stored, and noted after that.
        tx.store_lessons(&stored, &[], now).await?;
        drop(stored);
        for learned in &mut *learned {
            learned.make_room(tx, list_cap).await?;
        }
        let noted: Vec<(&UserId, AuditEvent)> = learned.iter().filter_map(noted_at(now)).collect();
        if !noted.is_empty() {
            tx.audit_all(&noted).await?;
        }
    } else if !stored.is_empty() {
        let noted: Vec<(&UserId, AuditEvent)> = learned.iter().filter_map(noted_at(now)).collect();
        tx.store_lessons(&stored, &noted, now).await?;
    }
    for agent_id in first {
        tx.end_demo(agent_id, now).await?;
    }
    Ok(())
}

fn noted_at<'l>(now: i64) -> impl Fn(&'l Learned<'l>) -> Option<(&'l UserId, AuditEvent)> {
    move |learned| Some((&learned.lesson.visit.user_id, learned.noted(now)?))
}

/// Records the answers to requests that have keys.
async fn record(
    tx: &mut Tx,
    learned: &[Learned<'_>],
    answers: &[(UpdateResponse, Option<Event>)],
    now: i64,
) -> Result<(), Error> {
    for (learned, (answer, _)) in learned.iter().zip(answers) {
        let visit = &learned.lesson.visit;
        if let Some(once) = &visit.once {
            once.record(tx, Some(&visit.user_id), answer, now).await?;
        }
    }
    Ok(())
}
