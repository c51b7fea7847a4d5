//! One agent with many users.

use futures_util::future::join_all;
use serde_json::Value;

use crate::support::{BASE, Deployment, GPT, Model, Weather, messages, remembered, system, user};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_at_the_same_time_never_mix() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).tool(Weather).default_max_turns(3).build();
    let memory = deployment.memory();
    let runs = (0..24).map(|n| {
        let name = format!("user-{}", n % 2);
        let run = agent
            .prompt(format!("I am {name}; how is the weather?"))
            .add_hook(memory.for_user(user(&name)));
        tokio::spawn(async move { run.await.unwrap() })
    });
    for run in join_all(runs).await {
        run.unwrap();
    }
    let calls = model.calls().await;
    assert_eq!(calls.len(), 48);
    for call in &calls {
        let said = &messages(call)[1].1;
        let name = if said.contains("user-0") {
            "user-0"
        } else {
            "user-1"
        };
        assert_eq!(system(call), remembered(name) + BASE);
    }
    assert_eq!(deployment.injects().await.len(), 24);
    let is_own = |update: &Value| {
        let name = update["userId"].as_str().unwrap();
        update["userMessage"].as_str().unwrap().contains(name)
    };
    assert!(deployment.updates(24).await.iter().all(is_own));
}

#[tokio::test]
async fn a_run_with_hooks_of_two_users_gets_no_memory() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let memory = deployment.memory();
    let agent = model
        .agent(GPT)
        .add_hook(memory.for_user(user("ada")))
        .build();
    let run = agent.prompt("Hi.");
    run.add_hook(memory.for_user(user("grace"))).await.unwrap();
    assert_eq!(system(&model.calls().await[0]), BASE);
    assert!(deployment.injects().await.is_empty());
    deployment.updates(0).await;
}
