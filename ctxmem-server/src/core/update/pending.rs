//! An update on its way to be stored, and what is decided about it once it is known what is stored.
//! Pure.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

use ctxmem_types::{ScopeSet, UpdateOutcome, UpdateResponse, UserId};

use super::replay::replay;
use super::{MODEL_FAILED, UNREAD, add_notice};
use crate::core::audit_buffer::Event;
use crate::core::grant_clock::GrantClock;
use crate::core::idempotency::IdempotentRequest;
use crate::core::merge::{self, FactKey};
use crate::core::{Error, Key, Reply, multi_value};
use crate::extract::{Candidate, Op};
use crate::store::{ExtractedBy, Hash, Outcome, UpdateQuery, UpdateSnapshot};

/// The answer to an update, and the event to buffer for the audit log: `None` where the unit of work
/// that stored the update noted it.
pub(in crate::core) type Updated = (Reply<UpdateResponse>, Option<Event>);

/// What became of an update. `None` where the user never granted the agent anything and that was
/// not known before: nothing was stored.
pub(in crate::core) type UpdateResult = Result<Option<Updated>, Error>;

/// The context of an update: the agent's key, the user, and the epoch in which the update began.
#[derive(Clone)]
pub(super) struct UpdateContext {
    pub(super) key: Key,
    pub(super) user_id: UserId,
    pub(super) user_key: Hash,
    /// The user's epoch when the update began; `None` where nothing has been read yet: then the
    /// update begins with the first snapshot.
    pub(super) epoch: Option<i64>,
    /// Set where the request has an idempotency key.
    pub(super) idempotent: Option<IdempotentRequest>,
    /// The id of the request.
    pub(super) request_id: Arc<str>,
    /// What finds the facts in it.
    pub(super) extracted_by: ExtractedBy,
    pub(super) remarks: Remarks,
}

/// What an answer says of how the message was read. It belongs to the answer that is recorded as well.
#[derive(Clone, Copy, Default)]
pub(super) struct Remarks {
    /// Whether the message was too long to be read whole.
    pub(super) is_shortened: bool,
    /// Whether the model failed, so that the built-in extractor read it.
    pub(super) model_failed: bool,
}

impl Remarks {
    pub(super) fn add_to(self, answer: &mut UpdateResponse) {
        if self.is_shortened {
            add_notice(answer, UNREAD);
        }
        if self.model_failed {
            answer.outcome = Some(UpdateOutcome::ModelFailed);
            add_notice(answer, MODEL_FAILED);
        }
    }
}

/// An update that is not decided yet.
#[derive(Clone)]
pub(in crate::core) struct PendingUpdate {
    pub(super) context: UpdateContext,
    pub(super) effect: UpdateEffect,
}

/// What an update is to bring about.
#[derive(Clone)]
pub(super) enum UpdateEffect {
    /// Facts are merged into those that are stored.
    Facts(Vec<Candidate>),
    /// Only the answer is recorded, with its outcome for the audit log.
    AnswerOnly(Box<UpdateResponse>, Outcome),
}

impl PendingUpdate {
    pub(super) fn candidates(&self) -> &[Candidate] {
        match &self.effect {
            UpdateEffect::Facts(candidates) => candidates,
            UpdateEffect::AnswerOnly(..) => &[],
        }
    }

    /// What the update needs to know.
    pub(super) fn query(&self, list_cap: Option<NonZeroU32>) -> UpdateQuery<'_> {
        let context = &self.context;
        let candidates = self.candidates();
        let fact_keys: HashSet<FactKey> = candidates.iter().flat_map(merge::fact_keys).collect();
        let scopes = fact_keys.iter().map(|(scope, _)| *scope);
        UpdateQuery {
            key_id: &context.key.id,
            agent_id: &context.key.agent_id,
            user_key: &context.user_key,
            idempotency_key: context.idempotent.as_ref().map(IdempotentRequest::key),
            counted: scopes
                .filter(|scope| merge::cap(*scope, list_cap).is_some())
                .collect(),
            fact_keys: fact_keys.into_iter().collect(),
        }
    }

    /// Decides by the key, the grant and the epoch of the snapshot: what was revoked or erased
    /// since the update began wins. `before` is a time before the snapshot was read. Continues
    /// with the scopes that the update may write, or breaks with its result.
    pub(super) fn decide(
        &self,
        snapshot: Option<UpdateSnapshot>,
        clock: &GrantClock,
        before: i64,
    ) -> ControlFlow<UpdateResult, (UpdateSnapshot, ScopeSet)> {
        let now = clock.since(before);
        let epoch = self.context.epoch;
        let no_grant = || Break(epoch.map_or(Ok(None), |_| Err(Error::NO_GRANT)));
        let Some(snapshot) = snapshot else {
            return no_grant();
        };
        if !snapshot.key_is_live || snapshot.key_expires_at.is_some_and(|end| end <= now) {
            return Break(Err(Error::InvalidKey));
        }
        if epoch.is_some_and(|epoch| epoch != snapshot.epoch) {
            return Break(Err(Error::NO_GRANT));
        }
        let Some(grant) = snapshot.grant else {
            return no_grant();
        };
        clock.observe(Some(&grant), now);
        let Some(granted) = grant.effective(self.context.key.scopes, now) else {
            return Break(Err(Error::NO_GRANT));
        };
        match (&self.context.idempotent, &snapshot.record) {
            (Some(request), Some(record)) => {
                let reply = request.stored_reply(record);
                let replayed = reply.and_then(|reply| replay(reply, granted));
                Break(replayed.map(|reply| Some((reply, None))))
            }
            _ => Continue((snapshot, granted)),
        }
    }

    /// The candidates in scopes that are granted.
    pub(super) fn admitted(&self, granted: ScopeSet) -> impl Iterator<Item = &Candidate> {
        let candidates = self.candidates().iter();
        candidates.filter(move |candidate| granted.contains(candidate.scope))
    }

    /// The scopes of which every fact has to be read: those from which something is removed by
    /// its words, and the one in which values stand beside each other.
    pub(super) fn searched(&self, granted: ScopeSet) -> ScopeSet {
        self.admitted(granted)
            .filter(|candidate| {
                matches!(
                    candidate.op,
                    Op::TakeBack | Op::TakeBackAll | Op::End | Op::Change
                ) || candidate.op == Op::Remove && candidate.known.is_none()
                    || (candidate.op == Op::Set && multi_value::joins(candidate))
            })
            .map(|candidate| candidate.scope)
            .collect()
    }
}
