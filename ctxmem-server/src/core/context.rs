//! Reading what is remembered about a user.

use ctxmem_types::{Context, Scope, ScopeSet, Timestamp, UserId};

use super::{Error, Key, Memory, merge};
use crate::store::{self, Action, FactsWanted, StoreError, StoredFact};

impl Memory {
    /// The context of a user in the scopes that are effective for the agent; the others are empty.
    pub async fn context(&self, key: &Key, user_id: UserId) -> Result<Context, Error> {
        let read = self.context_and_scopes(key, &user_id).await;
        self.note_read(key, user_id, Action::Read, read)
    }

    /// The context, and the scopes in which it holds something.
    async fn context_and_scopes(
        &self,
        key: &Key,
        user_id: &UserId,
    ) -> Result<(Context, ScopeSet), Error> {
        let user_key = self.db.user_key(user_id);
        let (snapshot, scopes) = self
            .grants
            .read_access(key, &user_key, FactsWanted::All)
            .await?;
        let scopes = scopes.ok_or(Error::NO_GRANT)?;
        let changed_at = snapshot.changed_at.and_then(Timestamp::from_unix_millis);
        let changed_at = changed_at.ok_or_else(|| StoreError::corrupt("users", "last_updated"))?;
        let empty = Context::empty(user_id.clone(), changed_at);
        let filled = store::scopes(snapshot.facts()).intersection(scopes);
        Ok((collect(empty, scopes, snapshot.facts()), filled))
    }
}

fn collect(mut context: Context, scopes: ScopeSet, facts: &[StoredFact]) -> Context {
    let slice = |scope: Scope| -> Vec<&StoredFact> {
        facts
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
