//! The memory of an agent, from which each user's hook is made.

use std::fmt;
use std::sync::Arc;

use ctxmem_client::{Fallback, Injected, Interaction, Memory, UserId};

use crate::{MemoryHook, learn};

type OnInject = dyn Fn(&UserId, &Injected) + Send + Sync;
type Learn = dyn Fn(Interaction) + Send + Sync;

/// The memory of an agent: make it once, keep it beside the agent, and add
/// [`for_user`](Self::for_user) to each run.
///
/// Cloning is cheap; clones share everything.
#[derive(Clone)]
pub struct AgentMemory {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    memory: Arc<dyn Memory>,
    learn: Arc<Learn>,
    on_inject: Option<Arc<OnInject>>,
    gives_cache_hint: bool,
}

impl AgentMemory {
    /// A memory behind this client, such as `Arc::new(Client::from_env()?)`.
    ///
    /// What runs teach is sent by tasks of tokio, one for each; use
    /// [`updates_to`](Self::updates_to) to hand it to a queue. Outside of tokio nothing is
    /// sent.
    pub fn new(memory: Arc<dyn Memory>) -> Self {
        let learner = Arc::clone(&memory);
        Self {
            inner: Arc::new(Inner {
                memory,
                learn: Arc::new(move |interaction| learn::spawn(&learner, interaction)),
                on_inject: None,
                gives_cache_hint: true,
            }),
        }
    }

    /// Hands what runs teach to this function instead: one interaction for each run that
    /// came to an answer.
    ///
    /// It is called before the run returns, so it should only pass the interaction on.
    #[must_use]
    pub fn updates_to(mut self, learn: impl Fn(Interaction) + Send + Sync + 'static) -> Self {
        Arc::make_mut(&mut self.inner).learn = Arc::new(learn);
        self
    }

    /// Lets this function look at what each run got from the memory: whether stored context
    /// came, why not, and whether the service was away or refused the call
    /// ([`Injected::fallback`]).
    ///
    /// Refusals are logged by `tracing` as warnings in any case, outages as information.
    #[must_use]
    pub fn on_inject(
        mut self,
        on_inject: impl Fn(&UserId, &Injected) + Send + Sync + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.inner).on_inject = Some(Arc::new(on_inject));
        self
    }

    /// Leaves the prompt cache of the model provider to rig's own settings, whatever the
    /// service recommends.
    #[must_use]
    pub fn without_cache_hint(mut self) -> Self {
        Arc::make_mut(&mut self.inner).gives_cache_hint = false;
        self
    }

    /// The hook for runs with this user. One agent serves many users, at the same time too,
    /// when each run gets the hook of its own user
    /// (`agent.prompt(…).add_hook(memory.for_user(user))`).
    pub fn for_user(&self, user: UserId) -> MemoryHook {
        MemoryHook::new(self.clone(), user)
    }

    pub(crate) async fn inject(&self, user: &UserId, base_prompt: &str) -> Injected {
        let injected = self.inner.memory.inject_or_base(user, base_prompt).await;
        match injected.fallback() {
            None => {}
            Some(Fallback::Degraded(why)) => tracing::info!(%why, "a run goes without memory"),
            Some(refused) => tracing::warn!(%refused, "a run goes without memory"),
        }
        if let Some(on_inject) = &self.inner.on_inject {
            on_inject(user, &injected);
        }
        injected
    }

    pub(crate) fn learn(&self, interaction: Interaction) {
        (self.inner.learn)(interaction);
    }

    pub(crate) fn gives_cache_hint(&self) -> bool {
        self.inner.gives_cache_hint
    }
}

impl fmt::Debug for AgentMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentMemory")
            .field("gives_cache_hint", &self.inner.gives_cache_hint)
            .finish_non_exhaustive()
    }
}
