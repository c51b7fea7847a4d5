//! Reading and deleting what is remembered of a user.

use std::sync::Arc;

use ctxmem_types::{Context, DeleteResponse, Extra, Scope, ScopeSet, Timestamp, UserId};

use super::idempotency::{Earlier, Once};
use super::journal::Event;
use super::{Answered, Core, Error, IdempotencyKey, Key, State, audit, idempotency, merge};
use crate::store::{Action, Actor, AuditEvent, Capsule, Outcome, StoreError, StoredFact};

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
        let answer = self.erase_unit(&agent_id, &user_id, once).await;
        match answer {
            Ok(Answered::Now(answer)) => {
                let purged = self.db.purge().await;
                let usage = if purged.is_ok() {
                    audit::NONE
                } else {
                    audit::FAILED
                };
                self.note(&agent_id, user_id, None, usage);
                purged?;
                Ok(Answered::Now(answer))
            }
            Ok(Answered::Before(answer)) => {
                // The first time the bytes may have stayed, and the answer have been that.
                self.db.purge_if_due().await?;
                Ok(Answered::Before(answer))
            }
            Err(error) => {
                self.note_error(&agent_id, user_id, Action::Erase, &error);
                Err(error)
            }
        }
    }

    /// The erasure, less the bytes that stay in the files.
    async fn erase_unit(
        &self,
        agent_id: &str,
        user_id: &UserId,
        once: Option<Once>,
    ) -> Result<Answered<DeleteResponse>, Error> {
        let now = self.now();
        let (agent_id, user_id) = (agent_id.to_owned(), user_id.clone());
        self.db
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
                    let erased = tx.erase_user(&user_id, now).await?;
                    let event = AuditEvent::new(Action::Erase, Actor::Agent, now)
                        .agent(agent_id)
                        .scopes(erased.scopes)
                        .facts(erased.facts);
                    tx.audit(Some(&user_id), &event).await?;
                    let answer = DeleteResponse {
                        deleted: true,
                        extra: Extra::new(),
                    };
                    if let Some(once) = once {
                        once.record(tx, None, &answer, now).await?;
                    }
                    Ok(Answered::Now(answer))
                })
            })
            .await
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
