//! One Postgres server in a temporary folder.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::programs::{give, program, unprivileged};

/// How long a server may take to start or to stop.
const SERVER_TIMEOUT: Duration = Duration::from_mins(1);

/// Runs a server until its standard input is closed, which happens when the process that
/// started it ends, however it ends. `$0` is the folder to remove then, or nothing.
const SUPERVISE: &str = r#""$@" & server=$!; cat > /dev/null
kill -INT $server 2> /dev/null; wait $server; [ -z "$0" ] || rm -rf "$0""#;

/// A Postgres server that a test has to itself.
pub struct Cluster {
    folder: Folder,
    ids: Option<(u32, u32)>,
    port: u16,
    settings: Vec<String>,
    running: Option<(Child, ChildStdin)>,
}

/// The server's folder: removed by this process, or by the supervisor when it ends.
enum Folder {
    Ours(TempDir),
    Supervised(PathBuf),
}

impl Cluster {
    /// Makes and starts a server with these settings, such as `fsync=off`, besides the
    /// defaults.
    pub fn start(settings: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("ctxmem-pg-").tempdir();
        Self::start_in(Folder::Ours(folder.expect("a temporary folder")), settings)
    }

    /// The same for a server that nobody will drop: it ends with this process.
    pub(crate) fn start_for_good(settings: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("ctxmem-pg-").tempdir();
        let folder = folder.expect("a temporary folder").keep();
        Self::start_in(Folder::Supervised(folder), settings)
    }

    /// A server that takes encrypted connections too. `certify` is given a folder and puts
    /// `server.key` and `server.crt` there.
    pub fn start_with_tls(certify: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::Builder::new().prefix("ctxmem-pg-").tempdir();
        let mut cluster = Self::new(
            Folder::Ours(folder.expect("a temporary folder")),
            &["ssl=on"],
        );
        certify(&cluster.path(""));
        for (setting, name) in [
            ("ssl_key_file", "server.key"),
            ("ssl_cert_file", "server.crt"),
        ] {
            let file = cluster.path(name);
            give(&file, cluster.ids);
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&file, private).expect("chmod");
            cluster
                .settings
                .push(format!("{setting}={}", file.display()));
        }
        cluster.resume();
        cluster
    }

    fn start_in(folder: Folder, settings: &[&str]) -> Self {
        let mut cluster = Self::new(folder, settings);
        cluster.resume();
        cluster
    }

    /// A server with its files, not yet running.
    fn new(folder: Folder, settings: &[&str]) -> Self {
        let cluster = Self {
            folder,
            ids: unprivileged(),
            port: free_port(),
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            running: None,
        };
        give(&cluster.path(""), cluster.ids);
        cluster.initialise();
        cluster
    }

    /// A file or folder of the server.
    pub fn path(&self, name: &str) -> PathBuf {
        match &self.folder {
            Folder::Ours(folder) => folder.path().join(name),
            Folder::Supervised(folder) => folder.join(name),
        }
    }

    /// The URL of a database on this server.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(name));
        self.disguise(&mut command);
        command
    }

    /// Postgres refuses to run as root, and looks for files in the home folder.
    fn disguise(&self, command: &mut Command) {
        command
            .current_dir(self.path(""))
            .env("HOME", self.path(""))
            .env("LC_ALL", "C.UTF-8");
        if let Some((user, group)) = self.ids {
            command.uid(user).gid(group);
        }
    }

    fn initialise(&self) {
        let made = self
            .command("initdb")
            .args([
                "--auth=trust",
                "--username=postgres",
                "--no-sync",
                "--pgdata",
            ])
            .arg(self.path("data"))
            .output()
            .expect("initdb");
        assert!(
            made.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&made.stderr)
        );
    }

    /// Starts the server again after it was stopped or killed, and waits until it answers.
    pub fn resume(&mut self) {
        let began = Instant::now();
        loop {
            self.launch();
            if self.wait_until_ready() {
                return;
            }
            // Killed, it may hold its memory for a moment longer.
            self.forget();
            assert!(began.elapsed() < SERVER_TIMEOUT, "Postgres: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn launch(&mut self) {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.path("log"))
            .expect("the server's log");
        let mut command = Command::new("sh");
        command.arg("-c").arg(SUPERVISE);
        command.arg(match &self.folder {
            Folder::Ours(_) => "".into(),
            Folder::Supervised(folder) => folder.as_os_str().to_owned(),
        });
        command
            .arg(program("postgres"))
            .arg("-D")
            .arg(self.path("data"));
        let port = format!("port={}", self.port);
        let sockets = format!("unix_socket_directories={}", self.path("").display());
        for setting in [port.as_str(), &sockets, "max_connections=200"] {
            command.args(["-c", setting]);
        }
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        self.disguise(&mut command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("the server's log"))
            .stderr(log)
            .spawn()
            .expect("sh");
        let stdin = child.stdin.take().expect("a pipe");
        self.running = Some((child, stdin));
    }

    fn wait_until_ready(&self) -> bool {
        let began = Instant::now();
        let status = self.path("data/postmaster.pid");
        while began.elapsed() < SERVER_TIMEOUT {
            let lines = std::fs::read_to_string(&status).unwrap_or_default();
            // The eighth line tells the state of the server.
            if lines
                .lines()
                .nth(7)
                .is_some_and(|line| line.trim() == "ready")
            {
                return true;
            }
            if self.server_id().is_none_or(|id| !is_alive(id)) && began.elapsed().as_secs() >= 1 {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    fn server_id(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.path("data/postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    /// Makes a physical backup of the running server, in the folder `backup` beside its data.
    pub fn back_up(&self) -> PathBuf {
        let folder = self.path("backup");
        let made = self
            .command("pg_basebackup")
            .args([
                "--host=127.0.0.1",
                "--username=postgres",
                "--checkpoint=fast",
            ])
            .args(["--no-sync", "--port", &self.port.to_string(), "--pgdata"])
            .arg(&folder)
            .output()
            .expect("pg_basebackup");
        assert!(
            made.status.success(),
            "pg_basebackup: {}",
            String::from_utf8_lossy(&made.stderr)
        );
        folder
    }

    /// Stops the server in good order; connections are cut.
    pub fn stop(&mut self) {
        self.forget();
    }

    /// kill -9 of the server with all its processes. If they saw it die, they would tidy up.
    pub fn kill(&mut self) {
        let id = self.server_id().expect("a running server").to_string();
        let children = Command::new("pgrep").args(["-P", &id]).output();
        let children = children.expect("pgrep").stdout;
        let children = String::from_utf8_lossy(&children);
        let ids: Vec<&str> = children.split_whitespace().chain([id.as_str()]).collect();
        // One of them may have ended meanwhile.
        let _ = Command::new("kill")
            .arg("-9")
            .args(&ids)
            .stderr(Stdio::null())
            .status();
        self.forget();
        // The next server is refused while one of them has its memory.
        let began = Instant::now();
        while began.elapsed() < SERVER_TIMEOUT
            && ids.iter().any(|id| id.parse().is_ok_and(is_alive))
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        // What it left tells nothing any more.
        let _ = std::fs::remove_file(self.path("data/postmaster.pid"));
    }

    /// Lets the supervisor end the server, and waits for both.
    fn forget(&mut self) {
        if let Some((mut child, stdin)) = self.running.take() {
            drop(stdin);
            let _ = child.wait();
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.forget();
    }
}

fn is_alive(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
    // The state stands behind the name; Z is for one that has ended and that nobody waited for.
    status.is_ok_and(|status| !status.contains(") Z "))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
