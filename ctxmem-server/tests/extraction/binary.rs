//! Running `ctxmem-server extract` in a folder of its own.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder to run in, with a file of interactions or without.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder that holds `lines.jsonl`.
    pub(crate) fn with(lines: &str) -> Self {
        let folder = Self::new();
        std::fs::write(folder.path("lines.jsonl"), lines).unwrap();
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of the files in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    /// Runs `extract` with these arguments and an empty environment.
    pub(crate) fn extract(&self, args: &[&str], input: &str) -> CommandOutput {
        let mut all = vec!["extract"];
        all.extend(args);
        self.run(&all, input)
    }

    /// The same with any command.
    pub(crate) fn run(&self, args: &[&str], input: &str) -> CommandOutput {
        self.run_in(&[], args, input)
    }

    /// The same with these variables of the environment.
    pub(crate) fn run_in(
        &self,
        environment: &[(&str, &str)],
        args: &[&str],
        input: &str,
    ) -> CommandOutput {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ctxmem-server"))
            .args(args)
            .current_dir(self.0.path())
            .env_clear()
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // It may have ended before it read anything, for example by a wrong flag.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        CommandOutput {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// The output of a successful run: one JSON object a line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""));
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}
