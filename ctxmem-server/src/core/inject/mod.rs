//! Inject: a base prompt in, an enriched system prompt out.
//!
//! [`outcome`] decides what the agent learns about the user, as a pure function of the facts, the
//! grant and the key. [`reply`] writes that as the JSON of the answer. Both run only when the
//! answer is no longer in memory: [`super::access`] knows that, and reads what they need.
//!
//! A request may bring the user's message. Where the block has no room for everything, the facts that
//! bear on it are read and looked for then ([`super::relevance`]), and stand in a field of their own:
//! the block's bytes are the same for every message.

mod outcome;
mod reply;

use std::sync::Arc;

use ctxmem_types::{InjectRequest, UserId};

use super::access::CachedAnswer;
use super::audit_buffer::Event;
use super::{Error, Key, Memory, audit, relevance, render};
use crate::extract;
use crate::store::{Action, FactsWanted, Hash, Outcome, Usage};
pub(super) use outcome::inject_outcome;
pub use outcome::{Block, InjectOutcome};
pub use reply::InjectReply;

impl Memory {
    /// Adds what the agent may know about the user to the prompt. The first call of an agent for
    /// a user makes the grant, unless the user has to be asked. `key` may come from
    /// [`Grants::cached_key`](super::Grants::cached_key): whether it still works is checked here.
    /// An agent without a grant gets an answer, not an error.
    pub async fn inject(&self, key: &Key, request: InjectRequest) -> Result<InjectReply, Error> {
        self.grants
            .check_agent(key, &request.user_id, request.agent_id.as_deref())
            .await?;
        let user_key = self.db.user_key(&request.user_id);
        let answer = self.answer_inject(key, &request.user_id, &user_key).await;
        self.grants.note_use(key, &answer);
        match answer {
            Ok(answer) => {
                let was_let_in = |event: Event| event.outcome != Outcome::Denied;
                let usage = Usage {
                    injects: 1,
                    denied: i64::from(!answer.event.is_some_and(was_let_in)),
                    ..audit::NONE
                };
                match answer.event {
                    Some(_) => self.note(&key.agent_id, request.user_id, answer.event, usage),
                    None => self
                        .audit_buffer
                        .count(&key.agent_id, usage, self.clock.millis()),
                }
                let relevant = match &request.message {
                    Some(message) if answer.leaves_out => {
                        self.relevant(key, &user_key, message, &answer).await?
                    }
                    _ => None,
                };
                Ok(InjectReply {
                    answer,
                    base_prompt: request.base_prompt,
                    parts: request.parts,
                    relevant,
                })
            }
            Err(error) => {
                self.note_error(&key.agent_id, request.user_id, Action::Inject, &error);
                Err(error)
            }
        }
    }

    async fn answer_inject(
        &self,
        key: &Key,
        user_id: &UserId,
        user_key: &Hash,
    ) -> Result<Arc<CachedAnswer>, Error> {
        let (granted, answer) = self.cached_or_rendered(key, user_key).await?;
        if granted || !self.grants.first_call(key, user_id, user_key).await? {
            return Ok(answer);
        }
        let (_, answer) = self.cached_or_rendered(key, user_key).await?;
        Ok(answer)
    }

    /// The facts that bear on a message and that the block of the answer doesn't show, as a text. What the
    /// agent may know is looked at anew: what was revoked or erased since the block was made is not in it.
    async fn relevant(
        &self,
        key: &Key,
        user_key: &Hash,
        message: &str,
        answer: &CachedAnswer,
    ) -> Result<Option<String>, Error> {
        let read = self
            .grants
            .read_access(key, user_key, FactsWanted::All)
            .await?;
        let (snapshot, Some(scopes)) = read else {
            return Ok(None);
        };
        let granted = outcome::granted(snapshot.facts(), scopes);
        let ranked = relevance::ranked(extract::readable(message), &granted);
        let ranked = ranked.into_iter().filter_map(|n| granted.get(n).copied());
        let block = reply::block(answer).unwrap_or_default();
        Ok(render::relevant(ranked, &block))
    }

    async fn cached_or_rendered(
        &self,
        key: &Key,
        user_key: &Hash,
    ) -> Result<(bool, Arc<CachedAnswer>), Error> {
        let (budget, demo) = (self.settings.token_budget, self.settings.demo);
        self.grants
            .cached_answer(key, user_key, |snapshot, effective| {
                let outcome = inject_outcome(snapshot, effective, budget, demo);
                let consent_url = self.grants.consent_url(&key.agent_id);
                reply::render_answer(outcome, snapshot.facts(), effective, &consent_url)
            })
            .await
    }
}
