//! From the service's cache hint to the fields that a model provider takes.
//!
//! A field that a provider doesn't know may cost the whole call, and a missing one only
//! cache hits. So each rule names its source, and without a rule nothing is sent.

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
    /// Empty unless the service recommends caching (see
    /// [`cache_hint`](Self::cache_hint)) and the target is known to take what it recommends.
    pub fn cache_patch(&self, target: CacheTarget<'_>) -> CachePatch {
        patch(self.cache_hint(), target)
    }

    /// Adds what [`cache_patch`](Self::cache_patch) holds to the body of a model call, as
    /// [`CachePatch::apply_to`] does: what the body already holds stays, and without a
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
        // Implicit caching is on by default and has no lifetime to set; an explicit cache is
        // a resource of its own: https://ai.google.dev/gemini-api/docs/caching
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
    fn what_the_service_names_is_never_passed_on_as_it_is() {
        let hint = json!({"recommended": true, "providerParam": {"user": "ada", "ttl": "24h"}});
        for target in TARGETS {
            let text = fields(&hint, target).to_string();
            assert!(!text.contains("user") && !text.contains("24h"), "{text}");
        }
    }

    #[test]
    fn an_hour_is_the_default_of_anthropic() {
        assert_eq!(AnthropicTtl::default(), AnthropicTtl::OneHour);
    }
}
