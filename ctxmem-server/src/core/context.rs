//! Reading and deleting what is remembered of a user.

use std::sync::Arc;

use ctxmem_types::{Context, DeleteResponse, Extra, Scope, ScopeSet, Timestamp, UserId};

use super::idempotency::{Earlier, Once};
use super::{Answered, Core, Error, IdempotencyKey, Key, State, idempotency, merge};
use crate::store::{Capsule, StoreError, StoredFact};

impl Core {
    /// The context of a user in the scopes that the agent can reach; the others are empty.
    pub async fn context(&self, key: &Key, user_id: UserId) -> Result<Context, Error> {
        let capsule = self.capsule(key, &user_id).await?;
        let grant = capsule.grant.as_ref().ok_or(Error::NO_GRANT)?;
        let scopes = grant
            .effective(key.scopes, self.now())
            .ok_or(Error::NO_GRANT)?;
        let changed = capsule.last_updated.unwrap_or(grant.created_at);
        let changed = Timestamp::from_unix_millis(changed)
            .ok_or(StoreError::Corrupt("users.last_updated"))?;
        Ok(collect(Context::empty(user_id, changed), scopes, &capsule))
    }

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

    /// Finishes erasures whose bytes could not be removed at once.
    pub async fn finish_erasures(&self) -> Result<(), Error> {
        Ok(self.db.purge_if_due().await?)
    }
}

fn collect(mut context: Context, scopes: ScopeSet, capsule: &Capsule) -> Context {
    let slice = |scope: Scope| -> Vec<&StoredFact> {
        capsule
            .facts
            .iter()
            .filter(|fact| fact.scope == scope && scopes.contains(scope))
            .collect()
    };
    let list = |scope| slice(scope).into_iter().map(merge::wire).collect();
    context.communication_style = merge::text(slice(Scope::CommunicationStyle)).into();
    context.ongoing_tasks = list(Scope::Goals);
    context.key_relationships = list(Scope::Relationships);
    context.domain_expertise = list(Scope::Knowledge);
    context.raw_history = Some(
        slice(Scope::History)
            .into_iter()
            .map(|fact| merge::wire(fact).into())
            .collect(),
    );
    context.preferences = merge::map(slice(Scope::Preferences));
    context.general = Some(merge::map(slice(Scope::General)));
    context
}
