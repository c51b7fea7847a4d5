//! A system prompt in its parts, and what to add for a target.

use ctxmem_types::CacheHint;
use serde_json::{Map, Value};

use crate::key::CacheKey;
use crate::openai::breakpoint::Api;
use crate::openrouter::Vendor;
use crate::patch::{CachePatch, Mark};
use crate::place::place;
use crate::target::{AnthropicTtl, CacheTarget};
use crate::{azure, bedrock, openai, openrouter, user_message, xai};

/// A system prompt in its parts, with what is recommended for it. Start from [`Prompt::new`] and set the fields that
/// you have.
///
/// ```
/// use ctxmem_cache_hints::{AnthropicTtl, CacheTarget, Prompt};
///
/// let prompt = Prompt::new("You are a helpful assistant.");
/// let mut body = serde_json::json!({
///     "model": "claude-opus-5",
///     "max_tokens": 1024,
///     "messages": [{"role": "user", "content": "How do I deploy this?"}],
/// });
/// prompt.place_in(CacheTarget::Anthropic(AnthropicTtl::FiveMinutes), &mut body);
/// assert_eq!(body["system"][0]["cache_control"]["type"], "ephemeral");
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Prompt<'a> {
    /// The agent's own text, which all its users share.
    pub base: &'a str,
    /// What is remembered of the user.
    pub context: Option<&'a str>,
    /// What bears on the user's message, and goes beside it.
    pub relevant: Option<&'a str>,
    /// What the memory service recommends.
    pub hint: Option<&'a CacheHint>,
    /// The key that stands for the user.
    pub key: Option<&'a CacheKey>,
    /// Whether `base` holds what is remembered as well, because the two could not be told apart.
    pub is_mixed: bool,
}

impl<'a> Prompt<'a> {
    /// A prompt of the agent's own text alone.
    pub fn new(base: &'a str) -> Self {
        Self {
            base,
            context: None,
            relevant: None,
            hint: None,
            key: None,
            is_mixed: false,
        }
    }

    /// What to add to a model call whose system part is the whole prompt. It is empty unless caching is recommended
    /// and the target is known to accept that.
    pub fn patch(&self, target: CacheTarget<'_>) -> CachePatch {
        let hint = self.hint.filter(|hint| hint.recommended);
        hint.map_or_else(CachePatch::default, |hint| patch(hint, self.key, target))
    }

    /// Writes the prompt into a body that has no system prompt: the base prompt first, what is remembered after it,
    /// each with a breakpoint of its own where the provider has them. One that is there stays, after both. What bears
    /// on the user's message goes into the last message in which the user says something.
    ///
    /// The base prompt gets its breakpoint without a recommendation, too: it is the caller's own. OpenAI is sent no
    /// `prompt_cache_key`, because caches are not shared between keys.
    pub fn place_in(&self, target: CacheTarget<'_>, body: &mut Value) {
        if !body.is_object() {
            return;
        }
        let texts: Vec<&str> = [Some(self.base), self.context]
            .into_iter()
            .flatten()
            .filter(|text| !text.trim().is_empty())
            .collect();
        let mut patch = self.patch(target);
        if self.context.is_none() && !self.is_mixed && patch.mark.is_none() {
            patch.mark = mark(target);
        }
        // What can't be split is not shared in any case.
        if self.context.is_some() && separates_by_key(target) {
            patch.remove_field(openai::KEY);
        }
        if !texts.is_empty() {
            place(target, body, &texts, &patch);
        }
        patch.add_fields(body);
        if let Some(relevant) = self.relevant {
            user_message::put_beside(target, body, relevant);
        }
    }
}

/// `Debug` does not show the texts, because it ends up in logs.
impl std::fmt::Debug for Prompt<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt")
            .field("base_bytes", &self.base.len())
            .field("context_bytes", &self.context.map(str::len))
            .finish_non_exhaustive()
    }
}

/// Whether users with keys of their own don't read each other's caches. "At each breakpoint, the
/// service matches the key with the exact prompt prefix", and a key "separates cache reuse
/// between groups of requests": <https://developers.openai.com/api/docs/guides/prompt-caching>.
/// Elsewhere it only chooses the server.
fn separates_by_key(target: CacheTarget<'_>) -> bool {
    match target {
        CacheTarget::OpenAiChat(_)
        | CacheTarget::OpenAiResponses(_)
        | CacheTarget::AzureOpenAiChat(_)
        | CacheTarget::AzureOpenAiResponses(_) => true,
        CacheTarget::OpenRouter(model, _) => openrouter::separates_by_key(model),
        _ => false,
    }
}

fn patch(hint: &CacheHint, key: Option<&CacheKey>, target: CacheTarget<'_>) -> CachePatch {
    let mut patch = CachePatch {
        fields: match target {
            CacheTarget::OpenAiChat(model) | CacheTarget::OpenAiResponses(model) => {
                openai::fields(model, hint)
            }
            CacheTarget::AzureOpenAiChat(model) | CacheTarget::AzureOpenAiResponses(model) => {
                azure::fields(model, hint)
            }
            _ => Map::new(),
        },
        headers: Vec::new(),
        mark: mark(target),
    };
    if let Some(key) = key {
        if takes_key(target) {
            let key = Value::from(key.to_string());
            patch.fields.insert(openai::KEY.to_owned(), key);
        } else if target == CacheTarget::XaiChat {
            patch.headers.push((xai::CONVERSATION, key.to_string()));
        }
    }
    patch
}

fn mark(target: CacheTarget<'_>) -> Option<Mark> {
    match target {
        CacheTarget::OpenAiChat(model) | CacheTarget::AzureOpenAiChat(model) => {
            openai::takes_options(model).then_some(Mark::OpenAi(Api::Chat))
        }
        CacheTarget::OpenAiResponses(model) | CacheTarget::AzureOpenAiResponses(model) => {
            openai::takes_options(model).then_some(Mark::OpenAi(Api::Responses))
        }
        CacheTarget::Anthropic(ttl) | CacheTarget::VertexAnthropic(ttl) => {
            Some(Mark::Anthropic(ttl))
        }
        CacheTarget::BedrockConverse(model, ttl) => {
            bedrock::lifetime(bedrock::Api::Converse, model, ttl).map(Mark::Bedrock)
        }
        CacheTarget::BedrockInvoke(model, ttl) => {
            bedrock::lifetime(bedrock::Api::Invoke, model, ttl).map(Mark::Anthropic)
        }
        CacheTarget::OpenRouter(model, ttl) => match openrouter::vendor(model) {
            Vendor::Anthropic => Some(Mark::OpenRouter(ttl)),
            Vendor::Gemini => Some(Mark::OpenRouter(AnthropicTtl::FiveMinutes)),
            Vendor::OpenAi => Some(Mark::OpenAi(Api::Chat)),
            Vendor::Other => None,
        },
        CacheTarget::XaiChat
        | CacheTarget::XaiResponses
        | CacheTarget::Gemini
        | CacheTarget::OtherChat => None,
    }
}

/// Whether the endpoint takes `prompt_cache_key`.
fn takes_key(target: CacheTarget<'_>) -> bool {
    match target {
        CacheTarget::OpenAiChat(model) | CacheTarget::OpenAiResponses(model) => {
            openai::takes_key(model)
        }
        CacheTarget::AzureOpenAiChat(model) | CacheTarget::AzureOpenAiResponses(model) => {
            openai::takes_options(model)
        }
        CacheTarget::OpenRouter(..) | CacheTarget::XaiResponses => true,
        _ => false,
    }
}
