//! `cargo run --example grants`
//!
//! Two agents and one user. One agent's key has four scopes, the other's only goals. Then the
//! user signs in, narrows the grant of the first agent, and revokes it.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use ctxmem_client::{Client, GrantRequest, Scope, UserId};
use ctxmem_server::core::NewAgent;
use ctxmem_test_server::TestServer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = TestServer::start().await;
    let assistant = server
        .agent("assistant", "general,preferences,knowledge,goals")
        .await;
    let planner = server.agent("planner", "goals").await;
    let client = |agent: &NewAgent| {
        Client::builder()
            .base_url(&server.url)
            .api_key(agent.key.api_key.clone())
            .build()
    };
    let (assistant_memory, planner_memory) = (client(&assistant)?, client(&planner)?);
    let user = UserId::new("ada")?;

    let said = "I'm Ada, I live in Lisbon, and I'm working on a booking site in Rust.";
    assistant_memory.update(&user, said, "Nice!").await?;
    println!("Ada told the assistant: {said}\n");
    println!(
        "The assistant sees:\n{}\n",
        seen(&assistant_memory, &user).await
    );
    println!(
        "The planner sees:\n{}\n",
        seen(&planner_memory, &user).await
    );

    let learned = planner_memory
        .update(&user, "I use Helix as my editor.", "Nice!")
        .await?;
    println!(
        "The planner learned about her editor; dropped, because denied: {}\n",
        serde_json::to_string(&learned.denied_scopes)?
    );

    // Only the user can revoke, with a session. An agent's key can't.
    let session = server.sign_in(&user).await;
    let ada = Client::builder()
        .base_url(&server.url)
        .build_user(session)?;
    let request = GrantRequest::new(user.clone(), &assistant.agent.id, [Scope::General]);
    let narrowed = ada.create_grant(&request).await?;
    println!("Ada narrows the assistant to general:");
    println!("{}\n", seen(&assistant_memory, &user).await);

    ada.revoke_grant(&narrowed.id).await?;
    println!("Ada revokes the assistant:");
    println!("{}", seen(&assistant_memory, &user).await);
    let refused = assistant_memory.context(&user).await.err();
    println!(
        "Reading her context: {}",
        refused.map(|e| e.to_string()).unwrap_or_default()
    );
    Ok(())
}

/// What an agent's prompt says about the user.
async fn seen(memory: &Client, user: &UserId) -> String {
    let system = memory.inject_or_base(user, "").await;
    match (system.fallback(), system.reason()) {
        (Some(fallback), _) => format!("    nothing ({fallback})"),
        (None, Some(reason)) => format!("    nothing ({reason})"),
        (None, None) => system
            .prompt()
            .trim_end()
            .lines()
            .skip(2)
            .map(|line| format!("    {line}"))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}
