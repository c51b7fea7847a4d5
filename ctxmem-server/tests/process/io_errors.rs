//! A disk that fails now and then: a write, a flush or a read that the system refuses. What was
//! acknowledged is stored, and the server goes on.

use std::time::Duration;

use ctxmem_client::ErrorCode;

use crate::load::{Load, Outcome};
use crate::model;
use crate::process::{Home, count};
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

#[tokio::test(flavor = "multi_thread")]
async fn what_a_failing_disk_acknowledged_is_stored() {
    let updates = count(40, 800);
    let home = Home::new();
    let model = model::model(Duration::ZERO).await;
    let flags = format!("{} {FLAGS}", model.flags());
    let mut sound = home.serve(&flags).await;
    let key = sound.key().to_owned();
    sound.kill();

    let mut all = Outcome::default();
    let writers = vec!["ada".to_owned(); WRITERS];
    for (number, (call, error, first, every)) in FAULTS.into_iter().enumerate() {
        // After an orderly end the next start has no log to read, however much was stored.
        home.serve(&flags).await.stop().await;
        let trace = format!("trace={call}");
        let inject = format!("inject={call}:error={error}:when={first}+{every}");
        let strace = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
        let command = under_strace(&home.serving(&flags), &strace);
        let mut serving = home.start(command).await;
        let client = serving.client(Some(&key));
        let load = Load::start(&[client], &writers, number);
        load.until_answered(updates).await;
        let wrote = load.stop().await;
        for (code, text) in &wrote.refusals {
            assert_eq!(*code, Some(ErrorCode::PersistenceError), "{call}: {text}");
        }
        // Few pages are read: nearly all are in memory.
        assert!(
            wrote.failed > 0 || call == "pread64",
            "{call}: no error had an effect"
        );
        all.add(wrote);
        serving.kill();
    }

    let serving = home.serve(&flags).await;
    let client = serving.client(Some(&key));
    let (lost, invented) = all.lost_and_invented(&client).await;
    println!(
        "figure: input and output errors of {} kinds: {} updates acknowledged, {} refused, {lost} lost, \
         {invented} never sent",
        FAULTS.len(),
        all.count(),
        all.failed,
    );
    assert_eq!((lost, invented), (0, 0));
    assert!(all.count() > 0);
    drop(serving);
    assert_eq!(home.integrity().await, "ok");
}
