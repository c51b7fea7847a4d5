//! Storing memories of other services, each as if its agent had learned it in an update: with the user's
//! grant, the gate for facts and the merging of what is known already.

use std::sync::Arc;

use ctxmem_types::{ScopeSet, UserId};

use super::foreign::ForeignMemory;
use super::{Imported, RejectedLine};
use crate::core::{Error, Key, Memory};
use crate::extract::{self, Candidate, Interaction};

const NO_USER: &str = "it does not say whose it is; name the user by --user";
const BAD_USER: &str = "it names a user whose id can't be used";
const NO_SCOPE: &str = "no scope fits, and nothing that can be stored was found in it";
const REFUSED: &str = "what was found in it may not be stored: a secret, an order, or too long";
const NOT_ALLOWED: &str = "the user does not allow the agent to store this";

impl Memory {
    /// Stores memories for an agent, one after the other. What was found in each, its topic and its name
    /// say where it belongs. When something fails, what was stored until then stays.
    pub async fn import_memories(
        self: &Arc<Self>,
        agent_id: &str,
        memories: &[ForeignMemory],
        of_nobody: Option<&UserId>,
        done: impl Fn(),
    ) -> Result<Imported, Error> {
        let key = self.any_key_of(agent_id).await?;
        let mut imported = Imported::default();
        for memory in memories {
            match self.import_memory(&key, memory, of_nobody).await? {
                Ok(true) => imported.added += 1,
                Ok(false) => imported.known += 1,
                Err(reason) => imported.not_taken.push(RejectedLine {
                    line: memory.place,
                    reason: reason.to_owned(),
                }),
            }
            done();
        }
        Ok(imported)
    }

    /// Whether it is new, or why it was not taken.
    async fn import_memory(
        self: &Arc<Self>,
        key: &Key,
        memory: &ForeignMemory,
        of_nobody: Option<&UserId>,
    ) -> Result<Result<bool, &'static str>, Error> {
        let user_id = match (&memory.user, of_nobody) {
            (Some(user), _) => match UserId::new(user.clone()) {
                Ok(user_id) => user_id,
                Err(_) => return Ok(Err(BAD_USER)),
            },
            (None, Some(user_id)) => user_id.clone(),
            (None, None) => return Ok(Err(NO_USER)),
        };
        let candidates = self.found_in(memory).await?;
        if candidates.is_empty() {
            return Ok(Err(NO_SCOPE));
        }
        let stored = self.remember(key.clone(), user_id, candidates).await;
        match stored {
            Ok(None) => Ok(Err(REFUSED)),
            Ok(Some(answer)) => {
                let is_new = answer.delta.as_ref().is_some_and(|delta| !delta.is_empty());
                let is_denied = answer.denied_scopes.is_some();
                Ok(match (is_new, is_denied) {
                    (false, true) => Err(NOT_ALLOWED),
                    (is_new, _) => Ok(is_new),
                })
            }
            Err(Error::Forbidden(_) | Error::MustAsk(_)) => Ok(Err(NOT_ALLOWED)),
            Err(error) => Err(error),
        }
    }

    /// A name and a topic say it all. Otherwise the extractor reads the text; what fills no slot is kept as it
    /// was written, where the topic says or where it fits.
    async fn found_in(&self, memory: &ForeignMemory) -> Result<Vec<Candidate>, Error> {
        let by_topic = memory.by_topic();
        if memory.name.is_some()
            && let Some(fact) = by_topic
        {
            return Ok(vec![fact]);
        }
        let said = extract::composed(&memory.in_first_person()).into_owned();
        // What another memory held is kept as if the user had asked for it.
        let said = if self.extractor.is_model() {
            said
        } else {
            format!("Remember: {said}")
        };
        let interaction = Interaction {
            user_message: &said,
            agent_response: "",
            known: &[],
            today: self.when(memory.at.as_ref()).date_naive(),
        };
        let mut found = self.extractor.extract(&interaction).await?;
        // The other service's words are no quotation of the user.
        let all = found.len();
        found.retain(|fact| extract::quotation(&fact.value).is_none());
        if found.is_empty() || found.len() < all {
            found.push(
                by_topic.unwrap_or_else(|| extract::written_down(&extract::composed(&memory.text))),
            );
        }
        Ok(found)
    }

    /// A key of the agent that works, with the most scopes.
    async fn any_key_of(&self, agent_id: &str) -> Result<Key, Error> {
        let keys = self.grants.keys().await?;
        let mut live: Vec<_> = keys
            .into_iter()
            .filter(|key| key.agent_id == agent_id && self.grants.key_row_works(key))
            .collect();
        live.sort_by_key(|key| ScopeSet::ALL.bits() ^ key.scopes.bits());
        let widest = live.into_iter().next();
        let widest = widest.ok_or(Error::NotFound(
            "There is no such agent with a key that works.",
        ))?;
        Ok(self.grants.use_key(widest, None))
    }
}
