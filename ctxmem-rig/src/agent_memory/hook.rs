//! The memory of one user, as a hook for rig's runs.

use std::fmt;
use std::sync::Arc;

use ctxmem_client::{Interaction, UserId};
use rig_agent::agent::{
    AgentHook, CompletionCallAction, CompletionCallEvent, DispatchAction, DispatchEvent,
    HookContext, RunSettled, SettledOutcome, StepEventKind,
};
use rig_agent::core::completion::CompletionRequest;
use rig_agent::core::effect::EffectKind;
use rig_agent::core::message::{Message, UserContent};

use super::AgentMemory;
use crate::run::CachedInject;
use crate::{cache, run};

/// Gives runs with one user that user's memory. Made by [`AgentMemory::for_user`].
///
/// Before the model is called, it puts what is remembered into the system prompt. It asks the
/// service once in a run, and the prompt stays the same to the byte throughout the run. When
/// the run has an answer, the user's message and the answer are sent to be learned from.
///
/// Add it to a run. If you add it to the agent itself, with `AgentBuilder::add_hook`, every run
/// of the agent is one with this user. A run with hooks of two users gets no memory.
#[derive(Clone)]
pub struct MemoryHook {
    memory: AgentMemory,
    user: UserId,
}

impl MemoryHook {
    pub(crate) fn new(memory: AgentMemory, user: UserId) -> Self {
        Self { memory, user }
    }

    /// The service's answer for this system prompt. It is asked once in a run.
    async fn inject_once(&self, context: &HookContext, base_prompt: &str) -> Arc<CachedInject> {
        if let Some(cached) = run::cached_inject(context)
            && (cached.base_prompt == base_prompt || cached.injected.prompt() == base_prompt)
        {
            return cached;
        }
        let cached = Arc::new(CachedInject {
            base_prompt: base_prompt.to_owned(),
            injected: self.memory.inject(&self.user, base_prompt).await,
        });
        run::cache_inject(context, Arc::clone(&cached));
        cached
    }

    fn wants_cache_hint(&self, cached: &CachedInject, request: &CompletionRequest) -> bool {
        let is_recommended = cached
            .injected
            .cache_hint()
            .is_some_and(|hint| hint.recommended);
        is_recommended && self.memory.applies_cache_hint() && cache::may_recommend(request)
    }
}

impl AgentHook for MemoryHook {
    fn observes(&self, kind: StepEventKind) -> bool {
        matches!(
            kind,
            StepEventKind::CompletionCall
                | StepEventKind::CompletionDispatch
                | StepEventKind::RunSettled
        )
    }

    /// rig calls it on all hooks of the run before it dispatches a model call.
    async fn on_completion_call(
        &self,
        context: &HookContext,
        _: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        run::join(context, &self.user);
        CompletionCallAction::continue_run()
    }

    /// Only this event has the final system prompt, with the changes of the agent, the run and
    /// other hooks, and allows changes to rig's options as well.
    async fn on_dispatch(&self, context: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        let EffectKind::Completion { request, stream } = event.kind else {
            return DispatchAction::proceed();
        };
        if !run::is_with(context, &self.user) {
            return DispatchAction::proceed();
        }
        let base_prompt = request.system_instructions().unwrap_or_default();
        let cached = self.inject_once(context, base_prompt).await;
        let is_same_prompt = cached.injected.prompt() == base_prompt;
        let wants_cache_hint = self.wants_cache_hint(&cached, request);
        if is_same_prompt && !wants_cache_hint {
            return DispatchAction::proceed();
        }
        let mut request = request.clone();
        if !is_same_prompt {
            set_system_prompt(&mut request, cached.injected.prompt());
        }
        if wants_cache_hint {
            request = cache::recommend(request, self.memory.anthropic_ttl());
        }
        DispatchAction::patch(EffectKind::Completion {
            request,
            stream: *stream,
        })
    }

    async fn on_run_settled(&self, context: &HookContext, event: RunSettled<'_>) {
        let SettledOutcome::Response(response) = event.outcome else {
            return;
        };
        let said = event.messages.and_then(what_the_user_said);
        let answered = response.output();
        if let Some(said) = said
            && !answered.trim().is_empty()
            && run::is_with(context, &self.user)
            // Without access the service would refuse the conversation, so it is not sent.
            && run::has_access(context)
            && run::is_first_learning(context)
        {
            self.memory
                .learn(Interaction::new(self.user.clone(), said, answered));
        }
    }
}

/// Replaces the leading system message, or adds one.
fn set_system_prompt(request: &mut CompletionRequest, prompt: &str) {
    match request.chat_history.first_mut() {
        Some(Message::System { content }) => prompt.clone_into(content),
        _ => request.chat_history.insert(0, Message::system(prompt)),
    }
}

/// The text of the message that began the run, without attachments and without tool results,
/// which rig stores as messages of the user as well.
fn what_the_user_said(messages: &[Message]) -> Option<String> {
    let Some(Message::User { content }) = messages.first() else {
        return None;
    };
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|part| match part {
            UserContent::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    Some(texts.join("\n")).filter(|said| !said.trim().is_empty())
}

/// `Debug` does not show the user, because it ends up in logs.
impl fmt::Debug for MemoryHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryHook")
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
