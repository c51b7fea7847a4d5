//! Two servers, one at the coordinator and one at a worker: once one has acknowledged a revocation or
//! a deletion, no request that starts later on the other is served.

use ctxmem_client::{Client, ErrorCode, GrantRequest, InjectReason, Scope};

use crate::process::{count, user};
use crate::setup::Setup;

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_at_one_machine_holds_at_the_others_from_its_acknowledgement_on() {
    let setup = Setup::start(&[0, 1, 2]).await;
    let rounds = count(60, 600);
    let (mut served, mut reads) = (0, 0);
    for round in 0..rounds {
        let name = format!("ada-{}", round % 6);
        let ada = user(&name);
        let (revoking, reading) = (round % 3, (round + 1) % 3);
        let (agent, other) = (setup.client(revoking), setup.client(reading));
        let message = format!("I am good at fact:r{round} these days.");
        if round < 6 {
            agent.update(&ada, message, "Noted.").await.unwrap();
        }
        let owner = setup.servers[revoking]
            .user_client(&setup.home, &name)
            .await;
        let request = GrantRequest::new(ada.clone(), &setup.agent_id, Scope::ALL);
        let grant = owner.create_grant(&request).await.unwrap();
        // The reader sees it granted, so that it would notice a stale answer.
        assert!(other.inject(&ada, "Hello").await.unwrap().is_enriched());
        owner.revoke_grant(&grant.id).await.unwrap();
        let asked = (0..4).map(|_| other.inject(&ada, "Hello"));
        for answer in futures_util::future::join_all(asked).await {
            reads += 1;
            served += usize::from(answer.unwrap().is_enriched());
        }
    }
    println!(
        "figure: three servers at three machines: {rounds} revocations, {reads} reads started \
         afterwards at another machine, {served} served"
    );
    assert_eq!(served, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_at_one_machine_holds_at_the_others_and_its_key_is_gone() {
    let setup = Setup::start(&[0, 1, 2]).await;
    for n in 0..count(20, 200) {
        let (here, there) = (setup.client(n % 3), setup.client((n + 1) % 3));
        let ada = user(&format!("ada-{n}"));
        let message = "I am good at fact:welding these days.";
        here.update(&ada, message, "Noted.").await.unwrap();
        assert!(there.inject(&ada, "Hello").await.unwrap().is_enriched());
        let keys = "SELECT COUNT(*) FROM user_keys";
        let before = setup.number(0, keys).await;
        here.delete_context(&ada).await.unwrap();
        assert_eq!(setup.number(0, keys).await, before - 1, "the key is there");
        let after = there.inject(&ada, "Hello").await.unwrap();
        assert_eq!(after.reason(), Some(&InjectReason::NoGrant));
        let read = there.context(&ada).await.unwrap_err();
        assert_eq!(read.code(), Some(&ErrorCode::Forbidden));
        let update = there.update(&ada, message, "Noted.").await;
        assert_eq!(update.unwrap_err().code(), Some(&ErrorCode::Forbidden));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_is_refused_at_every_machine() {
    let setup = Setup::start(&[0, 1, 2]).await;
    for _ in 0..count(5, 50) {
        let create = format!("key create --agent {}", setup.agent_id);
        let key = setup.home.json(&create);
        let clients = setup.servers.iter();
        let clients: Vec<Client> = clients
            .map(|serving| serving.client(key["api_key"].as_str()))
            .collect();
        for client in &clients {
            client.inject(&user("ada"), "Hello").await.unwrap();
        }
        let id = key["key_id"].as_str().unwrap();
        setup.home.json(&["key", "revoke", id]);
        for client in &clients {
            let refused = client.inject(&user("ada"), "Hello").await.unwrap_err();
            assert_eq!(refused.code(), Some(&ErrorCode::Unauthorized));
        }
    }
}
