//! One user of one agent, on a server that asks a model.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_client::UserId;
use ctxmem_test_outside::FakeModel;
use serde_json::Value;

use super::{Agent, Server, Setup, TestClock, user};

pub(crate) struct ModelFixture {
    pub(crate) model: FakeModel,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) server: Server,
    pub(crate) agent: Agent,
    pub(crate) ada: UserId,
}

impl ModelFixture {
    pub(crate) async fn new() -> Self {
        Self::with(|setup| setup).await
    }

    /// With a server that is set up in addition.
    pub(crate) async fn with(set_up: impl FnOnce(Setup) -> Setup) -> Self {
        let model = FakeModel::start().await;
        let clock = Arc::new(TestClock::at("2026-03-01T09:30:00Z"));
        let setup = Setup::asking(&model).clock(&clock);
        let server = set_up(setup).start().await;
        let agent = server.agent().await;
        Self {
            model,
            clock,
            server,
            agent,
            ada: user("ada"),
        }
    }

    /// An update, a second after the last one, in which the model finds these facts.
    pub(crate) async fn finds(&self, facts: impl IntoIterator<Item = Value>) -> Value {
        self.clock.advance(Duration::seconds(1));
        self.model.finds(facts);
        self.agent.tells(&self.ada, &self.model.said()).await
    }

    /// The same with this message of the user.
    pub(crate) async fn finds_in(
        &self,
        message: &str,
        facts: impl IntoIterator<Item = Value>,
    ) -> Value {
        self.clock.advance(Duration::seconds(1));
        self.model.finds(facts);
        self.agent.tells(&self.ada, message).await
    }
}
