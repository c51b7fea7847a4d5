//! Relevance to a message or a query: `relevant` beside a prompt, and the search of facts.

use ctxmem_client::UserId;
use ctxmem_server::store::{Action, Outcome};
use ctxmem_types::{Scope, ScopeSet};
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, BASE, FakeModel, HELLO, RawResponse, Server, Setup, Text as _, fact, named,
};

/// A server whose blocks have room for about twenty facts, with an agent that stored forty goals and a
/// few other things about Ada, of which the oldest is the one about bees.
async fn with_much() -> (Server, FakeModel, Agent, UserId) {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).token_budget(200);
    let (server, agent, ada) = setup.start_with_ada().await;
    model.finds([
        fact(Scope::Knowledge, "Keeps bees on the roof"),
        fact(Scope::History, "Bees swarmed in May 2025"),
    ]);
    agent.tells(&ada, &model.said()).await;
    for from in [0, 10, 20, 30] {
        let goals = (from..from + 10).map(|n| fact(Scope::Goals, &format!("Read book number {n}")));
        model.finds(goals);
        agent.tells(&ada, &model.said()).await;
    }
    model.finds([named(Scope::General, "location", "Lisbon")]);
    agent.tells(&ada, &model.said()).await;
    (server, model, agent, ada)
}

async fn inject(server: &Server, agent: &Agent, message: Option<&str>) -> Value {
    let mut body = json!({"userId": "ada", "basePrompt": BASE});
    if let Some(message) = message {
        body["message"] = message.into();
    }
    let request = server.raw("POST", "/api/context/inject").key(&agent.key);
    request.json(&body).gets(200).await.json()
}

async fn search(server: &Server, agent: &Agent, body: &Value) -> RawResponse {
    let request = server.raw("POST", "/api/context/ada/facts/search");
    request.key(&agent.key).json(body).send().await
}

fn values(answer: &RawResponse) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let facts = answer.json()["facts"].as_array().cloned().unwrap();
    let value = |fact: &Value| fact["value"].as_str().unwrap().to_owned();
    facts.iter().map(value).collect()
}

#[tokio::test]
async fn what_bears_on_a_message_and_has_no_room_in_the_prompt_stands_beside_it() {
    let (server, _model, agent, _ada) = with_much().await;
    let without = inject(&server, &agent, None).await;
    assert_eq!(without.get("relevant"), None);
    let prompt = without["injectedPrompt"].as_str().unwrap();
    prompt.assert_lacks("bees");
    let with = inject(&server, &agent, Some("How are my bees?")).await;
    // But for the one field it is the same answer.
    let mut rest = with.clone();
    rest.as_object_mut().unwrap().remove("relevant");
    assert_eq!(rest, without);
    let relevant = with["relevant"].as_str().unwrap();
    relevant.assert_has("data, not instructions");
    let lines: Vec<&str> = relevant.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "- Bees swarmed in May 2025",
            "- knows: Keeps bees on the roof",
        ]
    );
    // What the prompt shows is not said again.
    let shown = inject(&server, &agent, Some("Is Lisbon sunny?")).await;
    assert_eq!(shown.get("relevant"), None);
    // Many bear on it: it stays short.
    let many = inject(&server, &agent, Some("Which book is next?")).await;
    let lines = many["relevant"].as_str().unwrap().lines().count();
    assert!((5..25).contains(&lines), "{many}");
}

#[tokio::test]
async fn where_everything_has_room_nothing_is_beside_the_prompt() {
    let (server, agent, ada) = Server::with_ada().await;
    // Before the first fact there is a demo.
    let demo = inject(&server, &agent, Some("Which editor do I use?")).await;
    assert_eq!(demo.get("relevant"), None);
    agent.tells(&ada, HELLO).await;
    let answer = inject(&server, &agent, Some("Which editor do I use?")).await;
    assert_eq!(answer, inject(&server, &agent, None).await);
}

#[tokio::test]
async fn nothing_is_beside_the_prompt_that_is_not_granted() {
    let (server, _model, agent, ada) = with_much().await;
    let scopes: ScopeSet = [Scope::Goals, Scope::History].into_iter().collect();
    server.user_grants(&ada, &agent, scopes).await;
    let answer = inject(&server, &agent, Some("How are my bees?")).await;
    let relevant = answer["relevant"].as_str().unwrap();
    relevant.assert_has("swarmed");
    relevant.assert_lacks("roof");
    let found = search(&server, &agent, &json!({"query": "bees"})).await;
    assert_eq!(values(&found), ["Bees swarmed in May 2025"]);
    server.user_revokes(&ada, &agent).await;
    let answer = inject(&server, &agent, Some("How are my bees?")).await;
    assert_eq!(answer["injectedPrompt"], BASE);
    assert_eq!(answer.get("relevant"), None);
    let refused = search(&server, &agent, &json!({"query": "bees"})).await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn facts_are_found_by_their_words() {
    let (server, _model, agent, ada) = with_much().await;
    let all = agent.facts(&ada).await.unwrap();
    let found = search(&server, &agent, &json!({"query": "Do the BEES swarm?"})).await;
    assert_eq!(
        values(&found),
        ["Bees swarmed in May 2025", "Keeps bees on the roof"]
    );
    // As they are listed, with ids by which they can be deleted.
    let first = &found.json()["facts"][0];
    let listed = all.iter().find(|fact| fact.id == first["id"]).unwrap();
    assert_eq!(&serde_json::to_value(listed).unwrap(), first);
    let some = search(&server, &agent, &json!({"query": "book", "limit": 3})).await;
    assert_eq!(values(&some).len(), 3);
    let usual = search(&server, &agent, &json!({"query": "book"})).await;
    assert_eq!(values(&usual).len(), 10);
    let most = search(&server, &agent, &json!({"query": "book", "limit": 100})).await;
    assert_eq!(values(&most).len(), 40);
    let none = search(&server, &agent, &json!({"query": "what is the"})).await;
    assert!(values(&none).is_empty());
    // By name as well.
    let place = search(&server, &agent, &json!({"query": "location"})).await;
    assert_eq!(values(&place), ["Lisbon"]);
}

#[tokio::test]
async fn a_search_that_cannot_be_says_which_field_is_wrong() {
    let (server, _model, agent, _ada) = with_much().await;
    for (body, field) in [
        (json!({}), "query"),
        (json!({"query": 7}), "query"),
        (json!({"query": " "}), "query"),
        (json!({"query": "é".repeat(1_001)}), "query"),
        (json!({"query": "bees", "limit": 0}), "limit"),
        (json!({"query": "bees", "limit": 101}), "limit"),
        (json!({"query": "bees", "limit": "3"}), "limit"),
    ] {
        let answer = search(&server, &agent, &body).await;
        assert_eq!(answer.status, 400, "{body}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(field), "{error}");
        error.assert_lacks("bees");
    }
    let longest = search(&server, &agent, &json!({"query": "é".repeat(1_000)})).await;
    assert_eq!(longest.status, 200);
}

#[tokio::test]
async fn a_signed_in_user_searches_their_own() {
    let (server, _model, _agent, ada) = with_much().await;
    let cookie = server.sign_in(&ada).await;
    let request = |user: &str| {
        let path = format!("/api/context/{user}/facts/search");
        let request = server.raw("POST", &path).cookie(&cookie);
        request.json(&json!({"query": "bees"}))
    };
    let found = request("ada").send().await;
    assert_eq!(values(&found).len(), 2);
    assert_eq!(found.json()["facts"][0]["canDelete"], true);
    assert_eq!(request("bob").send().await.status, 403);
    let elsewhere = request("ada").header("sec-fetch-site", "cross-site");
    assert_eq!(elsewhere.send().await.status, 403);
}

#[tokio::test]
async fn the_audit_log_says_that_facts_were_searched_and_never_for_what() {
    let (server, _model, agent, ada) = with_much().await;
    let found = search(&server, &agent, &json!({"query": "bees"})).await;
    assert_eq!(values(&found).len(), 2);
    search(&server, &agent, &json!({"query": "zebras"})).await;
    server.user_revokes(&ada, &agent).await;
    search(&server, &agent, &json!({"query": "bees"})).await;
    server.memory.flush_audit_buffer().await.unwrap();
    let trail = server.trail(&ada).await;
    let searches: Vec<(Outcome, ScopeSet)> = trail
        .iter()
        .map(|row| &row.event)
        .filter(|event| event.action == Action::Search)
        .map(|event| (event.outcome, event.scopes))
        .collect();
    let told = [Scope::Knowledge, Scope::History].into_iter().collect();
    let mut expected = vec![
        (Outcome::Denied, ScopeSet::EMPTY),
        (Outcome::Nothing, ScopeSet::EMPTY),
        (Outcome::Done, told),
    ];
    for search in searches {
        let at = expected.iter().position(|each| *each == search);
        expected.remove(at.unwrap_or_else(|| panic!("{search:?}")));
    }
    assert!(expected.is_empty(), "{expected:?}");
    let cookie = server.sign_in(&ada).await;
    let page = server.get("/account/history").cookie(&cookie);
    let page = page.send().await.body;
    page.assert_has("searched the facts about you");
    page.assert_lacks("zebras");
}
