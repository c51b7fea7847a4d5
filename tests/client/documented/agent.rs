use std::time::Duration;

use ctxmem_client::test_utils::{FakeFact, FakeMemory, ServiceError};
use ctxmem_client::{GrantRequest, Memory, Scope, Turns, Updates, UserId};

// The agent. In production it gets a `Client`.
struct Agent {
    turns: Turns,
}

impl Agent {
    fn new(memory: impl Memory + 'static) -> Self {
        let turns = Turns::new(Updates::builder(memory).start());
        Self { turns }
    }

    async fn answer(&self, user: &UserId, said: &str) -> std::io::Result<String> {
        self.turns
            .run(user, "You are a travel agent.", said, async |system| {
                ask_the_model(system.prompt(), said).await
            })
            .await
    }
}

// A fake model, which answers from its prompt.
async fn ask_the_model(system: &str, said: &str) -> std::io::Result<String> {
    Ok(if system.contains("Lisbon") {
        format!("From Lisbon, then: {said}")
    } else {
        "Where do you live?".to_owned()
    })
}

// Its tests.
#[tokio::test]
async fn it_remembers_where_a_user_lives() {
    let ada = UserId::new("ada").unwrap();
    let memory = FakeMemory::new().on_update(|turn| match &*turn.user_message {
        "I live in Lisbon." => vec![FakeFact::named(Scope::General, "location", "Lisbon")],
        _ => vec![],
    });
    // Clones share their memory.
    let agent = Agent::new(memory.clone());

    agent.answer(&ada, "I live in Lisbon.").await.unwrap();
    // The agent learns in the background: wait for it before you check.
    agent.turns.updates().flush(Duration::from_secs(5)).await;
    let flight = agent.answer(&ada, "Find me a flight.").await.unwrap();
    agent.turns.updates().flush(Duration::from_secs(5)).await;

    assert_eq!(flight, "From Lisbon, then: Find me a flight.");
    assert_eq!(memory.injects(), 2);
    assert_eq!(memory.interactions()[1].agent_response, flight);
}

#[tokio::test]
async fn it_works_without_memory() {
    let ada = UserId::new("ada").unwrap();
    let home = FakeFact::named(Scope::General, "location", "Lisbon");
    let memory = FakeMemory::new().with_fact(&ada, home);
    let agent = Agent::new(memory.clone());

    memory.fail_always(|| ServiceError::InternalError);
    let answer = agent.answer(&ada, "Hello!").await.unwrap();
    assert_eq!(answer, "Where do you live?");

    memory.recover();
    memory.revoke_all(&ada); // the user takes the agent's access away
    let answer = agent.answer(&ada, "Hello!").await.unwrap();
    assert_eq!(answer, "Where do you live?");
}

#[tokio::test]
async fn it_learns_once_the_user_consents() {
    let ada = UserId::new("ada").unwrap();
    let memory = FakeMemory::new().with_consent_required().on_update(|_| {
        let home = FakeFact::named(Scope::General, "location", "Lisbon");
        vec![home]
    });
    let agent = Agent::new(memory.clone());

    agent.answer(&ada, "I live in Lisbon.").await.unwrap();
    agent.turns.updates().flush(Duration::from_secs(5)).await;
    assert!(memory.interactions().is_empty()); // the conversation stays with the agent

    // The user says yes on the page of `Access::MustAsk`.
    let request = GrantRequest::new(ada.clone(), FakeMemory::AGENT_ID, Scope::ALL);
    let yes = memory.signed_in_as(&ada).create_grant(&request).await;
    yes.unwrap();

    agent.answer(&ada, "I live in Lisbon.").await.unwrap();
    agent.turns.updates().flush(Duration::from_secs(5)).await;
    let flight = agent.answer(&ada, "Find me a flight.").await.unwrap();
    assert_eq!(flight, "From Lisbon, then: Find me a flight.");
}
