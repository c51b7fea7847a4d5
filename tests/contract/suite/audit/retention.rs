//! Retention of the audit log.

use std::num::NonZeroU32;

use chrono::Duration;

use super::{MORNING, trail};
use crate::suite::support::Setup;

#[tokio::test]
async fn entries_older_than_the_retention_are_deleted_and_no_others() {
    let setup = Setup::new().with(|config| config.settings.audit_days = NonZeroU32::new(30));
    let (clock, server, agent, ada) = setup.start_with_ada_at(MORNING).await;
    let days = [0, 1, 400];
    for until in days {
        clock.set(MORNING);
        clock.advance(Duration::days(until));
        agent.injects(&ada).await;
        server.memory.flush_audit_buffer().await.unwrap();
    }
    let kept = async || {
        server.memory.drop_old_events().await.unwrap();
        let found = trail(&server, &ada).await;
        (found.len(), server.store.usage_rows(&agent.id).await.len())
    };
    // The grant of the first day as well.
    let all = (4, 3);
    clock.set(MORNING);
    clock.advance(Duration::days(30) - Duration::milliseconds(1));
    assert_eq!(kept().await, all);
    clock.advance(Duration::milliseconds(1));
    assert_eq!(kept().await, (2, 3));
    clock.advance(Duration::days(1));
    assert_eq!(kept().await, (1, 3));
    // Usage is kept for 400 days, whatever the settings say.
    clock.set(MORNING);
    clock.advance(Duration::days(400));
    assert_eq!(kept().await, (1, 3));
    clock.advance(Duration::days(1));
    assert_eq!(kept().await, (1, 2));
}

#[tokio::test]
async fn the_log_can_be_kept_for_ever() {
    let setup = Setup::new().with(|config| config.settings.audit_days = None);
    let (clock, server, agent, ada) = setup.start_with_ada_at(MORNING).await;
    agent.injects(&ada).await;
    let before = trail(&server, &ada).await;
    clock.advance(Duration::days(40_000));
    server.memory.drop_old_events().await.unwrap();
    assert_eq!(trail(&server, &ada).await, before);
}
