//! Commands of operators while a server answers from its cache: another process commits, and
//! the very next answer reflects it.

use ctxmem_client::{Client, ErrorCode};

use crate::process::{Home, count, user};

/// Asks more than once, so that the last answer could come from the cache.
async fn warm(client: &Client) {
    for _ in 0..3 {
        client.inject(&user("ada"), "Hello").await.unwrap();
    }
}

async fn keys_come_and_go(home: &Home, rounds: usize) {
    let serving = home.serve("--rate-limit 0").await;
    let agent = serving.agent();
    let lasting = serving.client(None);
    for round in 0..rounds {
        let key = home.json(&["key", "create", "--agent", agent]);
        let client = serving.client(key["api_key"].as_str());
        warm(&client).await;
        warm(&lasting).await;
        home.json(&["key", "revoke", key["key_id"].as_str().unwrap()]);
        // An inject and an update alternate in being the first request afterwards.
        let error = if round % 2 == 0 {
            let refused = client.inject(&user("ada"), "Hello").await;
            refused.unwrap_err()
        } else {
            let said = "My name is Ada.";
            let refused = client.update(&user("ada"), said, "Hello.").await;
            refused.unwrap_err()
        };
        assert_eq!(error.code(), Some(&ErrorCode::Unauthorized), "{round}");
        lasting.inject(&user("ada"), "Hello").await.unwrap();
    }
}

#[tokio::test]
async fn a_key_that_another_process_revokes_is_refused_by_the_very_next_request() {
    keys_come_and_go(&Home::new(), count(50, 500)).await;
}

#[tokio::test]
async fn the_same_holds_on_postgres() {
    let home = Home::migrated_on_postgres().await;
    keys_come_and_go(&home, count(20, 500)).await;
}
