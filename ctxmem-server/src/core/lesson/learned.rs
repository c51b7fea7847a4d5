//! What a lesson changes, and what is answered and noted of it.

use std::collections::HashSet;
use std::num::NonZeroU32;

use ctxmem_types::{Delta, Scope, ScopeSet, UpdateResponse};

use super::{Lesson, Taught};
use crate::core::Error;
use crate::core::journal::Event;
use crate::core::merge::{self, Change, Place};
use crate::core::{several, unlearned};
use crate::store::{Action, Actor, AuditEvent, LessonSeen, LessonStored, Outcome, StoredFact, Tx};

/// A lesson that may be stored, and what it changes.
pub(super) struct Learned<'l> {
    /// Its number in the round.
    pub(super) n: usize,
    pub(super) lesson: &'l Lesson,
    pub(super) seen: LessonSeen,
    /// Scopes of candidates that are not granted.
    pub(super) denied: ScopeSet,
    pub(super) changes: Vec<Change>,
    /// What made room in scopes that were full.
    pub(super) dropped: HashSet<Place>,
}

impl Learned<'_> {
    pub(super) fn put(&self) -> impl Iterator<Item = &StoredFact> {
        self.changes.iter().filter_map(|change| match change {
            Change::Put(fact) => Some(fact),
            _ => None,
        })
    }

    pub(super) fn removed(&self) -> impl Iterator<Item = &StoredFact> {
        self.changes.iter().filter_map(|change| match change {
            Change::Remove(fact) => Some(fact),
            _ => None,
        })
    }

    /// What was put and is still there.
    pub(super) fn written(&self) -> impl Iterator<Item = &StoredFact> {
        self.put()
            .filter(|fact| !self.dropped.contains(&merge::place(fact)))
    }

    /// What is to be stored; `None` where nothing is.
    pub(super) fn stored(&self) -> Option<LessonStored<'_>> {
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
    pub(super) fn grown(&self, list_cap: Option<NonZeroU32>) -> impl Iterator<Item = (Scope, i64)> {
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
    pub(super) async fn make_room(
        &mut self,
        tx: &mut Tx,
        list_cap: Option<NonZeroU32>,
    ) -> Result<(), Error> {
        let grown: Vec<(Scope, i64)> = self.grown(list_cap).collect();
        for (scope, over) in grown.into_iter().filter(|(_, over)| *over > 0) {
            let user_id = &self.lesson.visit.user_id;
            let slots = tx
                .drop_stalest(user_id, scope, over, several::spared(scope))
                .await?;
            tracing::debug!(%scope, count = slots.len(), "facts fell out of a full scope");
            let places = slots.into_iter().map(|slot| (scope, slot));
            self.dropped.extend(places);
        }
        Ok(())
    }

    /// What is noted with it: that it changed the memory. What fell out of a full scope does
    /// not count as removed, but it is a change.
    pub(super) fn noted(&self, now: i64) -> Option<AuditEvent> {
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
    pub(super) fn answer(&self) -> (UpdateResponse, Option<Event>) {
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

fn learned(delta: Delta, removed: Delta, denied: ScopeSet) -> UpdateResponse {
    if delta.is_empty() && removed.is_empty() && denied.is_empty() {
        return unlearned::nothing_new();
    }
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
