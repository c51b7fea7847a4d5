//! Connections are kept between the turns of a person, and opened before the first one.

use std::time::Duration;

use ctxmem_client::Client;

use crate::faulty::{Fault, Faulty};
use crate::support::{patient, user};

/// A server that counts its connections and keeps them.
fn server() -> Faulty {
    Faulty::start(Fault::None)
}

async fn inject(client: &Client) {
    client.inject(&user(), "You help.").await.unwrap();
}

#[tokio::test]
async fn a_warm_client_makes_its_first_call_on_an_open_connection() {
    let server = server();
    let client = patient(&server.url).build().unwrap();
    client.warm_up().await.unwrap();
    assert_eq!(server.connections(), 1);
    inject(&client).await;
    assert_eq!(server.connections(), 1);
    let nobody = Client::builder().base_url("http://127.0.0.1:1").build();
    assert!(nobody.unwrap().warm_up().await.unwrap_err().is_connect());
}

/// A person takes longer to answer than the eight seconds for which connections were kept once.
#[tokio::test]
async fn a_connection_is_kept_while_a_person_writes() {
    let server = server();
    let client = patient(&server.url).build().unwrap();
    inject(&client).await;
    tokio::time::sleep(Duration::from_millis(8_500)).await;
    inject(&client).await;
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn how_long_connections_are_kept_can_be_set() {
    let server = server();
    let short = Duration::from_millis(100);
    for builder in [
        patient(&server.url).pool_idle_timeout(short),
        patient(&server.url).pool_max_idle(0),
    ] {
        let before = server.connections();
        let client = builder.build().unwrap();
        for _ in 0..2 {
            inject(&client).await;
            tokio::time::sleep(short * 5).await;
        }
        assert_eq!(server.connections() - before, 2);
    }
}
