//! Facts one by one, for agents and for programs of the user's own: with ids by which they can be
//! deleted.

use std::sync::Arc;

use ctxmem_types::{
    DeleteResponse, FactRecord, FactSearchRequest, FactsResponse, ScopeSet, Timestamp, UserId,
};

use super::idempotency::IdempotentRequest;
use super::{Caller, Error, IdempotencyKey, Key, Memory, NewsKind, Reply, audit, relevance, unit};
use crate::failpoint;
use crate::store::{
    Action, Actor, AuditEvent, Author, FactVersion, FactWithProvenance, FactsWanted, StoreError,
    StoredFact, Tx,
};

/// An id names a fact as it was when it was listed, so one that has changed since is another.
const NO_FACT: Error = Error::NotFound(
    "There is no such fact, or it has changed since it was listed. List the facts again.",
);

/// How long a query is at most, in characters.
const MAX_QUERY: usize = 1_000;
/// How many facts are found if nobody says how many, and how many at most.
const USUAL_FINDS: u32 = 10;
const MAX_FINDS: u32 = 100;

impl Memory {
    /// The facts in the scopes that the caller may read, by scope and in the order of storing.
    /// Fails with [`Error::Forbidden`] without an active grant, or for another user than the one
    /// who is signed in.
    pub async fn fact_records(
        &self,
        caller: &Caller,
        user_id: UserId,
    ) -> Result<FactsResponse, Error> {
        self.read_facts(caller, user_id, Action::Read, |facts| facts)
            .await
    }

    /// The facts that bear on a query, among those that the caller may read: those that bear on it
    /// most first. The audit log says that facts were searched, and never for what.
    pub async fn search_facts(
        &self,
        caller: &Caller,
        user_id: UserId,
        request: &FactSearchRequest,
    ) -> Result<FactsResponse, Error> {
        caller.check_user(&user_id)?;
        let (query, limit) = checked(request)?;
        self.read_facts(caller, user_id, Action::Search, |facts| {
            let worded: Vec<&StoredFact> = facts.iter().map(|stored| &stored.fact).collect();
            let ranked = relevance::ranked(query, &worded).into_iter();
            let found = ranked.filter_map(|n| facts.get(n)).take(limit);
            found.cloned().collect()
        })
        .await
    }

    /// Those of the facts that the caller may read which are chosen. What an agent does is noted.
    async fn read_facts(
        &self,
        caller: &Caller,
        user_id: UserId,
        action: Action,
        choose: impl FnOnce(Vec<FactWithProvenance>) -> Vec<FactWithProvenance> + Send,
    ) -> Result<FactsResponse, Error> {
        caller.check_user(&user_id)?;
        let key = match caller {
            Caller::User(_) => {
                let facts = self.facts_with_provenance(&user_id).await?;
                return records(&choose(facts), |_| true);
            }
            Caller::Key(key) => key,
        };
        let read = self.facts_for(key, &user_id).await.and_then(|facts| {
            let chosen = choose(facts);
            let scopes = chosen.iter().map(|stored| stored.fact.scope).collect();
            let records = records(&chosen, |author| is_by(author, &key.agent_id))?;
            Ok((records, scopes))
        });
        self.note_read(key, user_id, action, read)
    }

    /// The facts that the agent may read. What it may is looked at
    /// again once they are read: a user who was told that access has ended may add a fact meanwhile,
    /// and one who erased everything has ended what the agent had before.
    async fn facts_for(
        &self,
        key: &Key,
        user_id: &UserId,
    ) -> Result<Vec<FactWithProvenance>, Error> {
        let user_key = self.db.user_key(user_id);
        let (snapshot, before) = self
            .grants
            .read_access(key, &user_key, FactsWanted::None)
            .await?;
        let before = before.ok_or(Error::NO_GRANT)?;
        failpoint::hold("between-access-and-facts").await;
        let mut facts = self.facts_with_provenance(user_id).await?;
        let (again, after) = self
            .grants
            .read_access(key, &user_key, FactsWanted::None)
            .await?;
        let after = after.filter(|_| again.epoch == snapshot.epoch);
        let scopes = before.intersection(after.ok_or(Error::NO_GRANT)?);
        facts.retain(|stored| scopes.contains(stored.fact.scope));
        Ok(facts)
    }

    /// Permanently deletes one fact, as it was when it was listed. An agent may delete what it
    /// saved itself, in scopes that it may use. Once begun, it runs to its end even if the caller
    /// stops waiting. Fails with [`Error::Forbidden`] for a fact that another agent or the user
    /// saved; [`Error::NotFound`] when there is no such fact in the scopes of the grant, or another
    /// value stands there by now.
    pub async fn delete_fact(
        self: &Arc<Self>,
        caller: Caller,
        user_id: UserId,
        fact_id: String,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Result<Reply<DeleteResponse>, Error> {
        caller.check_user(&user_id)?;
        let key = match caller {
            Caller::User(_) => {
                let seen = FactVersion::from_text(&fact_id).ok_or(NO_FACT)?;
                return match self.delete_facts(user_id, vec![seen], false).await {
                    Ok(()) => Ok(Reply::Fresh(DeleteResponse::new(true))),
                    Err(Error::NotFound(_) | Error::Conflict(_)) => Err(NO_FACT),
                    Err(error) => Err(error),
                };
            }
            Caller::Key(key) => key,
        };
        let idempotent = idempotency_key.map(|name| {
            let request = [
                Some("delete fact"),
                Some(user_id.as_str()),
                Some(fact_id.as_str()),
            ];
            self.idempotent_request(&key.agent_id, &name, &user_id, &request)
        });
        let lock = self.lock_idempotency_key(idempotent.as_ref()).await;
        let core = Arc::clone(self);
        self.to_its_end(async move {
            let _lock = lock;
            let seen = FactVersion::from_text(&fact_id);
            let deleted = core.delete_for(&key, &user_id, seen, idempotent).await;
            match &deleted {
                Ok(Reply::Fresh(_)) => {
                    let kind = NewsKind::FactDeleted;
                    core.grants.tell(kind, &user_id, &key.agent_id);
                    core.note(&key.agent_id, user_id, None, audit::NONE);
                }
                Ok(Reply::Replayed(_)) => {}
                Err(error) => core.note_error(&key.agent_id, user_id, Action::DeleteFact, error),
            }
            deleted
        })
        .await
    }

    async fn delete_for(
        &self,
        key: &Key,
        user_id: &UserId,
        seen: Option<FactVersion>,
        idempotent: Option<IdempotentRequest>,
    ) -> Result<Reply<DeleteResponse>, Error> {
        self.claim_idempotency_key(idempotent.as_ref()).await?;
        let (now, grant_time) = (self.clock.millis(), self.grant_clock.now());
        let given = (key.clone(), user_id.clone(), seen, idempotent);
        unit::write(&self.db, async move |tx| {
            let (key, user_id, seen, request) = &given;
            let user = tx.lock_user(user_id).await?;
            if let Some(request) = request
                && let Some(answer) = request.find_answer(tx, now).await?
            {
                return Ok(Reply::Replayed(answer));
            }
            let user = user.ok_or(Error::NO_GRANT)?;
            let grant = tx.latest_grant(&key.agent_id, user_id).await?;
            let scopes = grant
                .and_then(|grant| grant.effective(key.scopes, grant_time))
                .ok_or(Error::NO_GRANT)?;
            if user.paused {
                return Err(Error::PAUSED);
            }
            let seen = seen.as_ref().ok_or(NO_FACT)?;
            delete_own(tx, key, user_id, seen, scopes, now).await?;
            tx.touch_user(user_id, now, user.next_position).await?;
            let answer = DeleteResponse::new(true);
            if let Some(request) = request {
                request.record(tx, None, &answer, now).await?;
            }
            Ok(Reply::Fresh(answer))
        })
        .await
    }
}

/// The query of a search and how many facts it wants.
fn checked(request: &FactSearchRequest) -> Result<(&str, usize), Error> {
    let query = request.query.trim();
    if query.is_empty() || query.chars().count() > MAX_QUERY {
        return Err(Error::BadRequest(format!(
            "query: expected 1 to {MAX_QUERY} characters"
        )));
    }
    let limit = request.limit.unwrap_or(USUAL_FINDS);
    if !(1..=MAX_FINDS).contains(&limit) {
        return Err(Error::BadRequest(format!(
            "limit: expected a number from 1 to {MAX_FINDS}"
        )));
    }
    Ok((query, usize::try_from(limit).unwrap_or(usize::MAX)))
}

/// Deletes a fact that the agent of this key saved.
async fn delete_own(
    tx: &mut Tx,
    key: &Key,
    user_id: &UserId,
    seen: &FactVersion,
    scopes: ScopeSet,
    now: i64,
) -> Result<(), Error> {
    let stored = tx.fact_with_provenance(user_id, &seen.id).await?;
    // Whether something is there in other scopes is none of the agent's business.
    let stored = stored
        .filter(|stored| scopes.contains(stored.fact.scope))
        .filter(|stored| stored.version() == *seen)
        .ok_or(NO_FACT)?;
    if !is_by(&stored.author, &key.agent_id) {
        return Err(Error::Forbidden(
            "Another agent or the user saved this fact; an agent can only delete what it saved.",
        ));
    }
    let fact = &stored.fact;
    tx.remove_fact(user_id, fact.scope, &fact.slot).await?;
    tx.replace_key(user_id).await?;
    let event = AuditEvent::new(Action::DeleteFact, Actor::Agent, now)
        .agent(key.agent_id.to_string())
        .scopes(fact.scope.into())
        .facts(1);
    tx.audit(Some(user_id), &event).await?;
    Ok(())
}

fn is_by(author: &Author, agent_id: &str) -> bool {
    matches!(author, Author::Agent { id, .. } if id == agent_id)
}

fn records(
    facts: &[FactWithProvenance],
    may_delete: impl Fn(&Author) -> bool,
) -> Result<FactsResponse, Error> {
    let records: Result<_, Error> = facts
        .iter()
        .map(|stored| {
            let fact = &stored.fact;
            let stored_at = Timestamp::from_unix_millis(fact.first_stored_at)
                .ok_or_else(|| StoreError::corrupt("facts", "first_stored_at"))?;
            let mut record = FactRecord::new(
                stored.version().to_text(),
                fact.scope,
                &*fact.value,
                fact.source_type.clone(),
                stored_at,
            );
            record.name.clone_from(&fact.name);
            record.can_delete = may_delete(&stored.author);
            Ok(record)
        })
        .collect();
    Ok(FactsResponse::new(records?))
}
