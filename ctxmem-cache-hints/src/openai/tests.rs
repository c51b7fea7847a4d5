use proptest::prelude::*;

use super::*;

fn hint(json: Value) -> CacheHint {
    serde_json::from_value(json).unwrap()
}

fn day() -> CacheHint {
    hint(json!({"recommended": true, "retention": "24h"}))
}

fn sent(model: &str, hint: &CacheHint) -> String {
    Value::Object(fields(model, hint)).to_string()
}

const NOTHING: &str = "{}";
const DAY: &str = r#"{"prompt_cache_retention":"24h"}"#;
const IN_MEMORY: &str = r#"{"prompt_cache_retention":"in_memory"}"#;
const HALF_HOUR: &str = r#"{"prompt_cache_options":{"ttl":"30m"}}"#;

#[test]
fn models_on_the_list_keep_a_day() {
    for model in OPENAI_RETENTION.models {
        assert_eq!(sent(model, &day()), DAY, "{model}");
    }
    for snapshot in [
        "gpt-4.1-2025-04-14",
        "gpt-5-2025-08-07",
        "gpt-5.1-2025-11-13",
        "gpt-5.5-pro-2026-04-23",
    ] {
        assert_eq!(sent(snapshot, &day()), DAY, "{snapshot}");
    }
}

#[test]
fn later_families_take_the_options() {
    for model in [
        "gpt-5.6",
        "gpt-5.6-sol",
        "gpt-5.6-terra",
        "gpt-5.6-luna",
        "gpt-5.6-sol-2026-07-09",
        "gpt-5.6-2026-07-09",
        "gpt-5.6-codex-mini",
        "gpt-5.7",
        "gpt-5.10",
        "gpt-5.10-mini",
        "gpt-6",
        "gpt-6-astra",
        "gpt-6.1-terra",
        "gpt-9.99",
    ] {
        assert_eq!(sent(model, &day()), HALF_HOUR, "{model}");
    }
}

#[test]
fn models_that_are_not_known_get_nothing() {
    for model in [
        // Refused by the provider, and not on its list.
        "gpt-4.1-mini",
        "gpt-4.1-mini-2025-04-14",
        "gpt-4.1-nano",
        "gpt-5-mini",
        "gpt-5-nano",
        // Not on its list.
        "gpt-5-pro",
        "gpt-5-chat-latest",
        "gpt-5.2-pro",
        "gpt-5.2-codex",
        "gpt-5.3-codex",
        "gpt-5.4-mini",
        "gpt-5.4-pro",
        // Nothing is said of fine-tunes.
        "ft:gpt-4.1-2025-04-14:org::id",
        "ft:gpt-5.6:org::id",
        // Before extended retention.
        "gpt-3.5-turbo",
        "gpt-4",
        "gpt-4-turbo-2024-04-09",
        "gpt-4o",
        "gpt-4o-mini",
        "gpt-4o-2024-08-06",
        "chatgpt-4o-latest",
        "o1",
        "o3-mini",
        "o4-mini-2025-04-16",
        // Other kinds.
        "text-embedding-3-large",
        "gpt-image-1",
        "gpt-realtime",
        "gpt-6-realtime",
        "gpt-6-audio-mini",
        "gpt-6-mini-tts",
        // Others' names: routers, and models that run anywhere.
        "openai/gpt-5.4",
        "openai/gpt-5.6",
        "azure/gpt-4.1",
        "gpt-5.4:free",
        "gpt-oss-20b",
        "gpt-oss-120b",
        "gpt-6-oss",
        "gpt-6-20b",
        "gpt-6-q4_k_m",
        "llama3",
        "qwen3",
        "claude-opus-5",
        "gemini-3-pro",
        // Traps of prefixes and numbers.
        "gpt-50",
        "gpt-50.1",
        "gpt-10",
        "gpt-4.10",
        "gpt-5.",
        "gpt-5.06",
        "gpt-5.60x",
        "gpt-5.600",
        "gpt-5.6.1",
        "gpt-6.0",
        "gpt-06",
        "gpt-+6",
        "gpt-6-",
        "gpt-6--mini",
        "gpt-5.4-",
        "gpt-5.4-2026",
        "gpt-5.4-2026-03-0",
        "gpt-5.4-2026-03-055",
        "gpt-5.4 ",
        " gpt-5.4",
        "GPT-5.4",
        "GPT-6",
        "gpt-5,4",
        "gpt5.4",
        "gpt-",
        "gpt",
        "-2026-03-05",
        "",
    ] {
        assert_eq!(sent(model, &day()), NOTHING, "{model:?}");
    }
}

#[test]
fn the_value_is_one_that_the_hint_recommends_and_the_model_takes() {
    let field = |value: Value| json!({"recommended": true, "retention": "24h", "providerParam": {RETENTION: value}});
    for (json, older, only_day) in [
        (field(json!("24h")), DAY, DAY),
        (field(json!("in_memory")), IN_MEMORY, NOTHING),
        // What is said for the field counts, known or not.
        (field(json!("in-memory")), NOTHING, NOTHING),
        (field(json!("48h")), NOTHING, NOTHING),
        (field(json!("")), NOTHING, NOTHING),
        (field(json!(24)), NOTHING, NOTHING),
        (field(json!(null)), NOTHING, NOTHING),
        (
            json!({"recommended": true, "retention": "in_memory"}),
            IN_MEMORY,
            NOTHING,
        ),
        (
            json!({"recommended": true, "retention": "1h"}),
            NOTHING,
            NOTHING,
        ),
        (
            json!({"recommended": true, "retention": "24h", "providerParam": {}}),
            DAY,
            DAY,
        ),
        (json!({"recommended": true}), NOTHING, NOTHING),
        // The older name of the parameters.
        (
            json!({"recommended": true, "openaiParam": {RETENTION: "24h"}}),
            DAY,
            DAY,
        ),
    ] {
        let hint = hint(json);
        assert_eq!(sent("gpt-5.4", &hint), older, "{hint:?}");
        assert_eq!(sent("gpt-5.5", &hint), only_day, "{hint:?}");
        assert_eq!(sent("gpt-5.6", &hint), HALF_HOUR, "{hint:?}");
    }
}

#[test]
fn the_key_goes_to_every_text_model_since_gpt_4o() {
    for model in OPENAI_RETENTION.models.iter().chain(OPENAI_KEY.models) {
        assert!(takes_key(model), "{model}");
    }
    for model in [
        "gpt-4.1-mini",
        "gpt-4o-2024-08-06",
        "gpt-5-nano",
        "gpt-5.4-pro-2026-03-05",
        "gpt-5.6-sol",
        "gpt-6",
        "o4-mini-2025-04-16",
    ] {
        assert!(takes_key(model), "{model}");
    }
    for model in [
        "gpt-3.5-turbo",
        "gpt-4",
        "gpt-4-turbo-2024-04-09",
        "gpt-4.5-preview",
        "gpt-4.10",
        "gpt-50",
        "gpt-oss-20b",
        "gpt-6-20b",
        "gpt-realtime",
        "o1-preview",
        "ft:gpt-5.6:org::id",
        "openai/gpt-5.4",
        "llama3",
        "",
    ] {
        assert!(!takes_key(model), "{model}");
    }
}

/// Names that come near to real ones, so that the rules are reached.
fn near_names() -> impl Strategy<Value = String> {
    prop_oneof![
        ".*",
        "gpt-[0-9]{1,3}(\\.[0-9]{1,3})?(-[a-z0-9]{1,6}){0,3}",
        "(ft:|openai/| )?gpt-(4|4.1|5|5.[0-9]|6|oss)(-mini|-codex|-pro|-20b)?(-2026-0[1-9]-1[0-9])?.?",
    ]
}

proptest! {
    #[test]
    fn no_text_breaks_it_and_only_known_families_get_anything(model in near_names()) {
        match sent(&model, &day()).as_str() {
            NOTHING => {}
            DAY => {
                let known = OPENAI_RETENTION.models.iter().any(|known| {
                    model.strip_prefix(known).is_some_and(|rest| {
                        rest.is_empty() || (rest.len() == 11 && rest.starts_with("-2"))
                    })
                });
                prop_assert!(known, "{}", model);
            }
            HALF_HOUR => {
                let number = model.strip_prefix("gpt-").unwrap().split('-').next().unwrap();
                let number: Vec<u32> = number.split('.').map(|n| n.parse().unwrap()).collect();
                prop_assert!(number >= vec![5, 6], "{}", model);
                prop_assert!(number[0] < 10, "{}", model);
            }
            other => prop_assert!(false, "{} {}", model, other),
        }
    }

    #[test]
    fn no_value_that_openai_does_not_know_is_sent(retention in ".*", field in ".*") {
        let hint = hint(json!({
            "recommended": true, "retention": retention, "providerParam": {RETENTION: field},
        }));
        let sent = sent("gpt-5.4", &hint);
        prop_assert!([NOTHING, DAY, IN_MEMORY].contains(&sent.as_str()));
    }
}
