//! Two processes on one Postgres: once one has acknowledged a revocation or a deletion, no
//! request that starts later on the other is served.

use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode, GrantRequest, InjectReason, Scope};
use tokio::sync::Mutex;

use crate::process::{Home, ServerProcess, count, tell, user};

const READERS: usize = 4;

/// One process that revokes and one that reads, on the same database.
struct TwoServers {
    revoking: ServerProcess,
    reading: ServerProcess,
    /// Dropped when the processes have ended.
    home: Home,
    key: String,
    agent_id: String,
}

impl TwoServers {
    async fn start() -> Self {
        let home = Home::migrated_on_postgres().await;
        let flags = "--rate-limit 0 --erasure-limit 0 --log warn";
        let revoking = home.serve(flags).await;
        let reading = home.serve(flags).await;
        Self {
            key: revoking.key().to_owned(),
            agent_id: revoking.agent().to_owned(),
            home,
            revoking,
            reading,
        }
    }

    fn agent_on(&self, serving: &ServerProcess) -> Client {
        serving.client(Some(&self.key))
    }
}

/// Whether an agent is told of the user at the moment.
async fn is_served(client: &Client) -> bool {
    let answer = client.inject(&user("ada"), "Hello").await.unwrap();
    answer.is_enriched()
}

/// Grants and revokes on one process, and counts the reads on the other that began after
/// the revocation was acknowledged and were served.
async fn served_after_revocation(
    two: &TwoServers,
    is_served: impl AsyncFn() -> bool,
    rounds: usize,
) -> usize {
    let ada = two.revoking.user_client(&two.home, "ada").await;
    let request = GrantRequest::new(user("ada"), &two.agent_id, Scope::ALL);
    let mut served = 0;
    for _ in 0..rounds {
        let grant = ada.create_grant(&request).await.unwrap();
        // The reader sees it granted, so that it would notice a stale answer.
        assert!(is_served().await || served > 0, "granted, and not served");
        ada.revoke_grant(&grant.id).await.unwrap();
        let reads = (0..READERS).map(|_| is_served());
        let reads = futures_util::future::join_all(reads).await.into_iter();
        served += reads.filter(|&served| served).count();
    }
    served
}

async fn remember_ada(two: &TwoServers) {
    let client = two.agent_on(&two.revoking);
    let learned = tell(&client, "ada", "My name is Ada.").await;
    assert!(!learned.delta.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_holds_on_every_process_from_its_acknowledgement_on() {
    let two = TwoServers::start().await;
    remember_ada(&two).await;
    let rounds = count(200, 2_000);
    let client = two.agent_on(&two.reading);
    let served = served_after_revocation(&two, async || is_served(&client).await, rounds).await;
    println!(
        "figure: two processes on Postgres: {rounds} revocations, {} reads started afterwards \
         on the other process, {served} served",
        rounds * READERS
    );
    assert_eq!(served, 0);
}

/// The control: a reader that caches an answer for a second.
#[tokio::test(flavor = "multi_thread")]
async fn a_cache_of_grants_would_be_noticed() {
    let two = TwoServers::start().await;
    remember_ada(&two).await;
    let client = two.agent_on(&two.reading);
    let believed = Mutex::new(None::<(Instant, bool)>);
    let caching = async || {
        let mut believed = believed.lock().await;
        let known = believed.filter(|(since, _)| since.elapsed() < Duration::from_secs(1));
        if let Some((_, served)) = known {
            return served;
        }
        let served = is_served(&client).await;
        *believed = Some((Instant::now(), served));
        served
    };
    let served = served_after_revocation(&two, caching, 5).await;
    assert!(served > 0, "the test above could not fail");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_holds_on_every_process() {
    let two = TwoServers::start().await;
    let (here, there) = (two.agent_on(&two.revoking), two.agent_on(&two.reading));
    for n in 0..count(20, 200) {
        let name = format!("ada-{n}");
        let ada = user(&name);
        tell(&here, &name, "My name is Ada.").await;
        assert!(there.inject(&ada, "Hello").await.unwrap().is_enriched());
        here.delete_context(&ada).await.unwrap();
        let after = there.inject(&ada, "Hello").await.unwrap();
        assert_eq!(after.reason(), Some(&InjectReason::NoGrant));
        let read = there.context(&ada).await.unwrap_err();
        assert_eq!(read.code(), Some(&ErrorCode::Forbidden));
        let update = there.update(&ada, "My name is Ada.", "Hello Ada.").await;
        assert_eq!(update.unwrap_err().code(), Some(&ErrorCode::Forbidden));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_is_refused_by_every_process() {
    let two = TwoServers::start().await;
    for _ in 0..count(10, 50) {
        let key = two.home.json(&["key", "create", "--agent", &two.agent_id]);
        let there = two.reading.client(key["api_key"].as_str());
        there.inject(&user("ada"), "Hello").await.unwrap();
        let id = key["key_id"].as_str().unwrap();
        two.home.json(&["key", "revoke", id]);
        let refused = there.inject(&user("ada"), "Hello").await.unwrap_err();
        assert_eq!(refused.code(), Some(&ErrorCode::Unauthorized));
    }
}
