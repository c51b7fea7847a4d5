//! One chromedriver for the process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use super::programs::chromedriver;

/// Runs the driver until its standard input is closed, which happens when the process that
/// started it ends, however it ends. The browsers end with the driver: their orders come
/// through a pipe. `$0` is the folder of their profiles, which goes once they are done with it.
const SUPERVISE: &str = r#""$@" & driver=$!; cat > /dev/null
kill $driver 2> /dev/null; wait $driver
for try in $(seq 100); do rm -rf "$0" 2> /dev/null && break; sleep 0.1; done"#;

struct Driver {
    url: String,
    _supervisor: (Child, ChildStdin),
    /// Held open: a process that writes to a closed pipe is killed.
    _output: BufReader<ChildStdout>,
}

/// Where the driver of this process listens. The first call starts it.
pub(super) fn url() -> &'static str {
    static DRIVER: LazyLock<Driver> = LazyLock::new(Driver::start);
    &DRIVER.url
}

impl Driver {
    fn start() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ctxmem-browsers-")
            .tempdir();
        let folder = folder.unwrap().keep();
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISE])
            .arg(&folder)
            .arg(chromedriver())
            .args(["--port=0", "--log-level=SEVERE"])
            .env("TMPDIR", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = supervisor.stdin.take().unwrap();
        let mut output = BufReader::new(supervisor.stdout.take().unwrap());
        let port = port(&mut output);
        Self {
            url: format!("http://127.0.0.1:{port}"),
            _supervisor: (supervisor, stdin),
            _output: output,
        }
    }
}

/// The port that the driver chose: it says so once it listens there.
fn port(output: &mut BufReader<ChildStdout>) -> u16 {
    let mut said = String::new();
    while output.read_line(&mut said).unwrap() > 0 {
        let last = said.lines().last().unwrap_or_default();
        if let Some((_, port)) = last.split_once("successfully on port ") {
            return port.trim_end_matches('.').parse().unwrap();
        }
    }
    panic!("chromedriver did not start: {said}");
}
