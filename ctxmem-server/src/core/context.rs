//! Reading and deleting what is remembered of a user.

use std::sync::Arc;

use ctxmem_types::{Context, Scope, ScopeSet, Timestamp, UserId};

use super::{Core, Error, Key, State, merge};
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
    /// When it answers, the bytes are gone from the database's files. The work goes on to its
    /// end even when the caller stops waiting: an erasure without its purge is half done.
    pub async fn delete_context(self: &Arc<Self>, key: Key, user_id: UserId) -> Result<(), Error> {
        let core = Arc::clone(self);
        self.tasks
            .spawn(async move { core.delete_context_here(&key, user_id).await })
            .await
            .map_err(|_| StoreError::Interrupted)?
    }

    async fn delete_context_here(&self, key: &Key, user_id: UserId) -> Result<(), Error> {
        let now = self.now();
        let agent_id = key.agent_id.clone();
        self.db
            .write(move |tx| {
                let (agent_id, user_id) = (agent_id.clone(), user_id.clone());
                Box::pin(async move {
                    let grant = tx.latest_grant(&agent_id, &user_id).await?;
                    if grant.is_none_or(|grant| grant.state(now) != State::Active) {
                        return Err(Error::NO_GRANT);
                    }
                    Ok(tx.erase_user(&user_id, now).await?)
                })
            })
            .await?;
        Ok(self.db.purge().await?)
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
