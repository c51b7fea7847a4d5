//! Users and their memory: what is remembered, who has access, and what becomes of both.

mod access;
mod consent;
mod data;
mod memory;
mod oauth;
mod times;
mod without_script;

use ctxmem_client::UserId;

use super::browser::{Browser, browse};
use super::support::{Agent, HELLO, Server, Setup, user};

/// A user of whom this agent knows a name, a place and an editor, signed in.
async fn ada_before_an_agent(server: &Server, browser: &Browser) -> (UserId, Agent) {
    let ada = user("ada");
    let agent = server.agent_named("Travel planner").await;
    agent.tells(&ada, HELLO).await;
    browser.sign_in(server, &ada).await;
    (ada, agent)
}

/// Runs a story about them at a server of this kind.
async fn before_an_agent(setup: Setup, story: impl AsyncFnOnce(&Server, &Browser, UserId, Agent)) {
    let server = setup.start().await;
    browse(&server, async |browser| {
        let (ada, agent) = ada_before_an_agent(&server, browser).await;
        story(&server, browser, ada, agent).await;
    })
    .await;
}
