//! Typed requests with hints: what the provider's endpoint gets is what a body without types would have had.

use async_openai::types::chat::{
    ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage,
    CreateChatCompletionRequest, CreateChatCompletionRequestArgs, CreateChatCompletionResponse,
};
use async_openai::types::responses::{CreateResponse, CreateResponseArgs};
use ctxmem_client::cache_hints::CacheKey;
use ctxmem_client::{CacheTarget, Client, Injected};
use serde_json::{Value, json};

use crate::endpoint::{Endpoint, user};

const KEY: &str = "ctxm_0123456789";
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
    let deployment = Endpoint::answering("/api/context/inject", &answer).await;
    let client = Client::builder().base_url(deployment.url()).api_key(KEY);
    let client = client.build().unwrap();
    client.inject(&user(), "You are helpful.").await.unwrap()
}

fn typed_response(model: &str) -> CreateResponse {
    CreateResponseArgs::default()
        .model(model)
        .instructions(ENRICHED)
        .input("Hello")
        .build()
        .unwrap()
}

fn typed_chat(model: &str) -> CreateChatCompletionRequest {
    CreateChatCompletionRequestArgs::default()
        .model(model)
        .messages([
            ChatCompletionRequestSystemMessage::from(ENRICHED).into(),
            ChatCompletionRequestUserMessage::from("Hello").into(),
        ])
        .build()
        .unwrap()
}

fn completion() -> Value {
    json!({"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": []})
}

/// The body of a request as a body without types is patched.
fn patched(system: &Injected, target: CacheTarget<'_>, request: &impl serde::Serialize) -> Value {
    let mut body = json!(request);
    system.apply_to(target, &mut body);
    body
}

// The rules are those of bodies without types, which the tests of the client state.
#[tokio::test]
async fn async_openai_sends_typed_responses() {
    let developer = json!({"input": [
        {"role": "developer", "content": ENRICHED},
        {"role": "user", "content": "Hello"},
    ]});
    for model in ["gpt-5.4", "gpt-5.6", "llama3"] {
        for recommended in [true, false] {
            let mut messages = developer.clone();
            messages["model"] = model.into();
            let messages: CreateResponse = serde_json::from_value(messages).unwrap();
            for mut request in [typed_response(model), messages] {
                let system = injected(recommended).await;
                let expected = patched(&system, CacheTarget::OpenAiResponses(model), &request);
                assert_eq!(expected != json!(request), recommended && model != "llama3");
                let endpoint = Endpoint::answering("/v1/responses", &json!({})).await;
                system.apply_to_response(&mut request);
                let _: Value = endpoint
                    .openai()
                    .responses()
                    .create_byot(&request)
                    .await
                    .unwrap();
                assert_eq!(endpoint.body().await, expected, "{model}");
            }
        }
    }
}

#[tokio::test]
async fn async_openai_sends_chat_bodies() {
    for (model, recommended) in [
        ("gpt-5.4", true),
        ("gpt-5.6", true),
        ("llama3", true),
        ("gpt-5.4", false),
    ] {
        let endpoint = Endpoint::answering("/v1/chat/completions", &completion()).await;
        let request = typed_chat(model);
        let system = injected(recommended).await;
        let chat_body = system.chat_body(&request).unwrap();
        let _: CreateChatCompletionResponse = endpoint
            .openai()
            .chat()
            .create_byot(chat_body)
            .await
            .unwrap();
        let expected = patched(&system, CacheTarget::OpenAiChat(model), &request);
        assert_eq!(endpoint.body().await, expected, "{model}");
    }
}

#[tokio::test]
async fn async_openai_sends_typed_chats_where_there_is_a_field() {
    for model in ["gpt-5.6", "gpt-5.4"] {
        let endpoint = Endpoint::answering("/v1/chat/completions", &completion()).await;
        let system = injected(true).await;
        let mut request = typed_chat(model);
        let mut expected = patched(&system, CacheTarget::OpenAiChat(model), &request);
        expected
            .as_object_mut()
            .unwrap()
            .remove("prompt_cache_retention");
        assert_eq!(expected["prompt_cache_key"], key());
        let content = &expected["messages"][0]["content"];
        assert_eq!(content.is_array(), model == "gpt-5.6");
        system.apply_to_chat(&mut request);
        endpoint.openai().chat().create(request).await.unwrap();
        assert_eq!(endpoint.body().await, expected, "{model}");
    }
}

#[tokio::test]
async fn typed_requests_keep_what_they_hold() {
    let system = injected(true).await;
    for own in [
        json!({"prompt_cache_retention": "in_memory"}),
        json!({"prompt_cache_options": {"mode": "explicit"}}),
    ] {
        for model in ["gpt-5.4", "gpt-5.6"] {
            let mut body = json!({"model": model, "instructions": ENRICHED, "input": "Hello"});
            let fields = own.as_object().unwrap().clone();
            body.as_object_mut().unwrap().extend(fields);
            let mut request: CreateResponse = serde_json::from_value(body).unwrap();
            let mut expected = json!(request);
            expected["prompt_cache_key"] = key().into();
            system.apply_to_response(&mut request);
            assert_eq!(json!(request), expected);
        }
    }

    let mut own = json!({
        "model": "gpt-5.6",
        "messages": [{"role": "system", "content": ENRICHED}],
    });
    own["prompt_cache_options"] = json!({"mode": "explicit"});
    let mut request: CreateChatCompletionRequest = serde_json::from_value(own).unwrap();
    let mut expected = json!(request);
    expected["prompt_cache_key"] = key().into();
    system.apply_to_chat(&mut request);
    assert_eq!(json!(request), expected);
    assert_eq!(system.chat_body(&request).unwrap(), expected);

    let mut no_model = CreateResponse {
        model: None,
        ..typed_response("gpt-5.4")
    };
    let before = json!(no_model);
    system.apply_to_response(&mut no_model);
    assert_eq!(json!(no_model), before);
}
