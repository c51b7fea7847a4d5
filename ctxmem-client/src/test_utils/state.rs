//! What the fake remembers, and the rules by which that changes. No I/O and no waiting.

use std::collections::HashMap;

use chrono::{TimeDelta, Utc};
use ctxmem_types::{
    Context, Delta, DeltaValue, Fact, FactMap, FactRecord, Grant, GrantRequest, InjectReason,
    InjectResponse, Scope, ScopeSet, SliceKind, SourceType, Timestamp, UpdateOutcome,
    UpdateResponse, UserId,
};

use super::grants::GrantHistory;
use super::script::Script;
use super::{FakeFact, ServiceError, render};
use crate::{Error, Interaction};

pub(super) struct FakeState {
    pub(super) script: Script,
    pub(super) key_scopes: ScopeSet,
    pub(super) monthly_quota: Option<u32>,
    pub(super) facts_in_scope: Option<usize>,
    /// Whether users have to be asked before the agent gets access.
    pub(super) asks: bool,
    /// The month in which an update was last counted, and the count of that month.
    used: (String, u32),
    /// Whether demo facts are shown: until the first stored fact.
    pub(super) demo: bool,
    pub(super) ahead: TimeDelta,
    pub(super) injects: usize,
    /// The messages that came with injects.
    pub(super) messages: Vec<String>,
    /// The interactions that were answered, each once.
    pub(super) interactions: Vec<Interaction>,
    /// By idempotency key.
    answers: HashMap<String, IdempotencyRecord>,
    users: HashMap<UserId, StoredUser>,
}

/// For how long an agent that deleted everything is told so again.
const TOLD_AGAIN: TimeDelta = TimeDelta::hours(1);

#[derive(Default)]
struct StoredUser {
    /// In the order in which they were first stored.
    facts: Vec<FakeFact>,
    changed: Option<Timestamp>,
    grants: GrantHistory,
    /// How often everything was deleted.
    deletions: u32,
    /// When everything was deleted, unless something was granted since.
    deleted_at: Option<Timestamp>,
}

/// The answer to an interaction, in case it is sent again.
struct IdempotencyRecord {
    interaction: Interaction,
    answer: UpdateResponse,
}

/// The first half of an update.
pub(super) enum UpdateStart {
    /// The answer is known already: the interaction was sent before, or the quota is used up.
    Answered(Box<UpdateResponse>),
    /// The facts can be extracted. They are stored unless the user deletes everything
    /// meanwhile, which `deletions` shows.
    Proceed { deletions: u32 },
}

impl Default for FakeState {
    fn default() -> Self {
        Self {
            script: Script::default(),
            key_scopes: ScopeSet::ALL,
            monthly_quota: None,
            facts_in_scope: None,
            asks: false,
            used: (String::new(), 0),
            demo: false,
            ahead: TimeDelta::zero(),
            injects: 0,
            messages: Vec::new(),
            interactions: Vec::new(),
            answers: HashMap::new(),
            users: HashMap::new(),
        }
    }
}

impl FakeState {
    pub(super) fn now(&self) -> Timestamp {
        let now = Utc::now();
        now.checked_add_signed(self.ahead).unwrap_or(now).into()
    }

    pub(super) fn users(&self) -> usize {
        self.users.len()
    }

    pub(super) fn facts(&self, user_id: &UserId) -> Vec<FakeFact> {
        self.users
            .get(user_id)
            .map(|user| user.facts.clone())
            .unwrap_or_default()
    }

    /// Stores a fact, whatever the grants are.
    pub(super) fn put(&mut self, user_id: &UserId, fact: FakeFact) {
        let now = self.now();
        self.user(user_id).learn(vec![fact], &now);
        self.demo = false;
    }

    /// Revokes what the user granted. Even if that was nothing yet, the agent's first call does
    /// not make a grant any more.
    pub(super) fn revoke_all(&mut self, user_id: &UserId) {
        let (now, key) = (self.now(), self.key_scopes);
        self.user(user_id).grants.refuse(key, &now);
    }

    pub(super) fn inject(&mut self, user_id: &UserId, base_prompt: &str) -> InjectResponse {
        let (now, key, demo) = (self.now(), self.key_scopes, self.demo);
        let user = self.user(user_id);
        user.grants.at_first_call(key, &now);
        let Some(scopes) = user.grants.effective(key, &now) else {
            return match user.grants.consent_url() {
                Some(page) => render::must_ask(base_prompt, page),
                None => render::unchanged(base_prompt, InjectReason::NoGrant),
            };
        };
        if scopes.is_empty() {
            return render::unchanged(base_prompt, InjectReason::NoScopes);
        }
        if user.facts.is_empty() && demo {
            return render::seeded(base_prompt, &within(scopes, &render::demo()));
        }
        if user.facts.is_empty() {
            return render::unchanged(base_prompt, InjectReason::Empty);
        }
        let granted = within(scopes, &user.facts);
        if granted.is_empty() {
            return render::unchanged(base_prompt, InjectReason::EmptyCapsule);
        }
        render::enriched(base_prompt, &granted)
    }

    /// The first half of an update: everything before the extraction.
    pub(super) fn begin(&mut self, interaction: &Interaction) -> Result<UpdateStart, Error> {
        let (now, key) = (self.now(), self.key_scopes);
        let user = self.user(&interaction.user_id);
        user.grants.at_first_call(key, &now);
        let granted = user.grants.effective(key, &now);
        let granted = granted.ok_or_else(|| user.grants.no_grant())?;
        let deletions = user.deletions;
        if let Some(answer) = self.stored_answer(interaction, granted)? {
            return Ok(UpdateStart::Answered(answer.into()));
        }
        if self.is_used_up(&now) {
            let mut answer = UpdateResponse::default();
            answer.limit_reached = Some(true);
            return Ok(UpdateStart::Answered(
                self.answered(interaction, answer).into(),
            ));
        }
        Ok(UpdateStart::Proceed { deletions })
    }

    /// The second half: stores the facts in scopes that are granted by now. A revocation, a
    /// deletion or an answer since the first half takes precedence.
    pub(super) fn learn(
        &mut self,
        interaction: &Interaction,
        deletions: u32,
        facts: Vec<FakeFact>,
    ) -> Result<UpdateResponse, Error> {
        let (now, key) = (self.now(), self.key_scopes);
        let user = self.user(&interaction.user_id);
        let granted = user.grants.effective(key, &now).ok_or_else(no_grant)?;
        if user.deletions != deletions {
            return Err(no_grant());
        }
        if let Some(answer) = self.stored_answer(interaction, granted)? {
            return Ok(answer);
        }
        let facts = facts.into_iter().filter(|fact| !fact.value().is_empty());
        let (allowed, denied): (Vec<_>, Vec<_>) =
            facts.partition(|fact| granted.contains(fact.scope()));
        let denied: ScopeSet = denied.iter().map(FakeFact::scope).collect();
        let room = self.facts_in_scope;
        let user = self.user(&interaction.user_id);
        let written = user.learn(allowed, &now);
        let evicted = room.map_or_else(Vec::new, |room| user.make_room(room));
        if !written.is_empty() {
            self.demo = false;
        }
        self.count(&now);
        let mut answer = updated(delta(&written));
        answer.evicted = (!evicted.is_empty()).then(|| delta(&evicted));
        answer.outcome =
            (written.is_empty() && denied.is_empty()).then_some(UpdateOutcome::NothingNew);
        if !denied.is_empty() {
            let notice = "Facts in scopes that are not granted were dropped.";
            answer.denied_scopes = Some(denied.names());
            answer.notice = Some(notice.to_owned());
        }
        Ok(self.answered(interaction, answer))
    }

    pub(super) fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        let now = self.now();
        let user = self.users.get(user_id).ok_or_else(no_grant)?;
        let scopes = user.grants.effective(self.key_scopes, &now);
        let scopes = scopes.ok_or_else(no_grant)?;
        let granted_at = user.grants.newest().map(|grant| grant.created_at.clone());
        let changed = user.changed.clone().or(granted_at).unwrap_or(now);
        let slice = |scope: Scope| within(scopes.intersection(scope.into()), &user.facts);
        let list = |scope| -> Vec<Fact> { slice(scope).into_iter().map(wire).collect() };
        let mut context = Context::empty(user_id.clone(), changed);
        context.communication_style = text(&slice(Scope::CommunicationStyle)).into();
        context.ongoing_tasks = list(Scope::Goals);
        context.key_relationships = list(Scope::Relationships);
        context.domain_expertise = list(Scope::Knowledge);
        context.raw_history = Some(list(Scope::History).into_iter().map(Into::into).collect());
        context.preferences = map(&slice(Scope::Preferences));
        context.general = Some(map(&slice(Scope::General)));
        Ok(context)
    }

    /// The facts one by one. All are the agent's own, because there is no other agent.
    pub(super) fn fact_records(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        let now = self.now();
        let user = self.users.get(user_id).ok_or_else(no_grant)?;
        let scopes = user.grants.effective(self.key_scopes, &now);
        let scopes = scopes.ok_or_else(no_grant)?;
        let stored_at = user.changed.clone().unwrap_or(now);
        let by_scope = Scope::ALL
            .into_iter()
            .flat_map(|scope| within(scopes.intersection(scope.into()), &user.facts));
        let records = by_scope.map(|fact| {
            let mut record = FactRecord::new(
                fact.id(),
                fact.scope(),
                fact.value(),
                SourceType::Observed,
                stored_at.clone(),
            );
            record.name = fact.name().map(ToOwned::to_owned);
            record
        });
        Ok(records.collect())
    }

    pub(super) fn delete_fact(&mut self, user_id: &UserId, fact_id: &str) -> Result<(), Error> {
        let (now, key) = (self.now(), self.key_scopes);
        let user = self.user(user_id);
        let scopes = user.grants.effective(key, &now).ok_or_else(no_grant)?;
        let found = user
            .facts
            .iter()
            .position(|fact| scopes.contains(fact.scope()) && fact.id() == fact_id);
        let Some(place) = found else {
            let why = "There is no such fact, or it has changed since it was listed.";
            return Err(ServiceError::NotFound.with_message(why).into());
        };
        user.facts.remove(place);
        user.changed = Some(now);
        Ok(())
    }

    pub(super) fn delete_context(&mut self, user_id: &UserId) -> Result<(), Error> {
        let (now, key) = (self.now(), self.key_scopes);
        let user = self.user(user_id);
        if user.grants.effective(key, &now).is_none() {
            let since = user.deleted_at.as_ref().map(|at| now.at() - at.at());
            return match since {
                Some(since) if since < TOLD_AGAIN => Ok(()),
                _ => Err(no_grant()),
            };
        }
        user.deleted_at = Some(now);
        user.grants.revoke_all();
        user.facts.clear();
        user.changed = None;
        user.deletions += 1;
        // The stored answers may contain facts. That they were given must stay known.
        for record in self.answers.values_mut() {
            if record.interaction.user_id == *user_id {
                record.answer = updated(Delta::default());
                record.answer.outcome = Some(UpdateOutcome::NothingNew);
            }
        }
        Ok(())
    }

    /// Creates a grant, made by the signed-in user or, without a session, by the agent.
    pub(super) fn create_grant(
        &mut self,
        request: &GrantRequest,
        session: Option<&UserId>,
    ) -> Result<Grant, Error> {
        let (now, key) = (self.now(), self.key_scopes);
        let user = self.user(&request.user_id);
        let grant = user.grants.create(request, session, key, &now)?;
        user.deleted_at = None;
        Ok(grant)
    }

    pub(super) fn revoke_grant(&mut self, user_id: &UserId, grant_id: &str) -> Result<(), Error> {
        if self.user(user_id).grants.revoke(grant_id) {
            Ok(())
        } else {
            let why = "There is no such grant.";
            Err(ServiceError::NotFound.with_message(why).into())
        }
    }

    fn user(&mut self, user_id: &UserId) -> &mut StoredUser {
        let user = self.users.entry(user_id.clone()).or_default();
        user.grants.asks = self.asks;
        user
    }

    /// The answer that was given to this interaction before, as far as it is granted now. Another
    /// interaction with the same key is an error.
    fn stored_answer(
        &self,
        interaction: &Interaction,
        granted: ScopeSet,
    ) -> Result<Option<UpdateResponse>, Error> {
        match self.answers.get(interaction.idempotency_key()) {
            None => Ok(None),
            Some(record) if record.interaction == *interaction => {
                let mut answer = record.answer.clone();
                let is_granted = |key: &str| granted.iter().any(|scope| scope.storage_key() == key);
                for delta in [&mut answer.delta, &mut answer.evicted]
                    .into_iter()
                    .flatten()
                {
                    delta.0.retain(|key, _| is_granted(key));
                }
                Ok(Some(answer))
            }
            Some(_) => Err(ServiceError::BadRequest
                .with_message("Idempotency-Key: it was used with a different request")
                .into()),
        }
    }

    fn answered(&mut self, interaction: &Interaction, answer: UpdateResponse) -> UpdateResponse {
        self.interactions.push(interaction.clone());
        let record = IdempotencyRecord {
            interaction: interaction.clone(),
            answer: answer.clone(),
        };
        let key = interaction.idempotency_key().to_owned();
        self.answers.insert(key, record);
        answer
    }

    fn is_used_up(&self, now: &Timestamp) -> bool {
        let used = match &self.used {
            (in_month, used) if *in_month == month(now) => *used,
            _ => 0,
        };
        self.monthly_quota.is_some_and(|quota| used >= quota)
    }

    fn count(&mut self, now: &Timestamp) {
        let month = month(now);
        let before = if self.used.0 == month { self.used.1 } else { 0 };
        self.used = (month, before.saturating_add(1));
    }
}

impl StoredUser {
    /// Stores facts, and returns those that are new or changed. If two facts have the same
    /// slot, the last one counts.
    fn learn(&mut self, facts: Vec<FakeFact>, now: &Timestamp) -> Vec<FakeFact> {
        let mut last: Vec<FakeFact> = Vec::new();
        for fact in facts {
            match last.iter_mut().find(|other| other.is_in_slot_of(&fact)) {
                Some(other) => *other = fact,
                None => last.push(fact),
            }
        }
        let mut written = Vec::new();
        for fact in last {
            let known = self
                .facts
                .iter_mut()
                .find(|known| known.is_in_slot_of(&fact));
            match known {
                Some(known) if known.says_the_same_as(&fact) => continue,
                Some(known) => *known = fact.clone(),
                None => self.facts.push(fact.clone()),
            }
            written.push(fact);
        }
        if !written.is_empty() {
            self.changed = Some(now.clone());
        }
        written
    }

    /// Drops the oldest facts of each scope that has more than so many, and returns them.
    fn make_room(&mut self, facts: usize) -> Vec<FakeFact> {
        let mut evicted = Vec::new();
        for scope in Scope::ALL {
            while within(scope.into(), &self.facts).len() > facts {
                let oldest = self.facts.iter().position(|fact| fact.scope() == scope);
                evicted.extend(oldest.map(|oldest| self.facts.remove(oldest)));
            }
        }
        evicted
    }
}

fn updated(delta: Delta) -> UpdateResponse {
    let mut answer = UpdateResponse::default();
    answer.updated = true;
    answer.delta = Some(delta);
    answer
}

fn no_grant() -> Error {
    ServiceError::Forbidden.into()
}

/// The calendar month in UTC.
fn month(now: &Timestamp) -> String {
    now.at().format("%Y-%m").to_string()
}

fn within(scopes: ScopeSet, facts: &[FakeFact]) -> Vec<&FakeFact> {
    facts
        .iter()
        .filter(|fact| scopes.contains(fact.scope()))
        .collect()
}

fn delta(facts: &[FakeFact]) -> Delta {
    let mut delta = Delta::default();
    for scope in Scope::ALL {
        let slice = within(scope.into(), facts);
        if !slice.is_empty() {
            let value = match scope.kind() {
                SliceKind::Map => DeltaValue::Map(map(&slice)),
                SliceKind::Text => DeltaValue::Text(text(&slice).into()),
                SliceKind::List => DeltaValue::List(slice.into_iter().map(wire).collect()),
            };
            delta.0.insert(scope.storage_key().to_owned(), value);
        }
    }
    delta
}

fn wire(fact: &FakeFact) -> Fact {
    Fact::new(fact.value(), SourceType::Observed)
}

fn map(facts: &[&FakeFact]) -> FactMap {
    let named = |fact: &&FakeFact| Some((fact.name()?.to_owned(), wire(fact)));
    facts.iter().filter_map(named).collect()
}

fn text(facts: &[&FakeFact]) -> String {
    let values: Vec<&str> = facts.iter().map(|fact| fact.value()).collect();
    values.join("; ")
}
