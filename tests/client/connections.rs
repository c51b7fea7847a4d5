//! Connections are kept between the turns of a person, and opened before the first one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_client::{Client, ClientBuilder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::raw::{is_whole, json_answer};
use crate::support::{patient, user};

/// A server that counts its connections and keeps them.
struct Counter {
    url: String,
    connections: Arc<AtomicUsize>,
    _task: JoinSet<()>,
}

impl Counter {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&connections);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                seen.fetch_add(1, Ordering::SeqCst);
                open.spawn(async move {
                    loop {
                        let mut request = Vec::new();
                        while !is_whole(&request) {
                            if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                                return;
                            }
                        }
                        let body = r#"{"injectedPrompt":"You help.","status":"ok"}"#;
                        let answer = json_answer("200 OK", body);
                        if stream.write_all(answer.as_bytes()).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self {
            url,
            connections,
            _task: task,
        }
    }

    fn builder(&self) -> ClientBuilder {
        patient(&self.url)
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn a_warm_client_makes_its_first_call_on_an_open_connection() {
    let server = Counter::start().await;
    let client = server.builder().build().unwrap();
    client.warm_up().await.unwrap();
    assert_eq!(server.connections(), 1);
    client.inject(&user(), "You help.").await.unwrap();
    assert_eq!(server.connections(), 1);
    let nobody = Client::builder().base_url("http://127.0.0.1:1").build();
    assert!(nobody.unwrap().warm_up().await.unwrap_err().is_connect());
}

/// A person takes longer to answer than the eight seconds for which connections were kept once.
#[tokio::test]
async fn a_connection_is_kept_while_a_person_writes() {
    let server = Counter::start().await;
    let client = server.builder().build().unwrap();
    client.inject(&user(), "You help.").await.unwrap();
    tokio::time::sleep(Duration::from_millis(8_500)).await;
    client.inject(&user(), "You help.").await.unwrap();
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn how_long_connections_are_kept_can_be_set() {
    let server = Counter::start().await;
    let short = Duration::from_millis(100);
    for builder in [
        server.builder().pool_idle_timeout(short),
        server.builder().pool_max_idle(0),
    ] {
        let before = server.connections();
        let client = builder.build().unwrap();
        for _ in 0..2 {
            client.inject(&user(), "You help.").await.unwrap();
            tokio::time::sleep(short * 5).await;
        }
        assert_eq!(server.connections() - before, 2);
    }
}
