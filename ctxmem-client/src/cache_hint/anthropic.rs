//! What Anthropic's Messages API takes.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>

use serde_json::{Map, Value, json};

use super::target::AnthropicTtl;

/// The field of automatic caching at the request's top level, and of breakpoints inside it.
pub(super) const CONTROL: &str = "cache_control";

/// Automatic caching: the provider puts the breakpoint on the last block that can be cached
/// and moves it along as the conversation grows. Every model takes it.
pub(super) fn fields(ttl: AnthropicTtl) -> Map<String, Value> {
    let ttl = match ttl {
        AnthropicTtl::FiveMinutes => "5m",
        AnthropicTtl::OneHour => "1h",
    };
    Map::from_iter([(CONTROL.to_owned(), json!({"type": "ephemeral", "ttl": ttl}))])
}

/// Whether the caller placed breakpoints inside the request. Then the automatic one stays
/// out: the call is refused when four are placed already, when the last block's lifetime
/// differs, and when a shorter lifetime comes before a longer one.
pub(super) fn has_breakpoints(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_breakpoints),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == CONTROL || has_breakpoints(value)),
        _ => false,
    }
}
