//! Both measures against a server in this process, with stubs in place of models.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ctxmem_server::core::{PasswordCost, SystemClock};
use ctxmem_server::extract::ModelConfig;
use ctxmem_server::{Config, ExtractorConfig};
use ctxmem_test_outside::extraction_data;
use ctxmem_test_server::TestServer;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tempfile::TempDir;

use super::end_to_end::{self, Model, answers};
use super::evidence::Findings;
use super::people::Person;
use super::stub::{Recorded, Stub};
use super::told::Told;
use super::{locomo, prefeval};
use crate::agent::Agent;

/// A server that extracts with this model, and a key for it.
async fn serve(model: &str, token_budget: usize) -> (TestServer, String, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("ctxmem.db").display());
    let timeout = std::time::Duration::from_secs(10);
    let model = ModelConfig::new(model.parse().unwrap(), "stub", timeout);
    let extractor = ExtractorConfig::Model(Box::new(model));
    let configure = |url| {
        let mut config = Config::new(database, url);
        config.settings.password_cost = PasswordCost::LEAST;
        config.settings.token_budget = token_budget;
        config.extractor = extractor;
        config
    };
    let server = TestServer::start_with(configure, Arc::new(SystemClock)).await;
    let scopes = "general,communication_style,preferences,knowledge,relationships,history,goals";
    let agent = server.agent("recall", scopes).await;
    let key = agent.key.api_key.expose_secret().to_owned();
    (server, key, folder)
}

fn address(server: &TestServer) -> &str {
    server.url.strip_prefix("http://").unwrap()
}

async fn findings(people: &[Person], token_budget: usize) -> Findings {
    let recorded = Recorded::start().await;
    let (server, key, _folder) = serve(&recorded.stub.url, token_budget).await;
    let mut agent = Agent::connect(address(&server), &key).await;
    let mut told = Vec::new();
    for person in people {
        told.push(Told::by(&mut agent, person, Some(&recorded)).await);
    }
    Findings::of(&mut agent, people, &told).await
}

#[tokio::test]
async fn what_was_recorded_is_found_where_it_is() {
    let found = findings(&locomo::sample(), 2_000).await;
    let seen = |question: usize| {
        let finding = &found.all[question];
        let places = [
            finding.noted,
            finding.stored,
            finding.in_block,
            finding.in_first_10,
        ];
        (&*finding.kind, places)
    };
    assert_eq!(seen(0), ("single-hop", [true; 4]));
    // What was recorded of two turns is in the delta of the first alone.
    assert_eq!(seen(1), ("multi-hop", [true; 4]));
    // Nothing was recorded of what Ben said of his trees.
    assert_eq!(seen(2), ("inference", [false; 4]));
    assert_eq!(found.all.len(), 4);
    let facts: Vec<usize> = found.all.iter().map(|finding| finding.facts).collect();
    assert_eq!(facts, [2, 2, 1, 1]);
}

#[tokio::test]
async fn turns_are_told_with_the_day_of_their_session() {
    let days: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&days);
    let stub = Stub::start(move |request| {
        let data = extraction_data(request);
        seen.lock().unwrap().push(data["today"].clone());
        r#"{"facts": []}"#.to_owned()
    });
    let stub = stub.await;
    let (server, key, _folder) = serve(&stub.url, 2_000).await;
    let mut agent = Agent::connect(address(&server), &key).await;
    Told::by(&mut agent, &locomo::sample()[1], None).await;
    let expected = ["2023-05-08, Monday", "2023-06-01, Thursday"];
    assert_eq!(*days.lock().unwrap(), expected);
}

#[tokio::test]
async fn what_the_block_has_no_room_for_is_not_counted_as_in_it() {
    let preferences = prefeval::sample();
    let found = findings(&prefeval::people(&preferences, 5), 50).await;
    let count =
        |is: fn(&super::evidence::Finding) -> bool| found.all.iter().filter(|f| is(f)).count();
    assert_eq!(count(|finding| finding.stored), 5);
    let in_block = count(|finding| finding.in_block);
    assert!(in_block > 0 && in_block < 5, "{in_block}");
    assert!(count(|finding| finding.with_relevant) > in_block);
}

#[tokio::test]
#[should_panic(expected = "/facts/search")]
async fn a_server_without_search_is_no_server_that_finds_nothing() {
    let stub = Stub::start(|_| String::new()).await;
    let address = stub.url.strip_prefix("http://").unwrap();
    let mut agent = Agent::connect(address.strip_suffix("/v1").unwrap(), "key").await;
    let person = &locomo::sample()[0];
    agent.search(&person.user, "Runa", 10).await;
}

/// Writes "Runa" if it was told of her, and finds nothing else.
fn reads(request: &Value) -> String {
    let messages = request["messages"].to_string();
    let text = match (messages.contains("Question: "), messages.contains("Runa")) {
        (true, true) => "Runa, a painter",
        (true, false) => "unknown",
        (false, _) => {
            r#"{"facts": [{"scope": "relationships", "key": "", "value": "Runa, sister", "op": "set",
            "known": 0, "was": "", "quote": "My sister Runa paints"}]}"#
        }
    };
    text.to_owned()
}

#[tokio::test]
async fn a_run_from_end_to_end_goes_on_where_another_ended() {
    let stub = Stub::start(reads).await;
    let (server, key, _folder) = serve(&stub.url, 2_000).await;
    let people = &locomo::sample()[..1];
    let out = tempfile::tempdir().unwrap();
    let model = Model {
        url: stub.url.clone(),
        name: "stub".to_owned(),
        api_key: None,
        out: out.path().to_owned(),
    };
    end_to_end::learn(address(&server), None, &key, people, out.path()).await;
    let answers = answers::ask(address(&server), &key, &model, people).await;
    // Two questions, each asked without memory, with the block, with more, and with everything.
    assert_eq!(answers.len(), 8);
    let told = answers
        .iter()
        .filter(|answer| answer.text == "Runa, a painter");
    assert_eq!(told.count(), 6);
    answers::print(people, &answers);

    let asked = stub.asked();
    let file = PathBuf::from(out.path()).join("answers.jsonl");
    let lines = std::fs::read_to_string(&file).unwrap();
    let kept: Vec<&str> = lines.lines().take(5).collect();
    std::fs::write(&file, kept.join("\n") + "\n{\"mod").unwrap();
    end_to_end::learn(address(&server), None, &key, people, out.path()).await;
    let again = answers::ask(address(&server), &key, &model, people).await;
    assert_eq!((again.len(), stub.asked() - asked), (8, 3));
}
