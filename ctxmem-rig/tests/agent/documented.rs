use std::time::Duration;

use ctxmem_client::test_utils::wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};
use ctxmem_client::test_utils::{FakeFact, FakeMemory};
use ctxmem_client::{Scope, Updates, UserId};
use ctxmem_rig::AgentMemory;
use rig_agent::AgentBuilder;
use rig_core::providers::openai::{OpenAIConfig, Route};
use serde_json::json;

#[tokio::test]
async fn the_model_is_told_what_is_remembered() {
    let ada = UserId::new("ada").unwrap();
    let fake = FakeMemory::start().await;
    let home = FakeFact::named(Scope::General, "location", "Lisbon");
    fake.knows(&ada, [home]);
    let memory = AgentMemory::new(Updates::builder(fake.client()).start());

    // Stands for the model, and keeps what it is sent.
    let model = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({
        "id": "cmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.4",
        "choices": [{
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Take tram 28."},
        }],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }));
    Mock::given(any()).respond_with(answer).mount(&model).await;
    let config = OpenAIConfig::new("sk-test").with_base_url(model.uri());
    let agent = AgentBuilder::new(
        config
            .with_route(Route::Chat)
            .client()
            .completion("gpt-5.4"),
    )
    .preamble("You are a travel agent.")
    .build();

    let answer = agent
        .prompt("Which tram do I take?")
        .add_hook(memory.for_user(ada))
        .await
        .unwrap();
    assert_eq!(answer.output(), "Take tram 28.");

    let sent = model.received_requests().await.unwrap().remove(0);
    assert!(String::from_utf8(sent.body).unwrap().contains("Lisbon"));
    // The agent learns in the background: wait for it before you check.
    memory.updates().flush(Duration::from_secs(5)).await;
    assert_eq!(fake.updates()[0].agent_response, "Take tram 28.");
}
