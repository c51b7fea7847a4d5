//! What is known of one run. It lies in rig's scratchpad of that run and ends with it, so
//! nothing of it can come into another run.

use std::sync::Arc;

use ctxmem_client::{Injected, UserId};
use rig_agent::agent::HookContext;

/// One run's memory.
#[derive(Clone, Default)]
pub(crate) struct Run {
    user: Option<UserId>,
    is_ambiguous: bool,
    asked: Option<Arc<Asked>>,
    is_learned: bool,
}

/// The answer that a run got, and the prompt that it asked with.
pub(crate) struct Asked {
    pub(crate) base_prompt: String,
    pub(crate) injected: Injected,
}

/// Has the hook of this user take part in the run. With hooks of two users in one run it is
/// not known who talks, and none of them does anything.
pub(crate) fn join(context: &HookContext, user: &UserId) {
    let has_become_ambiguous = context.scratchpad().update(|run: &mut Run| {
        let is_other = run.user.get_or_insert_with(|| user.clone()) != user;
        let has_become = is_other && !run.is_ambiguous;
        run.is_ambiguous |= is_other;
        has_become
    });
    if has_become_ambiguous {
        tracing::warn!("a run has memory hooks of two users, so it goes without memory");
    }
}

/// Whether the run is with this user, and no other.
pub(crate) fn is_with(context: &HookContext, user: &UserId) -> bool {
    let run = context.scratchpad().get::<Run>().unwrap_or_default();
    !run.is_ambiguous && run.user.as_ref() == Some(user)
}

/// What the run asked last.
pub(crate) fn asked(context: &HookContext) -> Option<Arc<Asked>> {
    context.scratchpad().get::<Run>()?.asked
}

/// Keeps an answer for the rest of the run.
pub(crate) fn keep(context: &HookContext, asked: Arc<Asked>) {
    context
        .scratchpad()
        .update(|run: &mut Run| run.asked = Some(asked));
}

/// True once a run: the first time that it is asked.
pub(crate) fn is_first_learning(context: &HookContext) -> bool {
    context
        .scratchpad()
        .update(|run: &mut Run| !std::mem::replace(&mut run.is_learned, true))
}
