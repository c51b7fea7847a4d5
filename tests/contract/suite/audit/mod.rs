//! The audit log and the usage counters: who did what, when, how often; never what was said.

mod actions;
mod batches;
mod retention;
mod undone;

use ctxmem_server::core::FirstGrant::Auto;
use std::sync::Arc;

use chrono::Duration;
use ctxmem_client::UserId;
use ctxmem_server::core::Clock as _;
use ctxmem_server::store::{Action, Actor, AuditDetails, AuditEvent, Outcome};
use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{Agent, FakeModel, Server, Setup, TestClock, user};

const SMALL_TALK: &str = "Thanks!";
const MORNING: &str = "2026-03-01T09:00:00Z";

/// The audit log of a user, the oldest first, without sign-ins, which have tests of their own.
async fn trail(server: &Server, user: &UserId) -> Vec<AuditEvent> {
    let mut rows = server.trail(user).await;
    assert!(rows.is_sorted_by(|a, b| a.id > b.id), "the newest first");
    rows.reverse();
    let events = rows.into_iter().map(|row| row.event);
    events
        .filter(|event| event.action != Action::SignIn)
        .collect()
}

/// A server with a clock and a model, and who looks at what is noted there of Ada.
struct Watched {
    server: Server,
    model: FakeModel,
    clock: Arc<TestClock>,
    ada: UserId,
    seen: usize,
}

impl Watched {
    async fn start() -> Self {
        let (model, clock) = (FakeModel::start().await, Arc::new(TestClock::at(MORNING)));
        Self {
            server: Setup::asking(&model)
                .first_grant(Auto)
                .clock(&clock)
                .start()
                .await,
            model,
            clock,
            ada: user("ada"),
            seen: 0,
        }
    }

    /// Checks that this was noted since the last look and nothing else. The agent and the time
    /// of the expected events are filled in; the details, which the history's tests read, are left
    /// out.
    #[track_caller]
    fn expects<'s>(
        &'s mut self,
        agent: &'s Agent,
        expected: impl IntoIterator<Item = AuditEvent> + 's,
    ) -> impl Future<Output = ()> + 's {
        let place = std::panic::Location::caller();
        async move {
            let at = self.clock.now().timestamp_millis();
            let mut found = trail(&self.server, &self.ada).await;
            for event in &mut found {
                event.details = AuditDetails::default();
            }
            let expected: Vec<AuditEvent> = expected
                .into_iter()
                .map(|event| AuditEvent { at, ..event }.agent(&agent.id))
                .collect();
            assert_eq!(found[self.seen..], expected, "{place}");
            self.seen = found.len();
            self.clock.advance(Duration::seconds(1));
        }
    }
}

fn event(
    action: Action,
    actor: Actor,
    outcome: Outcome,
    scopes: impl Into<ScopeSet>,
) -> AuditEvent {
    AuditEvent::new(action, actor, 0)
        .outcome(outcome)
        .scopes(scopes.into())
}

fn by_agent(action: Action, outcome: Outcome, scopes: impl Into<ScopeSet>) -> AuditEvent {
    event(action, Actor::Agent, outcome, scopes)
}

fn set(scopes: &[Scope]) -> ScopeSet {
    scopes.iter().copied().collect()
}
