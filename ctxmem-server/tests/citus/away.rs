//! A worker that is away: what its users' requests meet, and that the others' go on.

use std::time::{Duration, Instant};

use ctxmem_client::ErrorCode;

use crate::process::user;
use crate::setup::{Setup, until_works};

/// A request that waits for a machine which is gone would take as long as a connection may: a
/// second and a half. A caller gives up after two and a half.
const BOUND: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn while_a_worker_is_away_its_users_are_told_and_the_others_go_on() {
    let mut setup = Setup::start(&[0, 1]).await;
    let of_workers = setup.users_by_worker(&setup.client(0), "ada").await;
    let [here, away] = of_workers;
    tokio::task::block_in_place(|| setup.cluster.node_mut(2).stop());

    let (mut served, mut refused, mut slowest) = (0, 0, Duration::ZERO);
    for server in 0..2 {
        let client = setup.client(server);
        for round in 0..5 {
            for name in &here {
                let ada = user(name);
                assert!(client.inject(&ada, "Hello").await.unwrap().is_enriched());
                let message = format!("I am good at fact:x-{server}-{round} these days.");
                client.update(&ada, message, "Noted.").await.unwrap();
                served += 2;
            }
            for name in &away {
                let began = Instant::now();
                let error = client.inject(&user(name), "Hello").await.unwrap_err();
                assert_eq!(error.code(), Some(&ErrorCode::PersistenceError));
                let message = "I am good at fact:x these days.";
                let error = client.update(&user(name), message, "Noted.").await;
                let error = error.unwrap_err();
                assert_eq!(error.code(), Some(&ErrorCode::PersistenceError));
                slowest = slowest.max(began.elapsed() / 2);
                refused += 2;
            }
        }
        // The server itself is well: the others are no reason to take it out of service.
        assert!(client.health().await.unwrap().is_ok(), "server {server}");
    }
    // Erasing what is here needs nobody else.
    for (server, name) in here.iter().enumerate().take(2) {
        let client = setup.client(server);
        let erased = user(name);
        client.delete_context(&erased).await.unwrap();
        let refused = client.context(&erased).await.unwrap_err();
        assert_eq!(refused.code(), Some(&ErrorCode::Forbidden));
    }
    println!(
        "figure: a worker away: {served} requests of the others' users served, {refused} of its own \
         refused, the slowest after {slowest:.2?}"
    );
    assert!(slowest < BOUND, "{slowest:?}");
    // What all machines have can't be changed meanwhile.
    let create = "agent create --name Late --developer dev@example.com";
    assert!(!setup.home.run(create).status.success());

    tokio::task::block_in_place(|| setup.cluster.node_mut(2).resume());
    for name in &away {
        until_works(&setup.client(0), name).await;
        let context = setup.client(1).context(&user(name)).await.unwrap();
        assert!(!context.domain_expertise.is_empty(), "{name}");
    }
}
