//! A program that ends with the process that started it.

use std::fs::File;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Runs a program until its standard input is closed, which happens when the process that started
/// it ends, however it ends. `$0` is the folder to remove then, or nothing, and `$1` the signal
/// that ends the program.
const SUPERVISE: &str = r#"signal=$1; shift; "$@" & server=$!; cat > /dev/null
kill -$signal $server 2> /dev/null; wait $server; [ -z "$0" ] || rm -rf "$0""#;

/// A running program. Dropping it ends the program and waits for that.
pub(crate) struct Supervised {
    supervisor: Child,
    stdin: Option<ChildStdin>,
}

impl Supervised {
    /// A command whose further arguments are a program and its arguments. The signal ends it;
    /// `folder` is removed afterwards.
    pub(crate) fn command(signal: &str, folder: Option<&Path>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", SUPERVISE]);
        command.arg(folder.unwrap_or(Path::new("")));
        command.arg(signal);
        command
    }

    /// Starts it, with its output in this file.
    pub(crate) fn start(mut command: Command, log: &Path) -> Self {
        let mut options = File::options();
        let log = options.create(true).append(true).open(log);
        let log = log.expect("the program's log");
        let mut supervisor = command
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("the program's log"))
            .stderr(log)
            .spawn()
            .expect("sh");
        let stdin = supervisor.stdin.take();
        Self { supervisor, stdin }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.stdin.take();
        let _ = self.supervisor.wait();
    }
}
