//! The key of xAI's endpoints. xAI caches by itself; the key leads a user's calls to the server
//! that has the cache.
//!
//! Source: <https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits>:
//!
//! - "The `x-grok-conv-id` HTTP header routes requests with the same conversation ID to the same
//!   server. Since cache entries are stored per-server, this maximizes your cache hit rate."
//! - "For the Responses API, use the `prompt_cache_key` field directly in the request body. It
//!   functions identically to setting `x-grok-conv-id`."

/// The header of Chat Completions.
pub(crate) const CONVERSATION: &str = "x-grok-conv-id";
