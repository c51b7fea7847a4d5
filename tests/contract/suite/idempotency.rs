//! `Idempotency-Key`: a request that is sent again because its answer got lost.

use chrono::Duration;
use ctxmem_client::UserId;
use ctxmem_types::{Scope, ScopeSet};
use futures_util::future::join_all;
use futures_util::join;
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::suite::support::{
    Agent, FakeModel, HELLO, RawResponse, Server, Setup, Text as _, fact, named, unlearned, user,
};

const SMALL_TALK: &str = "Thanks!";
const RELEASE: &str = "Ship the release";

/// A word that occurs in the text of a key only.
const CANARY: &str = "canary-4711";

fn said(user: &UserId, message: &str) -> Value {
    json!({"userId": user, "userMessage": message, "agentResponse": "Noted."})
}

/// Sends an update under an idempotency key.
async fn update(server: &Server, agent: &Agent, name: &str, body: &Value) -> RawResponse {
    server
        .raw("POST", "/api/context/update")
        .key(&agent.key)
        .header("idempotency-key", name)
        .json(body)
        .send()
        .await
}

/// Deletes a context under an idempotency key.
async fn delete(server: &Server, agent: &Agent, name: &str, user: &UserId) -> RawResponse {
    server
        .raw("DELETE", &format!("/api/context/{}", user.as_str()))
        .key(&agent.key)
        .header("idempotency-key", name)
        .send()
        .await
}

fn is_replay(answer: &RawResponse) -> bool {
    match answer.header("idempotent-replayed") {
        None => false,
        Some(value) => value == "true" || panic!("{value}"),
    }
}

#[track_caller]
fn assert_done(answer: &RawResponse) {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(!is_replay(answer), "it was not answered before");
}

#[track_caller]
fn assert_replay(answer: &RawResponse, first: &RawResponse) {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.body, first.body);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(is_replay(answer), "it does not say that it is a replay");
}

#[track_caller]
fn assert_used_otherwise(answer: &RawResponse) {
    let text = answer.assert_error(400);
    text.assert_has("Idempotency-Key");
    text.assert_has("different request");
    text.assert_lacks(CANARY);
}

/// What is remembered in the scope `goals`.
async fn goals(agent: &Agent, user: &UserId) -> Vec<String> {
    let tasks = agent.context(user).await.unwrap().ongoing_tasks;
    tasks.into_iter().map(|fact| fact.value).collect()
}

/// Uses up the quota, and answers how many updates were left. They concern a user of their own.
async fn used_up(agent: &Agent) -> usize {
    let nobody = user("nobody-else");
    let mut left = 0;
    while agent.tells(&nobody, HELLO).await["updated"] == true {
        left += 1;
    }
    left
}

/// A server that asks a model, and a model that finds another fact each time, with an agent and a user.
async fn server_that_never_learns_the_same() -> (FakeModel, Server, Agent, UserId) {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).monthly_quota(10);
    let (server, agent, ada) = setup.start_with_ada().await;
    let times = std::sync::atomic::AtomicUsize::new(0);
    model.finds_with(move |_| {
        let time = times.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        // No number: what the user didn't say, no model may make up.
        vec![fact(
            Scope::Goals,
            &format!("{}goal", "another ".repeat(time)),
        )]
    });
    (model, server, agent, ada)
}

// The same request

#[tokio::test]
async fn a_retry_is_answered_as_the_first_time_and_has_no_effect() {
    let (model, server, agent, ada) = server_that_never_learns_the_same().await;
    let body = said(&ada, HELLO);
    let first = update(&server, &agent, "k", &body).await;
    assert_done(&first);
    for _ in 0..3 {
        assert_replay(&update(&server, &agent, "k", &body).await, &first);
    }
    assert_eq!(model.requests().await.len(), 1);
    assert_eq!(goals(&agent, &ada).await, ["goal"]);
    assert_eq!(used_up(&agent).await, 9);
    // Another key, or none, is a new request.
    let (agent, ada) = (server.agent().await, user("grace"));
    for name in ["k", "l", "K"] {
        assert_done(&update(&server, &agent, name, &said(&ada, HELLO)).await);
    }
    agent.tells(&ada, HELLO).await;
    assert_eq!(goals(&agent, &ada).await.len(), 4);
    assert_eq!(used_up(&agent).await, 6);
}

#[tokio::test]
async fn a_retry_over_the_limit_is_still_answered() {
    let (server, agent, ada) = Setup::new().monthly_quota(1).start_with_ada().await;
    let first = update(&server, &agent, "k", &said(&ada, HELLO)).await;
    assert_eq!(first.json()["updated"], true);
    assert_eq!(used_up(&agent).await, 0);
    let again = update(&server, &agent, "k", &said(&ada, HELLO)).await;
    assert_replay(&again, &first);
}

#[tokio::test]
async fn every_answer_of_status_200_is_given_again() {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).monthly_quota(3);
    let (clock, server) = setup.start_at("2026-03-31T23:30:00Z").await;
    let agent = server.agent_with(Scope::General.into()).await;
    let ada = user("ada");
    let small_talk = update(&server, &agent, "small", &said(&ada, SMALL_TALK)).await;
    assert_eq!(small_talk.json(), unlearned("filtered"));
    let nothing_found = update(&server, &agent, "nothing", &said(&ada, HELLO)).await;
    assert_eq!(nothing_found.json(), unlearned("nothing_new"));
    model.finds([fact(Scope::Goals, RELEASE)]);
    let denied = update(&server, &agent, "denied", &said(&ada, HELLO)).await;
    assert_eq!(denied.json()["denied_scopes"], json!(["goals"]));
    // Small talk was free.
    assert_eq!(used_up(&agent).await, 1);
    let over = update(&server, &agent, "over", &said(&ada, HELLO)).await;
    let limit_reached = json!({"updated": false, "limitReached": true});
    assert_eq!(over.json(), limit_reached);
    let over_idle = update(&server, &agent, "idle", &said(&ada, SMALL_TALK)).await;
    assert_eq!(over_idle.json(), limit_reached);
    // Also in the next month, in which there is something left.
    clock.advance(Duration::hours(1));
    for (name, message, first) in [
        ("small", SMALL_TALK, &small_talk),
        ("nothing", HELLO, &nothing_found),
        ("denied", HELLO, &denied),
        ("over", HELLO, &over),
        ("idle", SMALL_TALK, &over_idle),
    ] {
        assert_done(first);
        let again = update(&server, &agent, name, &said(&ada, message)).await;
        assert_replay(&again, first);
    }
    assert_eq!(used_up(&agent).await, 3);
}

#[tokio::test]
async fn a_failure_is_not_recorded() {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).monthly_quota(2);
    let (server, agent, ada) = setup.start_with_ada().await;
    let body = said(&ada, HELLO);
    model.answers(ResponseTemplate::new(500));
    for _ in 0..3 {
        let failed = update(&server, &agent, "k", &body).await;
        failed.assert_error(502);
    }
    model.finds([fact(Scope::Goals, RELEASE)]);
    let first = update(&server, &agent, "k", &body).await;
    assert_done(&first);
    assert_replay(&update(&server, &agent, "k", &body).await, &first);
    assert_eq!(goals(&agent, &ada).await, [RELEASE]);
    assert_eq!(used_up(&agent).await, 1);
}

#[tokio::test]
async fn a_retry_is_recognised_over_a_restart_and_by_any_key_of_the_agent() {
    let (server, agent, ada) = Setup::new().start_with_ada().await;
    let first = update(&server, &agent, "k", &said(&ada, HELLO)).await;
    let other_key = server.key_of(&agent, ScopeSet::ALL).await;
    let again = update(&server, &other_key, "k", &said(&ada, HELLO)).await;
    assert_replay(&again, &first);
    let server = Setup::on(server.stop().await).start().await;
    let again = update(&server, &agent, "k", &said(&ada, HELLO)).await;
    assert_replay(&again, &first);
}

#[tokio::test]
async fn keys_of_different_agents_have_nothing_to_do_with_each_other() {
    let (model, server, agent, ada) = server_that_never_learns_the_same().await;
    let (other, bob) = (server.agent().await, user("bob"));
    assert_done(&update(&server, &agent, "k", &said(&ada, HELLO)).await);
    assert_done(&update(&server, &other, "k", &said(&ada, HELLO)).await);
    assert_eq!(model.requests().await.len(), 2);
    assert_eq!(goals(&agent, &ada).await.len(), 2);
    // Nor is one refused what another one did with the same key.
    assert_done(&update(&server, &server.agent().await, "k", &said(&bob, HELLO)).await);
}

#[tokio::test]
async fn a_key_is_good_for_a_day() {
    let model = FakeModel::start().await;
    let (clock, server, agent, ada) = Setup::asking(&model)
        .start_with_ada_at("2026-03-01T09:30:00Z")
        .await;
    let body = said(&ada, HELLO);
    model.finds([fact(Scope::Goals, RELEASE)]);
    let first = update(&server, &agent, "k", &body).await;
    clock.advance(Duration::hours(24) - Duration::milliseconds(1));
    assert_replay(&update(&server, &agent, "k", &body).await, &first);
    server.memory.drop_old_answers().await.unwrap();
    assert_eq!(server.store.idempotency_keys(&agent).await, 1);
    // A replay does not prolong it.
    clock.advance(Duration::milliseconds(1));
    model.finds([fact(Scope::Goals, "Write the notes")]);
    let second = update(&server, &agent, "k", &said(&ada, "I live in Porto.")).await;
    assert_done(&second);
    assert_eq!(goals(&agent, &ada).await, [RELEASE, "Write the notes"]);
    assert_used_otherwise(&update(&server, &agent, "k", &body).await);
    // What is over is forgotten, and what is not stays.
    clock.advance(Duration::hours(1));
    update(&server, &agent, "l", &body).await;
    clock.advance(Duration::hours(23));
    assert_eq!(server.store.idempotency_keys(&agent).await, 2);
    server.memory.drop_old_answers().await.unwrap();
    assert_eq!(server.store.idempotency_keys(&agent).await, 1);
    assert!(is_replay(&update(&server, &agent, "l", &body).await));
}

// A different request

#[tokio::test]
async fn a_key_that_was_used_with_a_different_request_is_refused() {
    let (model, server, agent, ada) = server_that_never_learns_the_same().await;
    let name = CANARY;
    let body = json!({"userId": "ada", "userMessage": HELLO, "agentResponse": "Noted."});
    let first = update(&server, &agent, name, &body).await;
    assert_done(&first);
    // What belongs to one field, and what to the next, is a difference too.
    let (head, tail) = HELLO.split_at(HELLO.len() - 4);
    for different in [
        json!({"userId": "bob", "userMessage": HELLO, "agentResponse": "Noted."}),
        json!({"userId": "ada", "userMessage": SMALL_TALK, "agentResponse": "Noted."}),
        json!({"userId": "ada", "userMessage": HELLO, "agentResponse": ""}),
        json!({"userId": "ada", "userMessage": HELLO, "agentResponse": "Noted.",
               "agentId": agent.id}),
        json!({"userId": "ada", "userMessage": head, "agentResponse": format!("{tail}Noted.")}),
        json!({"userId": "ada", "userMessage": format!("{HELLO}Noted."), "agentResponse": ""}),
    ] {
        assert_used_otherwise(&update(&server, &agent, name, &different).await);
    }
    assert_used_otherwise(&delete(&server, &agent, name, &ada).await);
    assert_eq!(goals(&agent, &ada).await, ["goal"]);
    assert!(goals(&agent, &user("bob")).await.is_empty());
    assert_eq!(model.requests().await.len(), 1);
    assert_replay(&update(&server, &agent, name, &body).await, &first);
    assert_eq!(used_up(&agent).await, 9);
}

#[tokio::test]
async fn requests_that_differ_only_in_form_are_the_same_request() {
    let (server, agent) = Server::with_agent().await;
    let first = update(&server, &agent, "k", &said(&user("ada"), HELLO)).await;
    let body = format!(
        "{{ \"agentResponse\" :\"Not\\u0065d.\", \"userMessage\":\"{HELLO}\", \"userId\":\"ada\"}}"
    );
    let again = agent
        .raw("POST", "/api/context/update")
        .header("Idempotency-KEY", " k ")
        .header("content-type", "application/json; charset=utf-8")
        .body(body)
        .send_chunked()
        .await;
    assert_replay(&again, &first);
}

#[tokio::test]
async fn a_value_that_is_no_key_is_refused() {
    let (server, agent, ada) = Server::with_ada().await;
    agent.injects(&ada).await;
    let request = |route: usize| match route {
        0 => server
            .raw("POST", "/api/context/update")
            .json(&said(&ada, HELLO)),
        _ => server.raw("DELETE", "/api/context/ada"),
    };
    let too_long = CANARY.repeat(24);
    assert!(too_long.len() > 255);
    let inner_space = format!("{CANARY} {CANARY}");
    let not_ascii = format!("{CANARY}é");
    for route in 0..2 {
        for bad in ["", " ", &inner_space, &not_ascii, &too_long] {
            let call = request(route).key(&agent.key);
            let text = call.header("idempotency-key", bad).gets_error(400).await;
            text.assert_begins("Idempotency-Key: expected 1 to 255");
            text.assert_lacks(CANARY);
        }
        for second in ["k", "l"] {
            let call = request(route).key(&agent.key);
            let twice = call
                .header("idempotency-key", "k")
                .header("idempotency-key", second);
            twice
                .send()
                .await
                .assert_bad_request("Idempotency-Key: expected");
        }
        // The caller is checked first.
        let stranger = request(route).header("idempotency-key", "").send().await;
        stranger.assert_error(401);
    }
    assert!(agent.context(&ada).await.unwrap().is_empty());
    let longest = "~".repeat(255);
    let first = update(&server, &agent, &longest, &said(&ada, HELLO)).await;
    assert_done(&first);
    let again = update(&server, &agent, &longest, &said(&ada, HELLO)).await;
    assert_replay(&again, &first);
}

// What the user decides

#[tokio::test]
async fn an_agent_whose_access_was_taken_away_is_not_told_again() {
    let (server, agent, ada) = Server::with_ada().await;
    let other_key = server.key_of(&agent, ScopeSet::ALL).await;
    let body = said(&ada, HELLO);
    let first = update(&server, &agent, "k", &body).await;
    server.user_revokes(&ada, &agent).await;
    update(&server, &agent, "k", &body).await.assert_error(403);
    // The grant is checked first, whatever the key was used for.
    let refused = update(&server, &agent, "k", &said(&ada, SMALL_TALK)).await;
    refused.assert_error(403);
    server.user_allows(&ada, &agent).await;
    assert_replay(&update(&server, &agent, "k", &body).await, &first);
    server.revoke_key(&agent.key_id).await;
    update(&server, &agent, "k", &body).await.assert_error(401);
    assert_replay(&update(&server, &other_key, "k", &body).await, &first);
}

#[tokio::test]
async fn a_retry_is_told_only_what_is_granted_now() {
    // By the rules, and by a model, where the answer is looked up before it is asked.
    let model = FakeModel::start().await;
    model.finds([
        named(Scope::General, "name", "Ada"),
        named(Scope::Preferences, "editor", "Helix"),
    ]);
    for server in [Server::start().await, Setup::asking(&model).start().await] {
        let agent = server.agent().await;
        let ada = user("ada");
        let body = said(&ada, "My name is Ada. I use Helix as my editor.");
        let first = update(&server, &agent, "k-1", &body).await;
        assert_done(&first);
        assert_eq!(first.json()["delta"].as_object().unwrap().len(), 2);
        let of_general = |answer: &RawResponse| {
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert!(is_replay(answer));
            answer.body.assert_lacks("Helix");
            let mut expected = first.json();
            let delta = expected["delta"].as_object_mut().unwrap();
            delta.shift_remove("preferences").unwrap();
            assert_eq!(answer.json(), expected);
        };
        // Another key of the agent has fewer scopes.
        let narrow = server.key_of(&agent, Scope::General.into()).await;
        of_general(&update(&server, &narrow, "k-1", &body).await);
        assert_replay(&update(&server, &agent, "k-1", &body).await, &first);
        // The user narrows the grant, takes it back, and widens it again.
        server.user_grants(&ada, &agent, Scope::General).await;
        of_general(&update(&server, &agent, "k-1", &body).await);
        server.user_revokes(&ada, &agent).await;
        let denied = update(&server, &agent, "k-1", &body).await;
        denied.assert_error(403);
        server.user_allows(&ada, &agent).await;
        assert_replay(&update(&server, &agent, "k-1", &body).await, &first);
    }
}

#[tokio::test]
async fn a_deletion_wins_against_a_retry() {
    let (model, server, agent, ada) = server_that_never_learns_the_same().await;
    let other = server.agent().await;
    let body = said(&ada, HELLO);
    update(&server, &agent, "k", &body).await;
    update(&server, &other, "k", &body).await;
    agent.delete_context(&ada).await.unwrap();
    for agent in [&agent, &other] {
        update(&server, agent, "k", &body).await.assert_error(403);
        server.user_allows(&ada, agent).await;
        let again = update(&server, agent, "k", &body).await;
        assert_eq!(again.json(), unlearned("nothing_new"));
        assert!(is_replay(&again));
        assert!(agent.context(&ada).await.unwrap().is_empty());
        // The key belongs to an update, so a deletion under it must not seem carried out.
        assert_used_otherwise(&delete(&server, agent, "k", &ada).await);
        assert_eq!(used_up(agent).await, 9);
    }
    let about_ada = 2;
    let about_nobody = 18;
    assert_eq!(model.requests().await.len(), about_ada + about_nobody);
}

#[tokio::test]
async fn a_deletion_that_is_sent_again_is_confirmed_again() {
    let (server, agent, other, ada) = Server::with_two_agents().await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&user("bob"), HELLO).await;
    let first = delete(&server, &agent, "k", &ada).await;
    assert_done(&first);
    assert_eq!(first.json()["deleted"], true);
    assert_replay(&delete(&server, &agent, "k", &ada).await, &first);
    // For an hour without a key as well, and under another, but not for others.
    let without = server.raw("DELETE", "/api/context/ada").key(&agent.key);
    assert_eq!(without.send().await.body, first.body);
    assert_replay(&delete(&server, &agent, "l", &ada).await, &first);
    delete(&server, &other, "k", &ada).await.assert_error(403);
    // It was about Ada.
    assert_used_otherwise(&delete(&server, &agent, "k", &user("bob")).await);
    let update_of_bob = update(&server, &agent, "k", &said(&user("bob"), HELLO)).await;
    assert_used_otherwise(&update_of_bob);
    assert!(!agent.context(&user("bob")).await.unwrap().is_empty());
    // What the user allows later is not deleted by it, and a later deletion does not clear it.
    server.user_allows(&ada, &agent).await;
    agent.tells(&ada, HELLO).await;
    assert_replay(&delete(&server, &agent, "k", &ada).await, &first);
    assert!(!agent.context(&ada).await.unwrap().is_empty());
    assert_done(&delete(&server, &agent, "m", &ada).await);
    assert_replay(&delete(&server, &agent, "k", &ada).await, &first);
}

#[tokio::test]
async fn a_deletion_that_was_refused_is_not_recorded() {
    let (server, agent, ada) = Server::with_ada().await;
    delete(&server, &agent, "k", &ada).await.assert_error(403);
    agent.tells(&ada, HELLO).await;
    assert_done(&delete(&server, &agent, "k", &ada).await);
    assert!(agent.context(&ada).await.is_err());
}

#[tokio::test]
async fn a_deletion_wins_against_an_update_with_a_key_under_way() {
    // Whether the update taught something or not.
    for found in [vec![fact(Scope::Goals, RELEASE)], vec![]] {
        let model = FakeModel::start().await;
        let setup = Setup::asking(&model).monthly_quota(2);
        let (server, agent, ada) = setup.start_with_ada().await;
        agent.injects(&ada).await;
        model.finds(found);
        let mut completion = model.pause();
        let body = said(&ada, HELLO);
        let (answer, ()) = join!(update(&server, &agent, "k", &body), async {
            completion.started().await;
            let deletion = agent.raw("DELETE", "/api/context/ada");
            assert_eq!(deletion.send().await.status, 200);
            completion.finish();
        });
        answer.assert_error(403);
        assert_eq!(server.store.idempotency_keys(&agent).await, 0);
        assert_eq!(used_up(&agent).await, 2);
    }
}

// At the same time

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_retries_run_once() {
    const AT_ONCE: usize = 32;
    let (model, server, agent, ada) = server_that_never_learns_the_same().await;
    let body = said(&ada, HELLO);
    let answers = join_all((0..AT_ONCE).map(|_| update(&server, &agent, "k", &body))).await;
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    let replays = answers.iter().filter(|answer| is_replay(answer)).count();
    assert_eq!(replays, AT_ONCE - 1);
    assert_eq!(model.requests().await.len(), 1);
    assert_eq!(goals(&agent, &ada).await, ["goal"]);
    assert_eq!(used_up(&agent).await, 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_deletions_run_once() {
    let (server, agent, ada) = Server::with_ada().await;
    agent.tells(&ada, HELLO).await;
    let answers = join_all((0..16).map(|_| delete(&server, &agent, "k", &ada))).await;
    assert!(answers.iter().all(|answer| answer.status == 200));
    let replays = answers.iter().filter(|answer| is_replay(answer)).count();
    assert_eq!(replays, 15);
}

#[tokio::test]
async fn a_retry_waits_for_the_request_whose_client_has_gone() {
    let (model, server, agent, ada) = server_that_never_learns_the_same().await;
    // A client that leaves can't call again once its user has consented.
    agent.injects(&ada).await;
    let mut completion = model.pause();
    let body = said(&ada, HELLO);
    let request = agent
        .raw("POST", "/api/context/update")
        .header("idempotency-key", "k")
        .json(&body);
    let connection = request.sent().await;
    completion.started().await;
    drop(connection);
    // By now the server has seen the connection close.
    for _ in 0..10 {
        agent.context(&ada).await.unwrap();
    }
    let (again, ()) = join!(update(&server, &agent, "k", &body), async {
        for _ in 0..10 {
            agent.context(&ada).await.unwrap();
        }
        completion.finish();
    });
    assert!(is_replay(&again), "{}", again.body);
    assert_eq!(model.requests().await.len(), 1);
    assert_eq!(goals(&agent, &ada).await, ["goal"]);
    assert_eq!(used_up(&agent).await, 9);
}

/// Two servers on one database, each with a model of its own.
async fn two_servers() -> [(FakeModel, Server); 2] {
    let (model, other_model) = (FakeModel::start().await, FakeModel::start().await);
    model.finds([fact(Scope::Goals, "Found here")]);
    other_model.finds([fact(Scope::Goals, "Found there")]);
    let server = Setup::asking(&model).monthly_quota(100).start().await;
    let other = Setup::on(server.store.clone())
        .model(&other_model, std::time::Duration::from_secs(30))
        .monthly_quota(100)
        .start()
        .await;
    [(model, server), (other_model, other)]
}

#[tokio::test]
async fn a_retry_at_another_server_wins_and_the_first_gives_its_answer() {
    let [(model, here), (_other_model, there)] = two_servers().await;
    let (agent, ada) = (here.agent().await, user("ada"));
    agent.injects(&ada).await;
    let body = said(&ada, HELLO);
    let mut completion = model.pause();
    let (slow, fast) = join!(update(&here, &agent, "k", &body), async {
        completion.started().await;
        let fast = update(&there, &agent, "k", &body).await;
        completion.finish();
        fast
    });
    assert_done(&fast);
    assert_replay(&slow, &fast);
    assert_eq!(goals(&agent, &ada).await, ["Found there"]);
    assert_eq!(used_up(&agent).await, 99);
}

#[tokio::test]
async fn a_key_used_meanwhile_at_another_server_is_refused_for_a_different_request() {
    // Whether the slow one learns something, finds nothing or deletes.
    for found in [vec![fact(Scope::Goals, "Found here")], vec![]] {
        let [(model, here), (_other_model, there)] = two_servers().await;
        let (agent, ada, bob) = (here.agent().await, user("ada"), user("bob"));
        model.finds(found);
        let mut completion = model.pause();
        let (first, second) = (said(&ada, HELLO), said(&bob, HELLO));
        let (slow, fast) = join!(update(&here, &agent, "k", &first), async {
            completion.started().await;
            let fast = update(&there, &agent, "k", &second).await;
            completion.finish();
            fast
        });
        assert_done(&fast);
        assert_used_otherwise(&slow);
        assert!(goals(&agent, &ada).await.is_empty());
        assert_eq!(goals(&agent, &bob).await, ["Found there"]);
        assert_eq!(used_up(&agent).await, 99);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_key_used_for_two_users_at_two_servers_serves_one_and_stores_nothing_of_the_other() {
    const ROUNDS: usize = 40;
    let [(_model, here), (_other_model, there)] = two_servers().await;
    let agent = here.agent().await;
    for round in 0..ROUNDS {
        let (ada, bob) = (user(&format!("ada-{round}")), user(&format!("bob-{round}")));
        agent.injects(&ada).await;
        agent.injects(&bob).await;
        let name = format!("k-{round}");
        let (first, second) = (said(&ada, HELLO), said(&bob, HELLO));
        let (one, other) = join!(
            update(&here, &agent, &name, &first),
            update(&there, &agent, &name, &second),
        );
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 400], "{} {}", one.body, other.body);
        for (answer, user) in [(&one, &ada), (&other, &bob)] {
            let stored = goals(&agent, user).await.len();
            assert_eq!(stored, usize::from(answer.status == 200));
        }
    }
    assert_eq!(used_up(&agent).await, 100 - ROUNDS);
}
