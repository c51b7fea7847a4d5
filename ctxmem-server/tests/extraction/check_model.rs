//! `ctxmem-server check-model`.

use ctxmem_test_outside::{FakeModel, extraction_data};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::process::{Args as _, CommandOutput, Home, assert_has, assert_lacks};

/// What a good model finds, by a word of the message.
fn facts(said: &str) -> Value {
    let set = |scope: &str, key: &str, value: &str, quote: &str| json!({"scope": scope, "key": key, "value": value, "op": "set", "known": 0, "was": "", "quote": quote});
    let of_list = |scope: &str, value: &str, quote: &str| set(scope, "", value, quote);
    let gone = |number: u64, was: &str, quote: &str| json!({"scope": "goals", "key": "", "value": "", "op": "remove", "known": number, "was": was, "quote": quote});
    match said {
        said if said.contains("from Porto") => json!([
            set("general", "name", "Ada", "I'm Ada"),
            set("general", "location", "Porto", "from Porto"),
            set("preferences", "editor", "Helix", "I edit in Helix"),
            of_list(
                "communication_style",
                "Answer briefly",
                "keep your answers short"
            ),
        ]),
        said if said.contains("bar exam") => json!([
            gone(2, "Bar exam in May", "I passed the bar exam"),
            of_list("history", "Passed the bar exam", "I passed the bar exam"),
            set("preferences", "editor", "Helix", "from VS Code to Helix"),
        ]),
        said if said.contains("Siobhan") => json!([
            of_list(
                "relationships",
                "Siobhan, Schwester",
                "Meine Schwester Siobhan"
            ),
            set(
                "preferences",
                "allergy",
                "Erdnüsse",
                "gegen Erdnüsse allergisch"
            ),
        ]),
        said if said.contains("proposal") => json!([
            of_list(
                "goals",
                "Grant proposal due 13 March 2026",
                "proposal is due next Friday"
            ),
            gone(1, "Docker", "don't use Docker any more"),
        ]),
        said if said.contains("Pavel") => json!([
            // Small models correct what they quote.
            set("general", "name", "Pavel", "I'm Pavel"),
            set(
                "preferences",
                "editor",
                "Emacs",
                "I edit everything in Emacs"
            ),
        ]),
        said if said.contains("Selin") => {
            let of_known = |number: u64, was: &str, value: &str, quote: &str| json!({"scope": "relationships", "key": "", "value": value, "op": "set", "known": number, "was": was, "quote": quote});
            json!([
                // An addition that forgets the allergy: the gate keeps it.
                of_known(
                    1,
                    "Selin, wife, allergic to nuts",
                    "Selin, wife, works at the university",
                    "Selin got a job at the university"
                ),
                of_known(2, "Petra, manager", "Ken, manager", "Ken is my manager now"),
            ])
        }
        said if said.contains("almonds") => json!([
            gone(1, "Almonds", "not allergic to almonds"),
            of_list("knowledge", "Siemens", "arbeite jetzt bei Siemens"),
        ]),
        _ => json!([]),
    }
}

async fn model(find: impl Fn(&str) -> Value + Send + Sync + 'static) -> FakeModel {
    let model = FakeModel::start().await;
    model.answers_with(move |request| {
        let data = extraction_data(request);
        assert_eq!(data["today"], "2026-03-05, Thursday");
        let content = json!({"facts": find(data["user"].as_str().unwrap())}).to_string();
        ResponseTemplate::new(200).set_body_json(json!({
            "choices": [{"message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 1500, "completion_tokens": 100},
        }))
    });
    model
}

/// Checks the model at this address, with these other flags, behind a proxy or without. The model answers on
/// this thread meanwhile.
async fn check(url: &str, flags: &str, proxy: Option<String>) -> CommandOutput {
    let args = format!("check-model --model-url {url} --model-name some-model {flags}");
    let run = move || {
        let home = Home::new();
        let mut command = home.command();
        command
            .args(args.list())
            .envs(proxy.map(|proxy| ("HTTP_PROXY", proxy)));
        CommandOutput::of(command.output().unwrap())
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn a_fit_model_is_called_fit() {
    let model = model(facts).await;
    let finished = check(&model.url(), "--json", None).await;
    assert_eq!((finished.status.code(), &*finished.stderr), (Some(0), ""));
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(report["fit"], true);
    assert_eq!((&report["right"], &report["of"]), (&json!(17), &json!(17)));
    assert_eq!(report["tokens_per_message"], 1600);
    assert!(report["seconds_per_message"].is_f64(), "{report}");
    assert_eq!(report["messages"].as_array().unwrap().len(), 8);
    assert_eq!(model.requests().await.len(), 8);

    let printed = check(&model.url(), "", None).await.stdout;
    let parts = [
        "fit: 17 of 17 facts right, ",
        " s and 1600 tokens a message",
    ];
    assert_has(&printed, &parts);
}

#[tokio::test]
async fn an_unfit_model_is_called_unfit() {
    let bob =
        json!([{"scope": "general", "key": "name", "value": "Bob", "quote": "My name is Bob"}]);
    let model = model(move |_| bob.clone()).await;
    let finished = check(&model.url(), "--json", None).await;
    assert_eq!(finished.status.code(), Some(1));
    assert_has(&finished.stderr, &["not fit"]);
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    // Not even the quotation was left alone.
    assert_eq!(report["fit"], false);
    assert_eq!(report["right"], 0);
}

#[tokio::test]
async fn a_model_that_answers_no_json_is_unfit_and_one_that_is_not_there_an_error() {
    let babbling = FakeModel::start().await;
    let content = json!({"choices": [{"message": {"content": "Quokka77"}}]});
    babbling.answers(ResponseTemplate::new(200).set_body_json(content));
    let finished = check(&babbling.url(), "", None).await;
    assert_eq!(finished.status.code(), Some(1));
    let parts = ["not fit: 0 of 17 facts right", "tokens not told"];
    assert_has(&finished.stdout, &parts);
    assert_lacks(&format!("{finished:?}"), &["Quokka77"]);

    let finished = check("http://127.0.0.1:9/v1", "--json", None).await;
    finished.assert_failed("the model endpoint cannot be reached");
    // Where it went, and the cause.
    let place = "POST http://127.0.0.1:9/v1/chat/completions: ";
    assert_has(&finished.stderr, &[place, "refused"]);
}

#[tokio::test]
async fn what_an_endpoint_says_is_repeated_to_whoever_checks_it() {
    let unknown = FakeModel::start().await;
    let error = json!({"error": {"message": "model \"qwen3\" not found, try pulling it first"}});
    unknown.answers(ResponseTemplate::new(404).set_body_json(error));
    let finished = check(&unknown.url(), "", None).await;
    assert_eq!(finished.status.code(), Some(1));
    let parts = ["status 404", "/v1/chat/completions", "try pulling it first"];
    assert_has(&finished.stderr, &parts);
}

#[test]
fn it_needs_an_address_and_a_name() {
    let needed = "--model-url or --model: needed by check-model";
    Home::new().refused("check-model", 1, needed);
}

/// Behind a proxy of a company, which the environment names. What runs on the same machine is asked directly.
#[tokio::test]
async fn a_proxy_of_the_environment_is_used() {
    let proxy = model(facts).await;
    let address = proxy.url().replace("/v1", "");
    let closed = "http://127.0.0.1:9".to_owned();
    let through = check("http://model.invalid/v1", "", Some(address)).await;
    assert_eq!(through.status.code(), Some(0), "{through:?}");
    assert!(proxy.requests().await.len() > 4);
    let refused = check("http://model.invalid/v1", "", Some(closed)).await;
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}

/// Keys are read from the provider's own variable, and only where the provider is named.
#[test]
fn a_provider_is_named_with_its_key() {
    // The address of a preset may be another, as for a self-hosted model on another machine.
    let elsewhere = "ollama:qwen3 --model-url http://127.0.0.1:9/v1";
    for (key, model, said) in [
        (
            None,
            "openai:gpt-5-mini",
            "OPENAI_API_KEY: expected the API key",
        ),
        (Some("sk-77"), "gemini:g", "GEMINI_API_KEY"),
        (None, "grok:x", "openai, anthropic, gemini"),
        (
            None,
            elsewhere,
            "POST http://127.0.0.1:9/v1/chat/completions",
        ),
    ] {
        let home = Home::new();
        let mut command = home.command();
        command.envs(key.map(|key| ("OPENAI_API_KEY", key)));
        command.args(format!("check-model --model {model}").list());
        let finished = CommandOutput::of(command.output().unwrap());
        assert_has(&finished.stderr, &[said]);
    }
}
