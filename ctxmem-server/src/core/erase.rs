//! Deleting everything that is remembered of a user: by an agent, and by the user.

use std::sync::Arc;

use ctxmem_types::{DeleteResponse, Extra, UserId};

use super::idempotency::{IdempotentRequest, StoredReply};
use super::{Core, Error, IdempotencyKey, Key, Reply, State, audit, idempotency};
use crate::store::{Action, Actor, AuditEvent, AuditRow, StoreError, Tx};

impl Core {
    /// Erases everything that is remembered of the user, for good, and revokes every grant.
    /// When it answers, the bytes are gone from the database's files. Once begun, it goes on to
    /// its end even when the caller stops waiting. With an idempotency key it has its effect
    /// once, and the agent that was answered so is answered so again, although the erasure
    /// has revoked its grant.
    ///
    /// # Errors
    ///
    /// Fails when the user grants the agent nothing, when the idempotency key was used for another request,
    /// and when the database fails.
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
                &[Some("delete"), Some(user_id.as_str())],
            )
        });
        let lock = self.lock_idempotency_key(idempotent.as_ref()).await;
        let core = Arc::clone(self);
        self.tasks
            .spawn(async move {
                let _lock = lock;
                core.erase(key.agent_id, user_id, idempotent).await
            })
            .await
            .map_err(|_| StoreError::Interrupted)?
    }

    async fn erase(
        &self,
        agent_id: Arc<str>,
        user_id: UserId,
        idempotent: Option<IdempotentRequest>,
    ) -> Result<Reply<DeleteResponse>, Error> {
        let answer = self.erase_unit(&agent_id, &user_id, idempotent).await;
        match answer {
            Ok(Reply::Fresh(answer)) => {
                let purged = self.purge(&user_id).await;
                let usage = if purged.is_ok() {
                    audit::NONE
                } else {
                    audit::FAILED
                };
                self.note(&agent_id, user_id, None, usage);
                purged?;
                Ok(Reply::Fresh(answer))
            }
            Ok(Reply::Replayed(answer)) => {
                // The first time the bytes may have stayed, and the answer have been that.
                self.db.purge_if_due().await?;
                Ok(Reply::Replayed(answer))
            }
            Err(error) => {
                self.note_error(&agent_id, user_id, Action::Erase, &error);
                Err(error)
            }
        }
    }

    /// Erases the rows. Their bytes stay in the files until the purge.
    async fn erase_unit(
        &self,
        agent_id: &str,
        user_id: &UserId,
        idempotent: Option<IdempotentRequest>,
    ) -> Result<Reply<DeleteResponse>, Error> {
        let now = self.now();
        let (agent_id, user_id) = (agent_id.to_owned(), user_id.clone());
        self.db
            .write(move |tx| {
                let (agent_id, user_id, idempotent) =
                    (agent_id.clone(), user_id.clone(), idempotent.clone());
                Box::pin(async move {
                    tx.lock_user(&user_id).await?;
                    if let Some(request) = &idempotent {
                        match request.find_reply(tx, now).await? {
                            None => {}
                            Some(StoredReply::Answer(answer)) => {
                                return Ok(Reply::Replayed(answer));
                            }
                            // An erasure is recorded without its user, so no erasure clears it.
                            Some(StoredReply::Erased) => return Err(idempotency::used_otherwise()),
                        }
                    }
                    let grant = tx.latest_grant(&agent_id, &user_id).await?;
                    if grant.is_none_or(|grant| grant.state(now) != State::Active) {
                        return Err(Error::NO_GRANT);
                    }
                    let erased = tx.erase_user(&user_id, now).await?;
                    let event = AuditEvent::new(Action::Erase, Actor::Agent, now)
                        .agent(agent_id)
                        .scopes(erased.scopes)
                        .facts(erased.facts)
                        .grants(erased.grants);
                    tx.audit(Some(&user_id), &event).await?;
                    let answer = DeleteResponse {
                        deleted: true,
                        extra: Extra::new(),
                    };
                    if let Some(request) = idempotent {
                        request.record(tx, None, &answer, now).await?;
                    }
                    Ok(Reply::Fresh(answer))
                })
            })
            .await
    }

    /// Erases everything for the signed-in user, whatever grants there are. Answers the id of the
    /// entry in the audit log that serves as the receipt.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn erase_own(self: &Arc<Self>, user_id: UserId) -> Result<String, Error> {
        let core = Arc::clone(self);
        self.tasks
            .spawn(async move {
                let now = core.now();
                let erased = user_id.clone();
                let receipt: String = core
                    .db
                    .write(move |tx| {
                        let user_id = user_id.clone();
                        Box::pin(async move { erase_own(tx, &user_id, now).await })
                    })
                    .await?;
                core.purge(&erased).await?;
                Ok(receipt)
            })
            .await
            .map_err(|_| StoreError::Interrupted)?
    }

    /// The entry in the audit log about an erasure of this user's data.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
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

    /// Leaves nothing of a user who was erased, neither in the files nor in memory.
    pub(super) async fn purge(&self, user_id: &UserId) -> Result<(), StoreError> {
        self.access.forget(self.db.user_key(user_id));
        self.db.purge().await
    }

    /// Finishes erasures whose bytes could not be removed at once.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn finish_erasures(&self) -> Result<(), Error> {
        Ok(self.db.purge_if_due().await?)
    }

    /// Removes the bytes of what users deleted piece by piece since the last time: many
    /// deletions share what one would cost.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn finish_deletions(&self) -> Result<(), Error> {
        Ok(self.db.purge_if_noted().await?)
    }
}

async fn erase_own(tx: &mut Tx, user_id: &UserId, now: i64) -> Result<String, Error> {
    tx.lock_user(user_id).await?;
    // Those that had expired are revoked as well, but nobody loses access by that.
    let grants = tx.grants(user_id).await?;
    let active = grants
        .iter()
        .filter(|access| access.grant.state(now) == State::Active);
    let erased = tx.erase_user(user_id, now).await?;
    let event = AuditEvent::new(Action::Erase, Actor::User, now)
        .scopes(erased.scopes)
        .facts(erased.facts)
        .grants(active.count());
    Ok(tx.audit(Some(user_id), &event).await?)
}
