//! Deleting everything that is remembered of a user: by an agent, and by the user.

use std::sync::Arc;

use ctxmem_types::{DeleteResponse, UserId};

use super::idempotency::IdempotentRequest;
use super::{Error, IdempotencyKey, Key, Memory, NewsKind, Reply, State, audit, json, unit};
use crate::store::{Action, Actor, AuditEvent, AuditRow, Tx};

/// For how long an agent that erased a user is told so again.
const REPEATED_MILLIS: i64 = 60 * 60 * 1_000;

impl Memory {
    /// Permanently erases everything that is remembered of the user, and revokes every grant. When
    /// it answers, the user's key is destroyed, so no copy of the data can be read any more. Once
    /// begun, it runs to its end even if the caller stops waiting.
    ///
    /// An agent whose answer got lost may ask again, although the erasure has revoked its grant:
    /// for an hour it gets the same answer, and with an idempotency key for a day. Refused when the
    /// user grants the agent nothing that its key reaches, or has paused all access.
    pub async fn delete_context(
        self: &Arc<Self>,
        key: Key,
        user_id: UserId,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Result<Reply<DeleteResponse>, Error> {
        let idempotent = idempotency_key.map(|name| {
            self.idempotent_request(
                &key.agent_id,
                &name,
                &user_id,
                &[Some("delete"), Some(user_id.as_str())],
            )
        });
        let lock = self.lock_idempotency_key(idempotent.as_ref()).await;
        let core = Arc::clone(self);
        self.to_its_end(async move {
            let _lock = lock;
            let erased = core.erase(&key, user_id, idempotent).await;
            // One that was answered before is not counted again.
            if !matches!(erased, Ok(Reply::Replayed(_))) {
                core.metrics.record_erasure(&erased);
            }
            erased
        })
        .await
    }

    async fn erase(
        &self,
        key: &Key,
        user_id: UserId,
        idempotent: Option<IdempotentRequest>,
    ) -> Result<Reply<DeleteResponse>, Error> {
        let agent_id = &key.agent_id;
        let answer = self.erase_unit(key, &user_id, idempotent).await;
        match answer {
            Ok(Some(Reply::Fresh(answer))) => {
                let user_key = self.db.user_key(&user_id);
                self.grants.access.forget(user_key);
                self.grants.waiting.forget(&user_key);
                self.grants.tell(NewsKind::MemoryErased, &user_id, agent_id);
                self.note(agent_id, user_id, None, audit::NONE);
                Ok(Reply::Fresh(answer))
            }
            Ok(Some(Reply::Replayed(answer))) => {
                // The first time the rows may have gone and the key have stayed.
                self.db.complete_erasures().await?;
                Ok(Reply::Replayed(answer))
            }
            // Anybody can make up user ids, so nothing is written about them.
            Ok(None) => Err(Error::NO_GRANT),
            Err(error) => {
                self.grants.access.forget(self.db.user_key(&user_id));
                self.note_error(agent_id, user_id, Action::Erase, &error);
                Err(error)
            }
        }
    }

    /// Erases the rows, and destroys the key under which they were sealed. `None` for a user of
    /// whom nothing was ever stored.
    async fn erase_unit(
        &self,
        key: &Key,
        user_id: &UserId,
        idempotent: Option<IdempotentRequest>,
    ) -> Result<Option<Reply<DeleteResponse>>, Error> {
        self.claim_idempotency_key(idempotent.as_ref()).await?;
        let (now, clock) = (self.clock.millis(), self.grant_clock.clone());
        let (agent_id, user_id) = (key.agent_id.to_string(), user_id.clone());
        let key_scopes = key.scopes;
        let consent_url = self.grants.consent_url(&key.agent_id);
        let given = (clock, consent_url, agent_id, user_id, idempotent);
        unit::write(&self.db, async move |tx| {
            let (clock, consent_url, agent_id, user_id, idempotent) = &given;
            let user = tx.lock_user(user_id).await?;
            if let Some(request) = idempotent
                && let Some(answer) = request.find_answer(tx, now).await?
            {
                return Ok(Some(Reply::Replayed(answer)));
            }
            let Some(user) = user else {
                return Ok(None);
            };
            // Before the grant is read: that it is noted as expired meanwhile is not in it.
            let grant_now = clock.now();
            let grant = tx.latest_grant(agent_id, user_id).await?;
            let mut answer = DeleteResponse::new(true);
            answer.consent_url = Some(consent_url.clone());
            let terms = grant.map(|grant| grant.terms());
            clock.observe(terms.as_ref(), grant_now);
            let effective = terms.and_then(|terms| terms.effective(key_scopes, grant_now));
            let Some(effective) = effective else {
                let since = now - REPEATED_MILLIS;
                // What came after its erasure would not be erased by saying so.
                return if !user.has_key && tx.has_erased(agent_id, user_id, since).await? {
                    Ok(Some(Reply::Replayed(json(&answer)?)))
                } else {
                    Err(Error::NO_GRANT)
                };
            };
            if user.paused {
                return Err(Error::PAUSED);
            }
            // An agent that may read and write a part may erase everything: nobody is left
            // with something that they asked an agent to forget.
            if effective.is_empty() {
                return Err(Error::NO_SCOPES);
            }
            let erased = tx.erase_user(user_id, now).await?;
            let event = AuditEvent::new(Action::Erase, Actor::Agent, now)
                .agent(agent_id)
                .scopes(erased.scopes)
                .facts(erased.facts)
                .grants(erased.grants);
            tx.audit(Some(user_id), &event).await?;
            if let Some(request) = idempotent {
                request.record(tx, None, &answer, now).await?;
            }
            Ok(Some(Reply::Fresh(answer)))
        })
        .await
    }

    /// Erases everything for the signed-in user, whatever grants there are. Answers the id of the
    /// entry in the audit log that serves as the receipt.
    pub async fn erase_own(self: &Arc<Self>, user_id: UserId) -> Result<String, Error> {
        let core = Arc::clone(self);
        self.to_its_end(async move { core.erase_for(user_id, Actor::User).await })
            .await
    }

    /// The same by an operator, for a user who asked for it. `None` for a user of whom nothing was ever
    /// stored.
    pub async fn erase_by_operator(&self, user_id: UserId) -> Result<Option<String>, Error> {
        if self.db.user_record(&user_id).await?.is_none() {
            return Ok(None);
        }
        self.erase_for(user_id, Actor::Operator).await.map(Some)
    }

    async fn erase_for(&self, user_id: UserId, actor: Actor) -> Result<String, Error> {
        let (now, grant_now) = (self.clock.millis(), self.grant_clock.now());
        let user_key = self.db.user_key(&user_id);
        let receipt = unit::write(&self.db, async move |tx| {
            erase_whole(tx, &user_id, actor, now, grant_now).await
        })
        .await;
        self.metrics.record_erasure(&receipt);
        let receipt = receipt?;
        self.grants.access.forget(user_key);
        self.grants.waiting.forget(&user_key);
        Ok(receipt)
    }

    /// The entry in the audit log about an erasure of this user's data.
    pub async fn receipt(&self, user_id: &UserId, id: &str) -> Result<AuditRow, Error> {
        let found = unit::read(&self.db, async |tx| tx.event(user_id, id).await).await?;
        found
            .filter(|row| row.event.action == Action::Erase)
            .ok_or(Error::NotFound("There is no such receipt."))
    }

    /// Completes erasures that were interrupted between the removal of the rows and the
    /// destruction of the key. Answers how many there were.
    pub async fn complete_erasures(&self) -> Result<usize, Error> {
        let completed = self.db.complete_erasures().await.map_err(Error::from);
        if completed.is_err() {
            self.metrics.record_erasure(&completed);
        }
        completed
    }

    /// On Postgres, removes the bytes of destroyed keys from the table of keys. Fails also when
    /// somebody used the table all the time.
    pub async fn rewrite_keys_if_due(&self) -> Result<(), Error> {
        Ok(self.db.rewrite_keys_if_due().await?)
    }
}

async fn erase_whole(
    tx: &mut Tx,
    user_id: &UserId,
    actor: Actor,
    now: i64,
    grant_now: i64,
) -> Result<String, Error> {
    tx.lock_or_note_user(user_id).await?;
    // Those that had expired are revoked as well, but nobody loses access by that.
    let grants = tx.grants(user_id).await?;
    let active = grants
        .iter()
        .filter(|access| access.grant.state(grant_now) == State::Active);
    let erased = tx.erase_user(user_id, now).await?;
    // A user who wants nothing to be known wants to be asked before an agent begins again.
    tx.set_asks(user_id, true).await?;
    let event = AuditEvent::new(Action::Erase, actor, now)
        .scopes(erased.scopes)
        .facts(erased.facts)
        .grants(active.count());
    Ok(tx.audit(Some(user_id), &event).await?)
}
