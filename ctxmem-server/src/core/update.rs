//! Update: one interaction in, the facts that it taught out.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_types::{Delta, Scope, ScopeSet, UpdateRequest, UpdateResponse, UserId};

use super::idempotency::{self, Earlier, Once};
use super::journal::Event;
use super::merge::{self, Change, Place};
use super::{Answered, Core, Error, IdempotencyKey, Key, audit, quota};
use crate::extract::first_stage::{self, Verdict};
use crate::extract::{self, Candidate, Interaction, Known, Op};
use crate::store::{Action, Actor, AuditEvent, Outcome, StoredFact, Tx, Usage};

impl Core {
    /// Learns from one interaction. Once it has begun, the work goes on to its end even when
    /// the caller stops waiting. With an idempotency key it is done once.
    pub async fn update(
        self: &Arc<Self>,
        key: Key,
        request: UpdateRequest,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Result<Answered<UpdateResponse>, Error> {
        key.check_agent(request.agent_id.as_deref())?;
        let once = idempotency_key.map(|name| self.once_updated(&key, &name, &request));
        // A caller that leaves before its turn has begun nothing. The turn ends with the work.
        let turn = self.turn(once.as_ref()).await;
        let core = Arc::clone(self);
        self.tasks
            .spawn(async move {
                let _turn = turn;
                let (agent_id, user_id) = (key.agent_id.clone(), request.user_id.clone());
                let updated = core.update_here(key, request, once).await;
                core.note_update(&agent_id, user_id, &updated);
                updated.map(|(answer, _)| answer)
            })
            .await
            .map_err(|_| crate::store::StoreError::Interrupted)?
    }

    fn once_updated(&self, key: &Key, name: &IdempotencyKey, request: &UpdateRequest) -> Once {
        let request = [
            Some("update"),
            Some(request.user_id.as_str()),
            Some(&*request.user_message),
            Some(&*request.agent_response),
            request.agent_id.as_deref(),
        ];
        self.once(&key.agent_id, name, &request)
    }

    async fn update_here(
        &self,
        key: Key,
        request: UpdateRequest,
        once: Option<Once>,
    ) -> Result<Updated, Error> {
        let visit = Visit {
            epoch: self.enter(&key, &request.user_id).await?,
            key,
            user_id: request.user_id.clone(),
            once,
        };
        if let Some(once) = &visit.once
            && let Some(earlier) = self.earlier(once).await?
        {
            return Ok((again(earlier)?, None));
        }
        let month = quota::month(self.clock.now());
        let agent_id = visit.key.agent_id.clone();
        match first_stage::judge(&request.user_message) {
            Verdict::Filtered(reason) => {
                tracing::debug!(reason = reason.name(), "filtered by the first stage");
                // Small talk is free, but over the limit it is not answered either.
                if self.has_update_left(&agent_id, &month).await? {
                    self.conclude(visit, nothing_new(), Outcome::Filtered).await
                } else {
                    self.refuse_beyond_limit(visit).await
                }
            }
            Verdict::Extract(evidence) => {
                tracing::debug!(evidence = evidence.name(), "passed by the first stage");
                if !self.reserve_update(&agent_id, &month).await? {
                    return self.refuse_beyond_limit(visit).await;
                }
                let outcome = self.learn(visit, &request).await;
                // Another process may have answered the same request meanwhile: it counted it.
                if !matches!(outcome, Ok((Answered::Now(_), _))) {
                    self.return_update(&agent_id, &month).await?;
                }
                outcome
            }
        }
    }

    /// Checks that the agent may write of this user, and answers the epoch as of then.
    async fn enter(&self, key: &Key, user_id: &UserId) -> Result<i64, Error> {
        if let Some(epoch) = self.try_enter(key, user_id).await? {
            return Ok(epoch);
        }
        self.grant_at_first_call(key, user_id).await?;
        self.try_enter(key, user_id).await?.ok_or(Error::NO_GRANT)
    }

    /// `None` when there never was a grant.
    async fn try_enter(&self, key: &Key, user_id: &UserId) -> Result<Option<i64>, Error> {
        let agent_id = key.agent_id.clone();
        let user_id = user_id.clone();
        let now = self.now();
        let scopes = key.scopes;
        self.db
            .read(|tx| {
                Box::pin(async move {
                    // The epoch first: an erasure after it also revokes the grant.
                    let user = tx.user(&user_id).await?;
                    match (tx.latest_grant(&agent_id, &user_id).await?, user) {
                        (None, _) | (_, None) => Ok(None),
                        (Some(grant), Some(user)) => match grant.effective(scopes, now) {
                            Some(_) => Ok(Some(user.epoch)),
                            None => Err(Error::NO_GRANT),
                        },
                    }
                })
            })
            .await
    }

    async fn refuse_beyond_limit(&self, visit: Visit) -> Result<Updated, Error> {
        self.conclude(visit, limit_reached(), Outcome::LimitReached)
            .await
    }

    /// Answers what takes no fact to be stored. It is recorded where the request has a key.
    async fn conclude(
        &self,
        visit: Visit,
        answer: UpdateResponse,
        outcome: Outcome,
    ) -> Result<Updated, Error> {
        let event = Some(Event::new(Action::Update, outcome));
        if visit.once.is_none() {
            return Ok((Answered::Now(answer), event));
        }
        let clock = Arc::clone(&self.clock);
        let answered = self
            .db
            .write(move |tx| {
                let (visit, answer) = (visit.clone(), answer.clone());
                let now = clock.now().timestamp_millis();
                Box::pin(async move {
                    visit.check_still_allowed(tx, now).await?;
                    if let Some(earlier) = visit.earlier(tx, now).await? {
                        return again(earlier);
                    }
                    visit.answer(tx, answer, now).await
                })
            })
            .await?;
        Ok((answered, event))
    }

    /// Notes what came of an update, less what its unit of work noted.
    fn note_update(&self, agent_id: &str, user_id: UserId, updated: &Result<Updated, Error>) {
        let event = match updated {
            // It had its effect before, and was noted then.
            Ok((Answered::Before(_), _)) => return,
            Ok((Answered::Now(_), event)) => *event,
            Err(error) => return self.note_error(agent_id, user_id, Action::Update, error),
        };
        let usage = match event.map(|event| event.outcome) {
            Some(Outcome::LimitReached) => audit::DENIED,
            Some(Outcome::Filtered) => Usage {
                filtered: 1,
                ..audit::NONE
            },
            _ => Usage {
                updates: 1,
                ..audit::NONE
            },
        };
        self.note(agent_id, user_id, event, usage);
    }

    async fn learn(&self, visit: Visit, request: &UpdateRequest) -> Result<Updated, Error> {
        let known = if self.extractor.wants_known() {
            self.known(&visit).await?
        } else {
            Vec::new()
        };
        let candidates = self
            .extractor
            .extract(&Interaction {
                user_message: &request.user_message,
                agent_response: &request.agent_response,
                known: &known,
            })
            .await?;
        let candidates = extract::admit(candidates);
        if candidates.is_empty() {
            return self.conclude(visit, nothing_new(), Outcome::Nothing).await;
        }
        let lesson = Lesson {
            visit,
            candidates,
            list_cap: self.settings.list_cap,
        };
        let clock = Arc::clone(&self.clock);
        self.db
            .write(move |tx| {
                let lesson = lesson.clone();
                // The model may have taken its time: what has expired since is over.
                let now = clock.now().timestamp_millis();
                Box::pin(async move { lesson.store(tx, now).await })
            })
            .await
    }

    /// What is known of the user in the scopes that the agent may use, the last confirmed
    /// first. Grant and facts are as of one instant, which is over when this returns.
    async fn known(&self, visit: &Visit) -> Result<Vec<Known>, Error> {
        let (agent_id, user_id) = (visit.key.agent_id.clone(), visit.user_id.clone());
        let capsule = self
            .db
            .read(|tx| Box::pin(async move { tx.capsule(&agent_id, &user_id).await }))
            .await?
            .ok_or(Error::NO_GRANT)?;
        let granted = capsule
            .grant
            .and_then(|grant| grant.effective(visit.key.scopes, self.now()))
            .ok_or(Error::NO_GRANT)?;
        let mut facts = capsule.facts;
        facts.retain(|fact| granted.contains(fact.scope));
        facts.sort_by_key(|fact| Reverse((fact.confirmed_at, fact.position)));
        Ok(facts.into_iter().map(known).collect())
    }
}

/// The answer to an update, and what is still to be noted of it: nothing where its unit of
/// work did.
type Updated = (Answered<UpdateResponse>, Option<Event>);

/// An update as it began: who learns, of whom and under which epoch.
#[derive(Clone)]
struct Visit {
    key: Key,
    user_id: UserId,
    epoch: i64,
    /// Where the request has an idempotency key.
    once: Option<Once>,
}

/// What one interaction taught, before it is known what of it may be stored.
#[derive(Clone)]
struct Lesson {
    visit: Visit,
    candidates: Vec<Candidate>,
    /// How many facts a list holds.
    list_cap: Option<NonZeroU32>,
}

impl Visit {
    /// The key, the grant and the epoch as they are now, in the transaction that stores:
    /// whatever was revoked or deleted meanwhile wins. Answers the scopes that may be
    /// written and the position of the next new fact.
    async fn check_still_allowed(&self, tx: &mut Tx, now: i64) -> Result<(ScopeSet, i64), Error> {
        if !tx.key_is_live(&self.key.id).await? {
            return Err(Error::InvalidKey);
        }
        let user = tx.lock_user(&self.user_id).await?;
        let user = user.ok_or(Error::NO_GRANT)?;
        if user.epoch != self.epoch {
            return Err(Error::NO_GRANT);
        }
        let granted = tx
            .latest_grant(&self.key.agent_id, &self.user_id)
            .await?
            .and_then(|grant| grant.effective(self.key.scopes, now))
            .ok_or(Error::NO_GRANT)?;
        Ok((granted, user.next_position))
    }

    /// What became of the same request before.
    async fn earlier(&self, tx: &mut Tx, now: i64) -> Result<Option<Earlier>, Error> {
        match &self.once {
            Some(once) => once.earlier(tx, now).await,
            None => Ok(None),
        }
    }

    /// Gives an answer, recorded where the request has a key.
    async fn answer(
        &self,
        tx: &mut Tx,
        answer: UpdateResponse,
        now: i64,
    ) -> Result<Answered<UpdateResponse>, Error> {
        if let Some(once) = &self.once {
            once.record(tx, Some(&self.user_id), &answer, now).await?;
        }
        Ok(Answered::Now(answer))
    }
}

impl Lesson {
    /// Stores what the grant allows now, under the epoch in which the request began.
    async fn store(self, tx: &mut Tx, now: i64) -> Result<Updated, Error> {
        let (granted, next_position) = self.visit.check_still_allowed(tx, now).await?;
        if let Some(earlier) = self.visit.earlier(tx, now).await? {
            return Ok((again(earlier)?, None));
        }
        let denied: ScopeSet = self
            .candidates
            .iter()
            .filter(|c| c.op == Op::Set && !granted.contains(c.scope))
            .map(|c| c.scope)
            .collect();
        let candidates: Vec<Candidate> = self
            .candidates
            .iter()
            .filter(|c| granted.contains(c.scope))
            .cloned()
            .collect();
        let stored = self.affected(tx, &candidates).await?;
        let changes = merge::merge(stored, &candidates, next_position, now);
        self.apply(tx, &changes, next_position, now).await?;
        let dropped = self.keep_to_caps(tx, &changes, next_position).await?;
        let written = changes.iter().filter_map(|change| match change {
            Change::Put(fact) if !dropped.contains(&merge::place(fact)) => Some(fact),
            _ => None,
        });
        let removed = changes.iter().filter_map(|change| match change {
            Change::Remove(fact) => Some(fact),
            _ => None,
        });
        let event = self
            .audit(
                tx,
                written.clone().chain(removed.clone()),
                &dropped,
                denied,
                now,
            )
            .await?;
        let answer = learned(merge::delta(written), merge::delta(removed), denied);
        let answered = self.visit.answer(tx, answer, now).await?;
        Ok((answered, event))
    }

    /// Notes here what changed the memory, and answers what is to be noted otherwise. What fell
    /// out of a full scope does not count as removed, but it is a change.
    async fn audit(
        &self,
        tx: &mut Tx,
        touched: impl Iterator<Item = &StoredFact>,
        dropped: &HashSet<Place>,
        denied: ScopeSet,
        now: i64,
    ) -> Result<Option<Event>, Error> {
        let mut scopes: Vec<Scope> = touched.map(|fact| fact.scope).collect();
        let facts = scopes.len();
        scopes.extend(dropped.iter().map(|(scope, _)| *scope));
        if scopes.is_empty() {
            let outcome = if denied.is_empty() {
                Outcome::Nothing
            } else {
                Outcome::Denied
            };
            return Ok(Some(Event {
                scopes: denied,
                ..Event::new(Action::Update, outcome)
            }));
        }
        let event = AuditEvent::new(Action::Update, Actor::Agent, now)
            .agent(&self.visit.key.agent_id)
            .scopes(scopes.into_iter().collect())
            .facts(facts)
            .outcome(if denied.is_empty() {
                Outcome::Done
            } else {
                Outcome::Partly
            });
        tx.audit(Some(&self.visit.user_id), &event).await?;
        Ok(None)
    }

    /// The stored facts that the candidates may concern. Whole scopes are read only where
    /// something is to be removed by its words.
    async fn affected(
        &self,
        tx: &mut Tx,
        candidates: &[Candidate],
    ) -> Result<Vec<StoredFact>, Error> {
        let searched: ScopeSet = candidates
            .iter()
            .filter(|c| c.op == Op::Remove && c.known.is_none())
            .map(|c| c.scope)
            .collect();
        let mut stored = Vec::new();
        for scope in searched.iter() {
            stored.extend(tx.facts(&self.visit.user_id, scope).await?);
        }
        let meant = candidates
            .iter()
            .filter(|c| !searched.contains(c.scope))
            .flat_map(merge::places);
        for (scope, slot) in meant.collect::<HashSet<_>>() {
            stored.extend(tx.fact(&self.visit.user_id, scope, &slot).await?);
        }
        Ok(stored)
    }

    async fn apply(
        &self,
        tx: &mut Tx,
        changes: &[Change],
        next_position: i64,
        now: i64,
    ) -> Result<(), Error> {
        let mut next = next_position;
        let mut content_changed = false;
        let mut fact_stored = false;
        for change in changes {
            match change {
                Change::Put(fact) => {
                    tx.put_fact(&self.visit.user_id, &self.visit.key.agent_id, fact)
                        .await?;
                    next = next.max(fact.position + 1);
                    content_changed = true;
                    fact_stored = true;
                }
                Change::Confirm(fact) => {
                    let (scope, slot): (Scope, &str) = (fact.scope, &fact.slot);
                    tx.confirm_fact(&self.visit.user_id, scope, slot, now)
                        .await?;
                }
                Change::Remove(fact) => {
                    tx.remove_fact(&self.visit.user_id, fact.scope, &fact.slot)
                        .await?;
                    content_changed = true;
                }
            }
        }
        if content_changed {
            tx.touch_user(&self.visit.user_id, now, next).await?;
        }
        if fact_stored {
            tx.end_demo(&self.visit.key.agent_id, now).await?;
        }
        Ok(())
    }

    /// Drops from the scopes that grew what was longest not confirmed, where there is more
    /// than fits. Answers the places that are empty now.
    async fn keep_to_caps(
        &self,
        tx: &mut Tx,
        changes: &[Change],
        next_position: i64,
    ) -> Result<HashSet<Place>, Error> {
        let grown: ScopeSet = changes
            .iter()
            .filter_map(|change| match change {
                // Whatever takes the place of another fact has a position already.
                Change::Put(fact) if fact.position >= next_position => Some(fact.scope),
                _ => None,
            })
            .collect();
        let mut dropped = HashSet::new();
        for scope in grown.iter() {
            let Some(cap) = merge::cap(scope, self.list_cap) else {
                continue;
            };
            let over = tx.count_facts(&self.visit.user_id, scope).await? - cap;
            if over > 0 {
                let slots = tx.drop_stalest(&self.visit.user_id, scope, over).await?;
                tracing::debug!(%scope, count = slots.len(), "facts fell out of a full scope");
                dropped.extend(slots.into_iter().map(|slot| (scope, slot)));
            }
        }
        Ok(dropped)
    }
}

/// A stored fact as an extractor is told of it.
fn known(fact: StoredFact) -> Known {
    Known {
        scope: fact.scope,
        slot: fact.slot,
        key: fact.name,
        value: fact.value,
    }
}

/// The answer to a request that was answered before. What was erased since is not said
/// again, nor learned again: the request had its effect, and the deletion came after it.
fn again(earlier: Earlier) -> Result<Answered<UpdateResponse>, Error> {
    match earlier {
        Earlier::Answer(text) => Ok(Answered::Before(text)),
        Earlier::Erased => Ok(Answered::Before(idempotency::text(&nothing_new())?)),
    }
}

fn nothing_new() -> UpdateResponse {
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

fn limit_reached() -> UpdateResponse {
    UpdateResponse {
        updated: false,
        limit_reached: Some(true),
        ..UpdateResponse::default()
    }
}
