#![doc = include_str!("../README.md")]
//!
//! Translates a memory service's cache hint into what a model provider takes, for any client of any provider: the body
//! of a model call goes in, and comes out with what makes the provider cache the system prompt.
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
mod azure;
mod bedrock;
mod claude;
mod content;
mod key;
mod openai;
mod openrouter;
mod patch;
mod place;
mod prompt;
mod rules;
mod target;
mod user_message;
mod xai;

pub use ctxmem_types::{CacheHint, UserId};
pub use key::CacheKey;
pub use patch::CachePatch;
pub use prompt::Prompt;
pub use rules::{RULES, Rule};
pub use target::{AnthropicTtl, CacheTarget};

/// What stands between the parts of a prompt.
const BLANK_LINE: &str = "\n\n";
