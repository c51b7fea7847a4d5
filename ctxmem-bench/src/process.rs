//! A server process: its start, the resources it used, its end.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cpu;

/// A running process. It is killed when this value is dropped.
pub(crate) struct Process {
    child: Child,
    /// The JSON object that it printed when it started.
    pub(crate) said: Value,
    /// How long that took.
    pub(crate) started_in: Duration,
}

impl Process {
    /// Starts a command and waits until it has printed one JSON object.
    pub(crate) fn start(mut command: Command) -> Self {
        let begun = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        Self {
            child,
            said: serde_json::from_str(&line).unwrap_or_else(|_| panic!("it said: {line:?}")),
            started_in: begun.elapsed(),
        }
    }

    pub(crate) fn address(&self) -> &str {
        let url = self.said["url"].as_str().unwrap();
        url.strip_prefix("http://").unwrap()
    }

    /// Where it answers its figures.
    pub(crate) fn metrics_address(&self) -> &str {
        let url = self.said["metrics_url"].as_str().unwrap();
        let address = url.strip_prefix("http://");
        address.and_then(|it| it.strip_suffix("/metrics")).unwrap()
    }

    /// The CPU time that it has used, its threads and the kernel on its behalf included.
    pub(crate) fn cpu(&self) -> Duration {
        cpu::of_process(self.child.id())
    }

    /// The memory that is resident, in KiB.
    pub(crate) fn resident_kib(&self) -> f64 {
        let status = fs::read_to_string(self.proc("status")).unwrap();
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// The bytes that it has handed to the file system to be stored.
    pub(crate) fn written_bytes(&self) -> u64 {
        let io = fs::read_to_string(self.proc("io")).unwrap();
        let line = io
            .lines()
            .find_map(|line| line.strip_prefix("write_bytes: "));
        line.unwrap().parse().unwrap()
    }

    /// How many files it has open, sockets included.
    pub(crate) fn open_files(&self) -> usize {
        fs::read_dir(self.proc("fd")).unwrap().count()
    }

    pub(crate) fn threads(&self) -> usize {
        fs::read_dir(self.proc("task")).unwrap().count()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    fn proc(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
