//! The recommendation for the prompt cache, as model endpoints receive it.

use ctxmem_client::cache_hints::AnthropicTtl;
use ctxmem_rig::AgentMemory;
use rig_agent::AgentBuilder;
use rig_core::completion::{CacheRetention, Effort};
use rig_core::providers::anthropic::completion::CacheTtl;
use rig_core::providers::anthropic::{AnthropicConfig, CLAUDE_OPUS_5};
use rig_core::providers::openai::Route;
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{BASE, Deployment, GPT, Model, user};

fn hint(recommended: bool) -> Value {
    json!({
        "recommended": recommended,
        "retention": "24h",
        "providerParam": {"prompt_cache_retention": "24h"},
    })
}

/// The fields of a call that concern the cache.
fn cache_of(call: &Value) -> Value {
    let about_cache = |name: &str| name.contains("cache");
    let call = call.as_object().unwrap().iter();
    Value::Object(
        call.filter(|(name, _)| about_cache(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

async fn sent(recommended: bool, route: Route, model: &str) -> Value {
    let provider = Model::start().await;
    let deployment = Deployment::hinting(hint(recommended)).await;
    let agent = provider.agent_on(route, model).build();
    let hook = deployment.memory().for_user(user("ada"));
    agent.prompt("Hi.").add_hook(hook).await.unwrap();
    cache_of(&provider.calls().await[0])
}

#[tokio::test]
async fn a_recommendation_is_sent_in_the_form_of_the_model() {
    let day = json!({"prompt_cache_retention": "24h"});
    assert_eq!(sent(true, Route::Chat, GPT).await, day);
    assert_eq!(sent(true, Route::Responses, GPT).await, day);
    let newer = json!({"prompt_cache_options": {"ttl": "30m"}});
    assert_eq!(sent(true, Route::Responses, "gpt-5.6").await, newer);
}

/// What Anthropic's endpoint gets, and what it gets if the agent marks the static part of the
/// prompt itself.
async fn sent_to_anthropic(memory: &AgentMemory, is_marked: bool) -> Value {
    let server = MockServer::start().await;
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": CLAUDE_OPUS_5,
        "content": [{"type": "text", "text": "Noted."}],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    Mock::given(path("/v1/messages"))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&server)
        .await;
    let config = AnthropicConfig::new("sk-test").with_base_url(server.uri());
    let mut model = config.client().completion(CLAUDE_OPUS_5);
    if is_marked {
        model.wire = model
            .wire
            .with_static_prefix_cache_ttl(CacheTtl::FiveMinutes);
    }
    let agent = AgentBuilder::new(model).preamble(BASE).build();
    let hook = memory.for_user(user("ada"));
    agent.prompt("Hi.").add_hook(hook).await.unwrap();
    let calls = server.received_requests().await.unwrap();
    serde_json::from_slice(&calls[0].body).unwrap()
}

// "By default, automatic caching uses a 5-minute TTL. You can specify a 1-hour TTL at 2x the base
// input token price": https://platform.claude.com/docs/en/build-with-claude/prompt-caching
#[tokio::test]
async fn anthropic_keeps_it_for_five_minutes_or_for_an_hour_on_request() {
    let deployment = Deployment::hinting(hint(true)).await;
    let memory = deployment.memory();
    let minutes = json!({"cache_control": {"type": "ephemeral", "ttl": "5m"}});
    let call = sent_to_anthropic(&memory, false).await;
    assert_eq!(cache_of(&call), minutes);
    // rig fails a request with an hour here.
    let call = sent_to_anthropic(&memory, true).await;
    assert_eq!(cache_of(&call), minutes);
    assert!(call["system"][0]["cache_control"].is_object());
    let hour = memory.with_anthropic_ttl(AnthropicTtl::OneHour);
    let call = sent_to_anthropic(&hour, false).await;
    assert_eq!(
        cache_of(&call),
        json!({"cache_control": {"type": "ephemeral", "ttl": "1h"}})
    );
}

#[tokio::test]
async fn a_model_that_would_reject_it_gets_nothing() {
    assert_eq!(sent(true, Route::Chat, "gpt-5.6").await, json!({}));
    assert_eq!(sent(true, Route::Chat, "gpt-4o").await, json!({}));
    assert_eq!(sent(true, Route::Chat, "qwen3").await, json!({}));
    assert_eq!(sent(true, Route::Responses, "local").await, json!({}));
}

#[tokio::test]
async fn without_a_recommendation_nothing_is_sent() {
    assert_eq!(sent(false, Route::Chat, GPT).await, json!({}));
    assert_eq!(sent(false, Route::Responses, "gpt-5.6").await, json!({}));
}

#[tokio::test]
async fn every_call_of_the_run_carries_it() {
    let provider = Model::start().await;
    let deployment = Deployment::hinting(hint(true)).await;
    let agent = provider.agent(GPT).tool(crate::support::Weather);
    let hook = deployment.memory().for_user(user("ada"));
    let agent = agent.default_max_turns(2).build();
    let run = agent.prompt("How is the weather?").add_hook(hook);
    run.await.unwrap();
    let calls = provider.calls().await;
    assert_eq!(calls.len(), 2);
    for call in &calls {
        assert_eq!(cache_of(call), json!({"prompt_cache_retention": "24h"}));
    }
}

#[tokio::test]
async fn settings_of_the_developer_take_precedence() {
    let provider = Model::start().await;
    let deployment = Deployment::hinting(hint(true)).await;
    let memory = deployment.memory();
    let hook = memory.for_user(user("ada"));
    for (agent, expected) in [
        (
            provider.agent(GPT).cache(CacheRetention::Short),
            json!({"prompt_cache_retention": "in_memory"}),
        ),
        (
            provider
                .agent(GPT)
                .additional_params(json!({"prompt_cache_key": "mine"})),
            json!({"prompt_cache_key": "mine"}),
        ),
        (
            // The policy for the developer's own options would be loosened.
            provider.agent(GPT).reasoning(Effort::Low),
            json!({}),
        ),
    ] {
        let agent = agent.build();
        agent.prompt("Hi.").add_hook(hook.clone()).await.unwrap();
        let call = provider.calls().await.pop().unwrap();
        assert_eq!(cache_of(&call), expected);
    }
    let agent = provider.agent(GPT).build();
    let hook = memory.without_cache_hint().for_user(user("ada"));
    agent.prompt("Hi.").add_hook(hook).await.unwrap();
    let call = provider.calls().await.pop().unwrap();
    assert_eq!(cache_of(&call), json!({}));
}
