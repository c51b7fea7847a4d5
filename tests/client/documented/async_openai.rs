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

use crate::support::{Deployment, ok, user};

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
    let provider = Deployment::answering("POST", "/chat/completions", ok(&completion)).await;
    let openai = OpenAIConfig::new()
        .with_api_base(provider.url())
        .with_api_key("sk-test");
    let openai = OpenAi::with_config(openai);

    let answered = answer(&memory.client(), &openai, &user(), "How?").await;
    assert_eq!(
        answered.unwrap().choices[0].message.content.as_deref(),
        Some("By tram.")
    );
    let (_, _, body) = provider.sent().await;
    assert!(body.contains("- editor: Helix"), "{body}");
    assert!(body.contains(r#""prompt_cache_retention":"24h""#), "{body}");
}
