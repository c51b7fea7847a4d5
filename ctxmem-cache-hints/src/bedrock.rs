//! Breakpoints of Amazon Bedrock.
//!
//! Source: <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>, besides the
//! rules of [`super::claude`]:
//!
//! - Converse: "In this example, you provide your system prompt in the `text` field.
//!   Additionally, you can add a `cachePoint` field to cache the system prompt":
//!   `"system": [{"text": …}, {"cachePoint": {"type": "default"}}]`.
//! - "To use the 1-hour TTL option with supported models …, specify the `ttl` field in your cache
//!   checkpoint. In the Converse API, add `"ttl": "1h"` to your `cachePoint` object. In the
//!   InvokeModel API for Claude models, add `"ttl": "1h"` to your `cache_control` object. If no
//!   `ttl` value is provided, the default 5-minute caching behavior applies."
//! - "The following table lists models that support Explicit Prompt Caching, along with …
//!   fields that allow cache checkpoints."
//!
//! A model that is not in the table answers "You invoked an unsupported model or your request did
//! not allow prompt caching" (<https://github.com/strands-agents/harness-sdk/pull/1807>), and one
//! without the hour "Extra inputs are not permitted"
//! (<https://github.com/earendil-works/pi/pull/1570>). So nothing is sent to other models.

use serde_json::{Value, json};

use super::claude::{self, Placed};
use super::content;
use super::target::AnthropicTtl;
use crate::rules::{BEDROCK_HOUR, BEDROCK_MINUTES, BEDROCK_NOVA, Rule};

const POINT: &str = "cachePoint";

/// What a model takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Converse,
    Invoke,
}

/// The lifetime to send to this model; `None` if it is not known to take breakpoints.
pub(crate) fn lifetime(api: Api, model: &str, wanted: AnthropicTtl) -> Option<AnthropicTtl> {
    let is_one_of = |rule: &Rule, vendor| {
        let model = of_vendor(model, vendor);
        model.is_some_and(|model| rule.models.iter().any(|name| is_version_of(model, name)))
    };
    if is_one_of(&BEDROCK_HOUR, "anthropic.") {
        return Some(wanted);
    }
    let is_nova = api == Api::Converse && is_one_of(&BEDROCK_NOVA, "amazon.");
    (is_nova || is_one_of(&BEDROCK_MINUTES, "anthropic.")).then_some(AnthropicTtl::FiveMinutes)
}

/// The model's name after its vendor: in an id, in that of an inference profile
/// (`us.anthropic.…`) and in their ARNs.
fn of_vendor<'a>(model: &'a str, vendor: &str) -> Option<&'a str> {
    let id = match model.rsplit_once('/') {
        Some((arn, id)) if arn.starts_with("arn:") => id,
        Some(_) => return None,
        None => model,
    };
    let (geography, name) = id.split_once(vendor)?;
    let is_known = geography.is_empty()
        || geography.strip_suffix('.').is_some_and(|geography| {
            let mut bytes = geography.bytes();
            !geography.is_empty() && bytes.all(|b| b.is_ascii_lowercase() || b == b'-')
        });
    is_known.then_some(name)
}

/// Whether this is the model, with a date and a version or without: `-20251101-v1:0`, `-v1`.
fn is_version_of(model: &str, name: &str) -> bool {
    let Some(rest) = model.strip_prefix(name) else {
        return false;
    };
    let rest = match rest.strip_prefix('-').and_then(|rest| rest.get(..8)) {
        Some(date) if date.bytes().all(|b| b.is_ascii_digit()) => &rest[9..],
        _ => rest,
    };
    let Some(version) = rest.strip_prefix("-v") else {
        return rest.is_empty();
    };
    !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit() || b == b':')
}

/// Marks the end of Converse's system part, unless the caller has marked it.
pub(crate) fn mark(body: &mut Value, wanted: AnthropicTtl) {
    let is_text = |block: &Value| block.get("text").is_some_and(content::has_words);
    if let Some(ttl) = placed(body).at_end(wanted)
        && let Some(Value::Array(system)) = body.get_mut("system")
        && system.last().is_some_and(is_text)
    {
        system.push(point(ttl));
    }
}

/// Writes these texts before what the caller has in Converse's system part, each with a
/// breakpoint where one fits and caching is `wanted`.
pub(crate) fn place(body: &mut Value, texts: &[&str], wanted: Option<AnthropicTtl>) {
    let marks = placed(body).marks(texts.len(), wanted);
    let mut system = Vec::new();
    for (text, ttl) in texts.iter().zip(marks) {
        system.push(json!({"text": text}));
        system.extend(ttl.map(point));
    }
    content::put_first(body, "system", system, "text");
}

fn point(ttl: AnthropicTtl) -> Value {
    json!({POINT: claude::breakpoint("default", ttl)})
}

fn placed(body: &Value) -> Placed {
    let within = |field| claude::breakpoints_in(body, field, POINT);
    Placed {
        before: within("toolConfig"),
        system: within("system"),
        after: within("messages"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: AnthropicTtl = AnthropicTtl::OneHour;
    const MINUTES: AnthropicTtl = AnthropicTtl::FiveMinutes;

    #[test]
    fn models_of_the_table_take_what_it_says() {
        for model in [
            "anthropic.claude-opus-5",
            "us.anthropic.claude-opus-5",
            "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "global.anthropic.claude-haiku-4-5-20251001-v1:0",
            "anthropic.claude-opus-4-6-v1",
            "anthropic.claude-fable-5-1",
            "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5",
            "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-5",
        ] {
            for api in [Api::Converse, Api::Invoke] {
                assert_eq!(lifetime(api, model, HOUR), Some(HOUR), "{model}");
                assert_eq!(lifetime(api, model, MINUTES), Some(MINUTES), "{model}");
            }
        }
        for model in [
            "anthropic.claude-3-7-sonnet-20250219-v1:0",
            "eu.anthropic.claude-sonnet-4-20250514-v1:0",
        ] {
            assert_eq!(
                lifetime(Api::Converse, model, HOUR),
                Some(MINUTES),
                "{model}"
            );
            assert_eq!(lifetime(Api::Invoke, model, HOUR), Some(MINUTES), "{model}");
        }
        let nova = "us.amazon.nova-pro-v1:0";
        assert_eq!(lifetime(Api::Converse, nova, HOUR), Some(MINUTES));
        assert_eq!(lifetime(Api::Invoke, nova, HOUR), None);
    }

    #[test]
    fn other_models_get_nothing() {
        for model in [
            "anthropic.claude-3-haiku-20240307-v1:0",
            "anthropic.claude-3-5-sonnet-20240620-v1:0",
            // "Preview": for those who had access to it.
            "anthropic.claude-3-5-sonnet-20241022-v2:0",
            "anthropic.claude-opus-50",
            "anthropic.claude-opus-5-mini",
            "anthropic.claude-opus-5-v",
            "claude-opus-5",
            "amazon.nova-canvas-v1:0",
            "amazon.titan-text-express-v1",
            "meta.llama3-70b-instruct-v1:0",
            "us.deepseek.r1-v1:0",
            "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123",
            "openrouter/anthropic.claude-opus-5",
            "anthropic/claude-opus-5",
            "xanthropic.claude-opus-5",
            "",
        ] {
            assert!(lifetime(Api::Converse, model, HOUR).is_none(), "{model}");
        }
    }
}
