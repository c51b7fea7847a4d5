//! `cargo run --example quickstart`
//!
//! The two calls around a model call, against a server in this process: what a prompt looks like
//! before anything is learned and after some real turns.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use ctxmem_client::{CacheTarget, Client, Injected, UserId};
use ctxmem_test_server::TestServer;

const ALL: &str = "general,communication_style,preferences,knowledge,relationships,history,goals";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = TestServer::start().await;
    let agent = server.agent("quickstart", ALL).await;
    let memory = Client::builder()
        .base_url(&server.url)
        .api_key(agent.key.api_key)
        .with_demo()
        .build()?;
    let user = UserId::new("ada")?;

    let base = "You are a helpful assistant.";
    let before = memory.inject_or_base(&user, base).await;
    show("Before: demo facts, until the first real one", &before);

    for (said, answered) in [
        (
            "Hi! My name is Ada and I live in Lisbon. I use Helix as my editor.",
            "Nice to meet you, Ada.",
        ),
        (
            "I'm building a booking site in Rust, and we deploy to Fly.io. Short answers please.",
            "Got it.",
        ),
        ("thanks!", "You're welcome."),
        (
            "By the way, I switched from Helix to Zed. My manager Priya approved it.",
            "Noted.",
        ),
    ] {
        let learned = memory.update(&user, said, answered).await?;
        let written = learned.delta.unwrap_or_default();
        println!("> {said}");
        for fact in written.facts() {
            let name = fact
                .name
                .map(|name| format!("{name}: "))
                .unwrap_or_default();
            println!("    learned {}: {name}{}", fact.storage_key, fact.value);
        }
        if written.is_empty() {
            let why = learned.outcome.map(|why| format!(": {why}"));
            println!("    learned nothing{}", why.unwrap_or_default());
        }
    }

    let after = memory.inject_or_base(&user, base).await;
    show("\nAfter", &after);
    let patch = after.cache_patch(CacheTarget::OpenAiChat("gpt-5.4"));
    println!(
        "Add to a call of gpt-5.4: {}",
        serde_json::to_string(patch.fields())?
    );

    memory.delete_context(&user).await?;
    let gone = memory.inject_or_base(&user, base).await;
    println!(
        "\nErased. The agent is told: {}",
        gone.notice().unwrap_or_default()
    );
    Ok(())
}

fn show(title: &str, system: &Injected) {
    println!("{title}:\n");
    // A wrong key or an outage gives the base prompt, and says so.
    if let Some(fallback) = system.fallback() {
        println!("    ({fallback})");
    }
    for line in system.prompt().lines() {
        println!("    {line}");
    }
    println!();
}
