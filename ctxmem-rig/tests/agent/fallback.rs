//! A memory that is unavailable, or rejects calls.

use std::sync::{Arc, Mutex};

use ctxmem_client::{Client, Fallback, Updates};
use ctxmem_rig::AgentMemory;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::support::{BASE, Deployment, GPT, Model, remembered, system, user};

#[tokio::test]
async fn without_memory_a_run_goes_on() {
    let model = Model::start().await;
    let client = Client::builder()
        .base_url("http://127.0.0.1:1")
        .api_key("ctxm_test")
        .build()
        .unwrap();
    let memory = AgentMemory::new(Updates::builder(client).start());
    let agent = model.agent(GPT).build();
    let run = agent.prompt("Hi.").add_hook(memory.for_user(user("ada")));
    assert_eq!(run.await.unwrap().output(), "Noted.");
    assert_eq!(system(&model.calls().await[0]), BASE);
}

#[tokio::test]
async fn after_a_rejection_no_earlier_answer_is_used() {
    let model = Model::start().await;
    let refuses = Arc::new(Mutex::new(None));
    let deployment = Deployment::injecting({
        let refuses = Arc::clone(&refuses);
        move |user, base| match *refuses.lock().unwrap() {
            None => ResponseTemplate::new(200)
                .set_body_json(json!({"injectedPrompt": remembered(user) + base})),
            Some((status, code)) => {
                ResponseTemplate::new(status).set_body_json(json!({"error": "no", "code": code}))
            }
        }
    })
    .await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let memory = deployment.memory().on_inject({
        let seen = Arc::clone(&seen);
        move |user, injected| {
            let status = match injected.fallback() {
                Some(Fallback::Rejected(error)) => error.status(),
                _ => None,
            };
            seen.lock()
                .unwrap()
                .push((user.as_str().to_owned(), status));
        }
    });
    let agent = model.agent(GPT).build();
    // All runs use the same hook, and even so nothing is kept.
    let hook = memory.for_user(user("ada"));
    for answer in [None, Some((403, "FORBIDDEN")), Some((401, "UNAUTHORIZED"))] {
        *refuses.lock().unwrap() = answer;
        agent.prompt("Hi.").add_hook(hook.clone()).await.unwrap();
    }
    let other = memory.for_user(user("grace"));
    agent.prompt("Hi.").add_hook(other).await.unwrap();

    let systems: Vec<String> = model.calls().await.iter().map(system).collect();
    let enriched = remembered("ada") + BASE;
    assert_eq!(systems, [&*enriched, BASE, BASE, BASE]);
    let seen = seen.lock().unwrap();
    let statuses: Vec<(&str, Option<u16>)> = seen
        .iter()
        .map(|(user, status)| (user.as_str(), *status))
        .collect();
    assert_eq!(
        statuses,
        [
            ("ada", None),
            ("ada", Some(403)),
            ("ada", Some(401)),
            ("grace", Some(401)),
        ]
    );
}

/// The conversation is not sent where the service would refuse it.
#[tokio::test]
async fn a_run_without_access_sends_no_conversation() {
    let page = "https://memory.example.com/consent/a";
    for (answer, pages) in [
        (json!({"reason": "no_grant"}), vec![]),
        (json!({"reason": "no_scopes"}), vec![]),
        (
            json!({"reason": "no_grant", "consent_url": page}),
            vec![page],
        ),
    ] {
        let model = Model::start().await;
        let deployment = Deployment::injecting(move |_, base| {
            let mut answer = answer.clone();
            answer["injectedPrompt"] = base.into();
            ResponseTemplate::new(200).set_body_json(answer)
        })
        .await;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let memory = deployment.memory().on_consent_needed({
            let asked = Arc::clone(&asked);
            move |_, page| asked.lock().unwrap().push(page.to_owned())
        });
        let agent = model.agent(GPT).build();
        let run = agent.prompt("Hi.").add_hook(memory.for_user(user("ada")));
        run.await.unwrap();
        assert_eq!(*asked.lock().unwrap(), pages);
        deployment.updates(0).await;
    }
}
