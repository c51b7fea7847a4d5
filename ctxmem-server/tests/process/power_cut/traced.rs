//! A server under strace.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::calls::TRACED;
use crate::database_files::DatabaseFolder;
use crate::process::{Home, ServerProcess};
use crate::strace::under_strace;

/// A running server, and the log of what it does.
pub(super) struct Traced {
    pub(super) serving: ServerProcess,
    log: PathBuf,
}

impl Traced {
    /// # Errors
    ///
    /// How the server ended instead.
    pub(super) async fn start(home: &Home, number: usize, flags: &str) -> Result<Self, String> {
        let log = home.path(&format!("strace-{number}"));
        let serving = home.try_start(command(home, &log, flags)).await?;
        Ok(Self { serving, log })
    }

    /// Stops the server as operators do, and waits for the end of the log.
    pub(super) async fn stop(self) -> String {
        // Threads end before their process.
        let end = format!("{} ", self.serving.id());
        self.serving.stop().await;
        let began = Instant::now();
        loop {
            let tail = tail(&self.log);
            let last = tail.lines().last().unwrap_or_default();
            if last.starts_with(&end) && last.contains("+++ exited") && tail.ends_with('\n') {
                return std::fs::read_to_string(&self.log).unwrap();
            }
            assert!(began.elapsed() < Duration::from_mins(1), "no end: {last}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The end of a log, which may be long.
fn tail(log: &Path) -> String {
    let mut file = File::open(log).unwrap();
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(length.saturating_sub(1_000)))
        .unwrap();
    let mut tail = String::new();
    file.read_to_string(&mut tail).unwrap();
    tail
}

/// Runs a server that nobody calls, and answers with the log.
pub(super) async fn start_and_stop(folder: &DatabaseFolder, flags: &str) -> Result<String, String> {
    let home = Home::on(&folder.url());
    let traced = Traced::start(&home, 0, flags).await?;
    Ok(traced.stop().await)
}

/// The server, with a log of paths of descriptors, times, and every byte, in hexadecimal.
fn command(home: &Home, log: &Path, flags: &str) -> Command {
    let log = log.to_str().unwrap();
    let all = ["-y", "-ttt", "-xx", "-s", "100000000"];
    let flags_of_strace = [&all[..], &["-e", TRACED, "-o", log]].concat();
    under_strace(&home.serving(flags), &flags_of_strace)
}
