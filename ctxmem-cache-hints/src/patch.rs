//! The cache patch: what to add to a model call, and the rules for adding it.

use std::fmt;

use serde_json::{Map, Value};

use super::openai::breakpoint::Api;
use super::target::AnthropicTtl;
use super::{anthropic, bedrock, content, openai, openrouter};

/// What to add to a model call; often nothing.
///
/// Made by [`Prompt::patch`](crate::Prompt::patch).
#[derive(Clone, Default, PartialEq)]
pub struct CachePatch {
    pub(crate) fields: Map<String, Value>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) mark: Option<Mark>,
}

/// The form of the breakpoint at the end of the system part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Anthropic(AnthropicTtl),
    Bedrock(AnthropicTtl),
    OpenAi(Api),
    OpenRouter(AnthropicTtl),
}

impl CachePatch {
    /// Whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.headers.is_empty() && self.mark.is_none()
    }

    /// The fields at the top level of the request, by their names.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The HTTP headers of the request. Only xAI's Chat Completions has one.
    ///
    /// ```
    /// use ctxmem_cache_hints::{CacheTarget, Prompt};
    ///
    /// fn print_headers(prompt: Prompt<'_>) {
    ///     for (name, value) in prompt.patch(CacheTarget::XaiChat).headers() {
    ///         println!("{name}: {value}");
    ///     }
    /// }
    /// ```
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
    }

    /// Whether a breakpoint is placed at the end of the system part.
    pub fn marks_system(&self) -> bool {
        self.mark.is_some()
    }

    /// Adds the fields to a request's body, and the breakpoint to its system part. A system
    /// prompt that is a string becomes a block of text to take it. It never overwrites or removes
    /// anything, applying it twice is the same as once, and it adds nothing
    ///
    /// - beside a setting of yours that the provider does not accept together with it
    ///   (`prompt_cache_retention` and `prompt_cache_options`), or that says that you place the
    ///   breakpoints (`prompt_cache_options.mode`);
    /// - to a system part that has a breakpoint of yours, or if no further one fits: after four,
    ///   or between lifetimes that can't be combined;
    /// - if the body is not an object.
    ///
    /// ```
    /// use ctxmem_cache_hints::{CacheTarget, Prompt};
    ///
    /// let patch = Prompt::new("Be brief.").patch(CacheTarget::OpenAiResponses("gpt-5.4"));
    /// let mut body = serde_json::json!({"model": "gpt-5.4", "prompt_cache_retention": "in_memory"});
    /// patch.apply_to(&mut body);
    /// assert_eq!(body["prompt_cache_retention"], "in_memory");
    /// ```
    pub fn apply_to(&self, body: &mut Value) {
        self.add_fields(body);
        match self.mark {
            None => {}
            Some(Mark::Anthropic(ttl)) => anthropic::mark(body, ttl),
            Some(Mark::Bedrock(ttl)) => bedrock::mark(body, ttl),
            Some(Mark::OpenAi(api)) => openai::breakpoint::mark(api, body),
            Some(Mark::OpenRouter(ttl)) => openrouter::mark(body, ttl),
        }
    }

    /// Leaves out a field, such as one that a typed request has no place for.
    pub fn remove_field(&mut self, name: &str) {
        self.fields.remove(name);
    }

    /// Adds the fields alone.
    pub(crate) fn add_fields(&self, body: &mut Value) {
        // A model takes only one of the two and rejects a call with both:
        // https://docs.langchain4j.dev/apidocs/dev/langchain4j/model/openaiofficial/OpenAiOfficialPromptCacheOptions.html
        let has_lifetime = [openai::RETENTION, openai::OPTIONS]
            .iter()
            .any(|name| body.get(name).is_some());
        let mut fields = self.fields.clone();
        if has_lifetime {
            fields.retain(|name, _| name != openai::RETENTION && name != openai::OPTIONS);
        }
        content::add_fields(body, &fields);
    }
}

/// `Debug` does not show the user's key, because it ends up in logs.
impl fmt::Debug for CachePatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: Vec<_> = self.fields.keys().collect();
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("CachePatch")
            .field("fields", &fields)
            .field("headers", &headers)
            .field("mark", &self.mark)
            .finish()
    }
}
