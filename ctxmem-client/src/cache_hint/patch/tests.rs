use proptest::prelude::*;
use serde_json::json;

use super::*;

fn patched(patch: &Value, body: &Value) -> Value {
    let mut patched = body.clone();
    CachePatch::new(patch.as_object().unwrap().clone()).apply_to(&mut patched);
    patched
}

fn retention() -> Value {
    json!({"prompt_cache_retention": "24h"})
}

fn options() -> Value {
    json!({"prompt_cache_options": {"ttl": "30m"}})
}

fn control() -> Value {
    json!({"cache_control": {"type": "ephemeral", "ttl": "1h"}})
}

#[test]
fn what_is_not_there_is_added_at_the_end() {
    let body = json!({"model": "m", "messages": []});
    for (patch, expected) in [
        (
            retention(),
            r#"{"model":"m","messages":[],"prompt_cache_retention":"24h"}"#,
        ),
        (
            options(),
            r#"{"model":"m","messages":[],"prompt_cache_options":{"ttl":"30m"}}"#,
        ),
        (
            control(),
            r#"{"model":"m","messages":[],"cache_control":{"type":"ephemeral","ttl":"1h"}}"#,
        ),
    ] {
        assert_eq!(patched(&patch, &body).to_string(), expected);
    }
    assert_eq!(patched(&json!({}), &body), body);
}

#[test]
fn what_is_there_stays() {
    for (patch, body) in [
        (retention(), json!({"prompt_cache_retention": "in_memory"})),
        (retention(), json!({"prompt_cache_retention": null})),
        (
            options(),
            json!({"prompt_cache_options": {"mode": "explicit"}}),
        ),
        (control(), json!({"cache_control": {"type": "ephemeral"}})),
    ] {
        assert_eq!(patched(&patch, &body), body);
    }
}

#[test]
fn retention_and_options_exclude_each_other() {
    for (patch, body) in [
        (retention(), options()),
        (retention(), json!({"prompt_cache_options": null})),
        (options(), retention()),
    ] {
        assert_eq!(patched(&patch, &body), body);
    }
}

#[test]
fn a_callers_own_breakpoints_exclude_the_automatic_one() {
    let mark = json!({"type": "ephemeral"});
    for body in [
        json!({"system": [{"type": "text", "text": "s", "cache_control": mark}]}),
        json!({"tools": [{"name": "t", "cache_control": mark}]}),
        json!({"messages": [{"role": "user", "content": [
            {"type": "tool_result", "content": [{"type": "text", "text": "r", "cache_control": mark}]},
        ]}]}),
    ] {
        assert_eq!(patched(&control(), &body), body);
    }
    // Text that only speaks of it is no breakpoint.
    let spoken = json!({"system": "cache_control", "messages": ["cache_control"]});
    assert_ne!(patched(&control(), &spoken), spoken);
}

#[test]
fn a_body_that_is_no_object_stays_as_it_is() {
    for body in [json!(null), json!([1]), json!("text"), json!(1)] {
        for patch in [retention(), options(), control()] {
            assert_eq!(patched(&patch, &body), body);
        }
    }
}

proptest! {
    #[test]
    fn applying_twice_is_applying_once_and_keeps_every_field(
        names in proptest::collection::vec(
            "model|stream|prompt_cache_retention|prompt_cache_options|cache_control|.{0,4}", 0..6),
    ) {
        let body: Map<String, Value> = names.into_iter().map(|name| (name, json!("mine"))).collect();
        for patch in [retention(), options(), control()] {
            let once = patched(&patch, &Value::Object(body.clone()));
            prop_assert_eq!(&patched(&patch, &once), &once);
            for (name, value) in &body {
                prop_assert_eq!(&once[name], value);
            }
        }
    }
}
