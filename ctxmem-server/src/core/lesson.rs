//! Storing what interactions taught: many lessons by one unit of work, each judged by itself.

mod unchanged;

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_types::{Delta, Scope, ScopeSet, UpdateResponse, UserId};
use tokio_util::task::TaskTracker;

use super::batch::Batcher;
use super::idempotency::{self, Earlier, Once};
use super::journal::Event;
use super::merge::{self, Change, Place};
use super::{Answered, Clock, Error, Key};
use crate::extract::{Candidate, Op};
use crate::store::{
    Action, Actor, AuditEvent, Db, Hash, LessonAsked, LessonSeen, LessonStored, Outcome,
    StoreError, StoredFact, Tx,
};

/// How many lessons one unit of work stores at most.
const MOST: usize = 64;
/// How many units of work are under way at once.
const AT_ONCE: usize = 2;

/// The answer to an update, and what is still to be noted of it: nothing where its unit of
/// work did.
pub(super) type Updated = (Answered<UpdateResponse>, Option<Event>);

/// What became of a lesson. `None` where the agent was never granted anything by this user, and
/// that was not known before: nothing was stored.
pub(super) type Stored = Result<Option<Updated>, Error>;

/// An update as it began: who learns, of whom and under which epoch.
#[derive(Clone)]
pub(super) struct Visit {
    pub(super) key: Key,
    pub(super) user_id: UserId,
    pub(super) user_key: Hash,
    /// `None` where nobody has looked yet: then it begins with the first look.
    pub(super) epoch: Option<i64>,
    /// Where the request has an idempotency key.
    pub(super) once: Option<Once>,
}

/// What one interaction taught, before it is known what of it may be stored.
#[derive(Clone)]
pub(super) struct Lesson {
    pub(super) visit: Visit,
    pub(super) taught: Taught,
}

#[derive(Clone)]
pub(super) enum Taught {
    Facts(Vec<Candidate>),
    /// Nothing to be stored: only the answer is recorded.
    Nothing(Box<UpdateResponse>, Outcome),
}

/// Lessons on their way to be stored.
pub(super) type Lessons = Batcher<Lesson, Stored>;

/// `list_cap` is how many facts a list holds.
pub(super) fn lessons(
    db: Db,
    clock: Arc<dyn Clock>,
    list_cap: Option<NonZeroU32>,
    tasks: &TaskTracker,
) -> Lessons {
    // Where each is a unit of its own, the store does as much for those that come together.
    let (most, at_once) = if db.can_prove() {
        (MOST, AT_ONCE)
    } else {
        (1, usize::MAX)
    };
    Batcher::new(most, at_once, tasks, move |lessons| {
        let storing = Storing {
            db: db.clone(),
            clock: Arc::clone(&clock),
            list_cap,
        };
        async move { storing.store(lessons).await }
    })
}

#[derive(Clone)]
struct Storing {
    db: Db,
    clock: Arc<dyn Clock>,
    list_cap: Option<NonZeroU32>,
}

impl Storing {
    async fn store(&self, lessons: Vec<Lesson>) -> Vec<Stored> {
        if self.db.can_prove() {
            self.store_unchanged(lessons).await
        } else {
            self.store_held(lessons).await
        }
    }

    /// Stores them while their users are held.
    async fn store_held(&self, lessons: Vec<Lesson>) -> Vec<Stored> {
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

/// A lesson that may be stored, and what it changes.
struct Learned<'l> {
    /// Its number in the round.
    n: usize,
    lesson: &'l Lesson,
    seen: LessonSeen,
    /// Scopes of candidates that are not granted.
    denied: ScopeSet,
    changes: Vec<Change>,
    /// What made room in scopes that were full.
    dropped: HashSet<Place>,
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

/// What comes of a look at what is stored.
enum Judged {
    /// The agent was never granted anything, and who asks may not know that.
    Stranger,
    /// The request was answered before.
    Before(Answered<UpdateResponse>),
    /// It may write these scopes.
    May(LessonSeen, ScopeSet),
}

impl Lesson {
    fn candidates(&self) -> &[Candidate] {
        match &self.taught {
            Taught::Facts(candidates) => candidates,
            Taught::Nothing(..) => &[],
        }
    }

    fn asked(&self, list_cap: Option<NonZeroU32>) -> LessonAsked<'_> {
        let Visit { key, once, .. } = &self.visit;
        let candidates = self.candidates();
        let places: HashSet<Place> = candidates.iter().flat_map(merge::places).collect();
        let capped = |scope: &Scope| merge::cap(*scope, list_cap).is_some();
        LessonAsked {
            key_id: &key.id,
            agent_id: &key.agent_id,
            user_key: &self.visit.user_key,
            once: once.as_ref().map(Once::key),
            counted: places
                .iter()
                .map(|(scope, _)| *scope)
                .filter(capped)
                .collect(),
            places: places.into_iter().collect(),
        }
    }

    /// Judges by the key, the grant and the epoch as they are now: whatever was revoked or
    /// deleted meanwhile wins.
    fn judge(&self, seen: Option<LessonSeen>, now: i64) -> Result<Judged, Error> {
        let begun = self.visit.epoch;
        let Some(seen) = seen else {
            return begun.map_or(Ok(Judged::Stranger), |_| Err(Error::NO_GRANT));
        };
        if !seen.key_is_live {
            return Err(Error::InvalidKey);
        }
        if begun.is_some_and(|epoch| epoch != seen.epoch) {
            return Err(Error::NO_GRANT);
        }
        let Some(grant) = seen.grant else {
            return begun.map_or(Ok(Judged::Stranger), |_| Err(Error::NO_GRANT));
        };
        let granted = grant.effective(self.visit.key.scopes, now);
        let granted = granted.ok_or(Error::NO_GRANT)?;
        let earlier = match (&self.visit.once, &seen.record) {
            (Some(once), Some(record)) => Some(once.judge(record)?),
            _ => None,
        };
        Ok(match earlier {
            Some(earlier) => Judged::Before(again(earlier)?),
            None => Judged::May(seen, granted),
        })
    }

    /// The candidates in scopes that are granted.
    fn admitted(&self, granted: ScopeSet) -> impl Iterator<Item = &Candidate> {
        let candidates = self.candidates().iter();
        candidates.filter(move |candidate| granted.contains(candidate.scope))
    }

    /// The scopes of which every fact has to be read: those from which something is to be
    /// removed by its words.
    fn searched(&self, granted: ScopeSet) -> ScopeSet {
        self.admitted(granted)
            .filter(|candidate| candidate.op == Op::Remove && candidate.known.is_none())
            .map(|candidate| candidate.scope)
            .collect()
    }

    /// Works out what changes. `found` are all facts of the scopes that are searched.
    fn learn(
        &self,
        n: usize,
        mut seen: LessonSeen,
        granted: ScopeSet,
        found: Vec<StoredFact>,
        now: i64,
    ) -> Learned<'_> {
        let denied = self
            .candidates()
            .iter()
            .filter(|c| c.op == Op::Set && !granted.contains(c.scope))
            .map(|c| c.scope)
            .collect();
        let candidates: Vec<Candidate> = self.admitted(granted).cloned().collect();
        let searched = self.searched(granted);
        let mut stored = std::mem::take(&mut seen.facts);
        stored.retain(|fact| granted.contains(fact.scope) && !searched.contains(fact.scope));
        stored.extend(found);
        Learned {
            n,
            lesson: self,
            changes: merge::merge(stored, &candidates, seen.next_position, now),
            seen,
            denied,
            dropped: HashSet::new(),
        }
    }
}

impl Learned<'_> {
    fn put(&self) -> impl Iterator<Item = &StoredFact> {
        self.changes.iter().filter_map(|change| match change {
            Change::Put(fact) => Some(fact),
            _ => None,
        })
    }

    fn removed(&self) -> impl Iterator<Item = &StoredFact> {
        self.changes.iter().filter_map(|change| match change {
            Change::Remove(fact) => Some(fact),
            _ => None,
        })
    }

    /// What was put and is still there.
    fn written(&self) -> impl Iterator<Item = &StoredFact> {
        self.put()
            .filter(|fact| !self.dropped.contains(&merge::place(fact)))
    }

    /// What is to be stored; `None` where nothing is.
    fn stored(&self) -> Option<LessonStored<'_>> {
        if self.changes.is_empty() {
            return None;
        }
        let next = self.put().map(|fact| fact.position + 1).max();
        Some(LessonStored {
            user_key: &self.lesson.visit.user_key,
            agent_id: &self.lesson.visit.key.agent_id,
            put: self.put().collect(),
            confirmed: self
                .changes
                .iter()
                .filter_map(|change| match change {
                    Change::Confirm(fact) => Some(fact),
                    _ => None,
                })
                .collect(),
            removed: self.removed().collect(),
            next_position: self.seen.next_position.max(next.unwrap_or(0)),
        })
    }

    /// The scopes that hold more facts than before, and how many are more than fit.
    fn grown(&self, list_cap: Option<NonZeroU32>) -> impl Iterator<Item = (Scope, i64)> {
        self.seen.counts.iter().filter_map(move |&(scope, before)| {
            // Whatever takes the place of another fact has a position already.
            let new = self.put().filter(|fact| fact.scope == scope);
            let new = new.filter(|fact| fact.position >= self.seen.next_position);
            let cap = merge::cap(scope, list_cap)?;
            let new = i64::try_from(new.count()).unwrap_or(i64::MAX);
            let gone = self.removed().filter(|fact| fact.scope == scope).count();
            let gone = i64::try_from(gone).unwrap_or(i64::MAX);
            (new > 0).then(|| (scope, before.saturating_add(new).saturating_sub(gone) - cap))
        })
    }

    /// Drops from the scopes that grew what was longest not confirmed, where there is more
    /// than fits.
    async fn make_room(&mut self, tx: &mut Tx, list_cap: Option<NonZeroU32>) -> Result<(), Error> {
        let grown: Vec<(Scope, i64)> = self.grown(list_cap).collect();
        for (scope, over) in grown.into_iter().filter(|(_, over)| *over > 0) {
            let user_id = &self.lesson.visit.user_id;
            let slots = tx.drop_stalest(user_id, scope, over).await?;
            tracing::debug!(%scope, count = slots.len(), "facts fell out of a full scope");
            let places = slots.into_iter().map(|slot| (scope, slot));
            self.dropped.extend(places);
        }
        Ok(())
    }

    /// What is noted with it: that it changed the memory. What fell out of a full scope does
    /// not count as removed, but it is a change.
    fn noted(&self, now: i64) -> Option<AuditEvent> {
        let touched = self.written().chain(self.removed());
        let mut scopes: Vec<Scope> = touched.map(|fact| fact.scope).collect();
        let facts = scopes.len();
        scopes.extend(self.dropped.iter().map(|(scope, _)| *scope));
        if scopes.is_empty() {
            return None;
        }
        let outcome = if self.denied.is_empty() {
            Outcome::Done
        } else {
            Outcome::Partly
        };
        let event = AuditEvent::new(Action::Update, Actor::Agent, now)
            .agent(&*self.lesson.visit.key.agent_id)
            .scopes(scopes.into_iter().collect())
            .facts(facts)
            .outcome(outcome);
        Some(event)
    }

    /// The answer, and what is to be noted otherwise.
    fn answer(&self) -> (UpdateResponse, Option<Event>) {
        if let Taught::Nothing(answer, outcome) = &self.lesson.taught {
            let event = Event::new(Action::Update, *outcome);
            return (UpdateResponse::clone(answer), Some(event));
        }
        let (written, removed) = (merge::delta(self.written()), merge::delta(self.removed()));
        let answer = learned(written, removed, self.denied);
        if self.written().chain(self.removed()).next().is_some() || !self.dropped.is_empty() {
            return (answer, None);
        }
        let outcome = if self.denied.is_empty() {
            Outcome::Nothing
        } else {
            Outcome::Denied
        };
        let event = Event {
            scopes: self.denied,
            ..Event::new(Action::Update, outcome)
        };
        (answer, Some(event))
    }
}

/// The answer to a request that was answered before. What was erased since is not said
/// again, nor learned again: the request had its effect, and the deletion came after it.
pub(super) fn again(earlier: Earlier) -> Result<Answered<UpdateResponse>, Error> {
    match earlier {
        Earlier::Answer(text) => Ok(Answered::Before(text)),
        Earlier::Erased => Ok(Answered::Before(idempotency::text(&nothing_new())?)),
    }
}

/// The answer when nothing was taught.
pub(super) fn nothing_new() -> UpdateResponse {
    learned(Delta::default(), Delta::default(), ScopeSet::EMPTY)
}

fn learned(delta: Delta, removed: Delta, denied: ScopeSet) -> UpdateResponse {
    UpdateResponse {
        updated: true,
        delta: Some(delta),
        removed: (!removed.is_empty()).then_some(removed),
        denied_scopes: (!denied.is_empty()).then(|| denied.names()),
        notice: (!denied.is_empty()).then(|| {
            "Facts in scopes that the user has not granted to this agent were dropped.".to_owned()
        }),
        ..UpdateResponse::default()
    }
}
