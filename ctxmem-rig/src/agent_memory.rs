//! The memory of an agent, from which each user's hook is made.

use std::fmt;
use std::sync::Arc;

use ctxmem_client::{Fallback, Injected, Interaction, Updates, UserId};

use crate::MemoryHook;

type OnInject = dyn Fn(&UserId, &Injected) + Send + Sync;

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
    updates: Updates,
    on_inject: Option<Arc<OnInject>>,
    gives_cache_hint: bool,
}

impl AgentMemory {
    /// A memory to which this queue sends: what runs teach goes out by it, in the background
    /// and each user's in order, and prompts are asked for where it sends to.
    pub fn new(updates: Updates) -> Self {
        Self {
            inner: Arc::new(Inner {
                updates,
                on_inject: None,
                gives_cache_hint: true,
            }),
        }
    }

    /// The queue, to flush it or to shut it down before the process ends.
    pub fn updates(&self) -> &Updates {
        &self.inner.updates
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
        let memory = self.inner.updates.memory();
        let injected = memory.inject_or_base(user, base_prompt).await;
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
        // A refusal is told to the queue's own callback.
        let _ = self.inner.updates.send(interaction);
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
