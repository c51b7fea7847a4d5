//! Cache hints as each model provider receives them: a real answer of a deployment, patched into a
//! real request, as the provider's endpoint got it.

use ctxmem_client::cache_hints::{AnthropicTtl, CacheKey};
use ctxmem_client::{CacheTarget, Injected};
use serde_json::{Value, json};

use crate::support::{Deployment, KEY, ok, user};

const ENRICHED: &str = "System:\nThe user edits with Helix.\n\nYou are helpful.";

/// The key of the user's calls, which the client makes with the agent's API key.
fn key() -> String {
    CacheKey::derive(KEY.as_bytes(), &user()).to_string()
}

/// The answer of a deployment that does or does not recommend caching.
async fn injected(recommended: bool) -> Injected {
    let answer = json!({
        "injectedPrompt": ENRICHED,
        "cacheHint": {
            "recommended": recommended,
            "retention": "24h",
            "reason": "stable prefix",
            "providerParam": {"prompt_cache_retention": "24h"},
        },
    });
    let deployment = Deployment::injecting(ok(&answer)).await;
    let client = deployment.client();
    client.inject(&user(), "You are helpful.").await.unwrap()
}

/// The body that a model endpoint received, byte by byte.
async fn received(
    recommended: bool,
    target: CacheTarget<'_>,
    path: &str,
    mut body: Value,
) -> String {
    let system = injected(recommended).await;
    system.apply_to(target, &mut body);
    let endpoint = Deployment::answering("POST", path, ok(&json!({}))).await;
    let http = reqwest::Client::builder().build().unwrap();
    let url = format!("{}{path}", endpoint.url());
    http.post(url).json(&body).send().await.unwrap();
    endpoint.sent().await.2
}

fn chat(model: &str) -> Value {
    json!({"model": model, "messages": [{"role": "system", "content": ENRICHED}]})
}

fn responses(model: &str) -> Value {
    json!({"model": model, "instructions": ENRICHED, "input": "Hello"})
}

fn messages() -> Value {
    json!({
        "model": "claude-opus-5",
        "max_tokens": 1024,
        "system": ENRICHED,
        "messages": [{"role": "user", "content": "Hello"}],
    })
}

fn generate_content() -> Value {
    json!({
        "systemInstruction": {"parts": [{"text": ENRICHED}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
    })
}

/// The body as an endpoint of OpenAI received it.
async fn by_chat(model: &str, body: Value) -> String {
    let target = CacheTarget::OpenAiChat(model);
    received(true, target, "/v1/chat/completions", body).await
}

async fn by_responses(model: &str) -> String {
    let target = CacheTarget::OpenAiResponses(model);
    received(true, target, "/v1/responses", responses(model)).await
}

/// A body with these fields behind its own, and then the user's key.
fn with(mut body: Value, fields: Value) -> String {
    let Value::Object(fields) = fields else {
        panic!("{fields} are no fields");
    };
    body.as_object_mut().unwrap().extend(fields);
    body["prompt_cache_key"] = key().into();
    body.to_string()
}

// "Use prompt_cache_retention to select the retention policy for a supported Responses API or
// Chat Completions request": https://developers.openai.com/api/docs/guides/prompt-caching
#[tokio::test]
async fn openai_before_5_6_keeps_a_day() {
    let day = || json!({"prompt_cache_retention": "24h"});
    for model in ["gpt-4.1", "gpt-5.4", "gpt-5.5-pro-2026-04-23"] {
        let expected = with(chat(model), day());
        assert_eq!(by_chat(model, chat(model)).await, expected);
    }
    let expected = with(responses("gpt-5.4"), day());
    assert_eq!(by_responses("gpt-5.4").await, expected);
}

// "For GPT-5.6 models and later model families, use prompt_cache_options.ttl", of which the
// guide shows one request for each endpoint; prompt_cache_retention is answered with a 400:
// https://developers.openai.com/api/docs/guides/prompt-caching,
// https://github.com/anomalyco/opencode/issues/36315
// "Mark each desired breakpoint by adding prompt_cache_breakpoint … to a supported content block";
// "top-level instructions cannot contain an explicit breakpoint".
#[tokio::test]
async fn openai_from_5_6_on_takes_breakpoint_key_and_options() {
    let options = || json!({"prompt_cache_options": {"ttl": "30m"}});
    for model in ["gpt-5.6", "gpt-5.6-sol", "gpt-6-astra"] {
        let breakpoint = json!({"mode": "explicit"});
        let mut marked = chat(model);
        marked["messages"][0]["content"] =
            json!([{"type": "text", "text": ENRICHED, "prompt_cache_breakpoint": breakpoint}]);
        let expected = with(marked, options());
        assert_eq!(by_chat(model, chat(model)).await, expected);
        let expected = with(responses(model), options());
        assert_eq!(by_responses(model).await, expected);
    }
}

// Small models refuse the retention: https://github.com/home-assistant/core/pull/161097
// "Other earlier models: Use a stable key to optimize cache routing":
// https://developers.openai.com/api/docs/guides/prompt-caching
#[tokio::test]
async fn openais_other_models_take_the_key_alone() {
    for model in ["gpt-4.1-mini", "gpt-5-nano", "gpt-4o", "o3"] {
        let expected = with(chat(model), json!({}));
        assert_eq!(by_chat(model, chat(model)).await, expected);
    }
}

// Other servers refuse fields they don't know: https://github.com/eigent-ai/eigent/issues/1827
#[tokio::test]
async fn models_that_are_not_known_get_the_body_as_it_was() {
    for model in ["llama3", "qwen3", "gpt-oss-20b", "openai/gpt-5.4"] {
        let as_it_was = chat(model).to_string();
        assert_eq!(by_chat(model, chat(model)).await, as_it_was);
        assert_eq!(by_responses(model).await, responses(model).to_string());
    }
}

// "Place cache_control directly on individual content blocks"; "By default, the cache has a
// 5-minute lifetime": https://platform.claude.com/docs/en/build-with-claude/prompt-caching
#[tokio::test]
async fn anthropic_caches_the_system_part_for_as_long_as_the_caller_wants() {
    let hour = json!({"type": "ephemeral", "ttl": "1h"});
    let minutes = json!({"type": "ephemeral"});
    for (ttl, control) in [
        (AnthropicTtl::OneHour, hour),
        (AnthropicTtl::FiveMinutes, minutes),
    ] {
        let target = CacheTarget::Anthropic(ttl);
        let mut expected = messages();
        expected["system"] = json!([{"type": "text", "text": ENRICHED, "cache_control": control}]);
        let received = received(true, target, "/v1/messages", messages()).await;
        assert_eq!(received, expected.to_string());
    }
}

// "If the last block has an explicit cache_control with a different TTL, the API returns a
// 400 error", and so it does with four breakpoints; the same page.
#[tokio::test]
async fn anthropic_breakpoints_of_the_caller_stay_alone() {
    let mut body = messages();
    body["system"] =
        json!([{"type": "text", "text": ENRICHED, "cache_control": {"type": "ephemeral"}}]);
    let target = CacheTarget::Anthropic(AnthropicTtl::OneHour);
    let received = received(true, target, "/v1/messages", body.clone()).await;
    assert_eq!(received, body.to_string());
}

// Implicit caching is on by default, and generateContent has no field for its lifetime:
// https://ai.google.dev/gemini-api/docs/caching
#[tokio::test]
async fn gemini_gets_the_body_as_it_was() {
    let path = "/v1beta/models/gemini-3-pro:generateContent";
    let received = received(true, CacheTarget::Gemini, path, generate_content()).await;
    assert_eq!(received, generate_content().to_string());
}

#[tokio::test]
async fn without_a_recommendation_every_body_stays_as_it_was() {
    let an_hour = CacheTarget::Anthropic(AnthropicTtl::OneHour);
    let mut bodies = vec![(an_hour, "/v1/messages", messages())];
    for model in ["gpt-5.4", "gpt-5.6"] {
        let (by_chat, by_responses) = (
            CacheTarget::OpenAiChat(model),
            CacheTarget::OpenAiResponses(model),
        );
        bodies.push((by_chat, "/v1/chat/completions", chat(model)));
        bodies.push((by_responses, "/v1/responses", responses(model)));
    }
    for (target, path, body) in bodies {
        let received = received(false, target, path, body.clone()).await;
        assert_eq!(received, body.to_string());
    }
}

// "Setting both on the same request is rejected by OpenAI":
// https://docs.langchain4j.dev/apidocs/dev/langchain4j/model/openaiofficial/OpenAiOfficialPromptCacheOptions.html
#[tokio::test]
async fn settings_of_the_caller_are_kept() {
    let explicit = || json!({"mode": "explicit"});
    for (model, field, own) in [
        ("gpt-5.4", "prompt_cache_retention", json!("in_memory")),
        ("gpt-5.4", "prompt_cache_options", explicit()),
        ("gpt-5.6", "prompt_cache_options", explicit()),
        ("gpt-5.6", "prompt_cache_retention", json!("24h")),
    ] {
        let mut body = chat(model);
        body[field] = own;
        let received = by_chat(model, body.clone()).await;
        assert_eq!(received, with(body, json!({})));
    }
}

#[tokio::test]
async fn what_bears_on_the_message_goes_beside_it_and_not_into_the_system_part() {
    let answer = json!({
        "injectedPrompt": ENRICHED,
        "cacheHint": {"recommended": true},
        "relevant": "Notes:\n- knows: Keeps bees",
    });
    let deployment = Deployment::injecting(ok(&answer)).await;
    let (client, user) = (deployment.client(), user());
    let system = client.inject_for(&user, "You are helpful.", "And my bees?");
    let system = system.await.unwrap();
    let mut body = json!({
        "model": "claude-opus-5",
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": "And my bees?"}],
    });
    system.place_in(CacheTarget::Anthropic(AnthropicTtl::FiveMinutes), &mut body);
    let marked =
        |text| json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}});
    let expected = json!({
        "model": "claude-opus-5",
        "max_tokens": 1024,
        "system": [marked("You are helpful."), marked("System:\nThe user edits with Helix.")],
        "messages": [{
            "role": "user",
            "content": "Notes:\n- knows: Keeps bees\n\nAnd my bees?",
        }],
    });
    assert_eq!(body, expected);

    let mut body = json!({"model": "gpt-5.4", "input": "And my bees?"});
    system.place_in(CacheTarget::OpenAiResponses("gpt-5.4"), &mut body);
    assert_eq!(body["input"], "Notes:\n- knows: Keeps bees\n\nAnd my bees?");
    assert_eq!(
        body["instructions"],
        "You are helpful.\n\nSystem:\nThe user edits with Helix."
    );

    // Hints for a body that has the whole prompt leave the message alone: it has what it has.
    let mut body = json!({"messages": [
        {"role": "system", "content": system.prompt()},
        {"role": "user", "content": system.user_message("And my bees?")},
    ]});
    system.apply_to(CacheTarget::OpenAiChat("gpt-5.4"), &mut body);
    let message = body["messages"][1]["content"].as_str().unwrap();
    assert_eq!(message.matches("bees").count(), 2, "{message}");
}
