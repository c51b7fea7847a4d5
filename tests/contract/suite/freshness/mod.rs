//! Answers from the cache: an acknowledged change shows in the very next inject, whether it
//! was made at the same server or at another one on the same database.

mod access;
mod facts;
mod keys;
mod races;

use std::sync::Arc;
use std::time::Duration;

use ctxmem_client::UserId;
use ctxmem_types::ScopeSet;

use super::support::{Agent, ENGINE, Engine, Server, Setup, TestClock, user};

/// When the clock of a fixture starts.
const NOON: &str = "2026-03-01T12:00:00Z";

/// A server that is asked, and one at which things are changed.
struct FreshnessFixture {
    clock: Arc<TestClock>,
    asked: Server,
    /// `None` where it is the same.
    changed: Option<Server>,
    /// The agent that asks, and another one of another developer that changes things.
    agent: Agent,
    other: Agent,
    ada: UserId,
}

impl FreshnessFixture {
    /// With one server, and with two.
    async fn each() -> [Self; 2] {
        [Self::new(false).await, Self::new(true).await]
    }

    async fn new(two: bool) -> Self {
        let clock = Arc::new(TestClock::at(NOON));
        let asked = Setup::new().clock(&clock).endless_lists();
        let asked = asked.start().await;
        let changed = if two {
            let other = Setup::on(asked.store.clone()).clock(&clock);
            Some(other.endless_lists().start().await)
        } else {
            None
        };
        let agent = asked.agent_of("ann@example.com", ScopeSet::ALL).await;
        let there = changed.as_ref().unwrap_or(&asked);
        let other = there.agent().await;
        Self {
            clock,
            agent,
            other,
            ada: user("ada"),
            asked,
            changed,
        }
    }

    /// Where things are changed.
    fn there(&self) -> &Server {
        self.changed.as_ref().unwrap_or(&self.asked)
    }

    /// Has an agent ask until it is answered from the cache, where that can be seen.
    async fn warm(&self, agent: &Agent, user: &UserId) {
        let hits = || self.asked.cache_hits();
        for _ in 0..100 {
            let before = hits();
            agent.injects(user).await;
            agent.injects(user).await;
            if hits() > before || !matches!(*ENGINE, Engine::Sqlite) {
                return;
            }
            // The audit buffer may just have been stored, for example.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("nothing is answered from memory");
    }

    /// The prompt of the agent about Ada, who was asked about before.
    async fn prompt(&self) -> String {
        self.agent.prompt(&self.ada).await
    }

    /// Why inject merged nothing about Ada.
    async fn reason(&self) -> Option<String> {
        self.agent.reason(&self.ada).await
    }
}
