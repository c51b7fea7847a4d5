//! The blocking client.

use std::time::Duration;

use ctxmem_client::{Client, GrantRequest, Interaction, Scope, blocking};

use crate::support::{answer_to_all, answering, patient, requests, user};

/// Runs the service on a separate runtime, so that the test's thread has none.
fn with_service(test: impl FnOnce(&blocking::Client, &dyn Fn() -> usize)) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(answering(answer_to_all()));
    let client = patient(server.uri()).build().unwrap();
    let requests = || runtime.block_on(requests(&server)).len();
    test(&blocking::Client::new(client).unwrap(), &requests);
}

#[test]
fn every_call_waits_for_its_answer() {
    with_service(|client, requests| {
        let user = user();
        let grant = GrantRequest::new(user.clone(), "a", [Scope::Goals]);
        assert_eq!(client.inject(&user, "Hi").unwrap().prompt(), "Hi");
        assert!(client.inject_or_base(&user, "Hi").fallback().is_none());
        let system = client.inject_for(&user, "Hi", "Hello").unwrap();
        assert_eq!(system.user_message("Hello"), "Hello");
        let system = client.inject_for_or_base(&user, "Hi", "Hello");
        assert!(system.fallback().is_none());
        let found = client.search_facts(&user, "bees", Some(5));
        assert!(found.unwrap().is_empty());
        assert!(client.update(&user, "Hi", "Hello").unwrap().updated);
        let again = Interaction::new(user.clone(), "Hi", "Hello");
        assert!(client.update_with(&again).unwrap().updated);
        assert!(client.context(&user).unwrap().is_empty());
        assert!(client.delete_context(&user).unwrap().deleted);
        assert_eq!(client.create_grant(&grant).unwrap().id, "g");
        assert!(client.health().unwrap().is_ok());
        assert_eq!(requests(), 11);
    });
}

#[test]
fn clones_call_from_many_threads() {
    with_service(|client, requests| {
        std::thread::scope(|threads| {
            for _ in 0..8 {
                let client = client.clone();
                threads.spawn(move || client.context(&user()).unwrap());
            }
        });
        assert_eq!(requests(), 8);
    });
}

#[test]
fn updates_go_out_in_the_background() {
    with_service(|client, requests| {
        let updates = client.updates(|settings| settings.max_items(10));
        for _ in 0..10 {
            let interaction = Interaction::new(user(), "Hi", "Hello");
            updates.send(interaction).unwrap();
        }
        assert_eq!(updates.flush(Duration::from_mins(1)), 0);
        let stats = updates.shutdown(Duration::from_mins(1));
        assert_eq!((stats.accepted, stats.sent), (10, 10));
        assert_eq!(updates.stats(), stats);
        assert_eq!(requests(), 10);
    });
}

#[test]
fn turns_wait_for_the_prompt_and_learn_in_the_background() {
    with_service(|client, requests| {
        client.warm_up().unwrap();
        let turns = client.turns(|settings| settings.max_items(10));
        let answer = turns.run(&user(), "Hi", "Hello", |system| {
            assert_eq!(system.prompt(), "Hi");
            Ok::<_, std::io::Error>("You're welcome.")
        });
        assert_eq!(answer.unwrap(), "You're welcome.");
        let failed = turns.run(&user(), "Hi", "Hello", |_| Err::<String, _>("no model"));
        assert_eq!(failed.unwrap_err(), "no model");
        let mut turn = turns.begin(&user(), "Hi", "And?");
        turn.push("Well.");
        turn.finish().unwrap();
        assert_eq!(turns.updates().flush(Duration::from_mins(1)), 0);
        assert_eq!(turns.updates().stats().sent, 2);
        assert_eq!(requests(), 6, "a warm-up, three prompts, two updates");
    });
}

#[test]
fn a_missing_variable_is_named() {
    // The tests are run without it.
    let error = blocking::Client::from_env().unwrap_err();
    assert!(error.to_string().contains("CTXMEM_"), "{error}");
}

#[tokio::test]
async fn it_may_be_dropped_inside_a_runtime() {
    let client = Client::builder().base_url("http://localhost").build();
    drop(blocking::Client::new(client.unwrap()).unwrap());
}
