//! Logs and `Debug` show what is wrong, but no text of a conversation.

use std::cell::RefCell;
use std::io;
use std::sync::Once;
use std::time::Duration;

use serde_json::json;
use wiremock::ResponseTemplate;

use crate::support::{Deployment, GPT, Model, user};

thread_local! {
    /// What this thread logs. The subscriber is shared by all tests.
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct ToLog;

impl io::Write for ToLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.with_borrow_mut(|log| log.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn start_logging() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        tracing_subscriber::fmt()
            .with_env_filter("ctxmem_rig=trace,ctxmem_client=trace")
            .with_ansi(false)
            .with_writer(|| ToLog)
            .init();
    });
}

fn logged() -> String {
    LOG.with_borrow(|log| String::from_utf8(log.clone()).unwrap())
}

#[tokio::test(flavor = "current_thread")]
async fn rejections_and_outages_are_warnings_but_not_in_every_run() {
    start_logging();

    let model = Model::start().await;
    let agent = model.agent(GPT).preamble("canary-prompt").build();
    for status in [503, 403] {
        let deployment = Deployment::injecting(move |_, _| {
            ResponseTemplate::new(status)
                .set_body_json(json!({"error": "canary-message", "code": "FORBIDDEN"}))
        })
        .await;
        let memory = deployment.memory();
        for _ in 0..3 {
            let hook = memory.for_user(user("canary-user"));
            agent.prompt("canary-said").add_hook(hook).await.unwrap();
        }
        let text = logged();
        let status = format!("status={status}");
        let warnings = text
            .lines()
            .filter(|line| line.contains(" WARN ") && line.contains(&status));
        assert_eq!(warnings.count(), 1, "{text}");
    }
    assert!(logged().contains("403 FORBIDDEN"), "{}", logged());
    assert!(!logged().contains("canary"), "{}", logged());
}

#[tokio::test(flavor = "current_thread")]
async fn a_lost_update_and_a_run_of_two_users_are_warnings() {
    start_logging();

    let model = Model::start().await;
    let agent = model.agent(GPT).build();
    let deployment = Deployment::start().await;
    deployment.reject_updates().await;
    let memory = deployment.memory();
    let hook = memory.for_user(user("canary-user"));
    let run = agent.prompt("canary-said").add_hook(hook.clone());
    run.await.unwrap();
    assert_eq!(memory.updates().flush(Duration::from_secs(20)).await, 0);
    assert!(logged().contains("WARN"), "{}", logged());
    assert!(logged().contains("was not learned"), "{}", logged());

    let run = agent.prompt("canary-said").add_hook(hook);
    let other = memory.for_user(user("canary-other"));
    run.add_hook(other).await.unwrap();
    assert!(logged().contains("two users"), "{}", logged());
    assert!(!logged().contains("canary"), "{}", logged());
}

#[tokio::test]
async fn debug_shows_no_user() {
    let memory = Deployment::start().await.memory();
    let hook = memory.for_user(user("canary"));
    assert!(!format!("{memory:?} {hook:?}").contains("canary"));
}
