//! Users and their memory: what is remembered, who has access, and what becomes of both.

mod access;
mod consent;
mod data;
mod memory;
mod oauth;
mod times;
mod without_script;

use super::browser::Browser;
use super::support::{Agent, HELLO, Server, user};

/// A user of whom this agent knows a name, a place and an editor, signed in.
async fn ada_before_an_agent(server: &Server, browser: &Browser) -> (ctxmem_client::UserId, Agent) {
    let ada = user("ada");
    let agent = server.agent_named("Travel planner").await;
    agent.tells(&ada, HELLO).await;
    browser.sign_in(server, &ada).await;
    (ada, agent)
}
