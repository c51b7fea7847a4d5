//! Fields to add to the body of a model call, and the rules for adding them.

use serde_json::{Map, Value};

use super::{anthropic, openai};

/// Fields to add to the body of a model call; often none.
///
/// Made by [`Injected::cache_patch`](crate::Injected::cache_patch).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CachePatch {
    fields: Map<String, Value>,
}

impl CachePatch {
    pub(super) fn new(fields: Map<String, Value>) -> Self {
        Self { fields }
    }

    /// Whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The fields, by their names in the request.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Takes the fields out. If you add them to a request yourself, follow the rules of
    /// [`apply_to`](Self::apply_to).
    pub fn into_map(self) -> Map<String, Value> {
        self.fields
    }

    /// Adds the fields to a request's body. It never overwrites or removes anything, and it adds
    /// nothing
    ///
    /// - if the body has a field that the provider does not accept together with the new one:
    ///   `prompt_cache_retention` and `prompt_cache_options`, or `cache_control` both at the
    ///   top level and on a block;
    /// - if the body is not an object.
    ///
    /// ```
    /// # fn example(system: &ctxmem_client::Injected) {
    /// use ctxmem_client::CacheTarget;
    ///
    /// let patch = system.cache_patch(CacheTarget::OpenAiResponses("gpt-5.4"));
    /// let mut body = serde_json::json!({"model": "gpt-5.4", "prompt_cache_retention": "in_memory"});
    /// patch.apply_to(&mut body);
    /// assert_eq!(body["prompt_cache_retention"], "in_memory");
    /// # }
    /// ```
    pub fn apply_to(&self, body: &mut Value) {
        for (name, value) in &self.fields {
            if is_excluded(name, body) {
                continue;
            }
            if let Some(body) = body.as_object_mut() {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Whether the body has this field, or one that can't be combined with it.
fn is_excluded(name: &str, body: &Value) -> bool {
    match name {
        // A model takes only one of them and rejects a call with both:
        // https://docs.langchain4j.dev/apidocs/dev/langchain4j/model/openaiofficial/OpenAiOfficialPromptCacheOptions.html
        openai::RETENTION | openai::OPTIONS => [openai::RETENTION, openai::OPTIONS]
            .iter()
            .any(|name| body.get(name).is_some()),
        anthropic::CONTROL => anthropic::has_breakpoints(body),
        _ => body.get(name).is_some(),
    }
}

#[cfg(test)]
mod tests;
