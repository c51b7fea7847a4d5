//! `cargo run -p ctxmem-rig --example rig`
//!
//! An agent of rig before and after it remembers: two turns with one user, and the prompts as
//! they reach the model. The memory is a real server in this process; the model is a stand-in
//! that answers "Noted.", unless these variables name an OpenAI-compatible endpoint:
//!
//! | variable | default |
//! |---|---|
//! | `OPENAI_BASE_URL` | none: the stand-in; `https://api.openai.com/v1` for OpenAI itself |
//! | `OPENAI_API_KEY` | none: local endpoints need none |
//! | `OPENAI_MODEL` | `gpt-5.4` |

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::Duration;

use ctxmem_client::{Client, Updates, UserId};
use ctxmem_rig::AgentMemory;
use ctxmem_server::{App, Config};
use rig_agent::AgentBuilder;
use rig_core::providers::openai::{OpenAIConfig, Route};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, _database) = memory_in_this_process().await?;
    let memory = AgentMemory::new(Updates::builder(client).start()).on_inject(|_, injected| {
        for line in injected.prompt().lines() {
            println!("    | {line}");
        }
    });

    let stand_in = stand_in_model().await;
    let url = std::env::var("OPENAI_BASE_URL").unwrap_or_else(|_| stand_in.uri());
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
        // For the example: an agent would not wait for what it learned.
        memory.updates().flush(Duration::from_secs(5)).await;
    }

    for request in stand_in.received_requests().await.unwrap_or_default() {
        let mut call: Value = request.body_json()?;
        for message in call["messages"].as_array_mut().into_iter().flatten() {
            *message = message["role"].take();
        }
        println!("The model was called with {call}");
    }
    Ok(())
}

/// A server on a temporary database, and a client with a key of it.
async fn memory_in_this_process() -> Result<(Client, TempDir), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let database = format!("sqlite://{}", folder.path().join("ctxmem.db").display());
    let app = App::open(Config::new(database, url.parse()?)).await?;
    let scopes = "general,preferences".parse()?;
    let agent = app.core().create_agent("rig".to_owned(), None, scopes);
    let agent = agent.await?;
    tokio::spawn(app.run(listener, std::future::pending()));
    let client = Client::builder()
        .base_url(url)
        .api_key(agent.key.api_key)
        .build()?;
    Ok((client, folder))
}

/// An endpoint that speaks Chat Completions and has one thing to say.
async fn stand_in_model() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(|request: &Request| {
            let call: Value = request.body_json().unwrap_or_default();
            let message = json!({"role": "assistant", "content": "Noted."});
            ResponseTemplate::new(200).set_body_json(json!({
                "id": "1", "object": "chat.completion", "created": 0, "model": call["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            }))
        })
        .mount(&server)
        .await;
    server
}
