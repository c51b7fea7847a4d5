//! Inject: a base prompt in, an enriched system prompt and a cache hint out.

use std::sync::Arc;

use ctxmem_types::{
    CacheHint, Extra, InjectReason, InjectRequest, InjectResponse, ScopeSet, UserId,
};

use super::journal::Event;
use super::{Core, Error, Key, audit, demo, idempotency, render};
use crate::store::{Action, Capsule, Outcome, StoreError, StoredFact, Usage, scopes};

/// How long providers are asked to keep the prefix.
const RETENTION: &str = "24h";

impl Core {
    /// Merges what the agent may know of the user into the prompt. The first call of an
    /// agent for a user makes the grant. Whether the key is still good is found out here.
    pub async fn inject(&self, key: &Key, request: InjectRequest) -> Result<Injected, Error> {
        self.check_agent(key, &request.user_id, request.agent_id.as_deref())
            .await?;
        let told = self.told(key, &request.user_id).await;
        self.note_use(key, &told);
        match told {
            Ok(telling) => {
                let usage = Usage {
                    injects: 1,
                    denied: i64::from(telling.event.outcome == Outcome::Denied),
                    ..audit::NONE
                };
                let event = Some(telling.event);
                self.note(&key.agent_id, request.user_id, event, usage);
                Ok(Injected {
                    telling,
                    base_prompt: request.base_prompt,
                })
            }
            Err(error) => {
                self.note_error(&key.agent_id, request.user_id, Action::Inject, &error);
                Err(error)
            }
        }
    }

    async fn told(&self, key: &Key, user_id: &UserId) -> Result<Arc<Telling>, Error> {
        let user_key = self.db.user_key(user_id);
        let (grant, telling) = self.telling(key, &user_key).await?;
        if grant.is_some() {
            return Ok(telling);
        }
        self.grant_at_first_call(key, user_id).await?;
        let (_, telling) = self.telling(key, &user_key).await?;
        Ok(telling)
    }

    /// All that is known of a user to an agent, read at once.
    pub(super) async fn capsule(&self, key: &Key, user_id: &UserId) -> Result<Capsule, Error> {
        let agent_id = Arc::clone(&key.agent_id);
        let user_id = user_id.clone();
        self.db
            .read(|tx| Box::pin(async move { tx.capsule(&agent_id, &user_id).await }))
            .await?
            .ok_or(Error::InvalidKey)
    }
}

/// An enriched prompt.
pub struct Injected {
    telling: Arc<Telling>,
    base_prompt: String,
}

impl Injected {
    /// The answer as a JSON text: an [`InjectResponse`].
    pub fn to_json(&self) -> Vec<u8> {
        let Telling { head, tail, .. } = &*self.telling;
        // Most of a prompt is as long in JSON as it is.
        let spare = self.base_prompt.len() / 16 + 64;
        let bytes = head.len() + self.base_prompt.len() + tail.len() + spare;
        let mut json = Vec::with_capacity(bytes);
        json.extend_from_slice(head);
        push_escaped(&mut json, &self.base_prompt);
        json.extend_from_slice(tail);
        json
    }
}

/// What an agent is told, up to the base prompt, written once for all its requests.
pub(super) struct Telling {
    /// The scopes that it may be told; `None` without an active grant.
    pub(super) effective: Option<ScopeSet>,
    /// What is noted of a request that is answered so.
    event: Event,
    /// The answer's JSON up to where the base prompt comes, and from there on.
    head: Box<[u8]>,
    tail: Box<[u8]>,
}

impl Telling {
    const OPEN: &str = "{\"injectedPrompt\":\"";

    /// `facts` are all of the user.
    pub(super) fn new(
        told: Told,
        facts: &[StoredFact],
        effective: Option<ScopeSet>,
    ) -> Result<Self, StoreError> {
        let event = event(&told, facts, effective.unwrap_or_default());
        let mut answer = answer(told);
        let before = std::mem::take(&mut answer.injected_prompt);
        let mut head = Self::OPEN.as_bytes().to_vec();
        push_escaped(&mut head, &before);
        let answer = idempotency::text(&answer)?;
        let tail = answer
            .strip_prefix(Self::OPEN)
            .ok_or(StoreError::Corrupt("an answer"))?;
        Ok(Self {
            effective,
            event,
            head: head.into(),
            tail: tail.as_bytes().into(),
        })
    }

    /// How many bytes it takes in memory, or so.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.head.len() + self.tail.len()
    }
}

/// Writes a text as it stands within the quotes of a JSON string.
fn push_escaped(json: &mut Vec<u8>, text: &str) {
    // serde_json only writes the quotes as well: the first falls on the last byte that is
    // there, which is then put back.
    let last = json.pop();
    let at = json.len();
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *json, text);
    json.pop();
    if let (Some(byte), Some(last)) = (json.get_mut(at), last) {
        *byte = last;
    }
}

/// What is noted of it: the scopes are those from which facts were merged.
fn event(told: &Told, facts: &[StoredFact], effective: ScopeSet) -> Event {
    match told {
        Told::Block(_) => Event {
            scopes: scopes(facts).intersection(effective),
            ..Event::new(Action::Inject, Outcome::Done)
        },
        Told::NoGrant | Told::NoScopes => Event::new(Action::Inject, Outcome::Denied),
        Told::Demo(_) | Told::Empty | Told::OutOfScope => {
            Event::new(Action::Inject, Outcome::Nothing)
        }
    }
}

/// What an agent is told of a user.
pub enum Told {
    /// Nothing: no grant is active.
    NoGrant,
    /// Nothing: the grant and the key have no scope in common.
    NoScopes,
    /// Made-up facts, as long as nothing was ever stored for an agent of its developer; no
    /// block where none of them is in the scopes.
    Demo(Option<String>),
    /// Nothing: nothing is stored.
    Empty,
    /// Nothing: what is stored is in other scopes.
    OutOfScope,
    /// This block.
    Block(String),
}

/// Judges in the order grant, scopes, context. `facts` are all of the user; `effective` is
/// `None` without an active grant.
pub(super) fn told(
    facts: &[StoredFact],
    developer_stored: bool,
    effective: Option<ScopeSet>,
    token_budget: usize,
) -> Told {
    let Some(scopes) = effective else {
        return Told::NoGrant;
    };
    if scopes.is_empty() {
        return Told::NoScopes;
    }
    let block = |facts: &[StoredFact]| {
        let granted: Vec<&StoredFact> = facts
            .iter()
            .filter(|fact| scopes.contains(fact.scope))
            .collect();
        render::block(&granted, token_budget)
    };
    match (facts.is_empty(), developer_stored) {
        (true, false) => Told::Demo(block(&demo::facts().collect::<Vec<_>>())),
        (true, true) => Told::Empty,
        (false, _) => block(facts).map_or(Told::OutOfScope, Told::Block),
    }
}

/// The answer to an empty base prompt.
fn answer(told: Told) -> InjectResponse {
    match told {
        Told::NoGrant => unchanged(
            InjectReason::NoGrant,
            "This user has revoked this agent's access or erased their data, or the grant has \
             expired. The user can allow access again, signed in.",
        ),
        Told::NoScopes => unchanged(
            InjectReason::NoScopes,
            "The grant and this API key have no scope in common. The user can widen the grant, \
             or the developer can use a key with more scopes.",
        ),
        Told::Demo(block) => InjectResponse {
            injected_prompt: block.map(render::before_prompt).unwrap_or_default(),
            cache_hint: Some(cache_hint(
                false,
                "Demo facts were merged: they vanish at the first stored fact.",
            )),
            reason: Some(InjectReason::SeededDemo),
            notice: Some(
                "These are demo facts, shown until an update stores the first real one. Call \
                 update with an interaction."
                    .to_owned(),
            ),
            seeded: Some(true),
            extra: Extra::new(),
        },
        Told::Empty => unchanged(
            InjectReason::Empty,
            "Nothing is stored about this user yet. Call update with an interaction first.",
        ),
        Told::OutOfScope => unchanged(
            InjectReason::EmptyCapsule,
            "Something is stored about this user, but nothing in the scopes that this agent is \
             granted.",
        ),
        Told::Block(block) => InjectResponse {
            injected_prompt: render::before_prompt(block),
            cache_hint: Some(cache_hint(
                true,
                "Stored context was merged: the prompt's beginning stays the same until the \
                 context changes.",
            )),
            reason: None,
            notice: None,
            seeded: None,
            extra: Extra::new(),
        },
    }
}

fn unchanged(reason: InjectReason, notice: &str) -> InjectResponse {
    InjectResponse {
        injected_prompt: String::new(),
        cache_hint: Some(cache_hint(false, "No stored context was merged.")),
        reason: Some(reason),
        notice: Some(notice.to_owned()),
        seeded: None,
        extra: Extra::new(),
    }
}

fn cache_hint(recommended: bool, reason: &str) -> CacheHint {
    let mut provider_param = serde_json::Map::new();
    provider_param.insert("prompt_cache_retention".to_owned(), RETENTION.into());
    CacheHint {
        recommended,
        retention: Some(RETENTION.to_owned()),
        reason: Some(reason.to_owned()),
        provider_param: Some(provider_param),
        extra: Extra::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(told: Told, base_prompt: &str) -> Vec<u8> {
        let telling = Telling::new(told, &[], None).unwrap();
        let injected = Injected {
            telling: Arc::new(telling),
            base_prompt: base_prompt.to_owned(),
        };
        injected.to_json()
    }

    #[test]
    fn the_answer_is_that_of_the_interface_to_the_byte() {
        let odd = "a \"quoted\" \\ line\nand \u{1} \u{2028} é 🦀 </script>";
        for base_prompt in ["", "x", odd, &odd.repeat(100)] {
            for told in [
                || Told::NoGrant,
                || Told::NoScopes,
                || Told::Demo(None),
                || Told::Demo(Some("a \"demo\"".to_owned())),
                || Told::Empty,
                || Told::OutOfScope,
                || Told::Block("System:\n\"é\"".to_owned()),
            ] {
                let mut whole = answer(told());
                whole.injected_prompt.push_str(base_prompt);
                let whole = serde_json::to_vec(&whole).unwrap();
                assert_eq!(json(told(), base_prompt), whole);
            }
        }
    }
}
