//! Learning from runs: what is sent to the memory, and when nothing is.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use rig_core::completion::Message;
use rig_core::message::{ImageMediaType, UserContent};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::support::{Deployment, GPT, Model, user};

#[tokio::test]
async fn a_run_sends_the_message_and_the_answer_once() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let memory = deployment.memory();
    for said in ["I use Helix.", "I live in Lisbon."] {
        let run = agent.prompt(said).history([Message::user("Earlier.")]);
        run.add_hook(memory.for_user(user("ada"))).await.unwrap();
    }
    let expected =
        |said: &str| json!({"userId": "ada", "userMessage": said, "agentResponse": "Noted."});
    assert_eq!(
        deployment.updates(2).await,
        [expected("I use Helix."), expected("I live in Lisbon.")]
    );
}

#[tokio::test]
async fn a_streamed_run_sends_them_as_well() {
    let chunks = |call: &Value| {
        assert_eq!(call["stream"], true);
        let chunk = |delta: Value, end: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
            let chunk = json!({
                "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": GPT,
                "choices": [choice],
            });
            format!("data: {chunk}\n\n")
        };
        let body = chunk(json!({"role": "assistant", "content": "Not"}), Value::Null)
            + &chunk(json!({"content": "ed."}), Value::Null)
            + &chunk(json!({}), "stop".into())
            + "data: [DONE]\n\n";
        ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
    };
    let (model, deployment) = (Model::answering(chunks).await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let hook = deployment.memory().for_user(user("ada"));
    let mut stream = agent.prompt("I use Helix.").add_hook(hook).stream();
    while let Some(item) = stream.next().await {
        item.unwrap();
    }
    let update = deployment.updates(1).await.remove(0);
    assert_eq!(update["userMessage"], "I use Helix.");
    assert_eq!(update["agentResponse"], "Noted.");
}

#[tokio::test]
async fn a_run_does_not_wait_for_its_update() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let hour = Duration::from_hours(1);
    let slow = ResponseTemplate::new(200).set_delay(hour);
    deployment.answer_updates(slow).await;
    let agent = model.agent(GPT).build();
    let hook = deployment.memory().for_user(user("ada"));
    let started = Instant::now();
    let response = agent.prompt("I use Helix.").add_hook(hook).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(response.output(), "Noted.");
    deployment.updates(1).await;
}

#[tokio::test]
async fn a_run_without_an_answer_sends_nothing() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let hook = deployment.memory().for_user(user("ada"));
    let response = agent.prompt("Say nothing.").add_hook(hook).await.unwrap();
    assert_eq!(response.output(), "");
    deployment.updates(0).await;
}

#[tokio::test]
async fn a_failed_run_sends_nothing() {
    let (model, deployment) = (Model::broken().await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let hook = deployment.memory().for_user(user("ada"));
    assert!(agent.prompt("I use Helix.").add_hook(hook).await.is_err());
    assert_eq!(deployment.injects().await.len(), 1);
    deployment.updates(0).await;
}

#[tokio::test]
async fn a_run_that_used_up_its_turns_sends_nothing() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).tool(crate::support::Weather).build();
    let hook = deployment.memory().for_user(user("ada"));
    let run = agent.prompt("How is the weather?").max_turns(1);
    assert!(run.add_hook(hook).await.is_err());
    deployment.updates(0).await;
}

#[tokio::test]
async fn only_text_is_sent_and_only_if_both_sides_spoke() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let memory = deployment.memory();
    let agent = model.agent(GPT).build();
    let picture = || UserContent::image_base64("aGk=", Some(ImageMediaType::PNG), None);
    for content in [
        vec![
            UserContent::text("This is my cat."),
            picture(),
            UserContent::text("Her name is Ada."),
        ],
        vec![picture()],
        vec![UserContent::text(" \n")],
    ] {
        let hook = memory.for_user(user("ada"));
        agent
            .prompt(Message::User { content })
            .add_hook(hook)
            .await
            .unwrap();
    }
    assert_eq!(memory.updates().flush(Duration::from_secs(20)).await, 0);
    let learned = deployment.updates(1).await.remove(0);
    assert_eq!(learned["userId"], "ada");
    assert_eq!(learned["userMessage"], "This is my cat.\nHer name is Ada.");
    assert_eq!(learned["agentResponse"], "Noted.");
}
