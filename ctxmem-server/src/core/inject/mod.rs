//! Inject: a base prompt in, an enriched system prompt out.
//!
//! [`outcome`] decides what the agent learns about the user, as a pure function of the facts, the
//! grant and the key. [`reply`] writes that as the JSON of the answer. Both only run when the
//! answer is not in memory any more: [`super::access`] knows that, and reads what they need.

mod outcome;
mod reply;

use std::sync::Arc;

use ctxmem_types::{InjectRequest, UserId};

use super::access::CachedAnswer;
use super::audit_buffer::Event;
use super::{Core, Error, Key, audit};
use crate::store::{Action, Hash, Outcome, Usage};
pub use outcome::InjectOutcome;
pub(super) use outcome::inject_outcome;
pub use reply::InjectReply;

impl Core {
    /// Adds what the agent may know about the user to the prompt. The first call of an agent for
    /// a user makes the grant, unless the user has to be asked. `key` may come from
    /// [`Core::cached_key`]: whether it still works is checked here.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidKey`], [`Error::Forbidden`] when the request names another agent than the
    /// key's, and when the store fails. An agent without a grant gets an answer, not an error.
    pub async fn inject(&self, key: &Key, request: InjectRequest) -> Result<InjectReply, Error> {
        self.check_agent(key, &request.user_id, request.agent_id.as_deref())
            .await?;
        let answer = self.answer_inject(key, &request.user_id).await;
        self.note_use(key, &answer);
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
                    None => self.audit_buffer.count(&key.agent_id, usage, self.now()),
                }
                Ok(InjectReply::new(answer, request.base_prompt, request.parts))
            }
            Err(error) => {
                self.note_error(&key.agent_id, request.user_id, Action::Inject, &error);
                Err(error)
            }
        }
    }

    async fn answer_inject(&self, key: &Key, user_id: &UserId) -> Result<Arc<CachedAnswer>, Error> {
        let user_key = self.db.user_key(user_id);
        let (granted, answer) = self.cached_or_rendered(key, &user_key).await?;
        if granted || !self.first_call(key, user_id, &user_key).await? {
            return Ok(answer);
        }
        let (_, answer) = self.cached_or_rendered(key, &user_key).await?;
        Ok(answer)
    }

    async fn cached_or_rendered(
        &self,
        key: &Key,
        user_key: &Hash,
    ) -> Result<(bool, Arc<CachedAnswer>), Error> {
        let (budget, demo) = (self.settings.token_budget, self.settings.demo);
        self.cached_answer(key, user_key, |snapshot, effective| {
            let outcome = inject_outcome(snapshot, effective, budget, demo);
            let consent_url = self.consent_url(&key.agent_id);
            reply::render_answer(outcome, snapshot.facts(), effective, &consent_url)
        })
        .await
    }
}
