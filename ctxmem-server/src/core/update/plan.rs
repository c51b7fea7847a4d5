//! The plan of an update: what it changes, what it answers, and its entry in the audit log.

use std::collections::HashSet;
use std::num::NonZeroU32;

use ctxmem_types::{Delta, Scope, ScopeSet, UpdateResponse};

use super::pending::{PendingUpdate, UpdateEffect};
use super::{add_notice, nothing_stored};
use crate::core::Error;
use crate::core::audit_buffer::Event;
use crate::core::merge::{self, Change, FactKey};
use crate::extract::{Candidate, Op};
use crate::store::{
    Action, Actor, AuditDetails, AuditEvent, FactChanges, FactCounts, NewIdempotencyRecord,
    OptimisticUpdate, Origin, Outcome, StoredFact, Tx, UpdateSnapshot,
};

/// An update that may be stored, and what it changes.
pub(super) struct UpdatePlan<'l> {
    /// Its number among those that are stored together.
    pub(super) n: usize,
    pub(super) update: &'l PendingUpdate,
    pub(super) snapshot: UpdateSnapshot,
    /// Scopes of candidates that are not granted.
    pub(super) denied: ScopeSet,
    pub(super) changes: Vec<Change>,
    /// What made room in scopes that were full.
    pub(super) evicted: Vec<StoredFact>,
}

const NOTHING_FITS: &str = "Nothing that is stored fits what was to be forgotten. Users see and delete all of it on \
                            their page, /account.";
const CUT: &str = "What was to be remembered is long: its beginning was stored.";

impl PendingUpdate {
    /// Works out what changes. `found` are all facts of the scopes that are searched, and `n` the
    /// number of the update among those that are stored together.
    pub(super) fn plan(
        &self,
        n: usize,
        mut snapshot: UpdateSnapshot,
        granted: ScopeSet,
        found: Vec<StoredFact>,
        now: i64,
    ) -> UpdatePlan<'_> {
        let denied = self
            .candidates()
            .iter()
            .filter(|c| c.op == Op::Set && !granted.contains(c.scope))
            .map(|c| c.scope)
            .collect();
        let candidates: Vec<Candidate> = self.admitted(granted).cloned().collect();
        let searched = self.searched(granted);
        let mut stored = std::mem::take(&mut snapshot.facts);
        stored.retain(|fact| granted.contains(fact.scope) && !searched.contains(fact.scope));
        stored.extend(found);
        UpdatePlan {
            n,
            update: self,
            changes: self.changes(stored, &candidates, &snapshot, now),
            snapshot,
            denied,
            evicted: Vec::new(),
        }
    }

    /// What the candidates change, with where it came from.
    fn changes(
        &self,
        stored: Vec<StoredFact>,
        candidates: &[Candidate],
        snapshot: &UpdateSnapshot,
        now: i64,
    ) -> Vec<Change> {
        let (blocked_facts, next_position) = (&snapshot.blocked_facts, snapshot.next_position);
        let mut changes = merge::merge(stored, candidates, blocked_facts, next_position, now);
        for change in &mut changes {
            if let Change::Put(fact) = change {
                fact.origin = Some(Box::new(Origin {
                    at: fact.first_stored_at,
                    by: self.context.extracted_by,
                    request: self.context.request_id.to_string(),
                }));
            }
        }
        changes
    }
}

impl UpdatePlan<'_> {
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
        self.put().filter(|fact| {
            let mut evicted = self.evicted.iter();
            !evicted.any(|gone| gone.scope == fact.scope && gone.slot == fact.slot)
        })
    }

    /// What is to be stored, with its entry in the audit log and its record; `None` where nothing
    /// changes.
    pub(super) fn to_store<'p>(
        &'p self,
        event: Option<AuditEvent>,
        record: Option<NewIdempotencyRecord<'p>>,
    ) -> Option<OptimisticUpdate<'p>> {
        if self.changes.is_empty() {
            return None;
        }
        let key = &self.update.context.key;
        let next = self.put().map(|fact| fact.position + 1).max();
        let confirmed = self.changes.iter().filter_map(|change| match change {
            Change::Confirm(fact) => Some(fact),
            _ => None,
        });
        Some(OptimisticUpdate {
            changes: FactChanges {
                user_key: &self.update.context.user_key,
                key: self.snapshot.key,
                agent_id: &key.agent_id,
                put: self.put().collect(),
                confirmed: confirmed.collect(),
                removed: self.removed().collect(),
                next_position: self.snapshot.next_position.max(next.unwrap_or(0)),
            },
            key_id: &key.id,
            version: self.snapshot.version,
            event,
            record,
        })
    }

    /// Whether one statement stores it: nothing has to make room, and no demo ends.
    pub(super) fn fits_one_statement(&self, list_cap: Option<NonZeroU32>) -> bool {
        self.grown(list_cap).all(|(_, over)| over <= 0)
            && (self.snapshot.developer_stored || self.put().next().is_none())
    }

    /// The scopes that hold more facts than before, and how many are more than fit.
    pub(super) fn grown(&self, list_cap: Option<NonZeroU32>) -> impl Iterator<Item = (Scope, i64)> {
        self.snapshot
            .counts
            .iter()
            .filter_map(move |&(scope, before)| {
                // Whatever takes the place of another fact has a position already.
                let new = self.put().filter(|fact| fact.scope == scope);
                let new = new.filter(|fact| fact.position >= self.snapshot.next_position);
                let cap = merge::cap(scope, list_cap)?;
                let new = i64::try_from(new.count()).unwrap_or(i64::MAX);
                let gone = self.removed().filter(|fact| fact.scope == scope).count();
                let gone = i64::try_from(gone).unwrap_or(i64::MAX);
                (new > 0).then(|| (scope, before.saturating_add(new).saturating_sub(gone) - cap))
            })
    }

    /// Makes room in the scopes that grew beyond what they hold: they fall well below it in one go, so
    /// that the next facts find room, and blocks that show all of it keep their beginning for a while.
    pub(super) async fn make_room(
        &mut self,
        tx: &mut Tx,
        list_cap: Option<NonZeroU32>,
    ) -> Result<(), Error> {
        let grown: Vec<(Scope, i64)> = self.grown(list_cap).collect();
        let new: HashSet<FactKey> = self.put().map(merge::fact_key).collect();
        for (scope, over) in grown.into_iter().filter(|(_, over)| *over > 0) {
            let Some(cap) = merge::cap(scope, list_cap) else {
                continue;
            };
            let user_id = &self.update.context.user_id;
            let count = over.saturating_add(cap / 8);
            let facts = tx.facts(user_id, scope).await?;
            let evicted = merge::to_evict(facts, usize::try_from(count).unwrap_or(0), &new);
            for fact in &evicted {
                tx.remove_fact(user_id, scope, &fact.slot).await?;
            }
            tracing::debug!(%scope, count = evicted.len(), "facts made room in a full scope");
            self.evicted.extend(evicted);
        }
        Ok(())
    }

    /// The entry in the audit log where something changes. What made room in a full scope is not
    /// counted, but its scope is named.
    pub(super) fn event(&self, now: i64) -> Option<AuditEvent> {
        let touched = self.written().chain(self.removed());
        let mut scopes: Vec<Scope> = touched.map(|fact| fact.scope).collect();
        let facts = scopes.len();
        scopes.extend(self.evicted.iter().map(|fact| fact.scope));
        if scopes.is_empty() {
            return None;
        }
        let outcome = if self.denied.is_empty() {
            Outcome::Done
        } else {
            Outcome::Partly
        };
        let event = AuditEvent::new(Action::Update, Actor::Agent, now)
            .agent(&*self.update.context.key.agent_id)
            .scopes(scopes.into_iter().collect())
            .facts(facts)
            .outcome(outcome)
            .details(AuditDetails {
                counts: Some(self.counts()),
                ..self.denials()
            });
        Some(event)
    }

    /// What became of facts, in numbers. What took the place of another fact replaced it.
    fn counts(&self) -> FactCounts {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let takes_a_place = |fact: &&StoredFact| fact.position < self.snapshot.next_position;
        let is_replaced = |gone: &StoredFact| {
            let mut put = self.put();
            put.any(|fact| fact.scope == gone.scope && fact.position == gone.position)
        };
        FactCounts {
            added: number(self.written().filter(|fact| !takes_a_place(fact)).count()),
            replaced: number(self.written().filter(takes_a_place).count()),
            removed: number(self.removed().filter(|gone| !is_replaced(gone)).count()),
            evicted: number(self.evicted.len()),
        }
    }

    /// Why facts were dropped: the key lacks their scopes, or only the grant does.
    fn denials(&self) -> AuditDetails {
        let key_scopes = self.update.context.key.scopes;
        AuditDetails {
            not_granted: self.denied.intersection(key_scopes),
            not_in_key: self
                .denied
                .iter()
                .filter(|scope| !key_scopes.contains(*scope))
                .collect(),
            ..AuditDetails::default()
        }
    }

    /// What became of what the user asked for, where it is not what they expect.
    fn notices(&self) -> impl Iterator<Item = &'static str> {
        let is_asked = |candidate: &Candidate| {
            matches!(candidate.op, Op::TakeBack | Op::TakeBackAll) && candidate.requested
        };
        let forgot_nothing =
            self.update.candidates().iter().any(is_asked) && self.removed().next().is_none();
        let is_cut = self.put().any(|fact| {
            fact.requested && (fact.value.contains("…” (") || fact.value.ends_with('…'))
        });
        let nothing = forgot_nothing.then_some(NOTHING_FITS);
        nothing.into_iter().chain(is_cut.then_some(CUT))
    }

    /// The answer, and the event to buffer for the audit log where [`UpdatePlan::event`] is none.
    pub(super) fn answer(&self) -> (UpdateResponse, Option<Event>) {
        if let UpdateEffect::AnswerOnly(answer, outcome) = &self.update.effect {
            let event = Event::new(Action::Update, *outcome);
            let mut answer = UpdateResponse::clone(answer);
            self.update.context.remarks.add_to(&mut answer);
            return (answer, Some(event));
        }
        let written = merge::delta(self.written());
        let (removed, evicted) = (merge::delta(self.removed()), merge::delta(&self.evicted));
        let is_idle = written.is_empty() && removed.is_empty() && evicted.is_empty();
        let mut answer = answer_of(written, removed, evicted, self.denied);
        for notice in self.notices() {
            add_notice(&mut answer, notice);
        }
        self.update.context.remarks.add_to(&mut answer);
        if !is_idle {
            return (answer, None);
        }
        let outcome = if self.denied.is_empty() {
            Outcome::Nothing
        } else {
            Outcome::Denied
        };
        let event = Event {
            scopes: self.denied,
            details: self.denials(),
            ..Event::new(Action::Update, outcome)
        };
        (answer, Some(event))
    }
}

fn answer_of(delta: Delta, removed: Delta, evicted: Delta, denied: ScopeSet) -> UpdateResponse {
    if delta.is_empty() && removed.is_empty() && evicted.is_empty() && denied.is_empty() {
        return nothing_stored::nothing_new();
    }
    let mut answer = UpdateResponse::default();
    answer.updated = true;
    answer.delta = Some(delta);
    answer.removed = (!removed.is_empty()).then_some(removed);
    if !denied.is_empty() {
        answer.denied_scopes = Some(denied.names());
        let notice = "Facts in scopes that the user has not granted to this agent were dropped.";
        add_notice(&mut answer, notice);
    }
    if !evicted.is_empty() {
        answer.evicted = Some(evicted);
        let notice = "A scope was full: what mattered least made room, see evicted.";
        add_notice(&mut answer, notice);
    }
    answer
}
