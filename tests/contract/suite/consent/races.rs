//! Consent, refusal and first calls at the same time: short here, at full counts in
//! `scripts/soak.sh`.

use std::time::Duration;

use ctxmem_server::core::FirstGrant::Ask;
use ctxmem_types::{GrantRequest, Scope, ScopeSet};
use futures_util::future::join_all;

use super::{in_mode, waiting};
use crate::suite::support::{ENGINE, HELLO, count, user};

/// What the user does while an agent calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decides {
    Nothing,
    Allows,
    Refuses,
    AllowsThenRefuses,
    Erases,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn there_is_no_access_without_consent_at_any_time() {
    const CALLS: usize = 4;
    let (server, agent) = in_mode(Ask).start_with_agent().await;
    let trials = count(100, 2_000);
    let (mut allowed, mut asked, mut wrong) = (0, 0, 0);
    for trial in 0..trials {
        let ada = user(&format!("ada-{trial}"));
        let decides = [
            Decides::Nothing,
            Decides::Allows,
            Decides::Refuses,
            Decides::AllowsThenRefuses,
            Decides::Erases,
        ][trial % 5];
        let calls = (0..CALLS).map(async |n| {
            // In every third trial the last come after a consent, however busy the machine is.
            let apart = if trial % 3 == 0 { 10_000 } else { 500 };
            tokio::time::sleep(Duration::from_micros(apart * n as u64)).await;
            let request = GrantRequest::new(ada.clone(), &agent.id, Scope::ALL);
            match n % 3 {
                0 => agent.reason(&ada).await.as_deref() != Some("no_grant"),
                1 => agent.update(&ada, HELLO, "Noted.").await.is_ok(),
                _ => agent.create_grant(&request).await.is_ok(),
            }
        });
        let deciding = async {
            tokio::time::sleep(Duration::from_millis(1).mul_f64(rand::random())).await;
            if matches!(decides, Decides::Allows | Decides::AllowsThenRefuses) {
                let granter = ctxmem_server::core::Caller::User(ada.clone());
                let request = GrantRequest::new(ada.clone(), &agent.id, Scope::ALL);
                server.grants.create_grant(granter, request).await.unwrap();
            }
            if matches!(decides, Decides::Refuses | Decides::AllowsThenRefuses) {
                server.grants.refuse_agent(&ada, &agent.id).await.unwrap();
            }
            if decides == Decides::Erases {
                server.memory.erase_own(ada.clone()).await.unwrap();
            }
        };
        let (let_in, ()) = futures_util::join!(join_all(calls), deciding);
        let let_in = let_in.into_iter().filter(|let_in| *let_in).count();
        let consents = matches!(decides, Decides::Allows | Decides::AllowsThenRefuses);
        wrong += usize::from(let_in > 0 && !consents);
        // Afterwards only a consent that was not taken back gives access.
        let reads = agent.context(&ada).await.is_ok();
        wrong += usize::from(reads != (decides == Decides::Allows));
        let reach = server.grant(&ada, &agent).await;
        let reach = reach.map_or(ScopeSet::EMPTY, |(_, scopes)| scopes);
        wrong += usize::from(!consents && reach != ScopeSet::EMPTY);
        let is_asked = !waiting(&server, &ada).await.is_empty();
        wrong += usize::from(is_asked && !matches!(decides, Decides::Nothing | Decides::Erases));
        asked += usize::from(is_asked);
        allowed += usize::from(let_in > 0);
    }
    let engine = *ENGINE;
    println!(
        "figure: consent, refusal and erasure racing {CALLS} first calls on {engine}: {trials} \
         trials, {allowed} with a call let in after the consent, {asked} with a request left, \
         {wrong} with access without a consent"
    );
    assert_eq!(wrong, 0);
    assert!(allowed > 0 && asked > 0, "{allowed} {asked}");
}
