//! The service's recommendation for the prompt cache, in rig's own terms.

use ctxmem_client::cache_hints::AnthropicTtl;
use rig_agent::core::completion::{
    CacheRetention, CompletionRequest, OnUnsupported, ProviderExtension as _, SHARED,
};
use rig_agent::core::providers::anthropic::extension::AnthropicExt;
use serde_json::{Value, json};

/// Asks for long retention. rig sends the parameter that the request's provider and model take,
/// and nothing if it knows none.
///
/// At Anthropic long is an hour, which costs 2 instead of 1.25 to write, and rig fails a request
/// whose wire marks the prompt's static part for 5 minutes. So 5 minutes are sent there unless an
/// hour is wanted. rig reads the options of a provider only for that provider.
pub(crate) fn recommend(
    request: CompletionRequest,
    at_anthropic: AnthropicTtl,
) -> CompletionRequest {
    let mut request = request
        .cache(CacheRetention::Long)
        .on_unsupported(OnUnsupported::Ignore);
    if at_anthropic != AnthropicTtl::OneHour && !request.provider_options.contains::<AnthropicExt>()
    {
        let control = json!({"type": "ephemeral", "ttl": "5m"});
        let options = json!({(AnthropicExt::PROVIDER): {(SHARED): {"cache_control": control}}});
        if let Ok(options) = serde_json::from_value(options) {
            request.provider_options = request.provider_options.overlay(&options);
        }
    }
    request
}

/// Whether the recommendation may be added. It never changes the developer's own cache setting.
/// rig has one policy for all options that a model does not support, so it must not be loosened
/// for the options that the developer has set.
pub(crate) fn may_recommend(request: &CompletionRequest) -> bool {
    let options = &request.options;
    let is_lenient = options.on_unsupported == Some(OnUnsupported::Ignore);
    let has_options = !options.is_default() || !request.provider_options.is_empty();
    options.cache.is_none()
        && (is_lenient || !has_options)
        && !request
            .additional_params
            .as_ref()
            .is_some_and(sets_the_cache)
}

fn sets_the_cache(params: &Value) -> bool {
    params.as_object().is_some_and(|params| {
        params
            .keys()
            .any(|name| name.starts_with("prompt_cache_") || name == "cache_control")
    })
}

#[cfg(test)]
mod tests {
    use rig_agent::core::completion::GenerationOptions;

    use super::*;

    fn request() -> CompletionRequest {
        CompletionRequest::new("hi")
    }

    #[test]
    fn a_plain_request_takes_the_recommendation() {
        assert!(may_recommend(&request()));
        assert!(may_recommend(&request().temperature(0.2)));
        assert!(may_recommend(
            &request().additional_params(json!({"user": "a"}))
        ));
        let recommended = recommend(request(), AnthropicTtl::FiveMinutes);
        assert_eq!(recommended.options.cache, Some(CacheRetention::Long));
        assert!(recommended.provider_options.contains::<AnthropicExt>());
        assert_eq!(
            recommended.options.unsupported_policy(),
            OnUnsupported::Ignore
        );
        let hour = recommend(request(), AnthropicTtl::OneHour);
        assert!(hour.provider_options.is_empty());
    }

    #[test]
    fn the_developers_cache_setting_is_kept() {
        for own in [
            request().cache(CacheRetention::Short),
            request()
                .cache(CacheRetention::None)
                .on_unsupported(OnUnsupported::Ignore),
            request().additional_params(json!({"prompt_cache_retention": "in_memory"})),
            request().additional_params(json!({"cache_control": {"type": "ephemeral"}})),
        ] {
            assert!(!may_recommend(&own));
        }
    }

    #[test]
    fn the_policy_for_other_options_is_not_loosened() {
        let options = GenerationOptions::new().seed(7);
        assert!(!may_recommend(&request().options(options.clone())));
        let strict = options.clone().on_unsupported(OnUnsupported::Error);
        assert!(!may_recommend(&request().options(strict)));
        let lenient = options.on_unsupported(OnUnsupported::Ignore);
        assert!(may_recommend(&request().options(lenient)));
    }
}
