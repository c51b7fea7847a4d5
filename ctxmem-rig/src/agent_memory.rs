//! The memory of an agent. It makes a hook for each user.

mod hook;

use std::fmt;
use std::sync::Arc;

use ctxmem_client::cache_hints::AnthropicTtl;
use ctxmem_client::{Access, Injected, Interaction, Updates, UserId};

pub use hook::MemoryHook;

type OnInject = dyn Fn(&UserId, &Injected) + Send + Sync;
type OnConsentNeeded = dyn Fn(&UserId, &str) + Send + Sync;

/// The memory of an agent. Make it once, keep it together with the agent, and add
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
    on_consent_needed: Option<Arc<OnConsentNeeded>>,
    applies_cache_hint: bool,
    anthropic_ttl: AnthropicTtl,
}

impl AgentMemory {
    /// Makes a memory that uses this queue: it sends interactions in the background, each
    /// user's interactions in order, and asks the queue's memory for prompts.
    pub fn new(updates: Updates) -> Self {
        Self {
            inner: Arc::new(Inner {
                updates,
                on_inject: None,
                on_consent_needed: None,
                applies_cache_hint: true,
                anthropic_ttl: AnthropicTtl::default(),
            }),
        }
    }

    /// The queue, to flush it or to shut it down before the process ends.
    pub fn updates(&self) -> &Updates {
        &self.inner.updates
    }

    /// Calls this function with what each run got from the memory: whether there was stored
    /// context, why not, and whether the service was unavailable or rejected the call
    /// ([`Injected::fallback`]).
    ///
    /// In any case, the client logs rejections and outages as warnings, once and then at most every
    /// minute.
    #[must_use]
    pub fn on_inject(
        mut self,
        on_inject: impl Fn(&UserId, &Injected) + Send + Sync + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.inner).on_inject = Some(Arc::new(on_inject));
        self
    }

    /// Calls this function with the page where a user can allow this agent, in each run for which
    /// the service has to ask them first. Show it to the user.
    ///
    /// ```no_run
    /// # fn example(updates: ctxmem_client::Updates) {
    /// let memory = ctxmem_rig::AgentMemory::new(updates)
    ///     .on_consent_needed(|_user, page| println!("To let me remember you, visit {page}"));
    /// # }
    /// ```
    #[must_use]
    pub fn on_consent_needed(
        mut self,
        on_consent_needed: impl Fn(&UserId, &str) + Send + Sync + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.inner).on_consent_needed = Some(Arc::new(on_consent_needed));
        self
    }

    /// Ignores the service's recommendation for the model provider's prompt cache, so that only
    /// rig's own settings count.
    #[must_use]
    pub fn without_cache_hint(mut self) -> Self {
        Arc::make_mut(&mut self.inner).applies_cache_hint = false;
        self
    }

    /// How long Anthropic is to keep the prompt, if the service recommends caching. By default 5
    /// minutes; an hour costs 2 instead of 1.25 to write, and pays for users whose turns are 5 to
    /// 60 minutes apart.
    #[must_use]
    pub fn with_anthropic_ttl(mut self, ttl: AnthropicTtl) -> Self {
        Arc::make_mut(&mut self.inner).anthropic_ttl = ttl;
        self
    }

    /// The hook for runs with this user. One agent can serve many users, even at the same time,
    /// if each run gets the hook of its own user
    /// (`agent.prompt(…).add_hook(memory.for_user(user))`).
    pub fn for_user(&self, user: UserId) -> MemoryHook {
        MemoryHook::new(self.clone(), user)
    }

    pub(crate) async fn inject(
        &self,
        user: &UserId,
        base_prompt: &str,
        said: Option<&str>,
    ) -> Injected {
        let memory = self.inner.updates.memory();
        let injected = match said {
            Some(said) => memory.inject_for_or_base(user, base_prompt, said).await,
            None => memory.inject_or_base(user, base_prompt).await,
        };
        if let Some(fallback) = injected.fallback() {
            tracing::debug!(%fallback, "a run goes without memory");
        }
        if let (Access::MustAsk { page }, Some(ask)) =
            (injected.access(), &self.inner.on_consent_needed)
        {
            ask(user, page);
        }
        if let Some(on_inject) = &self.inner.on_inject {
            on_inject(user, &injected);
        }
        injected
    }

    pub(crate) fn learn(&self, interaction: Interaction) {
        // The queue's own callback learns of a rejection.
        let _ = self.inner.updates.send(interaction);
    }

    pub(crate) fn applies_cache_hint(&self) -> bool {
        self.inner.applies_cache_hint
    }

    pub(crate) fn anthropic_ttl(&self) -> AnthropicTtl {
        self.inner.anthropic_ttl
    }
}

impl fmt::Debug for AgentMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentMemory")
            .field("applies_cache_hint", &self.inner.applies_cache_hint)
            .finish_non_exhaustive()
    }
}
