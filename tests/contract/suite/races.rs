//! Races between requests: nothing is lost, and what takes access away wins.

use chrono::Duration;
use ctxmem_client::{Error, UserId};
use ctxmem_types::{GrantRequest, Scope, ScopeSet, UpdateResponse};
use futures_util::future::join_all;
use futures_util::join;

use crate::suite::support::{
    Agent, ENGINE, Engine, FakeModel, HELLO, Server, Setup, fact, refused, user,
};

/// A model that finds one fact, and a server that asks it, with an agent and a user.
async fn slow_server() -> (FakeModel, Server, Agent, UserId) {
    let (model, server, agent, ada) = Server::with_model_and_ada().await;
    model.finds([fact(Scope::Goals, "Ship the release")]);
    (model, server, agent, ada)
}

/// Sends an update, and does something else while the model thinks about it.
async fn update_while(
    model: &FakeModel,
    agent: &Agent,
    user: &UserId,
    meanwhile: impl Future<Output = ()>,
) -> Result<UpdateResponse, Error> {
    let mut completion = model.pause();
    let update = agent.update(user, HELLO, "Noted.");
    let (result, ()) = join!(update, async {
        completion.started().await;
        meanwhile.await;
        completion.finish();
    });
    result
}

/// Reads with a fresh grant of the user.
async fn assert_nothing_is_stored(server: &Server, agent: &Agent, user: &UserId) {
    server.user_allows(user, agent).await;
    let context = agent.context(user).await.unwrap();
    assert!(context.is_empty(), "{context:?}");
}

// Nothing is lost

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_updates_of_one_user_are_all_stored() {
    const UPDATES: usize = 64;
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).endless_lists().start().await;
    let (agent, other, ada) = (server.agent().await, server.agent().await, user("ada"));
    model.finds_with(|said| {
        let (_, number) = said.split_once("project-").unwrap();
        let number: String = number.chars().take_while(char::is_ascii_digit).collect();
        vec![fact(Scope::Goals, &format!("project-{number}"))]
    });
    let answers = (0..UPDATES).map(async |n| {
        let agent = if n % 2 == 0 { &agent } else { &other };
        let message = format!("I am working on project-{n}.");
        agent.tells(&ada, &message).await
    });
    let answers = join_all(answers).await;
    let expected: Vec<String> = (0..UPDATES).map(|n| format!("project-{n}")).collect();
    for (answer, project) in answers.iter().zip(&expected) {
        let tasks = answer["delta"]["ongoing_tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), 1);
        assert_eq!(tasks[0]["value"], **project);
    }
    let context = agent.context(&ada).await.unwrap();
    let mut stored: Vec<&str> = context
        .ongoing_tasks
        .iter()
        .map(|fact| fact.value.as_str())
        .collect();
    stored.sort_unstable();
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(stored, expected);
}

#[tokio::test]
async fn updates_of_one_user_wait_for_each_other_as_long_as_they_take() {
    const UPDATES: usize = 12;
    let (server, agent, ada) = Server::with_ada().await;
    server.user_allows(&ada, &agent).await;
    // Together they take longer than a request waits for the database.
    if let Engine::Postgres = *ENGINE {
        let slow = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
                    AS 'BEGIN PERFORM pg_sleep(0.4); RETURN NEW; END'";
        let trigger = "CREATE TRIGGER slow BEFORE UPDATE ON users
                       FOR EACH ROW EXECUTE FUNCTION slow()";
        for change in [slow, trigger] {
            server.store.change(change).await;
        }
    }
    let answers = (0..UPDATES).map(async |n| {
        let message = format!("Remember that my locker is number {n}.");
        agent.tells(&ada, &message).await
    });
    for answer in join_all(answers).await {
        assert_eq!(answer["updated"], true, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_changes_of_one_preference_leave_one_of_them() {
    const EDITORS: [&str; 4] = ["Helix", "Emacs", "Vim", "Zed"];
    let (_server, agent, ada) = Server::with_ada().await;
    let answers = (0..32).map(async |n| {
        let message = format!("I use {} as my editor.", EDITORS[n % 4]);
        agent.tells(&ada, &message).await
    });
    let answers = join_all(answers).await;
    assert!(answers.iter().all(|answer| answer["updated"] == true));
    let context = agent.context(&ada).await.unwrap();
    assert_eq!(context.preferences.len(), 1);
    let editor = context.preferences["editor"].value.as_str();
    assert!(EDITORS.contains(&editor), "{editor}");
    let prompt = agent.prompt(&ada).await;
    for name in EDITORS {
        assert_eq!(prompt.contains(name), name == editor, "{prompt}");
    }
}

#[tokio::test]
async fn an_update_is_carried_out_when_the_client_has_gone() {
    let (model, server, agent, ada) = slow_server().await;
    let mut completion = model.pause();
    {
        let update = agent.update(&ada, HELLO, "Noted.");
        tokio::select! {
            _ = update => panic!("the model has not answered yet"),
            () = completion.started() => {}
        }
    }
    // By now the server has seen the connection close.
    for _ in 0..10 {
        agent.context(&ada).await.unwrap();
    }
    completion.finish();
    // Stopping waits for what is under way.
    let store = server.stop().await;
    let server = Setup::on(store).start().await;
    let context = server.again(&agent).context(&ada).await.unwrap();
    assert_eq!(context.ongoing_tasks.len(), 1);
}

// Grants

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_first_calls_make_one_grant() {
    const CALLS: usize = 32;
    let server = Setup::auto().start().await;
    let (crowded, calm) = (server.agent().await, server.agent().await);
    let (ada, bob) = (user("ada"), user("bob"));
    join_all((0..CALLS).map(async |n| {
        if n % 4 == 0 {
            crowded.tells(&ada, "Thanks!").await;
        } else {
            crowded.injects(&ada).await;
        }
    }))
    .await;
    calm.injects(&bob).await;
    assert!(server.grant(&ada, &crowded).await.is_some());
    // A grant that was replaced would be kept.
    assert_eq!(server.store.grants_kept(&crowded).await, 1);
    assert_eq!(server.store.grants_kept(&calm).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_first_call_never_undoes_a_narrow_grant_that_is_made_meanwhile() {
    let (server, agent) = Server::with_agent().await;
    join_all((0..32).map(async |n| {
        let ada = user(&format!("user-{n}"));
        let narrow = GrantRequest::new(ada.clone(), &agent.id, [Scope::Goals]);
        let (_, grant, _) = join!(
            agent.injects(&ada),
            agent.create_grant(&narrow),
            agent.tells(&ada, "Thanks!"),
        );
        let newest = server.grant(&ada, &agent).await.unwrap();
        assert_eq!(newest, (grant.unwrap().id, Scope::Goals.into()));
    }))
    .await;
}

// What takes access away wins

#[tokio::test]
async fn a_deletion_wins_against_an_update_under_way() {
    let (model, server, agent, ada) = slow_server().await;
    agent.injects(&ada).await;
    let result = update_while(&model, &agent, &ada, async {
        agent.delete_context(&ada).await.unwrap();
    })
    .await;
    refused(result, 403);
    assert_nothing_is_stored(&server, &agent, &ada).await;
}

#[tokio::test]
async fn a_deletion_by_another_agent_wins_too() {
    let (model, server, agent, ada) = slow_server().await;
    let other = server.agent().await;
    other.injects(&ada).await;
    let result = update_while(&model, &agent, &ada, async {
        other.delete_context(&ada).await.unwrap();
    })
    .await;
    refused(result, 403);
    assert_nothing_is_stored(&server, &agent, &ada).await;
}

#[tokio::test]
async fn a_deletion_wins_even_when_the_user_grants_again_meanwhile() {
    let (model, server, agent, ada) = slow_server().await;
    agent.injects(&ada).await;
    let result = update_while(&model, &agent, &ada, async {
        agent.delete_context(&ada).await.unwrap();
        server.user_allows(&ada, &agent).await;
    })
    .await;
    refused(result, 403);
    assert!(agent.context(&ada).await.unwrap().is_empty());
    // The new grant is good for what comes after.
    assert_eq!(agent.tells(&ada, HELLO).await["updated"], true);
    assert!(!agent.context(&ada).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_revocation_wins_against_an_update_under_way() {
    let (model, server, agent, ada) = slow_server().await;
    let revocation = Box::pin(server.user_revokes(&ada, &agent));
    refused(update_while(&model, &agent, &ada, revocation).await, 403);
    assert_nothing_is_stored(&server, &agent, &ada).await;
}

#[tokio::test]
async fn the_expiry_of_a_grant_wins_against_an_update_under_way() {
    let model = FakeModel::start().await;
    let (clock, server, agent, ada) = Setup::asking(&model)
        .start_with_ada_at("2026-03-01T09:30:00Z")
        .await;
    model.finds([fact(Scope::Goals, "Ship the release")]);
    server
        .user_allows_until(&ada, &agent, "2026-03-01T09:31:00Z")
        .await;
    let result = update_while(&model, &agent, &ada, async {
        clock.advance(Duration::minutes(1));
    })
    .await;
    refused(result, 403);
    assert_nothing_is_stored(&server, &agent, &ada).await;
}

#[tokio::test]
async fn a_narrowed_grant_wins_against_an_update_under_way() {
    let (model, server, agent, ada) = slow_server().await;
    let result = update_while(&model, &agent, &ada, async {
        server.user_grants(&ada, &agent, Scope::General).await;
    })
    .await;
    let answer = result.unwrap();
    assert!(answer.delta.unwrap().is_empty());
    assert_eq!(answer.denied_scopes.unwrap(), [Scope::Goals.into()]);
    assert_nothing_is_stored(&server, &agent, &ada).await;
}

#[tokio::test]
async fn the_revocation_of_a_key_wins_against_an_update_under_way() {
    let (model, server, agent, ada) = slow_server().await;
    let other_key = server.key_of(&agent, ScopeSet::ALL).await;
    let result = update_while(&model, &agent, &ada, async {
        server.revoke_key(&agent.key_id).await;
    })
    .await;
    refused(result, 401);
    assert!(other_key.context(&ada).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deletion_wins_against_updates_in_every_one_of_many_races() {
    const RACES: usize = 128;
    let (server, agent, other, _) = Server::with_two_agents().await;
    let race = async |n: usize| {
        let ada = user(&format!("user-{n}"));
        agent.injects(&ada).await;
        other.injects(&ada).await;
        let updates = join_all(
            [&agent, &other, &agent]
                .map(|agent| async { agent.update(&ada, HELLO, "Noted.").await }),
        );
        let deletion = async {
            // A different head start each time.
            for _ in 0..n % 16 {
                tokio::task::yield_now().await;
            }
            agent.delete_context(&ada).await
        };
        let (results, deleted) = join!(updates, deletion);
        assert!(deleted.unwrap().deleted);
        for result in results {
            if result.is_err() {
                refused(result, 403);
            }
        }
        assert_nothing_is_stored(&server, &agent, &ada).await;
    };
    for n in (0..RACES).step_by(8) {
        join_all((n..n + 8).map(race)).await;
    }
}
