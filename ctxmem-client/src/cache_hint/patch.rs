//! Fields to add to a request, and how they are added.

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

    /// Takes the fields out. Whoever adds them to a request minds what
    /// [`apply_to`](Self::apply_to) minds.
    pub fn into_map(self) -> Map<String, Value> {
        self.fields
    }

    /// Adds the fields to a request's body. Nothing in the body is overwritten or removed,
    /// and nothing is added
    ///
    /// - beside a field that excludes it at the provider: `prompt_cache_retention` and
    ///   `prompt_cache_options`, or `cache_control` at the top level and on a block inside;
    /// - to a body that is not an object.
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

/// Whether the body holds this field, or one that excludes it.
fn is_excluded(name: &str, body: &Value) -> bool {
    match name {
        // A model takes one of them, and a call with both is refused:
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
