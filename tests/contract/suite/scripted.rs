//! A scripted extractor, whose facts the test sets, and what the server does with them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{Duration, NaiveDate};
use ctxmem_client::UserId;
use ctxmem_server::core::{Core, Key, Reply, Settings};
use ctxmem_server::extract::{Candidate, ExtractError, Extractor, Interaction, Reading};
use ctxmem_server::store::Db;
use ctxmem_types::{InjectRequest, Scope, UpdateRequest, UpdateResponse};
use serde_json::{Value, json};

use crate::suite::support::{BASE, HELLO, Server, TestClock, user};

/// Finds the facts that the test set, and records the day of the interaction.
struct Script {
    finds: Mutex<Vec<Candidate>>,
    today: Mutex<Option<NaiveDate>>,
    wants_known: bool,
}

#[async_trait]
impl Extractor for Script {
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError> {
        *self.today.lock().unwrap() = Some(interaction.today);
        Ok(self.finds.lock().unwrap().clone())
    }

    fn wants_known(&self) -> bool {
        self.wants_known
    }

    fn extract_now(
        &self,
        interaction: &Interaction<'_>,
        _reading: &Reading<'_>,
    ) -> Option<Vec<Candidate>> {
        if self.wants_known {
            return None;
        }
        *self.today.lock().unwrap() = Some(interaction.today);
        Some(self.finds.lock().unwrap().clone())
    }

    async fn probe(&self) -> Option<bool> {
        None
    }
}

/// A service with that extractor, on the database of a server.
struct ScriptedFixture {
    script: Arc<Script>,
    clock: Arc<TestClock>,
    core: Arc<Core>,
    key: Key,
    ada: UserId,
    /// Its database goes with it.
    _server: Server,
}

impl ScriptedFixture {
    async fn new(wants_known: bool) -> Self {
        let server = Server::start().await;
        let script = Arc::new(Script {
            finds: Mutex::default(),
            today: Mutex::default(),
            wants_known,
        });
        let clock = Arc::new(TestClock::at("2026-03-05T23:30:00Z"));
        let core = Arc::new(Core::new(
            Db::open(&server.store.url()).await.unwrap(),
            Arc::clone(&script) as Arc<dyn Extractor>,
            Arc::clone(&clock) as Arc<_>,
            Settings {
                token_budget: 100,
                list_cap: None,
                ..Settings::default()
            },
            "",
        ));
        let agent = server.agent().await;
        let key = core.grants.authenticate(&agent.key).await.unwrap();
        Self {
            script,
            clock,
            core,
            key,
            ada: user("ada"),
            _server: server,
        }
    }

    /// One turn, a second later.
    async fn finds(&self, found: Vec<Candidate>) -> UpdateResponse {
        *self.script.finds.lock().unwrap() = found;
        self.clock.advance(Duration::seconds(1));
        let request = UpdateRequest::new(self.ada.clone(), HELLO, "Noted.");
        let answered = self
            .core
            .memory
            .update(self.key.clone(), request, None, "a request")
            .await;
        match answered.unwrap() {
            Reply::Fresh(answer) => answer,
            Reply::Replayed(_) => panic!("it has no key"),
        }
    }

    fn today(&self) -> String {
        self.script.today.lock().unwrap().unwrap().to_string()
    }

    async fn prompt(&self) -> String {
        let request = InjectRequest::new(self.ada.clone(), BASE);
        let injected = self.core.memory.inject(&self.key, request).await.unwrap();
        let answer: Value = serde_json::from_slice(&injected.to_json()).unwrap();
        answer["injectedPrompt"].as_str().unwrap().to_owned()
    }
}

fn goal(text: &str, requested: bool) -> Candidate {
    Candidate {
        requested,
        ..Candidate::item(Scope::Goals, text)
    }
}

#[tokio::test]
async fn over_the_budget_what_was_asked_for_stays() {
    let fixture = ScriptedFixture::new(false).await;
    fixture.finds(vec![goal("first", false)]).await;
    fixture
        .finds(vec![goal("second", false), goal("third", true)])
        .await;
    for n in 10..60 {
        fixture.finds(vec![goal(&format!("goal {n}"), false)]).await;
    }
    // It stays marked as requested when it is repeated without a request.
    fixture.finds(vec![goal("third", false)]).await;
    // This one becomes requested only now.
    fixture.finds(vec![goal("second", true)]).await;
    let prompt = fixture.prompt().await;
    let goals: Vec<&str> = prompt
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    assert_eq!(goals[..2], ["- goal: second", "- goal: third"]);
    assert_eq!(goals.last(), Some(&"- goal: goal 59"));
    assert!(!goals.contains(&"- goal: first") && !goals.contains(&"- goal: goal 10"));
}

#[tokio::test]
async fn general_takes_three_names_from_whoever_extracts() {
    let fixture = ScriptedFixture::new(false).await;
    let general = |name: &str| Candidate::slot(Scope::General, name, "Lisbon");
    let names = [
        "name",
        "occupation",
        "location",
        "timezone",
        "city_of_birth",
    ];
    let answer = fixture.finds(names.map(general).to_vec()).await;
    let delta = serde_json::to_value(answer.delta).unwrap();
    let stored: Vec<&String> = delta["general"].as_object().unwrap().keys().collect();
    assert_eq!(stored, ["name", "location", "timezone"]);
    let answer = serde_json::to_value(fixture.finds(vec![general("occupation")]).await).unwrap();
    assert_eq!(answer["outcome"], "nothing_new");
    // What the user puts there may have another name, and goes like everything else.
    let (name, value) = (Some("shoe size".to_owned()), "42".to_owned());
    let added = fixture
        .core
        .memory
        .add_fact(fixture.ada.clone(), Scope::General, name, value);
    added.await.unwrap();
    assert!(fixture.prompt().await.contains("- shoe_size: 42"));
    let gone = Candidate::removal(Scope::General, Some("shoe_size"), "42");
    let answer = fixture.finds(vec![gone]).await;
    let removed = json!({"general": {"shoe_size": {"value": "42", "source_type": "edited"}}});
    assert_eq!(serde_json::to_value(answer.removed).unwrap(), removed);
}

#[tokio::test]
async fn the_day_is_that_of_the_user_where_facts_are_read_anyway() {
    for (wants_known, day) in [(true, "2026-03-06"), (false, "2026-03-05")] {
        let fixture = ScriptedFixture::new(wants_known).await;
        let zone = Candidate::slot(Scope::General, "timezone", "Europe/Berlin");
        fixture.finds(vec![zone]).await;
        assert_eq!(fixture.today(), "2026-03-05");
        fixture.finds(Vec::new()).await;
        assert_eq!(fixture.today(), day);
    }
}
