//! `CTXMEM_BASE_URL=… CTXMEM_API_KEY=… OPENAI_API_KEY=… cargo run --example agent`
//!
//! One run of an agent with memory, as the README shows it.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example shows what it does"
)]

use std::time::Duration;

use ctxmem_client::{Client, Updates, UserId};
use ctxmem_rig::AgentMemory;
use rig_agent::AgentBuilder;
use rig_core::providers::openai::OpenAI;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Reads CTXMEM_BASE_URL and CTXMEM_API_KEY. One memory and one agent serve all users.
    let client = Client::from_env()?;
    let memory = AgentMemory::new(Updates::builder(client).start())
        .on_inject(|_user, injected| {
            if let Some(fallback) = injected.fallback() {
                eprintln!("this run goes without memory: {fallback}");
            }
        })
        .on_consent_needed(|_user, page| println!("To let me remember you, visit {page}"));
    // Reads OPENAI_API_KEY.
    let agent = AgentBuilder::new(OpenAI::from_env()?.completion("gpt-5.4"))
        .preamble("You are a helpful assistant.")
        .build();

    let user = UserId::new("3f0e0a52-6f0c-4f43-9f4c-2a1d1b7f9f10")?;
    let answer = agent
        .prompt("How do I deploy this?")
        .add_hook(memory.for_user(user))
        .await?;
    println!("{}", answer.output());

    // Before the process ends, give the last updates a moment.
    memory.updates().shutdown(Duration::from_secs(5)).await;
    Ok(())
}
