//! Enriched prompts: where they contain what is remembered, and that it stays there.

use rig_agent::agent::{CompletionCallAction, CompletionCallEvent, RequestPatch};
use rig_agent::{AgentHook, HookContext};
use rig_core::completion::Message;
use rig_core::message::{ImageMediaType, UserContent};
use rig_core::providers::openai::Route;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::support::{BASE, Deployment, GPT, Model, Weather, messages, remembered, system, user};

fn pair(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[tokio::test]
async fn memory_is_in_the_system_prompt_and_the_rest_is_unchanged() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let history = [Message::user("Hi."), Message::assistant("Hello.")];
    let hook = deployment.memory().for_user(user("ada"));
    agent
        .prompt("What is my name?")
        .history(history.clone())
        .add_hook(hook)
        .await
        .unwrap();
    agent
        .prompt("What is my name?")
        .history(history)
        .await
        .unwrap();

    let calls = model.calls().await;
    let enriched = remembered("ada") + BASE;
    assert_eq!(
        messages(&calls[0]),
        [
            pair("system", &enriched),
            pair("user", "Hi."),
            pair("assistant", "Hello."),
            pair("user", "What is my name?"),
        ]
    );
    // Apart from the prompt, the call is the same as without memory.
    let mut without = calls[0].clone();
    without["messages"][0]["content"] = calls[1]["messages"][0]["content"].clone();
    assert_eq!(without, calls[1]);
    assert_eq!(
        deployment.injects().await,
        [json!({"userId": "ada", "basePrompt": BASE, "message": "What is my name?"})]
    );
}

#[tokio::test]
async fn in_the_responses_api_memory_is_in_the_instructions() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent_on(Route::Responses, GPT).build();
    let hook = deployment.memory().for_user(user("ada"));
    agent.prompt("Hi.").add_hook(hook).await.unwrap();
    let call = model.calls().await.remove(0);
    assert_eq!(call["instructions"], remembered("ada") + BASE);
    assert!(!call["input"].to_string().contains("What you know"));
}

#[tokio::test]
async fn turns_with_the_same_memory_share_their_beginning() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let memory = deployment.memory();
    let mut history = Vec::new();
    for said in ["I live in Lisbon.", "Where do I live?"] {
        let response = agent
            .prompt(said)
            .history(history.clone())
            .add_hook(memory.for_user(user("ada")))
            .await
            .unwrap();
        history.extend(response.messages);
    }
    let calls = model.calls().await;
    let bytes = |call: &serde_json::Value| call["messages"].to_string();
    let (first, second) = (bytes(&calls[0]), bytes(&calls[1]));
    let prefix = first.trim_end_matches(']');
    assert!(second.starts_with(prefix), "{first}\n{second}");
    assert_eq!(deployment.injects().await.len(), 2);
}

#[tokio::test]
async fn a_run_with_tools_asks_once() {
    let model = Model::start().await;
    let deployment = Deployment::injecting({
        // Each answer is different, as if the memory changed in between.
        let asked = std::sync::atomic::AtomicUsize::new(0);
        move |_, base| {
            let n = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let prompt = format!("memory {n}\n\n{base}");
            ResponseTemplate::new(200).set_body_json(json!({"injectedPrompt": prompt}))
        }
    })
    .await;
    let agent = model.agent(GPT).tool(Weather).default_max_turns(3).build();
    let memory = deployment.memory();
    for _ in 0..2 {
        let hook = memory.for_user(user("ada"));
        agent
            .prompt("How is the weather?")
            .add_hook(hook)
            .await
            .unwrap();
    }
    let calls = model.calls().await;
    assert_eq!(calls.len(), 4);
    let systems: Vec<String> = calls.iter().map(system).collect();
    let first = format!("memory 0\n\n{BASE}");
    let second = format!("memory 1\n\n{BASE}");
    assert_eq!(systems, [&*first, &*first, &*second, &*second]);
    assert_eq!(calls[0]["tools"], calls[1]["tools"]);
    assert_eq!(messages(&calls[0])[..], messages(&calls[1])[..2]);
    assert_eq!(deployment.injects().await.len(), 2);
    let updates = deployment.updates(2).await;
    assert_eq!(updates[0]["userMessage"], "How is the weather?");
}

#[tokio::test]
async fn the_prompt_of_the_run_and_of_other_hooks_is_the_one_that_is_enriched() {
    struct Terse;
    impl AgentHook for Terse {
        async fn on_completion_call(
            &self,
            _: &HookContext,
            _: CompletionCallEvent<'_>,
        ) -> CompletionCallAction {
            CompletionCallAction::patch(RequestPatch::new().preamble("Be terse."))
        }
    }
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let agent = model.agent(GPT).build();
    let hook = deployment.memory().for_user(user("ada"));
    let run = agent.prompt("Hi.").preamble("Be kind.");
    run.add_hook(hook.clone()).await.unwrap();
    let run = agent.prompt("Hi.").add_hook(hook);
    run.add_hook(Terse).await.unwrap();
    let calls = model.calls().await;
    assert_eq!(system(&calls[0]), remembered("ada") + "Be kind.");
    assert_eq!(system(&calls[1]), remembered("ada") + "Be terse.");
}

#[tokio::test]
async fn an_agent_without_a_preamble_gets_one_only_if_something_is_remembered() {
    let model = Model::start().await;
    let agent = model.agent(GPT).without_preamble().build();
    let deployment = Deployment::start().await;
    let hook = deployment.memory().for_user(user("ada"));
    agent.prompt("Hi.").add_hook(hook).await.unwrap();
    let empty = Deployment::injecting(|_, base| {
        ResponseTemplate::new(200).set_body_json(json!({"injectedPrompt": base}))
    })
    .await;
    let hook = empty.memory().for_user(user("ada"));
    agent.prompt("Hi.").add_hook(hook).await.unwrap();
    let calls = model.calls().await;
    let said = pair("user", "Hi.");
    let prompt = pair("system", &remembered("ada"));
    assert_eq!(messages(&calls[0]), [prompt, said.clone()]);
    assert_eq!(messages(&calls[1]), [said]);
}

#[tokio::test]
async fn adding_the_same_hook_twice_makes_no_difference() {
    let (model, deployment) = (Model::start().await, Deployment::start().await);
    let memory = deployment.memory();
    let hook = memory.for_user(user("ada"));
    let agent = model.agent(GPT).add_hook(hook.clone()).build();
    let run = agent.prompt("Hi.").add_hook(hook);
    run.add_hook(memory.for_user(user("ada"))).await.unwrap();
    assert_eq!(system(&model.calls().await[0]), remembered("ada") + BASE);
    assert_eq!(deployment.injects().await.len(), 1);
    deployment.updates(1).await;
}

/// A deployment where something bears on every message.
async fn with_notes() -> Deployment {
    Deployment::injecting(|user, base| {
        ResponseTemplate::new(200).set_body_json(json!({
            "injectedPrompt": remembered(user) + base,
            "relevant": NOTES,
        }))
    })
    .await
}

const NOTES: &str = "Notes on the user:\n- Keeps bees";

#[tokio::test]
async fn what_bears_on_a_message_goes_before_it_and_not_into_the_history() {
    let (model, deployment) = (Model::start().await, with_notes().await);
    let memory = deployment.memory();
    let hook = memory.for_user(user("ada"));
    let agent = model.agent(GPT).tool(Weather).default_max_turns(3);
    // Two hooks of the same user put it there once.
    let agent = agent.add_hook(hook.clone()).build();
    let response = agent
        .prompt("How is the weather?")
        .history([Message::user("Hi."), Message::assistant("Hello.")])
        .add_hook(hook)
        .await
        .unwrap();

    let calls = model.calls().await;
    assert_eq!(calls.len(), 2);
    let said = format!("{NOTES}\n\nHow is the weather?");
    for call in &calls {
        assert_eq!(
            messages(call)[..4],
            [
                pair("system", &(remembered("ada") + BASE)),
                pair("user", "Hi."),
                pair("assistant", "Hello."),
                pair("user", &said),
            ]
        );
        assert_eq!(call.to_string().matches("Keeps bees").count(), 1, "{call}");
    }
    let history = serde_json::to_string(&response.messages).unwrap();
    assert!(history.contains("How is the weather?") && !history.contains("bees"));
    let injects = deployment.injects().await;
    assert_eq!(injects.len(), 1);
    assert_eq!(injects[0]["message"], "How is the weather?");
    let learned = deployment.updates(1).await.remove(0);
    assert_eq!(learned["userMessage"], "How is the weather?");
}

#[tokio::test]
async fn a_message_without_text_gets_nothing_beside_it() {
    let (model, deployment) = (Model::start().await, with_notes().await);
    let memory = deployment.memory();
    let agent = model.agent(GPT).build();
    let picture = || UserContent::image_base64("aGk=", Some(ImageMediaType::PNG), None);
    for content in [
        vec![picture()],
        vec![picture(), UserContent::text("Is this a bee?")],
    ] {
        let hook = memory.for_user(user("ada"));
        let run = agent.prompt(Message::User { content }).add_hook(hook);
        run.await.unwrap();
    }
    let calls = model.calls().await;
    assert!(!calls[0].to_string().contains("bees"), "{}", calls[0]);
    let parts = calls[1]["messages"][1]["content"].as_array().unwrap();
    assert_eq!(parts[1]["text"], format!("{NOTES}\n\nIs this a bee?"));
    let injects = deployment.injects().await;
    assert!(injects[0].get("message").is_none(), "{}", injects[0]);
    assert_eq!(injects[1]["message"], "Is this a bee?");
}
