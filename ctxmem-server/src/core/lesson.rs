//! Storing what interactions taught: many lessons by one unit of work, each judged by itself.

mod held;
mod learned;
mod unchanged;

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_types::{Scope, ScopeSet, UpdateResponse, UserId};
use tokio_util::task::TaskTracker;

use super::batch::Batcher;
use super::idempotency::{self, Earlier, Once};
use super::journal::Event;
use super::merge::{self, Place};
use super::unlearned::nothing_new;
use super::{Answered, Clock, Error, Key, several};
use crate::extract::{Candidate, Op};
use crate::store::{Db, Hash, LessonAsked, LessonSeen, Outcome, StoredFact};
use learned::Learned;

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
    /// removed by its words, and where allergies stand that are to be counted.
    fn searched(&self, granted: ScopeSet) -> ScopeSet {
        self.admitted(granted)
            .filter(|candidate| {
                candidate.op == Op::Remove && candidate.known.is_none()
                    || several::says_allergy(candidate)
            })
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

/// The answer to a request that was answered before. What was erased since is not said
/// again, nor learned again: the request had its effect, and the deletion came after it.
pub(super) fn again(earlier: Earlier) -> Result<Answered<UpdateResponse>, Error> {
    match earlier {
        Earlier::Answer(text) => Ok(Answered::Before(text)),
        Earlier::Erased => Ok(Answered::Before(idempotency::text(&nothing_new())?)),
    }
}
