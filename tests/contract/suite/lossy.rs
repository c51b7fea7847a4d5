//! The real client over a network that loses answers after the server has done its work.

use ctxmem_server::core::FirstGrant::Auto;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_client::{Client, Interaction, RetryPolicy};
use ctxmem_types::Scope;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::suite::support::{ENGINE, FakeModel, Server, Setup, count, fact, user};

/// One answer in this many arrives; for the others the connection is closed.
const ARRIVES: usize = 3;

struct Lossy {
    url: String,
    lost: Arc<AtomicUsize>,
    _task: JoinSet<()>,
}

impl Lossy {
    async fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let to = server.address().to_owned();
        let lost = Arc::new(AtomicUsize::new(0));
        let (count, mut task) = (Arc::clone(&lost), JoinSet::new());
        task.spawn(async move {
            let (mut connections, answers) = (JoinSet::new(), Arc::new(AtomicUsize::new(0)));
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&to).await.unwrap();
                connections.spawn(pass(client, server, Arc::clone(&answers), count.clone()));
            }
        });
        Self {
            url,
            lost,
            _task: task,
        }
    }
}

/// Passes requests on and, now and then, an answer back. Every answer of these tests comes in
/// one piece.
async fn pass(
    mut client: TcpStream,
    mut server: TcpStream,
    answers: Arc<AtomicUsize>,
    lost: Arc<AtomicUsize>,
) -> std::io::Result<()> {
    let (mut said, mut answered) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        tokio::select! {
            length = client.read(&mut said) => match length? {
                0 => return Ok(()),
                length => server.write_all(&said[..length]).await?,
            },
            length = server.read(&mut answered) => match length? {
                0 => return Ok(()),
                length => {
                    let n = answers.fetch_add(1, Ordering::SeqCst);
                    if n % ARRIVES != ARRIVES - 1 {
                        lost.fetch_add(1, Ordering::SeqCst);
                        return Ok(());
                    }
                    client.write_all(&answered[..length]).await?;
                }
            },
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_clients_retries_learn_and_count_once() {
    let trials = count(100, 500);
    let quota = trials + 5;
    let model = FakeModel::start().await;
    // It finds something else each time, so that an update that is carried out twice shows.
    let asked = AtomicUsize::new(0);
    model.finds_with(move |_| {
        let time = asked.fetch_add(1, Ordering::SeqCst);
        vec![fact(Scope::Goals, &format!("Goal {time}"))]
    });
    let server = Setup::asking(&model)
        .first_grant(Auto)
        .endless_lists()
        .monthly_quota(u32::try_from(quota).unwrap());
    let server = server.start().await;
    let network = Lossy::before(&server).await;
    let (agent, ada) = (server.agent().await, user("ada"));
    let client = Client::builder()
        .base_url(&network.url)
        .api_key(agent.key.as_str())
        .retry(RetryPolicy::default().initial_backoff(Duration::from_millis(1)));
    let client = client.build().unwrap();
    for n in 0..trials {
        let said = format!("I am working on project {n} these days.");
        let interaction = Interaction::new(ada.clone(), said, "Noted.");
        // The client's own retries have a budget; then the caller retries.
        while let Err(error) = client.update_with(&interaction).await {
            assert!(error.is_retryable(), "{error}");
        }
    }
    let stored = agent.context(&ada).await.unwrap().ongoing_tasks.len();
    let mut left = 0;
    while agent.tells(&ada, "I am working on something else.").await["updated"] == true {
        left += 1;
    }
    let lost = network.lost.load(Ordering::SeqCst);
    let counted = quota - left;
    let engine = *ENGINE;
    println!(
        "figure: the client over a lossy network on {engine}: {trials} updates, {lost} answers \
         lost, {} facts doubled, {counted} updates counted",
        stored - trials
    );
    assert_eq!((stored, counted), (trials, trials));
    assert!(lost >= trials, "only {lost} answers were lost");
}
