use std::time::Duration;

use ctxmem_client::test_utils::{FakeAnswer, FakeFact, FakeMemory};
use ctxmem_client::{Client, Scope, Turns, UserId};

struct Agent {
    turns: Turns,
}

impl Agent {
    fn new(memory: Client) -> Self {
        let turns = Turns::start(memory);
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

#[tokio::test]
async fn it_remembers_where_a_user_lives() {
    let ada = UserId::new("ada").unwrap();
    let memory = FakeMemory::start().await;
    memory.learns_next([FakeFact::named(Scope::General, "location", "Lisbon")]);
    let agent = Agent::new(memory.client());

    agent.answer(&ada, "I live in Lisbon.").await.unwrap();
    // The agent learns in the background: wait for it before you check.
    agent.turns.updates().flush(Duration::from_secs(5)).await;
    let flight = agent.answer(&ada, "Find me a flight.").await.unwrap();
    agent.turns.updates().flush(Duration::from_secs(5)).await;

    assert_eq!(flight, "From Lisbon, then: Find me a flight.");
    assert_eq!(memory.injects().len(), 2);
    assert_eq!(memory.updates()[1].agent_response, flight);
}

#[tokio::test]
async fn it_works_without_memory() {
    let ada = UserId::new("ada").unwrap();
    let memory = FakeMemory::start().await;
    let home = FakeFact::named(Scope::General, "location", "Lisbon");
    memory.knows(&ada, [home]);
    let agent = Agent::new(memory.client());

    for problem in [FakeAnswer::Down, FakeAnswer::NoGrant] {
        memory.answer_always(problem);
        let answer = agent.answer(&ada, "Hello!").await.unwrap();
        assert_eq!(answer, "Where do you live?");
    }
    memory.recover();
    let answer = agent.answer(&ada, "Hello!").await.unwrap();
    assert_eq!(answer, "From Lisbon, then: Hello!");
}

#[tokio::test]
async fn it_learns_once_the_user_consents() {
    let ada = UserId::new("ada").unwrap();
    let memory = FakeMemory::start().await;
    let agent = Agent::new(memory.client());

    memory.answer_always(FakeAnswer::ConsentRequired);
    agent.answer(&ada, "I live in Lisbon.").await.unwrap();
    agent.turns.updates().flush(Duration::from_secs(5)).await;
    assert!(memory.updates().is_empty()); // the conversation stays with the agent

    memory.recover(); // the user has allowed it
    agent.answer(&ada, "I live in Lisbon.").await.unwrap();
    agent.turns.updates().flush(Duration::from_secs(5)).await;
    assert_eq!(memory.updates().len(), 1);
}
