//! The memory of one user, as a hook of rig's runs.

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

use crate::run::Asked;
use crate::{AgentMemory, cache, run};

/// Gives runs with one user that user's memory; made by
/// [`AgentMemory::for_user`].
///
/// Before the model is called, what is remembered comes into the system prompt; the service
/// is asked once a run, in which the prompt stays the same to the byte. When the run has come
/// to an answer, the user's message and the answer are handed on to be learned from.
///
/// Add it to a run. On the agent itself, with `AgentBuilder::add_hook`, every run of the
/// agent is one with this user. A run with hooks of two users goes without memory.
#[derive(Clone)]
pub struct MemoryHook {
    memory: AgentMemory,
    user: UserId,
}

impl MemoryHook {
    pub(crate) fn new(memory: AgentMemory, user: UserId) -> Self {
        Self { memory, user }
    }

    /// The answer of the service to this system prompt: the run's, where it asked before.
    async fn ask(&self, context: &HookContext, base_prompt: &str) -> Arc<Asked> {
        if let Some(asked) = run::asked(context)
            && (asked.base_prompt == base_prompt || asked.injected.prompt() == base_prompt)
        {
            return asked;
        }
        let asked = Arc::new(Asked {
            base_prompt: base_prompt.to_owned(),
            injected: self.memory.inject(&self.user, base_prompt).await,
        });
        run::keep(context, Arc::clone(&asked));
        asked
    }

    fn wants_cache_hint(&self, asked: &Asked, request: &CompletionRequest) -> bool {
        let is_recommended = asked
            .injected
            .cache_hint()
            .is_some_and(|hint| hint.recommended);
        is_recommended && self.memory.gives_cache_hint() && cache::may_recommend(request)
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

    /// Comes before every dispatch of a model call, to all hooks of the run.
    async fn on_completion_call(
        &self,
        context: &HookContext,
        _: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        run::join(context, &self.user);
        CompletionCallAction::continue_run()
    }

    /// The one event that shows the system prompt as it goes out, with all that the agent,
    /// the run and other hooks made of it, and may change rig's options too.
    async fn on_dispatch(&self, context: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        let EffectKind::Completion { request, stream } = event.kind else {
            return DispatchAction::proceed();
        };
        if !run::is_with(context, &self.user) {
            return DispatchAction::proceed();
        }
        let base_prompt = request.system_instructions().unwrap_or_default();
        let asked = self.ask(context, base_prompt).await;
        let is_same_prompt = asked.injected.prompt() == base_prompt;
        let wants_cache_hint = self.wants_cache_hint(&asked, request);
        if is_same_prompt && !wants_cache_hint {
            return DispatchAction::proceed();
        }
        let mut request = request.clone();
        if !is_same_prompt {
            set_system_prompt(&mut request, asked.injected.prompt());
        }
        if wants_cache_hint {
            request = cache::recommend(request);
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
            && run::is_first_learning(context)
        {
            self.memory
                .learn(Interaction::new(self.user.clone(), said, answered));
        }
    }
}

/// Replaces the leading system message, or puts one in front.
fn set_system_prompt(request: &mut CompletionRequest, prompt: &str) {
    match request.chat_history.first_mut() {
        Some(Message::System { content }) => prompt.clone_into(content),
        _ => request.chat_history.insert(0, Message::system(prompt)),
    }
}

/// The text of the message that began the run; not its attachments, and not the results of
/// tools, which rig keeps as messages of the user too.
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

/// `Debug` does not show the user: `Debug` ends up in logs.
impl fmt::Debug for MemoryHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryHook")
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
