//! The state of one run. It is kept in rig's scratchpad of that run and ends with it, so that it
//! can't leak into another run.

use std::sync::Arc;

use ctxmem_client::{Access, Injected, UserId};
use rig_agent::agent::HookContext;

#[derive(Clone, Default)]
pub(crate) struct RunState {
    user: Option<UserId>,
    is_ambiguous: bool,
    cached_inject: Option<Arc<CachedInject>>,
    is_learned: bool,
}

/// The answer to the run's inject, and the base prompt that was sent.
pub(crate) struct CachedInject {
    pub(crate) base_prompt: String,
    pub(crate) injected: Injected,
}

/// Registers the user of a hook for the run. If a run has hooks of two users, it is not clear
/// who is talking, so none of them does anything.
pub(crate) fn join(context: &HookContext, user: &UserId) {
    let has_become_ambiguous = context.scratchpad().update(|run: &mut RunState| {
        let is_other = run.user.get_or_insert_with(|| user.clone()) != user;
        let has_become = is_other && !run.is_ambiguous;
        run.is_ambiguous |= is_other;
        has_become
    });
    if has_become_ambiguous {
        tracing::warn!("a run has memory hooks of two users, so it goes without memory");
    }
}

/// Whether the run is with this user and no other.
pub(crate) fn is_with(context: &HookContext, user: &UserId) -> bool {
    let run = context.scratchpad().get::<RunState>().unwrap_or_default();
    !run.is_ambiguous && run.user.as_ref() == Some(user)
}

/// The answer to the run's last inject.
pub(crate) fn cached_inject(context: &HookContext) -> Option<Arc<CachedInject>> {
    context.scratchpad().get::<RunState>()?.cached_inject
}

/// Keeps an answer for the rest of the run.
pub(crate) fn cache_inject(context: &HookContext, answer: Arc<CachedInject>) {
    context
        .scratchpad()
        .update(|run: &mut RunState| run.cached_inject = Some(answer));
}

/// Whether the agent has access to the user's memory, as far as the run's inject said.
pub(crate) fn has_access(context: &HookContext) -> bool {
    cached_inject(context).is_none_or(|cached| {
        let access = cached.injected.access();
        matches!(access, Access::Granted | Access::Unknown)
    })
}

/// True only for the first call in a run.
pub(crate) fn is_first_learning(context: &HookContext) -> bool {
    context
        .scratchpad()
        .update(|run: &mut RunState| !std::mem::replace(&mut run.is_learned, true))
}
