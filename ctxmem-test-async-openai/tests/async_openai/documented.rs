use async_openai::types::chat::{
    ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage,
    CreateChatCompletionRequestArgs, CreateChatCompletionResponse,
};
use async_openai::{Client as OpenAi, config::OpenAIConfig};
use ctxmem_client::{Client, UserId};

async fn answer(
    memory: &Client,
    openai: &OpenAi<OpenAIConfig>,
    user: &UserId,
    question: &str,
) -> Result<CreateChatCompletionResponse, Box<dyn std::error::Error>> {
    let system = memory.inject(user, "You are a helpful assistant.").await?;
    let request = CreateChatCompletionRequestArgs::default()
        .model("gpt-5.4")
        .messages([
            ChatCompletionRequestSystemMessage::from(system.prompt()).into(),
            ChatCompletionRequestUserMessage::from(question).into(),
        ])
        .build()?;
    let body = system.chat_body(&request)?;
    Ok(openai.chat().create_byot(body).await?)
}

// What is shown ends here.

use ctxmem_client::Scope;
use ctxmem_client::test_utils::{FakeFact, FakeMemory};
use serde_json::json;

use crate::endpoint::{Endpoint, user};

#[tokio::test]
async fn the_model_gets_the_prompt_and_the_hint() {
    let memory = FakeMemory::start().await;
    let editor = FakeFact::named(Scope::Preferences, "editor", "Helix");
    memory.knows(&user(), [editor]);
    let completion = json!({
        "id": "c", "object": "chat.completion", "created": 0, "model": "gpt-5.4",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "By tram."},
        }],
    });
    let provider = Endpoint::answering("/v1/chat/completions", &completion).await;
    let openai = provider.openai();

    let answered = answer(&memory.client(), &openai, &user(), "How?").await;
    assert_eq!(
        answered.unwrap().choices[0].message.content.as_deref(),
        Some("By tram.")
    );
    let body = provider.body().await.to_string();
    assert!(body.contains("- editor: Helix"), "{body}");
    assert!(body.contains(r#""prompt_cache_retention":"24h""#), "{body}");
}
