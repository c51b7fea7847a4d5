//! An update: one interaction goes in, the facts that it taught are stored.
//!
//! 1. The agent's access is read: without a grant nothing is extracted.
//! 2. The message is read ([`analysis`]): the first stage judges it, small talk ends here and is
//!    free, and the rules find facts. A model is asked with no transaction open.
//! 3. The facts that were found become a [`PendingUpdate`], which the [`UpdateWriter`] stores: it
//!    reads a snapshot of what the update depends on, decides by it ([`PendingUpdate::decide`]), works
//!    out what changes ([`plan::UpdatePlan`]) and writes that. What was revoked or erased since step
//!    1 wins.
//!
//! On Postgres, where a statement is a round trip, an update is stored by two statements without a
//! transaction if what it depends on is still as it was read, and otherwise under the lock of its user;
//! on SQLite always that way ([`storage`]).

mod analysis;
mod known;
mod limiter;
mod nothing_stored;
mod pending;
mod plan;
mod replay;
mod storage;
mod writer;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use ctxmem_types::{Scope, ScopeSet, Timestamp, UpdateRequest, UpdateResponse, UserId};
use tracing::Instrument as _;

use super::audit_buffer::Event;
use super::idempotency::IdempotentRequest;
use super::metrics::ExtractorKind;
use super::{Error, IdempotencyKey, Key, Memory, Reply, audit, quota, time_zone};
use crate::extract::Extractor as _;
use crate::extract::first_stage::Verdict;
use crate::extract::{self, Admitted, BuiltIn, Candidate, Interaction};
use crate::store::{Action, ExtractedBy, FactsWanted, Hash, Outcome, StoredFact, Usage};

use crate::traces::step;
pub(super) use analysis::Analyst;
use analysis::{Analysis, admit};
pub(super) use limiter::UpdateLimiter;
use pending::{PendingUpdate, Remarks, UpdateContext, UpdateEffect, Updated};
use replay::replay;
pub(super) use storage::UpdateStorage;
pub(super) use writer::UpdateWriter;

/// What becomes of an update whose model fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnModelFailure {
    /// What is built in reads the message, and the answer says so.
    Builtin,
    /// It is an error, so that whoever sent it may try again.
    Error,
}

/// By how much the clock of a client may be ahead.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(5);

impl Memory {
    /// Refuses an update early, while nothing of it was read yet, if it could not begin soon: what a
    /// refusal costs is lost to those that are served.
    pub async fn check_update_limit(&self) -> Result<(), Error> {
        self.update_limiter.check().await
    }

    /// Learns from one interaction. Once begun, the work goes on to its end even if the caller stops
    /// waiting. With an idempotency key it is done once.
    pub async fn update(
        self: &Arc<Self>,
        key: Key,
        mut request: UpdateRequest,
        idempotency_key: Option<IdempotencyKey>,
        request_id: &str,
    ) -> Result<Reply<UpdateResponse>, Error> {
        self.grants
            .check_agent(&key, &request.user_id, request.agent_id.as_deref())
            .await?;
        // The clocks of two machines may differ a little.
        let latest = self.clock.now() + CLOCKS_DIFFER;
        if request.at.as_ref().is_some_and(|at| at.at() > latest) {
            return Err(Error::BadRequest(
                "at: expected when the exchange was, not a time in the future".to_owned(),
            ));
        }
        let idempotent = idempotency_key.map(|name| {
            let about = &request.user_id;
            let request = [
                Some("update"),
                Some(about.as_str()),
                Some(&*request.user_message),
                Some(&*request.agent_response),
                request.agent_id.as_deref(),
                request.at.as_ref().map(Timestamp::as_str),
            ];
            self.idempotent_request(&key.agent_id, &name, about, &request)
        });
        let is_shortened = keep_what_is_read(&mut request.user_message);
        keep_what_is_read(&mut request.agent_response);
        // A caller that leaves while it waits has begun nothing. The lock is held until the work ends.
        // It comes first: requests that wait for each other take the room of one.
        let lock = self.lock_idempotency_key(idempotent.as_ref()).await;
        let in_flight = self.update_limiter.begin().await?;
        let (memory, request_id) = (Arc::clone(self), Arc::from(request_id));
        self.to_its_end(async move {
            let (_lock, _in_flight) = (lock, in_flight);
            let (agent_id, user_id) = (key.agent_id.clone(), request.user_id.clone());
            let updated = memory
                .update_here(key.clone(), request, is_shortened, idempotent, request_id)
                .await;
            memory.grants.note_use(&key, &updated);
            memory.note_update(&agent_id, user_id, &updated);
            let answer = updated.map(|(answer, _)| answer);
            memory.metrics.record_update(&answer);
            answer
        })
        .await
    }

    /// When something was said: now, if nobody says when, or if a clock is ahead.
    pub(in crate::core) fn when(&self, at: Option<&Timestamp>) -> DateTime<Utc> {
        let now = self.clock.now();
        at.map_or(now, |at| at.at().min(now))
    }

    async fn update_here(
        &self,
        key: Key,
        request: UpdateRequest,
        is_shortened: bool,
        idempotent: Option<IdempotentRequest>,
        request_id: Arc<str>,
    ) -> Result<Updated, Error> {
        let at = self.when(request.at.as_ref());
        let interaction = Interaction {
            user_message: &request.user_message,
            agent_response: &request.agent_response,
            known: &[],
            // In UTC first: to read the user's time zone costs more than the built-in extraction, of
            // which most does not depend on the day.
            today: at.date_naive(),
        };
        let user_key = self.db.user_key(&request.user_id);
        let mut context = UpdateContext {
            epoch: None,
            key,
            user_id: request.user_id.clone(),
            user_key,
            idempotent,
            request_id,
            extracted_by: self.extracted_by(),
            remarks: Remarks {
                is_shortened,
                ..Remarks::default()
            },
        };
        let mut analysis = None;
        if self.may_extract_first() {
            let began = Instant::now();
            analysis = self.analyst.read_short(&interaction);
            self.record_rules(began, analysis.as_ref());
            if let Some(found) = analysis.as_ref().and_then(|read| read.found.as_ref())
                && !found.facts.iter().any(may_hold_a_day)
                && let Some(updated) = self.store_at_once(&context, &found.facts).await?
            {
                return Ok(updated);
            }
        }
        let (epoch, granted) = self
            .enter(&context.key, &context.user_id, &user_key)
            .await?;
        context.epoch = Some(epoch);
        let analysis = if let Some(analysis) = analysis {
            analysis
        } else {
            let began = Instant::now();
            let analysis = self.analyst.read(&interaction).await?;
            self.record_rules(began, Some(&analysis));
            analysis
        };
        // The unit of work that stores looks for a recorded answer too. To look earlier pays only
        // where it saves a model call.
        if let Some(idempotent) = &context.idempotent
            && analysis.found.is_none()
            && let Some(reply) = self.find_reply(idempotent).await?
        {
            return Ok((replay(reply, granted)?, None));
        }
        let month = quota::month(self.clock.now());
        let agent_id = context.key.agent_id.clone();
        match analysis.verdict {
            Verdict::Filtered(reason) => {
                tracing::debug!(reason = reason.name(), "filtered by the first stage");
                // Small talk is free, but over the limit it is not answered either.
                if self.has_update_left(&agent_id, &month).await? {
                    let answer = nothing_stored::filtered(reason);
                    self.conclude(context, answer, Outcome::Filtered).await
                } else {
                    self.refuse_beyond_limit(context).await
                }
            }
            Verdict::Extract(evidence) => {
                tracing::debug!(evidence = evidence.name(), "passed by the first stage");
                if !self.reserve_update(&agent_id, &month).await? {
                    return self.refuse_beyond_limit(context).await;
                }
                let outcome = self
                    .extract_and_store(context, interaction, at, analysis.found)
                    .await;
                // Another process may have answered the same request meanwhile: it counted it.
                if !matches!(outcome, Ok((Reply::Fresh(_), _))) {
                    self.return_update(&agent_id, &month).await?;
                }
                outcome
            }
        }
    }

    /// Stores what was found elsewhere, as an update of the agent does. `None` where none of it may be
    /// stored.
    pub(in crate::core) async fn remember(
        self: &Arc<Self>,
        key: Key,
        user_id: UserId,
        found: Vec<Candidate>,
    ) -> Result<Option<UpdateResponse>, Error> {
        let admitted = extract::admit_all(found);
        if admitted.facts.is_empty() {
            return Ok(None);
        }
        let user_key = self.db.user_key(&user_id);
        let (epoch, _) = self.enter(&key, &user_id, &user_key).await?;
        let context = UpdateContext {
            epoch: Some(epoch),
            key,
            user_id,
            user_key,
            idempotent: None,
            request_id: Arc::from(""),
            extracted_by: self.extracted_by(),
            remarks: Remarks::default(),
        };
        let stored = self.store_update(context, UpdateEffect::Facts(admitted.facts));
        match stored.await?.0 {
            Reply::Fresh(answer) => Ok(Some(answer)),
            // Only requests with an idempotency key are.
            Reply::Replayed(_) => Ok(Some(UpdateResponse::default())),
        }
    }

    /// What finds the facts, unless it fails.
    fn extracted_by(&self) -> ExtractedBy {
        if self.extractor.is_model() {
            ExtractedBy::Model
        } else {
            ExtractedBy::BuiltIn
        }
    }

    /// Records how long the rules took, if they found the facts: a message for a model is only judged.
    fn record_rules(&self, began: Instant, analysis: Option<&Analysis>) {
        if analysis.is_some_and(|analysis| analysis.found.is_some()) {
            self.metrics
                .record_extraction(ExtractorKind::BuiltIn, began);
        }
    }

    /// Whether to extract before access is read, and leave the check of access to the snapshot that
    /// decides the update. That saves one of three round trips. It is possible where no quota is
    /// counted, and pays where extraction takes no time.
    fn may_extract_first(&self) -> bool {
        self.db.supports_optimistic_writes() && self.monthly_quota.get().is_none()
    }

    /// Stores what was extracted before access was read; `None` where the usual way has to be taken.
    async fn store_at_once(
        &self,
        context: &UpdateContext,
        found: &[Candidate],
    ) -> Result<Option<Updated>, Error> {
        if found.is_empty() {
            return Ok(None);
        }
        self.claim_idempotency_key(context.idempotent.as_ref())
            .await?;
        let stored = self.updates.store(PendingUpdate {
            context: context.clone(),
            effect: UpdateEffect::Facts(found.to_vec()),
        });
        let stored = stored.await;
        if let Err(Error::InvalidKey) = stored {
            self.grants.forget_key(&context.key);
        }
        stored
    }

    /// Checks that the agent may write about this user, and answers the user's epoch and the scopes
    /// that the agent can use.
    async fn enter(
        &self,
        key: &Key,
        user_id: &UserId,
        user_key: &Hash,
    ) -> Result<(i64, ScopeSet), Error> {
        let (mut snapshot, mut effective) = self.grants.access_snapshot(key, user_key).await?;
        if snapshot.grant.is_none() {
            if !self.grants.first_call(key, user_id, user_key).await? {
                return Err(Error::MustAsk(self.grants.consent_url(&key.agent_id)));
            }
            (snapshot, effective) = self.grants.access_snapshot(key, user_key).await?;
        }
        let granted = effective.ok_or(Error::NO_GRANT)?;
        Ok((snapshot.epoch, granted))
    }

    async fn refuse_beyond_limit(&self, context: UpdateContext) -> Result<Updated, Error> {
        let mut answer = UpdateResponse::default();
        answer.limit_reached = Some(true);
        self.conclude(context, answer, Outcome::LimitReached).await
    }

    /// Answers an update that stores no fact. The answer is recorded where the request has an
    /// idempotency key.
    async fn conclude(
        &self,
        context: UpdateContext,
        mut answer: UpdateResponse,
        outcome: Outcome,
    ) -> Result<Updated, Error> {
        if context.idempotent.is_none() {
            context.remarks.add_to(&mut answer);
            let event = Event::new(Action::Update, outcome);
            return Ok((Reply::Fresh(answer), Some(event)));
        }
        self.store_update(context, UpdateEffect::AnswerOnly(Box::new(answer), outcome))
            .await
    }

    async fn store_update(
        &self,
        context: UpdateContext,
        effect: UpdateEffect,
    ) -> Result<Updated, Error> {
        self.claim_idempotency_key(context.idempotent.as_ref())
            .await?;
        let stored = self.updates.store(PendingUpdate { context, effect }).await;
        stored?.ok_or(Error::NO_GRANT)
    }

    /// Buffers the outcome of an update for the audit log, unless its unit of work noted it.
    fn note_update(&self, agent_id: &str, user_id: UserId, updated: &Result<Updated, Error>) {
        let event = match updated {
            // It had its effect before and was noted then.
            Ok((Reply::Replayed(_), _)) => return,
            Ok((Reply::Fresh(_), event)) => *event,
            Err(error) => return self.note_error(agent_id, user_id, Action::Update, error),
        };
        let denied =
            matches!(updated, Ok((Reply::Fresh(answer), _)) if answer.denied_scopes.is_some());
        let usage = match event.map(|event| event.outcome) {
            Some(Outcome::LimitReached) => audit::DENIED,
            Some(Outcome::Filtered) => Usage {
                filtered: 1,
                ..audit::NONE
            },
            _ => Usage {
                updates: 1,
                // Users read in their history that facts were refused, so developers count it.
                denied: i64::from(denied),
                ..audit::NONE
            },
        };
        self.note(agent_id, user_id, event, usage);
    }

    async fn extract_and_store(
        &self,
        mut context: UpdateContext,
        interaction: Interaction<'_>,
        at: DateTime<Utc>,
        found: Option<Admitted>,
    ) -> Result<Updated, Error> {
        let wants_known = self.extractor.wants_known();
        let depends_on_day = found
            .as_ref()
            .is_some_and(|found| found.facts.iter().any(may_hold_a_day));
        let facts = if wants_known || depends_on_day {
            self.granted_facts(&context).await?
        } else {
            Vec::new()
        };
        let today = time_zone::day(at, zone(&facts));
        let known = if wants_known {
            known::chosen(facts, interaction.user_message)
        } else {
            Vec::new()
        };
        let utc = interaction.today;
        let interaction = Interaction {
            known: &known,
            today,
            ..interaction
        };
        let admitted = match found {
            Some(admitted) if !depends_on_day || today == utc => admitted,
            // Where the user is it was another day.
            Some(admitted) => {
                let again = self.analyst.read(&interaction).await?;
                again.found.unwrap_or(admitted)
            }
            None => {
                let began = Instant::now();
                let extracting = self.extractor.extract(&interaction);
                let found = extracting.instrument(step!("extraction")).await;
                self.metrics.record_extraction(ExtractorKind::Model, began);
                let mut found = match found {
                    Err(cause) if self.settings.on_model_failure == OnModelFailure::Builtin => {
                        tracing::warn!(%cause, "the model failed; the built-in extractor reads the message");
                        context.remarks.model_failed = true;
                        context.extracted_by = ExtractedBy::BuiltIn;
                        BuiltIn.extract(&interaction).await?
                    }
                    found => found?,
                };
                extract::point_to_known(&mut found, &interaction);
                admit(found, interaction.user_message)
            }
        };
        if admitted.facts.is_empty() {
            let holds_secret = extract::holds_secret(interaction.user_message);
            let answer = nothing_stored::none_admitted(&admitted.refused, holds_secret);
            return self.conclude(context, answer, Outcome::Nothing).await;
        }
        self.store_update(context, UpdateEffect::Facts(admitted.facts))
            .await
    }

    /// The user's facts in the scopes that the agent may use. Grant and facts are of one instant.
    async fn granted_facts(&self, context: &UpdateContext) -> Result<Vec<StoredFact>, Error> {
        let (snapshot, granted) = self
            .grants
            .read_access(&context.key, &context.user_key, FactsWanted::All)
            .await?;
        let granted = granted.ok_or(Error::NO_GRANT)?;
        let mut facts = snapshot.facts.unwrap_or_default();
        facts.retain(|fact| granted.contains(fact.scope));
        Ok(facts)
    }
}

/// Whether a candidate may hold a day that was told by the day of the exchange, as "tomorrow" is: it
/// holds four digits, as years have.
fn may_hold_a_day(candidate: &Candidate) -> bool {
    let digits = candidate.value.as_bytes().windows(4);
    digits
        .into_iter()
        .any(|four| four.iter().all(u8::is_ascii_digit))
}

/// The time zone of the user, where it is known.
fn zone(facts: &[StoredFact]) -> Option<&str> {
    let is_zone = |fact: &&StoredFact| {
        fact.scope == Scope::General && fact.name.as_deref() == Some("timezone")
    };
    facts.iter().find(is_zone).map(|fact| &*fact.value)
}

/// Shortens a text to what extractors read of it, spelled as they expect it. Whether something was left out.
fn keep_what_is_read(text: &mut String) -> bool {
    let read = extract::readable(text).len();
    let is_shortened = read < text.len();
    if is_shortened {
        // A copy gives the memory of the rest back.
        *text = text[..read].to_owned();
    }
    if let Cow::Owned(composed) = extract::composed(text) {
        *text = composed;
    }
    is_shortened
}

/// Adds a notice to those that an answer has.
fn add_notice(answer: &mut UpdateResponse, notice: &str) {
    answer.notice = Some(match answer.notice.take() {
        Some(before) => format!("{before} {notice}"),
        None => notice.to_owned(),
    });
}

const UNREAD: &str = "Only the first 16 KiB of the message were read.";
const MODEL_FAILED: &str =
    "The model failed: only what the built-in extractor finds in the message was kept.";
