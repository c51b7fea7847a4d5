//! What is printed and logged: whether something is wrong, and nobody's words.

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing::subscriber::DefaultGuard;
use wiremock::ResponseTemplate;

use crate::support::{Deployment, GPT, Model, user};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// What this thread logs from now on, until the guard is dropped.
    fn start() -> (Self, DefaultGuard) {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter("ctxmem_rig=trace")
            .with_ansi(false)
            .with_writer({
                let log = log.clone();
                move || log.clone()
            })
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_refusal_is_a_warning_and_an_outage_is_not() {
    let (log, _logging) = Log::start();

    let model = Model::start().await;
    let agent = model.agent(GPT).preamble("canary-prompt").build();
    for (status, expected) in [(503, " INFO "), (403, " WARN ")] {
        let deployment = Deployment::injecting(move |_, _| {
            ResponseTemplate::new(status)
                .set_body_json(json!({"error": "canary-message", "code": "FORBIDDEN"}))
        })
        .await;
        let hook = deployment.memory().for_user(user("canary-user"));
        agent.prompt("canary-said").add_hook(hook).await.unwrap();
        let text = log.text();
        let line = text.lines().last().unwrap();
        assert!(line.contains(expected), "{line}");
    }
    assert!(log.text().contains("403 FORBIDDEN"), "{}", log.text());
    assert!(!log.text().contains("canary"), "{}", log.text());
}

#[tokio::test(flavor = "current_thread")]
async fn a_lost_update_and_a_run_of_two_users_are_warnings() {
    let (log, _logging) = Log::start();

    let model = Model::start().await;
    let agent = model.agent(GPT).build();
    let deployment = Deployment::start().await;
    deployment.refuse_updates().await;
    let memory = deployment.memory();
    let hook = memory.for_user(user("canary-user"));
    let run = agent.prompt("canary-said").add_hook(hook.clone());
    run.await.unwrap();
    deployment.updates(1).await;
    assert!(log.text().contains("WARN"), "{}", log.text());
    assert!(log.text().contains("nothing was learned"), "{}", log.text());

    let run = agent.prompt("canary-said").add_hook(hook);
    let other = memory.for_user(user("canary-other"));
    run.add_hook(other).await.unwrap();
    assert!(log.text().contains("two users"), "{}", log.text());
    assert!(!log.text().contains("canary"), "{}", log.text());
}

#[tokio::test]
async fn debug_shows_no_user() {
    let memory = Deployment::start().await.memory();
    let hook = memory.for_user(user("canary"));
    assert!(!format!("{memory:?} {hook:?}").contains("canary"));
}
