//! Breakpoints in the system part of Anthropic's Messages API.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>, besides the
//! rules of [`super::claude`]:
//!
//! - "Place `cache_control` directly on individual content blocks for fine-grained control over
//!   exactly what gets cached"; "Place `cache_control` on the last block whose prefix is
//!   identical across the requests you want to share a cache." That is the system part.
//!   `cache_control` at the top level puts the breakpoint "on the last cacheable block in the
//!   request", which is the user's message and differs in each request.
//! - "By default, the cache has a 5-minute lifetime"; "5-minute cache write tokens are 1.25 times
//!   the base input tokens price", "1-hour cache write tokens are 2 times".
//! - "Automatic caching is compatible with explicit cache breakpoints. When used together, the
//!   automatic cache breakpoint uses one of the 4 available breakpoint slots." "If the last block
//!   has an explicit `cache_control` with a different TTL, the API returns a 400 error."
//!
//! Google Cloud: "The Vertex AI offering of these Anthropic models behaves as described in the
//! Anthropic documentation", and "you can extend the TTL to one hour by setting `"ttl": "1h"` in
//! the `cache_control` object":
//! <https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/prompt-caching>.
//! Claude Platform on AWS and Microsoft Foundry: "Prompt caching (5m, 1h): Yes",
//! <https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/platform-availability.md>.

use serde_json::{Value, json};

use super::claude::{self, CONTROL, Placed};
use super::content;
use super::target::AnthropicTtl;

/// Marks the end of the system part, unless the caller has marked it.
pub(crate) fn mark(body: &mut Value, wanted: AnthropicTtl) {
    let placed = placed(body);
    if may_mark(body, &placed)
        && let Some(ttl) = placed.at_end(wanted)
        && let Some(system) = body.get_mut("system")
    {
        claude::mark_end(system, ttl);
    }
}

/// Writes these texts as blocks before what the caller has in the system part, each with a
/// breakpoint where one fits and caching is `wanted`.
pub(crate) fn place(body: &mut Value, texts: &[&str], wanted: Option<AnthropicTtl>) {
    let placed = placed(body);
    let wanted = wanted.filter(|_| may_mark(body, &placed));
    let blocks = claude::marked_blocks(texts, &placed.marks(texts.len(), wanted));
    content::put_first(body, "system", blocks, "text");
}

/// Whether a further breakpoint fits. Without messages Anthropic's automatic breakpoint would be
/// on the system part itself.
fn may_mark(body: &Value, placed: &Placed) -> bool {
    let is_automatic = body.get(CONTROL).is_some();
    let has_messages = body.get("messages").and_then(Value::as_array);
    placed.free() > 0 && !(is_automatic && has_messages.is_none_or(Vec::is_empty))
}

fn placed(body: &Value) -> Placed {
    let within = |field| claude::breakpoints_in(body, field, CONTROL);
    let mut after = within("messages");
    if let Some(automatic) = body.get(CONTROL) {
        after.extend(claude::breakpoints(&json!({CONTROL: automatic}), CONTROL));
    }
    Placed {
        before: within("tools"),
        system: within("system"),
        after,
    }
}
