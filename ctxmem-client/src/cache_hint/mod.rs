//! Translates the service's cache hint into the fields that a model provider takes.
//!
//! A field that a provider doesn't know may make the whole call fail, while a missing one only
//! costs cache hits. So each rule names its source, and without a rule nothing is sent.

mod anthropic;
#[cfg(feature = "async-openai")]
mod async_openai;
mod openai;
mod patch;
mod target;

use ctxmem_types::CacheHint;
use serde_json::{Map, Value};

pub use self::patch::CachePatch;
pub use self::target::{AnthropicTtl, CacheTarget};
use crate::Injected;

impl Injected {
    /// The fields to add to a model call for this target.
    ///
    /// It is empty unless the service recommends caching (see
    /// [`cache_hint`](Self::cache_hint)) and the target is known to accept the recommendation.
    ///
    /// ```no_run
    /// use ctxmem_client::{AnthropicTtl, CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// let patch = system.cache_patch(CacheTarget::Anthropic(AnthropicTtl::OneHour));
    /// for (name, value) in patch.as_map() {
    ///     println!("{name}: {value}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn cache_patch(&self, target: CacheTarget<'_>) -> CachePatch {
        patch(self.cache_hint(), target)
    }

    /// Adds the fields of [`cache_patch`](Self::cache_patch) to the body of a model call, as
    /// [`CachePatch::apply_to`] does: fields that are already there are kept, and without a
    /// recommendation nothing changes.
    ///
    /// ```no_run
    /// use ctxmem_client::{CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// let mut body = serde_json::json!({
    ///     "model": "gpt-5.4",
    ///     "messages": [{"role": "system", "content": system.prompt()}],
    /// });
    /// system.apply_to(CacheTarget::OpenAiChat("gpt-5.4"), &mut body);
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_to(&self, target: CacheTarget<'_>, body: &mut Value) {
        self.cache_patch(target).apply_to(body);
    }
}

fn patch(hint: Option<&CacheHint>, target: CacheTarget<'_>) -> CachePatch {
    let Some(hint) = hint.filter(|hint| hint.recommended) else {
        return CachePatch::default();
    };
    CachePatch::new(match target {
        CacheTarget::OpenAiChat(model) | CacheTarget::OpenAiResponses(model) => {
            openai::fields(model, hint)
        }
        CacheTarget::Anthropic(ttl) => anthropic::fields(ttl),
        // Implicit caching is on by default and has no lifetime to set. An explicit cache is a
        // resource of its own: https://ai.google.dev/gemini-api/docs/caching
        CacheTarget::Gemini => Map::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TARGETS: [CacheTarget<'static>; 6] = [
        CacheTarget::OpenAiChat("gpt-5.4"),
        CacheTarget::OpenAiResponses("gpt-5.4"),
        CacheTarget::OpenAiChat("gpt-5.6"),
        CacheTarget::Anthropic(AnthropicTtl::OneHour),
        CacheTarget::Anthropic(AnthropicTtl::FiveMinutes),
        CacheTarget::Gemini,
    ];

    fn fields(hint: &Value, target: CacheTarget<'_>) -> Value {
        let hint = serde_json::from_value(hint.clone()).unwrap();
        patch(Some(&hint), target).into_map().into()
    }

    #[test]
    fn each_target_gets_its_own() {
        let hint = json!({"recommended": true, "retention": "24h"});
        let expected = [
            json!({"prompt_cache_retention": "24h"}),
            json!({"prompt_cache_retention": "24h"}),
            json!({"prompt_cache_options": {"ttl": "30m"}}),
            json!({"cache_control": {"type": "ephemeral", "ttl": "1h"}}),
            json!({"cache_control": {"type": "ephemeral", "ttl": "5m"}}),
            json!({}),
        ];
        for (target, expected) in TARGETS.into_iter().zip(expected) {
            assert_eq!(fields(&hint, target), expected, "{target:?}");
        }
    }

    #[test]
    fn without_a_recommendation_there_is_nothing() {
        let hint = json!({
            "recommended": false,
            "retention": "24h",
            "providerParam": {"prompt_cache_retention": "24h"},
        });
        for target in TARGETS {
            assert_eq!(fields(&hint, target), json!({}), "{target:?}");
            assert!(patch(None, target).is_empty(), "{target:?}");
        }
    }

    #[test]
    fn parameters_of_the_service_are_never_passed_on_unchecked() {
        let hint = json!({"recommended": true, "providerParam": {"user": "ada", "ttl": "24h"}});
        for target in TARGETS {
            let text = fields(&hint, target).to_string();
            assert!(!text.contains("user") && !text.contains("24h"), "{text}");
        }
    }

    #[test]
    fn an_hour_is_the_default_for_anthropic() {
        assert_eq!(AnthropicTtl::default(), AnthropicTtl::OneHour);
    }
}
