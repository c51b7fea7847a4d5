//! Inject: a base prompt in, an enriched system prompt and a cache hint out.

use ctxmem_types::{
    CacheHint, Extra, InjectReason, InjectRequest, InjectResponse, ScopeSet, UserId,
};

use super::journal::Event;
use super::{Core, Error, Key, audit, demo, render};
use crate::store::{Action, Capsule, Outcome, StoredFact, Usage};

/// How long providers are asked to keep the prefix.
const RETENTION: &str = "24h";

impl Core {
    /// Merges what the agent may know of the user into the prompt. The first call of an
    /// agent for a user makes the grant.
    pub async fn inject(&self, key: &Key, request: InjectRequest) -> Result<InjectResponse, Error> {
        key.check_agent(request.agent_id.as_deref())?;
        let injected = self.injected(key, &request.user_id, request.base_prompt);
        match injected.await {
            Ok((response, event)) => {
                let usage = Usage {
                    injects: 1,
                    denied: i64::from(event.outcome == Outcome::Denied),
                    ..audit::NONE
                };
                self.note(&key.agent_id, request.user_id, Some(event), usage);
                Ok(response)
            }
            Err(error) => {
                self.note_error(&key.agent_id, request.user_id, Action::Inject, &error);
                Err(error)
            }
        }
    }

    async fn injected(
        &self,
        key: &Key,
        user_id: &UserId,
        base_prompt: String,
    ) -> Result<(InjectResponse, Event), Error> {
        let mut capsule = self.capsule(key, user_id).await?;
        if capsule.grant.is_none() {
            self.grant_at_first_call(key, user_id).await?;
            capsule = self.capsule(key, user_id).await?;
        }
        let effective = capsule
            .grant
            .as_ref()
            .and_then(|grant| grant.effective(key.scopes, self.now()));
        let told = told(&capsule, effective, self.settings.token_budget);
        let event = event(&told, &capsule, effective.unwrap_or_default());
        Ok((answer(told, base_prompt), event))
    }

    /// All that answers a request of this agent for this user, read at once.
    pub(super) async fn capsule(&self, key: &Key, user_id: &UserId) -> Result<Capsule, Error> {
        let agent_id = key.agent_id.clone();
        let user_id = user_id.clone();
        self.db
            .read(|tx| Box::pin(async move { tx.capsule(&agent_id, &user_id).await }))
            .await?
            .ok_or(Error::InvalidKey)
    }
}

/// What is noted of it: the scopes are those from which facts were merged.
fn event(told: &Told, capsule: &Capsule, effective: ScopeSet) -> Event {
    match told {
        Told::Block(_) => Event {
            scopes: capsule.scopes().intersection(effective),
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

/// Judges in the order grant, scopes, context. `effective` is `None` without an active
/// grant.
pub(super) fn told(capsule: &Capsule, effective: Option<ScopeSet>, token_budget: usize) -> Told {
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
    match (capsule.facts.is_empty(), capsule.developer_stored) {
        (true, false) => Told::Demo(block(&demo::facts().collect::<Vec<_>>())),
        (true, true) => Told::Empty,
        (false, _) => block(&capsule.facts).map_or(Told::OutOfScope, Told::Block),
    }
}

fn answer(told: Told, base_prompt: String) -> InjectResponse {
    match told {
        Told::NoGrant => unchanged(
            base_prompt,
            InjectReason::NoGrant,
            "This user has revoked this agent's access or erased their data, or the grant has \
             expired. The user can allow access again, signed in.",
        ),
        Told::NoScopes => unchanged(
            base_prompt,
            InjectReason::NoScopes,
            "The grant and this API key have no scope in common. The user can widen the grant, \
             or the developer can use a key with more scopes.",
        ),
        Told::Demo(block) => demonstrated(block, base_prompt),
        Told::Empty => unchanged(
            base_prompt,
            InjectReason::Empty,
            "Nothing is stored about this user yet. Call update with an interaction first.",
        ),
        Told::OutOfScope => unchanged(
            base_prompt,
            InjectReason::EmptyCapsule,
            "Something is stored about this user, but nothing in the scopes that this agent is \
             granted.",
        ),
        Told::Block(block) => InjectResponse {
            injected_prompt: render::enrich(&block, &base_prompt),
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

fn demonstrated(block: Option<String>, base_prompt: String) -> InjectResponse {
    InjectResponse {
        injected_prompt: match block {
            Some(block) => render::enrich(&block, &base_prompt),
            None => base_prompt,
        },
        cache_hint: Some(cache_hint(
            false,
            "Demo facts were merged: they vanish at the first stored fact.",
        )),
        reason: Some(InjectReason::SeededDemo),
        notice: Some(
            "These are demo facts, shown until an update stores the first real one. Call update \
             with an interaction."
                .to_owned(),
        ),
        seeded: Some(true),
        extra: Extra::new(),
    }
}

fn unchanged(base_prompt: String, reason: InjectReason, notice: &str) -> InjectResponse {
    InjectResponse {
        injected_prompt: base_prompt,
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
