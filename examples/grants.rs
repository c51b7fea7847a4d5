//! `cargo run --example grants`
//!
//! Two agents and one user. One agent's key reaches everything, the other's only goals;
//! then the user signs in, revokes the first and widens nothing.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use ctxmem_client::{Client, GrantRequest, Scope, UserId};
use secrecy::ExposeSecret as _;

mod local;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let local = local::Local::start().await?;
    let assistant = local
        .agent("assistant", "general,preferences,knowledge,goals")
        .await?;
    let planner = local.agent("planner", "goals").await?;
    let client = |agent: &ctxmem_server::core::NewAgent| {
        Client::builder()
            .base_url(&local.url)
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
        seen(&assistant_memory, &user).await?
    );
    println!(
        "The planner sees:\n{}\n",
        seen(&planner_memory, &user).await?
    );

    let learned = planner_memory
        .update(&user, "I use Helix as my editor.", "Nice!")
        .await?;
    println!(
        "The planner learned about her editor; dropped, because denied: {}\n",
        serde_json::to_string(&learned.denied_scopes)?
    );

    // Only the user can revoke: by a session, never by an agent's key.
    let session = sign_in(&local, &user).await?;
    let ada = Client::builder()
        .base_url(&local.url)
        .session_cookie(session)
        .build()?;
    let request = GrantRequest::new(user.clone(), &assistant.agent.id, [Scope::General]);
    let narrowed = ada.create_grant(&request).await?;
    println!("Ada narrows the assistant to general:");
    println!("{}\n", seen(&assistant_memory, &user).await?);

    ada.revoke_grant(&narrowed.id).await?;
    println!("Ada revokes the assistant:");
    println!("{}", seen(&assistant_memory, &user).await?);
    let refused = assistant_memory.context(&user).await.err();
    println!(
        "Reading her context: {}",
        refused.map(|e| e.to_string()).unwrap_or_default()
    );
    Ok(())
}

/// What an agent's prompt holds of the user.
async fn seen(memory: &Client, user: &UserId) -> Result<String, ctxmem_client::Error> {
    let system = memory.inject(user, "").await?;
    Ok(match system.reason() {
        Some(reason) => format!("    nothing ({reason})"),
        None => system
            .prompt()
            .trim_end()
            .lines()
            .skip(2)
            .map(|line| format!("    {line}"))
            .collect::<Vec<_>>()
            .join("\n"),
    })
}

/// Signs in by a one-time link, as a browser would, and answers the session cookie.
async fn sign_in(
    local: &local::Local,
    user: &UserId,
) -> Result<String, Box<dyn std::error::Error>> {
    let link = local.core.sign_in_link(user.clone()).await?;
    let answer = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()?
        .post(format!("{}/sign-in", local.url))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("token={}", link.token.expose_secret()))
        .send()
        .await?;
    let cookie = answer.headers().get("set-cookie").ok_or("no session")?;
    let cookie = cookie.to_str()?.split(';').next().unwrap_or_default();
    Ok(cookie.to_owned())
}
