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
use super::{Core, Error, Key, audit};
use crate::store::{Action, Hash, Outcome, Usage};
pub use outcome::InjectOutcome;
pub(super) use outcome::inject_outcome;
pub use reply::InjectReply;

impl Core {
    /// Adds what the agent may know about the user to the prompt. The first call of an agent for
    /// a user makes the grant. `key` may come from [`Core::cached_key`]: whether it still works is
    /// checked here.
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
                let usage = Usage {
                    injects: 1,
                    denied: i64::from(answer.event.outcome == Outcome::Denied),
                    ..audit::NONE
                };
                let event = Some(answer.event);
                self.note(&key.agent_id, request.user_id, event, usage);
                Ok(InjectReply::new(answer, request.base_prompt))
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
        if granted {
            return Ok(answer);
        }
        self.grant_at_first_call(key, user_id).await?;
        let (_, answer) = self.cached_or_rendered(key, &user_key).await?;
        Ok(answer)
    }

    async fn cached_or_rendered(
        &self,
        key: &Key,
        user_key: &Hash,
    ) -> Result<(bool, Arc<CachedAnswer>), Error> {
        let budget = self.settings.token_budget;
        self.cached_answer(key, user_key, |snapshot, effective| {
            let outcome = inject_outcome(snapshot, effective, budget);
            reply::render_answer(outcome, snapshot.facts(), effective)
        })
        .await
    }
}
