//! `cargo run -p ctxmem-rig --example rig`
//!
//! A rig agent before and after it learns: two turns with one user, and the prompts that the
//! model gets. The memory is a real server in this process. The model is a stand-in that
//! answers "Noted.", unless these variables name an OpenAI-compatible endpoint:
//!
//! | variable | default |
//! |---|---|
//! | `OPENAI_BASE_URL` | none: the stand-in; `https://api.openai.com/v1` for OpenAI itself |
//! | `OPENAI_API_KEY` | none: local endpoints need no key |
//! | `OPENAI_MODEL` | `gpt-5.4` |

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::Duration;

use ctxmem_client::{Client, Updates, UserId};
use ctxmem_rig::AgentMemory;
use ctxmem_test_outside::FakeModel;
use ctxmem_test_server::TestServer;
use rig_agent::AgentBuilder;
use rig_core::providers::openai::{OpenAIConfig, Route};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = TestServer::start().await;
    let agent = server.agent("rig", "general,preferences").await;
    let client = Client::builder()
        .base_url(&server.url)
        .api_key(agent.key.api_key)
        .build()?;
    let memory = AgentMemory::new(Updates::builder(client).start()).on_inject(|_, injected| {
        for line in injected.prompt().lines() {
            println!("    | {line}");
        }
    });

    let stand_in = FakeModel::start().await;
    stand_in.writes("Noted.");
    let url = std::env::var("OPENAI_BASE_URL").unwrap_or_else(|_| stand_in.url());
    let model = OpenAIConfig::new(std::env::var("OPENAI_API_KEY").unwrap_or_default())
        .with_base_url(url)
        .with_route(Route::Chat)
        .client()
        .completion(std::env::var("OPENAI_MODEL").unwrap_or_else(|_| "gpt-5.4".to_owned()));
    let agent = AgentBuilder::new(model)
        .preamble("You are a helpful assistant.")
        .build();

    let user = UserId::new("ada")?;
    let mut history = Vec::new();
    for said in [
        "Hi! My name is Ada, I live in Lisbon and I use Zed as my editor.",
        "Which editor do I use?",
    ] {
        println!("> {said}");
        let run = agent.prompt(said).history(history.clone());
        let response = run.add_hook(memory.for_user(user.clone())).await?;
        println!("{}\n", response.output());
        history.extend(response.messages);
        // Only for the example: an agent would not wait for its updates.
        memory.updates().flush(Duration::from_secs(5)).await;
    }

    for mut call in stand_in.bodies().await {
        for message in call["messages"].as_array_mut().into_iter().flatten() {
            *message = message["role"].take();
        }
        println!("The model was called with {call}");
    }
    Ok(())
}
