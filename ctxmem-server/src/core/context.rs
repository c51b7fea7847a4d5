//! Reading what is remembered of a user.

use ctxmem_types::{Context, Scope, ScopeSet, Timestamp, UserId};

use super::journal::Event;
use super::{Core, Error, Key, audit, merge};
use crate::store::{Action, Capsule, Outcome, StoreError, StoredFact};

impl Core {
    /// The context of a user in the scopes that the agent can reach; the others are empty.
    pub async fn context(&self, key: &Key, user_id: UserId) -> Result<Context, Error> {
        match self.context_and_scopes(key, &user_id).await {
            Ok((context, scopes)) => {
                let outcome = if scopes.is_empty() {
                    Outcome::Nothing
                } else {
                    Outcome::Done
                };
                let event = Event {
                    scopes,
                    ..Event::new(Action::Read, outcome)
                };
                self.note(&key.agent_id, user_id, Some(event), audit::NONE);
                Ok(context)
            }
            Err(error) => {
                self.note_error(&key.agent_id, user_id, Action::Read, &error);
                Err(error)
            }
        }
    }

    /// The same, with the scopes in which it holds something.
    async fn context_and_scopes(
        &self,
        key: &Key,
        user_id: &UserId,
    ) -> Result<(Context, ScopeSet), Error> {
        let capsule = self.capsule(key, user_id).await?;
        let grant = capsule.grant.as_ref().ok_or(Error::NO_GRANT)?;
        let scopes = grant
            .effective(key.scopes, self.now())
            .ok_or(Error::NO_GRANT)?;
        let changed = capsule.last_updated.unwrap_or(grant.created_at);
        let changed = Timestamp::from_unix_millis(changed)
            .ok_or(StoreError::Corrupt("users.last_updated"))?;
        let context = collect(Context::empty(user_id.clone(), changed), scopes, &capsule);
        Ok((context, capsule.scopes().intersection(scopes)))
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
