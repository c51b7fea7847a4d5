//! The cache field of Anthropic's Messages API.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>

use serde_json::{Map, Value, json};

use super::target::AnthropicTtl;

/// The field of automatic caching at the request's top level, and of breakpoints inside it.
pub(super) const CONTROL: &str = "cache_control";

/// Turns automatic caching on: the provider puts the breakpoint on the last block that can be
/// cached and moves it as the conversation grows. Every model takes the field.
pub(super) fn fields(ttl: AnthropicTtl) -> Map<String, Value> {
    let ttl = match ttl {
        AnthropicTtl::FiveMinutes => "5m",
        AnthropicTtl::OneHour => "1h",
    };
    Map::from_iter([(CONTROL.to_owned(), json!({"type": "ephemeral", "ttl": ttl}))])
}

/// Whether the caller has placed breakpoints in the request. Then automatic caching must stay
/// off: Anthropic rejects the call if there are four breakpoints already, if the last block
/// has another lifetime, or if a shorter lifetime comes before a longer one.
pub(super) fn has_breakpoints(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_breakpoints),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == CONTROL || has_breakpoints(value)),
        _ => false,
    }
}
