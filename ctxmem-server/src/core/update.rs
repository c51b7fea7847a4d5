//! Update: one interaction in, the facts that it taught out.

use std::cmp::Reverse;
use std::sync::Arc;

use ctxmem_types::{Scope, UpdateRequest, UpdateResponse, UserId};

use super::carried::Carried;
use super::idempotency::Once;
use super::journal::Event;
use super::lesson::{Lesson, Taught, Updated, Visit, again};
use super::{Answered, Core, Error, IdempotencyKey, Key, audit, quota, time_zone, unlearned};
use crate::extract::first_stage::{self, Verdict};
use crate::extract::{self, Admitted, Candidate, Interaction, Known, Op, Prose, Reading};
use crate::store::{Action, Hash, Outcome, StoreError, StoredFact, Usage};

/// How far a user's message was looked into.
enum Message<'m> {
    Read(&'m Reading<'m>),
    Extracted(Admitted),
}

impl Core {
    /// Learns from one interaction. Once it has begun, the work goes on to its end even when
    /// the caller stops waiting. With an idempotency key it is done once.
    pub async fn update(
        self: &Arc<Self>,
        key: Key,
        request: UpdateRequest,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Result<Answered<UpdateResponse>, Error> {
        self.check_agent(&key, &request.user_id, request.agent_id.as_deref())
            .await?;
        let once = idempotency_key.map(|name| self.once_updated(&key, &name, &request));
        // A caller that leaves before its turn has begun nothing. The turn ends with the work.
        let turn = self.turn(once.as_ref()).await;
        let core = Arc::clone(self);
        let work = async move {
            let _turn = turn;
            let (agent_id, user_id) = (key.agent_id.clone(), request.user_id.clone());
            let updated = core.update_here(key.clone(), request, once).await;
            core.note_use(&key, &updated);
            core.note_update(&agent_id, user_id, &updated);
            updated.map(|(answer, _)| answer)
        };
        Carried::new(work, &self.tasks).await
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
        let interaction = Interaction {
            user_message: &request.user_message,
            agent_response: &request.agent_response,
            known: &[],
            // In UTC for those who extract without a look at what is known: a read for the time
            // zone alone would cost more than they do.
            today: self.clock.now().date_naive(),
        };
        let prose = Prose::of(&request.user_message);
        let reading = Reading::of(&prose);
        let verdict = first_stage::judge(&reading);
        let mut message = Message::Read(&reading);
        let user_key = self.db.user_key(&request.user_id);
        let mut visit = Visit {
            epoch: None,
            key,
            user_id: request.user_id.clone(),
            user_key,
            once,
        };
        if let Verdict::Extract(_) = verdict
            && self.may_extract_first(&interaction)
        {
            let found = self.extract(&interaction, message).await?;
            if let Some(updated) = self.store_at_once(&visit, &found.facts).await? {
                return Ok(updated);
            }
            message = Message::Extracted(found);
        }
        let epoch = self.enter(&visit.key, &visit.user_id, &user_key).await?;
        visit.epoch = Some(epoch);
        // Whatever is stored looks for it again, which suffices where nothing is saved by it.
        if let Some(once) = &visit.once
            && !self.extractor.is_instant(&interaction)
            && let Some(earlier) = self.earlier(once).await?
        {
            return Ok((again(earlier)?, None));
        }
        let month = quota::month(self.clock.now());
        let agent_id = visit.key.agent_id.clone();
        match verdict {
            Verdict::Filtered(reason) => {
                tracing::debug!(reason = reason.name(), "filtered by the first stage");
                // Small talk is free, but over the limit it is not answered either.
                if self.has_update_left(&agent_id, &month).await? {
                    let answer = unlearned::filtered(reason);
                    self.conclude(visit, answer, Outcome::Filtered).await
                } else {
                    self.refuse_beyond_limit(visit).await
                }
            }
            Verdict::Extract(evidence) => {
                tracing::debug!(evidence = evidence.name(), "passed by the first stage");
                if !self.reserve_update(&agent_id, &month).await? {
                    return self.refuse_beyond_limit(visit).await;
                }
                let outcome = self.learn(visit, interaction, message).await;
                // Another process may have answered the same request meanwhile: it counted it.
                if !matches!(outcome, Ok((Answered::Now(_), _))) {
                    self.return_update(&agent_id, &month).await?;
                }
                outcome
            }
        }
    }

    /// Whether to extract without a look before: that by which it is stored lets the request in
    /// as well. Only where to extract takes no time and nothing else depends on that look.
    fn may_extract_first(&self, interaction: &Interaction<'_>) -> bool {
        self.db.can_prove()
            && self.settings.monthly_quota.is_none()
            && self.extractor.is_instant(interaction)
    }

    /// Stores what was extracted first; `None` where there is more to do than that.
    async fn store_at_once(
        &self,
        visit: &Visit,
        found: &[Candidate],
    ) -> Result<Option<Updated>, Error> {
        if found.is_empty() {
            return Ok(None);
        }
        let stored = self.lessons.run(Lesson {
            visit: visit.clone(),
            taught: Taught::Facts(found.to_vec()),
        });
        let stored = stored.await.ok_or(StoreError::Interrupted)?;
        if let Err(Error::InvalidKey) = stored {
            self.forget_key(&visit.key);
        }
        stored
    }

    /// Checks that the agent may write of this user, and answers the epoch as of then.
    async fn enter(&self, key: &Key, user_id: &UserId, user_key: &Hash) -> Result<i64, Error> {
        let mut standing = self.standing(key, user_key).await?;
        if standing.grant.is_none() {
            self.grant_at_first_call(key, user_id).await?;
            standing = self.standing(key, user_key).await?;
        }
        let effective = standing
            .grant
            .and_then(|grant| grant.effective(key.scopes, self.now()));
        effective.map(|_| standing.epoch).ok_or(Error::NO_GRANT)
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
        if visit.once.is_none() {
            let event = Event::new(Action::Update, outcome);
            return Ok((Answered::Now(answer), Some(event)));
        }
        self.store_lesson(visit, Taught::Nothing(Box::new(answer), outcome))
            .await
    }

    async fn store_lesson(&self, visit: Visit, taught: Taught) -> Result<Updated, Error> {
        let stored = self.lessons.run(Lesson { visit, taught }).await;
        stored
            .ok_or(StoreError::Interrupted)??
            .ok_or(Error::NO_GRANT)
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

    async fn learn(
        &self,
        visit: Visit,
        interaction: Interaction<'_>,
        message: Message<'_>,
    ) -> Result<Updated, Error> {
        let known = if self.extractor.wants_known() {
            self.known(&visit).await?
        } else {
            Vec::new()
        };
        let interaction = Interaction {
            known: &known,
            today: time_zone::day(self.clock.now(), zone(&known)),
            ..interaction
        };
        let admitted = self.extract(&interaction, message).await?;
        if admitted.facts.is_empty() {
            let holds_secret = extract::holds_secret(interaction.user_message);
            let answer = unlearned::none_admitted(&admitted.refused, holds_secret);
            return self.conclude(visit, answer, Outcome::Nothing).await;
        }
        self.store_lesson(visit, Taught::Facts(admitted.facts))
            .await
    }

    /// What the interaction teaches, whatever may be stored of it.
    async fn extract(
        &self,
        interaction: &Interaction<'_>,
        message: Message<'_>,
    ) -> Result<Admitted, Error> {
        match message {
            Message::Extracted(admitted) => Ok(admitted),
            Message::Read(reading) => {
                let found = self.extractor.extract_read(interaction, reading).await?;
                let mut admitted = extract::admit_all(found);
                admitted.facts.retain(is_at_home);
                Ok(admitted)
            }
        }
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

/// A stored fact as an extractor is told of it.
fn known(fact: StoredFact) -> Known {
    Known {
        scope: fact.scope,
        slot: fact.slot,
        key: fact.name,
        value: fact.value,
    }
}

/// The time zone of the user, where it is known.
fn zone(known: &[Known]) -> Option<&str> {
    let is_zone =
        |fact: &&Known| fact.scope == Scope::General && fact.key.as_deref() == Some("timezone");
    known.iter().find(is_zone).map(|fact| &*fact.value)
}

/// Whether what was extracted belongs where it was put: `general` takes three names. What users
/// write there by hand, and what is there already, may have others.
fn is_at_home(fact: &Candidate) -> bool {
    fact.scope != Scope::General
        || fact.op != Op::Set
        || matches!(fact.key.as_deref(), Some("name" | "location" | "timezone"))
}

fn limit_reached() -> UpdateResponse {
    UpdateResponse {
        updated: false,
        limit_reached: Some(true),
        ..UpdateResponse::default()
    }
}
