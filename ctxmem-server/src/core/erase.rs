//! Deleting everything that is remembered of a user: by an agent, and by the user.

use std::sync::Arc;

use ctxmem_types::{DeleteResponse, Extra, ScopeSet, UserId};

use super::idempotency::{Earlier, Once};
use super::{Answered, Core, Error, IdempotencyKey, Key, State, idempotency};
use crate::store::{Action, Actor, AuditEvent, AuditRow, StoreError, Tx};

impl Core {
    /// Erases everything that is remembered of the user, for good, and revokes every grant.
    /// When it answers, the bytes are gone from the database's files. Once begun, it goes on to
    /// its end even when the caller stops waiting. With an idempotency key it has its effect
    /// once, and the agent that was answered so is answered so again, although the erasure
    /// has revoked its grant.
    pub async fn delete_context(
        self: &Arc<Self>,
        key: Key,
        user_id: UserId,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Result<Answered<DeleteResponse>, Error> {
        let once = idempotency_key.map(|name| {
            self.once(
                &key.agent_id,
                &name,
                &[Some("delete"), Some(user_id.as_str())],
            )
        });
        let turn = self.turn(once.as_ref()).await;
        let core = Arc::clone(self);
        self.tasks
            .spawn(async move {
                let _turn = turn;
                core.erase(key.agent_id, user_id, once).await
            })
            .await
            .map_err(|_| StoreError::Interrupted)?
    }

    async fn erase(
        &self,
        agent_id: String,
        user_id: UserId,
        once: Option<Once>,
    ) -> Result<Answered<DeleteResponse>, Error> {
        let now = self.now();
        let answer = self
            .db
            .write(move |tx| {
                let (agent_id, user_id, once) = (agent_id.clone(), user_id.clone(), once.clone());
                Box::pin(async move {
                    tx.lock_user(&user_id).await?;
                    if let Some(once) = &once {
                        match once.earlier(tx, now).await? {
                            None => {}
                            Some(Earlier::Answer(answer)) => return Ok(Answered::Before(answer)),
                            // An erasure is recorded without its user, so no erasure clears it.
                            Some(Earlier::Erased) => return Err(idempotency::used_otherwise()),
                        }
                    }
                    let grant = tx.latest_grant(&agent_id, &user_id).await?;
                    if grant.is_none_or(|grant| grant.state(now) != State::Active) {
                        return Err(Error::NO_GRANT);
                    }
                    tx.erase_user(&user_id, now).await?;
                    let answer = DeleteResponse {
                        deleted: true,
                        extra: Extra::new(),
                    };
                    if let Some(once) = once {
                        once.record(tx, None, &answer, now).await?;
                    }
                    Ok::<_, Error>(Answered::Now(answer))
                })
            })
            .await?;
        match &answer {
            Answered::Now(_) => self.db.purge().await?,
            // The first time the bytes may have stayed, and the answer have been that.
            Answered::Before(_) => self.db.purge_if_due().await?,
        }
        Ok(answer)
    }

    /// The same by the user who is signed in, whoever was granted what. Answers the id of
    /// the entry in the audit log that is the receipt.
    pub async fn erase_own(self: &Arc<Self>, user_id: UserId) -> Result<String, Error> {
        let core = Arc::clone(self);
        self.tasks
            .spawn(async move {
                let now = core.now();
                let receipt: String = core
                    .db
                    .write(move |tx| {
                        let user_id = user_id.clone();
                        Box::pin(async move { erase_own(tx, &user_id, now).await })
                    })
                    .await?;
                core.db.purge().await?;
                Ok(receipt)
            })
            .await
            .map_err(|_| StoreError::Interrupted)?
    }

    /// The entry in the audit log about an erasure of this user's data.
    pub async fn receipt(&self, user_id: &UserId, id: &str) -> Result<AuditRow, Error> {
        let (user_id, id) = (user_id.clone(), id.to_owned());
        let found = self
            .db
            .read(|tx| Box::pin(async move { tx.event(&user_id, &id).await }))
            .await?;
        found
            .filter(|row| row.event.action == Action::Erase)
            .ok_or(Error::NotFound("There is no such receipt."))
    }

    /// Finishes erasures whose bytes could not be removed at once.
    pub async fn finish_erasures(&self) -> Result<(), Error> {
        Ok(self.db.purge_if_due().await?)
    }

    /// Removes the bytes of what users deleted piece by piece since the last time: many
    /// deletions share what one would cost.
    pub async fn finish_deletions(&self) -> Result<(), Error> {
        Ok(self.db.purge_if_noted().await?)
    }
}

async fn erase_own(tx: &mut Tx, user_id: &UserId, now: i64) -> Result<String, Error> {
    tx.lock_user(user_id).await?;
    let facts = tx.remembered(user_id).await?;
    let scopes: ScopeSet = facts.iter().map(|kept| kept.fact.scope).collect();
    let grants = tx.grants(user_id).await?;
    let active = grants
        .iter()
        .filter(|access| access.grant.state(now) == State::Active);
    let event = AuditEvent::new(Action::Erase, Actor::User, now)
        .scopes(scopes)
        .facts(facts.len())
        .grants(active.count());
    tx.erase_user(user_id, now).await?;
    Ok(tx.audit(Some(user_id), &event).await?)
}
