//! A disk that fails now and then: a write, a flush or a read that the system refuses. What was
//! acknowledged is stored, and the server goes on.

use std::collections::HashSet;
use std::time::Duration;

use ctxmem_client::{Client, ErrorCode};
use futures_util::future::join_all;

use crate::model;
use crate::process::{Home, count, user};
use crate::strace::under_strace;

const WRITERS: usize = 4;

/// Which call fails and how, which of a thread's calls is the first that does, so that the server
/// starts, and how many it is until the next.
const FAULTS: [(&str, &str, u32, u32); 4] = [
    ("pwrite64", "EIO", 60, 23),
    ("pwrite64", "ENOSPC", 60, 31),
    ("fdatasync", "EIO", 20, 3),
    ("pread64", "EIO", 150, 41),
];

/// Without a log, which would be full of the failures that are expected.
const FLAGS: &str = "--rate-limit 0 --facts-per-list 0 --log off";

#[derive(Default)]
struct Wrote {
    acknowledged: HashSet<String>,
    refused: HashSet<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_failing_disk_acknowledged_is_stored() {
    let updates = count(40, 800);
    let home = Home::new();
    let model = model::model(Duration::ZERO).await;
    let flags = format!("{} {FLAGS}", model.flags());
    let mut sound = home.serve(&flags).await;
    let key = sound.key().to_owned();
    sound.kill();

    let mut all = Wrote::default();
    for (number, (call, error, first, every)) in FAULTS.into_iter().enumerate() {
        // After an orderly end the next start has no log to read, however much was stored.
        home.serve(&flags).await.stop().await;
        let trace = format!("trace={call}");
        let inject = format!("inject={call}:error={error}:when={first}+{every}");
        let strace = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
        let command = under_strace(&home.serving(&flags), &strace);
        let mut serving = home.start(command).await;
        let client = serving.client(Some(&key));
        let writers = (0..WRITERS).map(|writer| {
            let name = format!("f{number}-w{writer}");
            write(&client, name, updates / WRITERS)
        });
        let refused_before = all.refused.len();
        for wrote in join_all(writers).await {
            all.acknowledged.extend(wrote.acknowledged);
            all.refused.extend(wrote.refused);
        }
        let refused = all.refused.len() - refused_before;
        // Few pages are read: nearly all are in memory.
        assert!(
            refused > 0 || call == "pread64",
            "{call}: no error had an effect"
        );
        serving.kill();
    }

    let serving = home.serve(&flags).await;
    let client = serving.client(Some(&key));
    let context = client.context(&user("ada")).await.unwrap();
    let values = context.domain_expertise.into_iter().map(|fact| fact.value);
    let stored: HashSet<String> = values.collect();
    let lost = all.acknowledged.difference(&stored).count();
    let invented = stored.difference(&all.acknowledged);
    let invented = invented.filter(|fact| !all.refused.contains(*fact)).count();
    println!(
        "figure: input and output errors of {} kinds: {} updates acknowledged, {} refused, {lost} lost, \
         {invented} never sent",
        FAULTS.len(),
        all.acknowledged.len(),
        all.refused.len(),
    );
    assert_eq!((lost, invented), (0, 0));
    assert!(!all.acknowledged.is_empty());
    drop(serving);
    assert_eq!(home.integrity().await, "ok");
}

async fn write(client: &Client, name: String, updates: usize) -> Wrote {
    let mut wrote = Wrote::default();
    for n in 0..updates {
        let fact = format!("{name}-n{n}");
        let message = format!("I am good at fact:{fact} these days.");
        match client.update(&user("ada"), message, "Noted.").await {
            Ok(_) => wrote.acknowledged.insert(fact),
            Err(error) => {
                assert_eq!(error.code(), Some(&ErrorCode::PersistenceError), "{error}");
                wrote.refused.insert(fact)
            }
        };
    }
    wrote
}
