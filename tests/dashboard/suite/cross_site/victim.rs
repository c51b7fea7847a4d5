//! Somebody who is signed in while they visit a page that means them harm.

use ctxmem_client::UserId;

use crate::suite::support::{Agent, HELLO, Server, user};

pub(super) struct Victim {
    pub(super) user: UserId,
    /// Their session, as it stands in a header.
    pub(super) cookie: String,
    /// An agent that knows some facts of them.
    pub(super) agent: Agent,
    pub(super) grant_id: String,
    /// A link by which the attacker would have the victim's browser sign in as themselves.
    pub(super) link_of_attacker: String,
}

impl Victim {
    /// A new one, of whom nobody knows but one agent.
    pub(super) async fn new(server: &Server, number: usize) -> Self {
        let (user, attacker) = (
            user(&format!("victim-{number}")),
            user(&format!("attacker-{number}")),
        );
        let agent = server.agent().await;
        agent.tells(&user, HELLO).await;
        let (grant_id, _) = server.grant(&user, &agent).await.unwrap();
        Self {
            cookie: server.sign_in(&user).await,
            link_of_attacker: server.link_for(&attacker).await,
            user,
            agent,
            grant_id,
        }
    }
}
