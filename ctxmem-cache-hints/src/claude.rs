//! Rules for cache breakpoints of Claude models: where one may be placed among those that a request
//! has already. The rules are Anthropic's; Amazon Bedrock and OpenRouter pass them on.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>, and for
//! Bedrock <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>, which
//! repeats them:
//!
//! - "You can define up to 4 cache breakpoints", and a fifth is answered with a 400.
//! - "Cache prefixes are created in the following order: `tools`, `system`, then `messages`."
//! - "Cache entries with longer TTL must appear before shorter TTLs (that is, a 1-hour cache
//!   entry must appear before any 5-minute cache entries)."
//! - "Empty text blocks cannot be cached", and a breakpoint on one is answered with a 400.

use serde_json::Value;

use super::content;
use super::target::AnthropicTtl;

/// The field of a breakpoint on a block, and of Anthropic's automatic caching at the request's top
/// level.
pub(crate) const CONTROL: &str = "cache_control";

/// The most breakpoints of a request.
const SLOTS: usize = 4;

/// The breakpoints that the caller has placed, by where the provider reads them.
#[derive(Default)]
pub(crate) struct Placed {
    /// Before the system part: in the tools.
    pub(crate) before: Vec<AnthropicTtl>,
    /// In the system part.
    pub(crate) system: Vec<AnthropicTtl>,
    /// After the system part: in messages, and Anthropic's automatic one at the end of them.
    pub(crate) after: Vec<AnthropicTtl>,
}

impl Placed {
    /// How many more breakpoints fit.
    pub(crate) fn free(&self) -> usize {
        SLOTS.saturating_sub(self.before.len() + self.system.len() + self.after.len())
    }

    /// The lifetime of a breakpoint at the end of a system part that has none, if one fits.
    pub(crate) fn at_end(&self, wanted: AnthropicTtl) -> Option<AnthropicTtl> {
        let fits = self.system.is_empty() && self.free() > 0;
        self.lifetime(wanted).filter(|_| fits)
    }

    /// The lifetime of a breakpoint at the end of the system part, as near to the wanted one as
    /// the others allow: before an hour there must be an hour, after 5 minutes there can't be
    /// one. `None` if no lifetime fits.
    ///
    /// An hour that is not wanted costs no more: the later breakpoint writes the system part for
    /// an hour in any case.
    fn lifetime(&self, wanted: AnthropicTtl) -> Option<AnthropicTtl> {
        let hour = AnthropicTtl::OneHour;
        let is_needed = self.after.contains(&hour);
        let is_possible = !self.before.contains(&AnthropicTtl::FiveMinutes);
        if is_needed && !is_possible {
            return None;
        }
        if is_possible && (is_needed || wanted == hour) {
            return Some(hour);
        }
        Some(AnthropicTtl::FiveMinutes)
    }

    /// For each of so many texts that are put before what the caller has in the system part, the
    /// lifetime of a breakpoint at its end. Where too few are free, the last texts have them.
    pub(crate) fn marks(
        mut self,
        texts: usize,
        wanted: Option<AnthropicTtl>,
    ) -> Vec<Option<AnthropicTtl>> {
        let unmarked = texts.saturating_sub(self.free());
        // What the caller has in the system part will come after the texts.
        self.after.append(&mut self.system);
        let ttl = wanted.and_then(|wanted| self.lifetime(wanted));
        (0..texts).map(|n| ttl.filter(|_| n >= unmarked)).collect()
    }
}

/// The lifetimes of all breakpoints in a field of the body: what stands under this name, however deep.
pub(crate) fn breakpoints_in(body: &Value, field: &str, name: &str) -> Vec<AnthropicTtl> {
    let value = body.get(field);
    value.map_or_else(Vec::new, |value| breakpoints(value, name))
}

/// The lifetimes of all breakpoints in a value, however deep.
pub(crate) fn breakpoints(value: &Value, name: &str) -> Vec<AnthropicTtl> {
    match value {
        Value::Array(items) => items.iter().flat_map(|v| breakpoints(v, name)).collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| {
                if key == name {
                    vec![lifetime(value)]
                } else {
                    breakpoints(value, name)
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn lifetime(breakpoint: &Value) -> AnthropicTtl {
    match breakpoint.get("ttl").and_then(Value::as_str) {
        Some("1h") => AnthropicTtl::OneHour,
        _ => AnthropicTtl::FiveMinutes,
    }
}

/// The breakpoint itself: `{"type": …}`, with a `ttl` for an hour. Five minutes are the default,
/// so they are not named: older integrations reject a `ttl`.
pub(crate) fn breakpoint(kind: &str, ttl: AnthropicTtl) -> Value {
    let mut breakpoint = serde_json::Map::from_iter([("type".to_owned(), Value::from(kind))]);
    if ttl == AnthropicTtl::OneHour {
        breakpoint.insert("ttl".to_owned(), "1h".into());
    }
    breakpoint.into()
}

/// Marks the end of a content, if that is a text.
pub(crate) fn mark_end(content: &mut Value, ttl: AnthropicTtl) {
    content::mark_end(content, "text", CONTROL, breakpoint("ephemeral", ttl));
}

/// A block for each of these texts, with the breakpoint that its mark names.
pub(crate) fn marked_blocks(texts: &[&str], marks: &[Option<AnthropicTtl>]) -> Vec<Value> {
    let mut blocks = content::text_blocks(texts, "text");
    for (block, ttl) in blocks.iter_mut().zip(marks) {
        if let Some(ttl) = ttl {
            block[CONTROL] = breakpoint("ephemeral", *ttl);
        }
    }
    blocks
}
