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

use crate::openai;
use crate::rules::AZURE_RETENTION;

/// The fields for this model; none unless it is known to take one.
pub(crate) fn fields(model: &str, hint: &CacheHint) -> Map<String, Value> {
    if openai::takes_options(model) {
        return openai::fields(model, hint);
    }
    let takes_a_day = AZURE_RETENTION.names(openai::without_date(model));
    let day = (takes_a_day && openai::recommends_a_day(hint))
        .then(|| (openai::RETENTION.to_owned(), "24h".into()));
    day.into_iter().collect()
}
