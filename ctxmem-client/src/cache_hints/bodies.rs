//! Tests of request bodies: what each provider's endpoint receives, with the sentence of its
//! documentation that requires it. The page is named in the module of the provider.

use ctxmem_types::{InjectResponse, UserId};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const BASE: &str = "You are helpful.";
const CONTEXT: &str = "System:\nThe user edits with Helix.";
const PROMPT: &str = "System:\nThe user edits with Helix.\n\nYou are helpful.";
const USER: &str = "ada@example.com";
const MINUTES: AnthropicTtl = AnthropicTtl::FiveMinutes;
const HOUR: AnthropicTtl = AnthropicTtl::OneHour;
const BEDROCK: &str = "us.anthropic.claude-opus-5";

fn key() -> CacheKey {
    CacheKey::derive(b"ctxm_key", &UserId::new(USER).unwrap())
}

fn answered(answer: Value) -> Injected {
    let response: InjectResponse = serde_json::from_value(answer).unwrap();
    Injected::answered(BASE, response).with_cache_key(key())
}

fn injected(recommended: bool) -> Injected {
    answered(json!({
        "injectedPrompt": PROMPT,
        "cacheHint": {"recommended": recommended, "retention": "24h", "reason": "stable prefix"},
    }))
}

/// The lifetimes of all breakpoints in a value of Anthropic's.
fn breakpoints(value: &Value) -> Vec<AnthropicTtl> {
    match value {
        Value::Array(items) => items.iter().flat_map(breakpoints).collect(),
        Value::Object(fields) => {
            let within = fields.iter().flat_map(|(name, value)| match &**name {
                "cache_control" if value["ttl"] == "1h" => vec![HOUR],
                "cache_control" => vec![MINUTES],
                _ => breakpoints(value),
            });
            within.collect()
        }
        _ => Vec::new(),
    }
}

fn applied(target: CacheTarget<'_>, body: &Value) -> Value {
    let mut body = body.clone();
    injected(true).apply_to(target, &mut body);
    body
}

fn placed(target: CacheTarget<'_>, body: &Value) -> Value {
    let mut body = body.clone();
    injected(true).place_in(target, &mut body);
    body
}

fn targets() -> Vec<CacheTarget<'static>> {
    let mut targets = vec![
        CacheTarget::XaiChat,
        CacheTarget::XaiResponses,
        CacheTarget::Gemini,
        CacheTarget::OtherChat,
    ];
    for model in ["gpt-4o", "gpt-4.1", "gpt-5.4", "gpt-5.6-sol", "llama3"] {
        targets.extend([
            CacheTarget::OpenAiChat(model),
            CacheTarget::OpenAiResponses(model),
            CacheTarget::AzureOpenAiChat(model),
            CacheTarget::AzureOpenAiResponses(model),
        ]);
    }
    for ttl in [MINUTES, HOUR] {
        targets.extend([
            CacheTarget::Anthropic(ttl),
            CacheTarget::VertexAnthropic(ttl),
        ]);
        for model in [
            BEDROCK,
            "amazon.nova-pro-v1:0",
            "meta.llama3-70b-instruct-v1:0",
        ] {
            targets.push(CacheTarget::BedrockConverse(model, ttl));
            targets.push(CacheTarget::BedrockInvoke(model, ttl));
        }
        for model in [
            "anthropic/claude-opus-5",
            "~anthropic/claude-sonnet-latest",
            "google/gemini-3-pro",
            "openai/gpt-5.6-sol:batch",
            "openai/gpt-5.4",
            "deepseek/deepseek-v4",
        ] {
            targets.push(CacheTarget::OpenRouter(model, ttl));
        }
    }
    targets
}

fn messages(system: Value) -> Value {
    let mut body = json!({
        "model": "claude-opus-5",
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": "Hello"}],
    });
    body["system"] = system;
    body
}

fn chat(model: &str) -> Value {
    json!({"model": model, "messages": [
        {"role": "system", "content": PROMPT},
        {"role": "user", "content": "Hello"},
    ]})
}

/// A block of text with `cache_control`.
fn block(text: &str, control: Value) -> Value {
    let mut block = json!({"type": "text", "text": text});
    block["cache_control"] = control;
    block
}

fn minutes() -> Value {
    json!({"type": "ephemeral"})
}

fn hour() -> Value {
    json!({"type": "ephemeral", "ttl": "1h"})
}

/// A block of text with OpenAI's breakpoint.
fn marked(block_type: &str, text: &str) -> Value {
    json!({"type": block_type, "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}})
}

// "Place cache_control directly on individual content blocks"; "By default, the cache has a
// 5-minute lifetime"; "If you find that 5 minutes is too short, Anthropic also offers a 1-hour
// cache duration at additional cost."
#[test]
fn anthropic_gets_a_breakpoint_at_the_end_of_the_system_part() {
    for (ttl, control) in [(MINUTES, minutes()), (HOUR, hour())] {
        for target in [
            CacheTarget::Anthropic(ttl),
            CacheTarget::VertexAnthropic(ttl),
            CacheTarget::BedrockInvoke(BEDROCK, ttl),
        ] {
            let body = messages(json!(PROMPT));
            let expected = messages(json!([block(PROMPT, control.clone())]));
            assert_eq!(applied(target, &body), expected, "{target:?}");
            let body =
                messages(json!([{"type": "text", "text": "a"}, {"type": "text", "text": PROMPT}]));
            let expected =
                messages(json!([{"type": "text", "text": "a"}, block(PROMPT, control.clone())]));
            assert_eq!(applied(target, &body), expected, "{target:?}");
        }
    }
    assert_eq!(AnthropicTtl::default(), MINUTES);
}

// "You can define up to 4 cache breakpoints"; "when used together, the automatic cache breakpoint
// uses one of the 4 available breakpoint slots."
#[test]
fn anthropic_gets_no_fifth_breakpoint() {
    let tool = |control: Value| json!({"name": "t", "input_schema": {}, "cache_control": control});
    let text = |control: Value| json!({"role": "user", "content": [block("Hello", control)]});
    for (tools, last, automatic, fits) in [
        (1, 2, false, true),
        (2, 2, false, false),
        (1, 2, true, false),
        (1, 1, true, true),
        (0, 4, false, false),
    ] {
        let mut body = messages(json!(PROMPT));
        body["tools"] = vec![tool(minutes()); tools].into();
        body["messages"] = vec![text(minutes()); last].into();
        if automatic {
            body["cache_control"] = minutes();
        }
        let mut expected = body.clone();
        if fits {
            expected["system"] = json!([block(PROMPT, minutes())]);
        }
        assert_eq!(applied(CacheTarget::Anthropic(MINUTES), &body), expected);
    }
}

// "Cache entries with longer TTL must appear before shorter TTLs (that is, a 1-hour cache entry
// must appear before any 5-minute cache entries)."
#[test]
fn anthropic_gets_lifetimes_in_an_order_that_it_takes() {
    for (tools, last, wanted, expected) in [
        (None, Some(minutes()), HOUR, Some(hour())),
        (None, Some(hour()), MINUTES, Some(hour())),
        (Some(minutes()), None, HOUR, Some(minutes())),
        (Some(hour()), None, MINUTES, Some(minutes())),
        (Some(hour()), Some(minutes()), HOUR, Some(hour())),
        // The caller's own are in an order that is rejected.
        (Some(minutes()), Some(hour()), HOUR, None),
    ] {
        let mut body = messages(json!(PROMPT));
        if let Some(control) = tools {
            body["tools"] = json!([{"name": "t", "cache_control": control}]);
        }
        if let Some(control) = last {
            body["messages"] = json!([{"role": "user", "content": [block("Hello", control)]}]);
        }
        let mut marked = body.clone();
        if let Some(control) = expected {
            marked["system"] = json!([block(PROMPT, control)]);
        }
        assert_eq!(applied(CacheTarget::Anthropic(wanted), &body), marked);
    }
}

// "For example, use an explicit breakpoint to cache your system prompt, while automatic caching
// handles the conversation." "If the last block has an explicit cache_control with a different
// TTL, the API returns a 400 error": without messages that block is the system part.
#[test]
fn anthropics_automatic_caching_is_combined_with_where_it_can_be() {
    let mut body = messages(json!(PROMPT));
    body["cache_control"] = minutes();
    let mut expected = body.clone();
    expected["system"] = json!([block(PROMPT, minutes())]);
    assert_eq!(applied(CacheTarget::Anthropic(MINUTES), &body), expected);
    body["messages"] = json!([]);
    assert_eq!(applied(CacheTarget::Anthropic(HOUR), &body), body);
}

// "Empty text blocks cannot be cached."
#[test]
fn a_system_part_that_cannot_be_marked_stays_as_it_is() {
    for system in [
        json!(""),
        json!(" \n"),
        json!([]),
        json!([{"type": "text", "text": ""}]),
        json!([{"type": "text", "text": "a", "cache_control": minutes()}, {"type": "text", "text": "b"}]),
        json!(null),
        json!(1),
    ] {
        let body = messages(system);
        assert_eq!(applied(CacheTarget::Anthropic(MINUTES), &body), body);
    }
}

// "For GPT-5.6 and later … mark each desired breakpoint by adding prompt_cache_breakpoint:
// { "mode": "explicit" } to a supported content block inside an input message";
// "prompt_cache_options.ttl … The only supported value, 30m, is also the default"; "separate keys
// help prevent cache-hit probing across users". Azure: "On GPT-5.6 models and later model
// families, set the prompt_cache_key parameter" and "use explicit cache breakpoints".
#[test]
fn openai_from_5_6_on_gets_a_breakpoint_a_key_and_a_lifetime() {
    for model in ["gpt-5.6", "gpt-5.6-sol-2026-07-09", "gpt-6-astra"] {
        for target in [
            CacheTarget::OpenAiChat(model),
            CacheTarget::AzureOpenAiChat(model),
        ] {
            let expected = json!({
                "model": model,
                "messages": [
                    {"role": "system", "content": [marked("text", PROMPT)]},
                    {"role": "user", "content": "Hello"},
                ],
                "prompt_cache_options": {"ttl": "30m"},
                "prompt_cache_key": key().to_string(),
            });
            assert_eq!(applied(target, &chat(model)), expected, "{target:?}");
        }
        for target in [
            CacheTarget::OpenAiResponses(model),
            CacheTarget::AzureOpenAiResponses(model),
        ] {
            let body = json!({"model": model, "input": [
                {"role": "developer", "content": PROMPT},
                {"type": "message", "role": "user", "content": "Hello"},
            ]});
            let expected = json!({
                "model": model,
                "input": [
                    {"role": "developer", "content": [marked("input_text", PROMPT)]},
                    {"type": "message", "role": "user", "content": "Hello"},
                ],
                "prompt_cache_options": {"ttl": "30m"},
                "prompt_cache_key": key().to_string(),
            });
            assert_eq!(applied(target, &body), expected, "{target:?}");
        }
    }
}

// "Top-level instructions cannot contain an explicit breakpoint."
#[test]
fn openais_instructions_get_no_breakpoint() {
    let body = json!({"model": "gpt-5.6", "instructions": PROMPT, "input": "Hello"});
    let mut expected = body.clone();
    expected["prompt_cache_options"] = json!({"ttl": "30m"});
    expected["prompt_cache_key"] = key().to_string().into();
    assert_eq!(
        applied(CacheTarget::OpenAiResponses("gpt-5.6"), &body),
        expected
    );
}

// "Extended retention is supported by gpt-5.5, …"; "On models before GPT-5.6, prompt_cache_key is
// important for optimizing cache hit rates"; "Older models also reject prompt_cache_options and
// prompt_cache_breakpoint." Azure lists other models and names the key for 5.6 and later only.
#[test]
fn openai_before_5_6_gets_a_day_and_a_key_where_they_are_documented() {
    let day = || Some(json!("24h"));
    let openai = CacheTarget::OpenAiChat as fn(&'static str) -> CacheTarget<'static>;
    let azure = CacheTarget::AzureOpenAiChat as fn(&'static str) -> CacheTarget<'static>;
    for (target, model, retention, has_key) in [
        (openai, "gpt-5.4", day(), true),
        (openai, "gpt-5.5-pro", day(), true),
        (openai, "gpt-4.1", day(), true),
        (openai, "gpt-4.1-mini", None, true),
        (openai, "gpt-4o", None, true),
        (openai, "llama3", None, false),
        (openai, "gpt-3.5-turbo", None, false),
        (azure, "gpt-5.4", day(), false),
        (azure, "gpt-5.3-codex", day(), false),
        (azure, "gpt-5.5", None, false),
        (azure, "gpt-4.1", None, false),
        (azure, "my-deployment", None, false),
    ] {
        let mut expected = chat(model);
        if let Some(retention) = retention {
            expected["prompt_cache_retention"] = retention;
        }
        if has_key {
            expected["prompt_cache_key"] = key().to_string().into();
        }
        let target = target(model);
        assert_eq!(applied(target, &chat(model)), expected, "{target:?}");
    }
}

// "When no explicit breakpoints are placed" in mode explicit, "the request does not use prompt
// caching": the caller has turned it off. "Setting both on the same request is rejected."
#[test]
fn settings_of_the_caller_decide_about_openais_breakpoints() {
    for (own, is_marked) in [
        (json!({"prompt_cache_options": {"mode": "explicit"}}), false),
        (json!({"prompt_cache_options": {"mode": "implicit"}}), true),
        (json!({"prompt_cache_options": null}), true),
        (json!({"prompt_cache_retention": "24h"}), false),
        (json!({"prompt_cache_key": "mine"}), true),
    ] {
        let mut body = chat("gpt-5.6");
        for (name, value) in own.as_object().unwrap() {
            body[name] = value.clone();
        }
        let patched = applied(CacheTarget::OpenAiChat("gpt-5.6"), &body);
        for (name, value) in own.as_object().unwrap() {
            assert_eq!(&patched[name], value);
        }
        let content = &patched["messages"][0]["content"];
        assert_eq!(content.is_array(), is_marked, "{own}");
        let lifetimes = ["prompt_cache_options", "prompt_cache_retention"];
        assert_eq!(
            lifetimes
                .iter()
                .filter(|name| patched.get(**name).is_some())
                .count(),
            1
        );
    }
}

// "In this example, you provide your system prompt in the text field. Additionally, you can add a
// cachePoint field to cache the system prompt"; "In the Converse API, add "ttl": "1h" to your
// cachePoint object."
#[test]
fn bedrock_gets_a_cache_point_after_the_system_part() {
    let body = json!({"system": [{"text": PROMPT}], "messages": []});
    for (model, ttl, point) in [
        (BEDROCK, MINUTES, json!({"type": "default"})),
        (BEDROCK, HOUR, json!({"type": "default", "ttl": "1h"})),
        ("amazon.nova-pro-v1:0", HOUR, json!({"type": "default"})),
    ] {
        let target = CacheTarget::BedrockConverse(model, ttl);
        let expected = json!({"system": [{"text": PROMPT}, {"cachePoint": point}], "messages": []});
        assert_eq!(applied(target, &body), expected);
    }
    let other = CacheTarget::BedrockConverse("meta.llama3-70b-instruct-v1:0", HOUR);
    assert_eq!(applied(other, &body), body);
    for own in [
        json!({"system": [{"cachePoint": {"type": "default"}}, {"text": PROMPT}]}),
        json!({"system": []}),
        json!({"messages": []}),
        json!({
            "system": [{"text": PROMPT}],
            "toolConfig": {"tools": [{"cachePoint": {"type": "default"}}]},
            "messages": vec![json!({"content": [{"cachePoint": {"type": "default"}}]}); 3],
        }),
    ] {
        assert_eq!(
            applied(CacheTarget::BedrockConverse(BEDROCK, MINUTES), &own),
            own
        );
    }
}

// "Place cache_control directly on individual content blocks"; "Gemini caching in OpenRouter
// requires you to insert cache_control breakpoints explicitly within message content, similar to
// Anthropic", "you do not need to manage cache names or TTL"; "prompt_cache_breakpoint: placed on
// an individual text content block"; "OpenRouter falls back to the OpenAI-style prompt_cache_key
// request field as the sticky routing key."
#[test]
fn openrouter_gets_the_form_of_the_model_and_a_key() {
    for (model, content) in [
        ("anthropic/claude-opus-5", json!([block(PROMPT, hour())])),
        (
            "~anthropic/claude-sonnet-latest",
            json!([block(PROMPT, hour())]),
        ),
        ("google/gemini-3-pro", json!([block(PROMPT, minutes())])),
        ("openai/gpt-5.6-sol:batch", json!([marked("text", PROMPT)])),
        ("openai/gpt-5.4", json!(PROMPT)),
        ("google/gemma-4", json!(PROMPT)),
        ("deepseek/deepseek-v4", json!(PROMPT)),
    ] {
        let mut expected = chat(model);
        expected["messages"][0]["content"] = content;
        expected["prompt_cache_key"] = key().to_string().into();
        let target = CacheTarget::OpenRouter(model, HOUR);
        assert_eq!(applied(target, &chat(model)), expected, "{model}");
    }
}

// "The x-grok-conv-id HTTP header routes requests with the same conversation ID to the same
// server"; "For the Responses API, use the prompt_cache_key field directly in the request body."
#[test]
fn xai_gets_a_key() {
    let key = key().to_string();
    let body = chat("grok-4.7");
    assert_eq!(applied(CacheTarget::XaiChat, &body), body);
    let patch = injected(true).cache_patch(CacheTarget::XaiChat);
    let headers: Vec<_> = patch.headers().collect();
    assert_eq!(headers, [("x-grok-conv-id", key.as_str())]);
    let body = json!({"model": "grok-4.7", "input": "Hello"});
    let expected = json!({"model": "grok-4.7", "input": "Hello", "prompt_cache_key": key});
    assert_eq!(applied(CacheTarget::XaiResponses, &body), expected);
}

// "All Google Cloud projects have implicit caching enabled by default." "Context Caching on Disk
// Technology is enabled by default for all users." "Prompt caching works automatically on all
// your API requests."
#[test]
fn providers_that_cache_by_themselves_get_nothing() {
    for target in [CacheTarget::Gemini, CacheTarget::OtherChat] {
        assert!(injected(true).cache_patch(target).is_empty());
    }
}

#[test]
fn without_a_recommendation_every_body_stays_as_it_was() {
    let unrecommended = answered(json!({
        "injectedPrompt": PROMPT,
        "cacheHint": {
            "recommended": false,
            "retention": "24h",
            "providerParam": {"prompt_cache_retention": "24h"},
        },
    }));
    let unhinted = answered(json!({"injectedPrompt": PROMPT}));
    for target in targets() {
        for system in [&unrecommended, &unhinted] {
            assert!(system.cache_patch(target).is_empty(), "{target:?}");
            for body in [
                chat("m"),
                messages(json!(PROMPT)),
                json!({"system": [{"text": "a"}]}),
            ] {
                let mut patched = body.clone();
                system.apply_to(target, &mut patched);
                assert_eq!(patched, body, "{target:?}");
            }
        }
    }
}

#[test]
fn parameters_of_the_service_are_never_passed_on_unchecked() {
    let hint = json!({"recommended": true, "providerParam": {"user": "ada", "ttl": "24h"}});
    let system = answered(json!({"injectedPrompt": PROMPT, "cacheHint": hint}));
    for target in targets() {
        let mut body = messages(json!(PROMPT));
        system.apply_to(target, &mut body);
        let body = body.to_string();
        assert!(!body.contains("ada") && !body.contains("24h"), "{body}");
    }
}

#[test]
fn an_answer_without_a_key_sends_none() {
    let response = injected(true).into_response();
    let system = Injected::answered(BASE, response);
    for target in targets() {
        let patch = system.cache_patch(target);
        assert!(
            !patch.fields().contains_key("prompt_cache_key"),
            "{target:?}"
        );
        assert_eq!(patch.headers().count(), 0, "{target:?}");
    }
}

// "When system content changes at different frequencies": two blocks, both marked. "You can
// define up to 4 cache breakpoints."
#[test]
fn anthropic_gets_the_base_prompt_first_and_both_parts_marked() {
    let body = json!({"messages": [{"role": "user", "content": "Hello"}]});
    let expected = json!({
        "messages": [{"role": "user", "content": "Hello"}],
        "system": [block(BASE, hour()), block(CONTEXT, hour())],
    });
    for target in [
        CacheTarget::Anthropic(HOUR),
        CacheTarget::VertexAnthropic(HOUR),
        CacheTarget::BedrockInvoke(BEDROCK, HOUR),
    ] {
        assert_eq!(placed(target, &body), expected);
    }
    // What the caller has stays, after the parts; breakpoints as long as they fit.
    let mut own = body.clone();
    own["system"] = json!("It is Monday.");
    own["tools"] = json!([{"name": "t", "cache_control": hour()}]);
    own["messages"] =
        vec![json!({"role": "user", "content": [block("Hello", minutes())]}); 2].into();
    let body = placed(CacheTarget::Anthropic(HOUR), &own);
    assert_eq!(
        body["system"],
        json!([
            {"type": "text", "text": BASE},
            block(CONTEXT, hour()),
            {"type": "text", "text": "It is Monday."},
        ])
    );
}

// "Place stable content first"; the guide's example has a developer message with a breakpoint and
// a second one for "user-specific content". "With o1 models and newer, use developer messages".
#[test]
fn openai_gets_a_message_for_each_part_and_no_key() {
    let body = json!({"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hello"}]});
    for target in [
        CacheTarget::OpenAiChat("gpt-5.6"),
        CacheTarget::AzureOpenAiChat("gpt-5.6"),
    ] {
        let expected = json!({
            "model": "gpt-5.6",
            "messages": [
                {"role": "system", "content": [marked("text", BASE)]},
                {"role": "system", "content": [marked("text", CONTEXT)]},
                {"role": "user", "content": "Hello"},
            ],
            "prompt_cache_options": {"ttl": "30m"},
        });
        assert_eq!(placed(target, &body), expected);
    }
    let expected = json!({
        "model": "gpt-5.6",
        "input": [
            {"role": "developer", "content": [marked("input_text", BASE)]},
            {"role": "developer", "content": [marked("input_text", CONTEXT)]},
            {"role": "user", "content": "Hello"},
        ],
        "prompt_cache_options": {"ttl": "30m"},
    });
    for input in [
        json!("Hello"),
        json!([{"role": "user", "content": "Hello"}]),
    ] {
        let body = json!({"model": "gpt-5.6", "input": input});
        assert_eq!(
            placed(CacheTarget::OpenAiResponses("gpt-5.6"), &body),
            expected
        );
    }
}

#[test]
fn a_prompt_that_cannot_be_split_keeps_the_key() {
    let hint = json!({"recommended": true, "retention": "24h"});
    let prompt = "You are helpful.\n\nThe user edits with Helix.";
    let system = answered(json!({"injectedPrompt": prompt, "cacheHint": hint}));
    let mut body = json!({"messages": []});
    system.place_in(CacheTarget::OpenAiChat("gpt-5.6"), &mut body);
    let message = json!({"role": "system", "content": [marked("text", prompt)]});
    assert_eq!(body["messages"], json!([message]));
    assert_eq!(body["prompt_cache_key"], key().to_string());
}

#[test]
fn openai_gets_instructions_where_messages_would_not_do() {
    let both = format!("{BASE}\n\n{CONTEXT}");
    let body = json!({"input": "Hello"});
    assert_eq!(
        placed(CacheTarget::OpenAiResponses("gpt-5.4"), &body),
        json!({"input": "Hello", "instructions": both, "prompt_cache_retention": "24h"})
    );
    let body = json!({"input": "Hello", "previous_response_id": "resp_1"});
    let body = placed(CacheTarget::OpenAiResponses("gpt-5.6"), &body);
    assert_eq!(body["instructions"], both);
    assert_eq!(body["input"], "Hello");
    let body = json!({"input": "Hello", "instructions": "It is Monday."});
    let body = placed(CacheTarget::OpenAiResponses("gpt-5.4"), &body);
    assert_eq!(body["instructions"], "It is Monday.");
    assert_eq!(
        body["input"][0],
        json!({"role": "developer", "content": BASE})
    );
}

#[test]
fn the_others_get_the_parts_in_their_form() {
    let both = format!("{BASE}\n\n{CONTEXT}");
    let (base, context) = (json!({"text": BASE}), json!({"text": CONTEXT}));
    let point = json!({"cachePoint": {"type": "default"}});
    let hello = json!({"role": "user", "content": "Hello"});
    let one = json!({"role": "system", "content": both});
    let blocks = json!([block(BASE, minutes()), block(CONTEXT, minutes())]);
    let blocks = json!({"role": "system", "content": blocks});
    let messages = json!({"messages": [hello]});
    let in_one = json!({"messages": [one, hello]});
    let marked = json!({"messages": [blocks, hello], "prompt_cache_key": key().to_string()});
    let llama = CacheTarget::BedrockConverse("meta.llama3-70b-instruct-v1:0", MINUTES);
    let router = |model| CacheTarget::OpenRouter(model, MINUTES);
    for (target, body, expected) in [
        (
            CacheTarget::BedrockConverse(BEDROCK, MINUTES),
            &json!({"messages": []}),
            &json!({"messages": [], "system": [base, point, context, point]}),
        ),
        (llama, &json!({}), &json!({"system": [base, context]})),
        (
            CacheTarget::Gemini,
            &json!({"contents": []}),
            &json!({"contents": [], "systemInstruction": {"parts": [base, context]}}),
        ),
        (
            CacheTarget::Gemini,
            &json!({"system_instruction": {"parts": [{"text": "a"}]}}),
            &json!({"system_instruction": {"parts": [base, context, {"text": "a"}]}}),
        ),
        (CacheTarget::OtherChat, &messages, &in_one),
        (CacheTarget::XaiChat, &messages, &in_one),
        (
            CacheTarget::XaiResponses,
            &json!({"input": "Hello"}),
            &json!({"input": [one, hello], "prompt_cache_key": key().to_string()}),
        ),
        (router("anthropic/claude-opus-5"), &messages, &marked),
        (router("google/gemini-3-pro"), &messages, &marked),
        (router("openai/gpt-5.4"), &messages, &in_one),
    ] {
        assert_eq!(&placed(target, body), expected, "{target:?}");
    }
}

/// All texts in a body, in order.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn without_a_context_the_base_prompt_is_placed_and_marked() {
    let demo = answered(json!({
        "injectedPrompt": "System:\nYou live in Lisbon.\n\nYou are helpful.",
        "reason": "seeded_demo",
        "seeded": true,
        "cacheHint": {"recommended": false},
    }));
    let unchanged = answered(json!({"injectedPrompt": BASE, "reason": "empty"}));
    let outage = Injected::base(BASE, crate::Outage::Incomplete.into());
    for target in targets() {
        for system in [&demo, &unchanged, &outage] {
            let mut body = json!({});
            system.place_in(target, &mut body);
            let all = texts(&body);
            assert_eq!(
                all.iter().filter(|text| **text == BASE).count(),
                1,
                "{body}"
            );
            assert!(!body.to_string().contains("Lisbon"), "{body}");
            let marks = body.to_string().matches("cache").count();
            let is_marked = injected(true).cache_patch(target).marks_system();
            assert_eq!(marks, usize::from(is_marked), "{body}");
        }
    }
}

#[test]
fn every_target_places_both_parts_once_and_the_base_prompt_first() {
    for target in targets() {
        let body = placed(target, &json!({})).to_string();
        let (base, context) = (body.find(BASE).unwrap(), body.find("Helix").unwrap());
        assert!(base < context, "{target:?} {body}");
        assert_eq!(body.matches(BASE).count(), 1, "{target:?}");
        assert_eq!(body.matches("Helix").count(), 1, "{target:?}");
        assert!(placed(target, &json!([1])) == json!([1]));
    }
}

#[test]
fn no_body_and_no_debug_shows_the_user() {
    for target in targets() {
        let system = injected(true);
        let patch = system.cache_patch(target);
        let shown = format!(
            "{} {} {:?} {patch:?} {system:?}",
            applied(target, &chat("m")),
            placed(target, &json!({})),
            patch.headers().collect::<Vec<_>>(),
        );
        assert!(!shown.contains("ada"), "{shown}");
        let debug = format!("{patch:?} {system:?}");
        assert!(!debug.contains(&key().to_string()), "{debug}");
    }
}

/// Whether everything of the caller's is still there: each field with its value, but that a text
/// may have become a marked block with that text, a block may have a breakpoint and a list may
/// have a breakpoint at its end.
fn is_kept(own: &Value, patched: &Value) -> bool {
    match (own, patched) {
        (Value::String(text), Value::Array(blocks)) => {
            blocks.len() == 1 && blocks[0].get("text").is_some_and(|now| now == text)
        }
        (Value::Array(own), Value::Array(patched)) => {
            own.iter()
                .zip(patched)
                .all(|(own, patched)| is_kept(own, patched))
                && patched.len() >= own.len()
                && patched[own.len()..]
                    .iter()
                    .all(|new| new.get("cachePoint").is_some())
        }
        (Value::Object(own), Value::Object(patched)) => own
            .iter()
            .all(|(name, own)| patched.get(name).is_some_and(|now| is_kept(own, now))),
        _ => own == patched,
    }
}

/// Bodies in which each part is of any form.
fn bodies() -> impl Strategy<Value = Value> {
    let control = prop_oneof![Just(minutes()), Just(hour()), Just(json!(null))];
    let text = "[ a-z]{0,3}".prop_map(|text| json!({"type": "text", "text": text}));
    let block = prop_oneof![
        text.clone(),
        (text.clone(), control.clone()).prop_map(|(mut block, control)| {
            block["cache_control"] = control;
            block
        }),
        text.clone().prop_map(|mut block| {
            block["prompt_cache_breakpoint"] = json!({"mode": "explicit"});
            block
        }),
        text.prop_map(|mut block| {
            block["type"] = "input_text".into();
            block
        }),
        "[ a-z]{0,3}".prop_map(|text| json!({"text": text})),
        Just(json!({"cachePoint": {"type": "default", "ttl": "1h"}})),
        Just(json!({"type": "image"})),
        Just(json!(3)),
    ];
    let content = prop_oneof![
        "[ a-z]{0,3}".prop_map(Value::from),
        proptest::collection::vec(block, 0..4).prop_map(Value::from),
        Just(json!(null)),
        Just(json!({"odd": true})),
    ];
    let message = ("system|developer|user|assistant", content.clone())
        .prop_map(|(role, content)| json!({"role": role, "content": content}));
    let messages = proptest::collection::vec(message, 0..4).prop_map(Value::from);
    let top = prop_oneof![content.clone(), messages.clone(), control];
    let name = prop_oneof![
        "cache_control|prompt_cache_key|prompt_cache_options|prompt_cache_retention",
        "tools|instructions|systemInstruction|toolConfig|previous_response_id|[a-z]{1,3}",
    ];
    let others = proptest::collection::vec((name, top), 0..4);
    (content, messages.clone(), messages, others).prop_map(|(system, messages, input, others)| {
        let mut body = json!({"system": system, "messages": messages, "input": input});
        for (name, value) in others {
            body[name] = value;
        }
        body
    })
}

proptest! {
    #[test]
    fn applying_keeps_everything_and_twice_is_once(body in bodies(), n in any::<prop::sample::Index>()) {
        let targets = targets();
        let target = targets[n.index(targets.len())];
        let once = applied(target, &body);
        prop_assert!(is_kept(&body, &once), "{:?} {} {}", target, body, once);
        prop_assert_eq!(&applied(target, &once), &once);
        let mut unrecommended = body.clone();
        injected(false).apply_to(target, &mut unrecommended);
        prop_assert_eq!(unrecommended, body);
    }

    #[test]
    fn a_request_never_gets_breakpoints_that_anthropic_rejects(body in bodies(), hourly: bool) {
        let ttl = if hourly { HOUR } else { MINUTES };
        let order = |body: &Value| {
            let within = |name| body.get(name).map_or_else(Vec::new, breakpoints);
            let top = body.get("cache_control").map(|v| json!({"cache_control": v})).unwrap_or_default();
            let mut all = within("tools");
            all.extend(within("system"));
            all.extend(within("messages"));
            all.extend(breakpoints(&top));
            all
        };
        let is_taken = |all: &[AnthropicTtl]| {
            let descends = all.windows(2).all(|pair| !(pair[0] == MINUTES && pair[1] == HOUR));
            descends && all.len() <= 4
        };
        prop_assume!(is_taken(&order(&body)));
        for patched in [applied(CacheTarget::Anthropic(ttl), &body), placed(CacheTarget::Anthropic(ttl), &body)] {
            prop_assert!(is_taken(&order(&patched)), "{} {}", body, patched);
        }
    }

    #[test]
    fn placing_keeps_what_the_caller_has(body in bodies(), n in any::<prop::sample::Index>()) {
        let targets = targets();
        let target = targets[n.index(targets.len())];
        let before = body.to_string();
        let after = placed(target, &body).to_string();
        for (name, own) in body.as_object().unwrap() {
            let own = match own {
                // Lists are kept as they end, after what is placed.
                Value::Array(items) => items.iter().map(ToString::to_string).collect(),
                Value::Null => continue,
                Value::Object(_) => vec![name.clone()],
                other => vec![other.to_string()],
            };
            for part in own {
                prop_assert!(after.contains(&part), "{:?} {} {}", target, before, after);
            }
        }
    }
}
