//! The cache fields of Azure OpenAI, which follow OpenAI's with a list of their own.
//!
//! Source: <https://learn.microsoft.com/azure/foundry/openai/how-to/prompt-caching>, as of August
//! 2026:
//!
//! - "On GPT-5.6 models and later model families, set the `prompt_cache_key` parameter … You don't
//!   need a specific API version to use `prompt_cache_key`."
//! - "On GPT-5.6 models and later model families, use explicit cache breakpoints to mark the end
//!   of a reusable prompt prefix. Both the Responses API and Chat Completions API support
//!   breakpoints." "Standard pay-as-you-go deployments support prompt cache breakpoints.
//!   Provisioned Throughput managed (PTU-M) deployments don't."
//! - "Set `prompt_cache_options.ttl` to `30m`": "the default and the only supported value".
//! - "For models before the GPT-5.6 family, set `prompt_cache_retention` on your Responses or Chat
//!   Completions request"; "Extended prompt cache retention is available for the following
//!   models"; "For `gpt-5.4` and older models … the default is `in_memory`. … For `gpt-5.5`,
//!   extended retention is enabled by default."
//!
//! For models before 5.6 the page doesn't say that they take `prompt_cache_key`, so they don't get
//! it.

use ctxmem_types::CacheHint;
use serde_json::{Map, Value};

use super::openai;

/// The models of the page's list for which a day is not the default. Without `gpt-4.1`, which was
/// reported to reject the field: <https://github.com/OpenHands/software-agent-sdk/issues/2295>.
const EXTENDED_RETENTION: [&str; 9] = [
    "gpt-5.4",
    "gpt-5.3-codex",
    "gpt-5.2",
    "gpt-5.1-codex-max",
    "gpt-5.1",
    "gpt-5.1-codex",
    "gpt-5.1-codex-mini",
    "gpt-5",
    "gpt-5-codex",
];

/// The fields for this model; none unless it is known to take one.
pub(super) fn fields(model: &str, hint: &CacheHint) -> Map<String, Value> {
    if openai::takes_options(model) {
        return openai::fields(model, hint);
    }
    let takes_a_day = EXTENDED_RETENTION.contains(&openai::without_date(model));
    let day = (takes_a_day && openai::recommends_a_day(hint))
        .then(|| (openai::RETENTION.to_owned(), "24h".into()));
    day.into_iter().collect()
}
