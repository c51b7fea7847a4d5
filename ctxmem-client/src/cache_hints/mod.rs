//! Translates the service's cache hint into what a model provider takes.
//!
//! A field that a provider doesn't know may make the whole call fail, while a missing one only
//! costs cache hits. So each rule names its source, and without a rule nothing is sent.
//!
//! Providers that cache by themselves, with nothing to send:
//!
//! - Gemini: "All Google Cloud projects have implicit caching enabled by default"
//!   (<https://docs.cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-overview>,
//!   <https://ai.google.dev/gemini-api/docs/caching>). An explicit cache is a resource of its own.
//! - DeepSeek: "Context Caching on Disk Technology is enabled by default for all users"
//!   (<https://api-docs.deepseek.com/guides/kv_cache/>).
//! - Groq: "Prompt caching works automatically on all your API requests with no code changes
//!   required" (<https://console.groq.com/docs/prompt-caching>).
//! - Fireworks: "Prompt caching is enabled by default for all Fireworks models and deployments"
//!   (<https://docs.fireworks.ai/guides/prompt-caching>).

mod anthropic;
#[cfg(feature = "async-openai")]
mod async_openai;
mod azure;
mod bedrock;
#[cfg(test)]
mod bodies;
mod claude;
mod content;
mod key;
mod openai;
mod openrouter;
mod patch;
mod place;
mod target;
mod user_message;
mod xai;

use ctxmem_types::CacheHint;
use serde_json::{Map, Value};

pub use self::key::CacheKey;
pub use self::patch::CachePatch;
pub use self::target::{AnthropicTtl, CacheTarget};
use crate::Injected;

use self::openai::breakpoint::Api;
use self::openrouter::Vendor;
use self::patch::Mark;

impl Injected {
    /// What to add to a model call for this target.
    ///
    /// It is empty unless the service recommends caching (see
    /// [`cache_hint`](Self::cache_hint)) and the target is known to accept the recommendation.
    ///
    /// ```no_run
    /// use ctxmem_client::{CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// let patch = system.cache_patch(CacheTarget::OpenAiChat("gpt-5.4"));
    /// for (name, value) in patch.fields() {
    ///     println!("{name}: {value}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn cache_patch(&self, target: CacheTarget<'_>) -> CachePatch {
        let hint = self.cache_hint().filter(|hint| hint.recommended);
        hint.map_or_else(CachePatch::default, |hint| {
            patch(hint, self.cache_key(), target)
        })
    }

    /// Adds the fields of [`cache_patch`](Self::cache_patch) to the body of a model call, and a
    /// breakpoint to its system part, as [`CachePatch::apply_to`] does: what is already there is
    /// kept, and without a recommendation nothing changes.
    ///
    /// The body has the whole [`prompt`](Self::prompt) in its system part.
    /// [`place_in`](Self::place_in) is the form for a body without a system part.
    ///
    /// ```no_run
    /// use ctxmem_client::{CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// let mut body = serde_json::json!({
    ///     "model": "gpt-5.4",
    ///     "messages": [{"role": "system", "content": system.prompt()}],
    /// });
    /// system.apply_to(CacheTarget::OpenAiChat("gpt-5.4"), &mut body);
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_to(&self, target: CacheTarget<'_>, body: &mut Value) {
        self.cache_patch(target).apply_to(body);
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
