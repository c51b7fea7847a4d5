//! The memory of one user, as a hook for rig's runs.

use std::fmt;
use std::sync::Arc;

use ctxmem_client::{Injected, Interaction, UserId};
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
/// service once in a run, and the prompt stays the same to the byte throughout the run. Where the
/// prompt has no room for everything, what bears on the user's message goes before that message: in
/// the model's calls only, not in the history of the run. When the run has an answer, the user's
/// message and the answer are sent to be learned from.
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

    /// The service's answer for the system prompt of this request. It is asked once in a run.
    async fn inject_once(
        &self,
        context: &HookContext,
        request: &CompletionRequest,
    ) -> Arc<CachedInject> {
        let base_prompt = request.system_instructions().unwrap_or_default();
        if let Some(cached) = run::cached_inject(context)
            && (cached.base_prompt == base_prompt || cached.injected.prompt() == base_prompt)
        {
            return cached;
        }
        let said = last_said(&request.chat_history);
        let cached = Arc::new(CachedInject {
            base_prompt: base_prompt.to_owned(),
            injected: self
                .memory
                .inject(&self.user, base_prompt, said.as_deref())
                .await,
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
        let cached = self.inject_once(context, request).await;
        let is_same_prompt = cached.injected.prompt() == base_prompt;
        let wants_cache_hint = self.wants_cache_hint(&cached, request);
        let has_relevant = cached.injected.relevant().is_some();
        if is_same_prompt && !wants_cache_hint && !has_relevant {
            return DispatchAction::proceed();
        }
        let mut request = request.clone();
        if !is_same_prompt {
            set_system_prompt(&mut request, cached.injected.prompt());
        }
        put_beside_the_message(&mut request, &cached.injected);
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

/// Puts what bears on the user's message before its text, once, even if a run has two hooks of this
/// user. rig makes each request of a run anew from the history, which stays as it was said.
fn put_beside_the_message(request: &mut CompletionRequest, injected: &Injected) {
    let Some(relevant) = injected.relevant() else {
        return;
    };
    let mut messages = request.chat_history.iter_mut().rev();
    let Some(Message::User { content }) = messages.find(|message| said_in(message).is_some())
    else {
        return;
    };
    let text = content.iter_mut().find_map(|part| match part {
        UserContent::Text(text) if !text.text.trim().is_empty() => Some(text),
        _ => None,
    });
    if let Some(text) = text
        && !text.text.starts_with(relevant)
    {
        text.text = injected.user_message(&text.text).into_owned();
    }
}

/// The text of the message that began the run.
fn what_the_user_said(messages: &[Message]) -> Option<String> {
    messages.first().and_then(said_in)
}

fn last_said(messages: &[Message]) -> Option<String> {
    messages.iter().rev().find_map(said_in)
}

/// The text of a message of the user, without attachments and without tool results, which rig
/// stores as messages of the user as well.
fn said_in(message: &Message) -> Option<String> {
    let Message::User { content } = message else {
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
