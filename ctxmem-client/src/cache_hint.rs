//! What to tell the model provider about caching. Pure.

use ctxmem_types::CacheHint;
use serde_json::{Map, Value};

/// The parameters of a hint that recommends them.
pub(crate) fn recommended(hint: Option<&CacheHint>) -> Option<&Map<String, Value>> {
    hint.filter(|hint| hint.recommended)?
        .provider_param
        .as_ref()
        .filter(|params| !params.is_empty())
}

/// Adds the parameters that a request body does not hold yet. A body that is not an object
/// stays as it is.
pub(crate) fn merge(params: &Map<String, Value>, body: &mut Value) {
    if let Some(body) = body.as_object_mut() {
        for (name, value) in params {
            if !body.contains_key(name) {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint(json: Value) -> CacheHint {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn parameters_count_only_when_recommended() {
        let params = json!({"prompt_cache_retention": "24h"});
        let yes = hint(json!({"recommended": true, "providerParam": params}));
        assert_eq!(recommended(Some(&yes)), params.as_object());
        for no in [
            json!({"recommended": false, "providerParam": params}),
            json!({"recommended": true}),
            json!({"recommended": true, "providerParam": {}}),
        ] {
            assert_eq!(recommended(Some(&hint(no))), None);
        }
        assert_eq!(recommended(None), None);
    }

    #[test]
    fn the_older_name_counts_as_well() {
        let older = hint(json!({"recommended": true, "openaiParam": {"a": 1}}));
        assert_eq!(recommended(Some(&older)), json!({"a": 1}).as_object());
    }

    #[test]
    fn merging_overwrites_nothing() {
        let params = json!({"prompt_cache_retention": "24h", "model": "other", "extra": {"a": 1}});
        let mut body = json!({"model": "mine", "prompt_cache_retention": null});
        merge(params.as_object().unwrap(), &mut body);
        assert_eq!(
            body,
            json!({"model": "mine", "prompt_cache_retention": null, "extra": {"a": 1}})
        );
    }

    #[test]
    fn a_body_that_is_no_object_stays_as_it_is() {
        for body in [json!(null), json!([1]), json!("text")] {
            let mut merged = body.clone();
            merge(json!({"a": 1}).as_object().unwrap(), &mut merged);
            assert_eq!(merged, body);
        }
    }
}
