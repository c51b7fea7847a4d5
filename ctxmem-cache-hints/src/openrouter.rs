//! Breakpoints and the key of OpenRouter's Chat Completions.
//!
//! Source: <https://openrouter.ai/docs/guides/best-practices/prompt-caching>:
//!
//! - "Most providers automatically enable prompt caching, but note that some (see Alibaba and
//!   Anthropic below) require you to enable it on a per-message basis."
//! - Anthropic: "Place `cache_control` directly on individual content blocks"; "Explicit per-block
//!   `cache_control` breakpoints work across all Anthropic-compatible providers including Bedrock
//!   and Vertex." "The 1-hour TTL for explicit cache breakpoints is supported across all Claude
//!   model providers."
//! - Gemini: "Gemini caching in OpenRouter requires you to insert `cache_control` breakpoints
//!   explicitly within message content, similar to Anthropic"; "you do not need to manage cache
//!   names or TTL"; "`cache_control` inside the first `system` or `developer` message can cache
//!   the normalized system prompt".
//! - GPT-5.6 and newer: "`prompt_cache_breakpoint`: placed on an individual text content block";
//!   OpenRouter strips it "before forwarding requests to providers that don't support" it
//!   (<https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/gpt-5-6>).
//! - The key: "OpenRouter falls back to the OpenAI-style `prompt_cache_key` request field as the
//!   sticky routing key. Clients that already send `prompt_cache_key` get session-pinned routing
//!   without any changes."
//!   `session_id` would also group requests in the user's logs, so it is not sent.

use serde_json::{Value, json};

use super::claude::{self, CONTROL, Placed};
use super::target::AnthropicTtl;
use super::{content, openai};
use crate::rules::OPENROUTER_MARKS;

/// How the provider behind a model takes breakpoints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vendor {
    Anthropic,
    Gemini,
    /// GPT-5.6 and later.
    OpenAi,
    /// It caches by itself, or not at all.
    Other,
}

pub(crate) fn vendor(model: &str) -> Vendor {
    // A `~` stands before names that follow the latest model.
    let model = model.strip_prefix('~').unwrap_or(model);
    let marked = OPENROUTER_MARKS.models.iter();
    match marked.into_iter().find(|start| model.starts_with(**start)) {
        Some(&"anthropic/") => Vendor::Anthropic,
        Some(_) => Vendor::Gemini,
        None => match model.strip_prefix("openai/") {
            Some(name) if openai::takes_options(without_suffix(name)) => Vendor::OpenAi,
            _ => Vendor::Other,
        },
    }
}

/// Whether a key separates the caches of users who share a prompt: at OpenAI it does.
pub(crate) fn separates_by_key(model: &str) -> bool {
    let model = model.strip_prefix('~').unwrap_or(model);
    model.starts_with("openai/")
}

/// The model without the variant of its routing: `gpt-5.6:batch`.
fn without_suffix(name: &str) -> &str {
    name.split_once(':').map_or(name, |(name, _)| name)
}

/// Marks the end of the developer's first messages with `cache_control`, unless the caller has
/// marked them.
pub(crate) fn mark(body: &mut Value, wanted: AnthropicTtl) {
    if let Some(ttl) = placed(body).at_end(wanted)
        && let Some(Value::Array(messages)) = body.get_mut("messages")
        && let Some(last) = content::system_part(messages).last_mut()
        && let Some(content) = last.get_mut("content")
    {
        claude::mark_end(content, ttl);
    }
}

/// Writes these texts as blocks of one message before the others, each with `cache_control`
/// where one fits and caching is `wanted`.
pub(crate) fn place(body: &mut Value, texts: &[&str], wanted: Option<AnthropicTtl>) {
    let marks = placed(body).marks(texts.len(), wanted);
    let blocks = claude::marked_blocks(texts, &marks);
    let message = json!({"role": "system", "content": blocks});
    content::put_first(body, "messages", vec![message], "text");
}

fn placed(body: &Value) -> Placed {
    let all = |value: &Value| claude::breakpoints(value, CONTROL);
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.map_or(&[] as &[Value], Vec::as_slice);
    let (system, others) = messages.split_at(content::system_len(messages));
    let mut after: Vec<_> = others.iter().flat_map(all).collect();
    if let Some(automatic) = body.get(CONTROL) {
        after.extend(all(&json!({CONTROL: automatic})));
    }
    Placed {
        before: claude::breakpoints_in(body, "tools", CONTROL),
        system: system.iter().flat_map(all).collect(),
        after,
    }
}
