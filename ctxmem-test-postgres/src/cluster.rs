//! One Postgres server in a temporary folder.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::programs::{POSTGRES, disguise, free_port, give, program, unprivileged};
use crate::supervised::Supervised;

/// How long a server may take to start or to stop.
const SERVER_TIMEOUT: Duration = Duration::from_mins(1);

/// A Postgres server that a test has to itself.
pub struct Cluster {
    // Declared before `folder`, so that it is dropped first: the server ends before its files are removed.
    running: Option<Supervised>,
    folder: TempDir,
    /// Nobody drops this value: the supervisor removes the folder when this process ends.
    is_for_good: bool,
    ids: Option<(u32, u32)>,
    port: u16,
    settings: Vec<String>,
}

impl Cluster {
    /// Makes and starts a server with these settings, such as `fsync=off`, besides the
    /// defaults.
    pub fn start(settings: &[&str]) -> Self {
        let mut cluster = Self::initialised(settings);
        cluster.resume();
        cluster
    }

    /// The same for a server that nobody will drop: it ends with this process.
    pub(crate) fn start_for_good(settings: &[&str]) -> Self {
        let mut cluster = Self::initialised(settings);
        cluster.is_for_good = true;
        cluster.resume();
        cluster
    }

    /// A server that takes encrypted connections too. `certify` is given a folder and puts
    /// `server.key` and `server.crt` there.
    pub fn start_with_tls(certify: impl FnOnce(&Path)) -> Self {
        let mut cluster = Self::initialised(&["ssl=on"]);
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

    /// A server with its files, not yet running.
    fn initialised(settings: &[&str]) -> Self {
        let settings = settings.iter().map(|&setting| setting.to_owned());
        let cluster = Self::new(settings.collect());
        let data = cluster.path("data").display().to_string();
        let options = ["--auth=trust", "--username=postgres", "--no-sync"];
        cluster.run("initdb", &[&options[..], &["--pgdata", &data]].concat());
        cluster
    }

    /// A server without its files.
    fn new(settings: Vec<String>) -> Self {
        let folder = tempfile::Builder::new().prefix("ctxmem-pg-").tempdir();
        let cluster = Self {
            running: None,
            folder: folder.expect("a temporary folder"),
            is_for_good: false,
            ids: unprivileged(),
            port: free_port(),
            settings,
        };
        give(&cluster.path(""), cluster.ids);
        cluster
    }

    /// A file or folder of the server.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The URL of a database on this server.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs one of Postgres' programs to its end, which must be a good one.
    fn run(&self, name: &str, args: &[&str]) {
        let mut command = Command::new(program(name, POSTGRES));
        disguise(&mut command, &self.path(""), self.ids);
        let Output { status, stderr, .. } = command.args(args).output().expect(name);
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{name}: {stderr}");
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
            self.stop();
            assert!(began.elapsed() < SERVER_TIMEOUT, "Postgres: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn launch(&mut self) {
        let folder = self.is_for_good.then(|| self.folder.path());
        let mut command = Supervised::command("INT", folder);
        command
            .arg(program("postgres", POSTGRES))
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
        disguise(&mut command, &self.path(""), self.ids);
        self.running = Some(Supervised::start(command, &self.path("log")));
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

    /// The process of the server, whose children serve its connections, while it is running.
    pub fn server_id(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.path("data/postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    /// Makes a physical backup of the running server, in the folder `backup` beside its data.
    pub fn back_up(&self) -> PathBuf {
        let folder = self.path("backup");
        self.copy_from(self.port, &folder, &[]);
        folder
    }

    /// Makes and starts a standby of this server, which takes no writes until it is promoted.
    #[must_use]
    pub fn standby(&self) -> Self {
        let mut standby = Self::new(self.settings.clone());
        standby.copy_from(self.port, &standby.path("data"), &["--write-recovery-conf"]);
        standby.resume();
        standby
    }

    /// Makes a standby take writes, and waits until it does.
    pub fn promote(&self) {
        let data = self.path("data").display().to_string();
        self.run("pg_ctl", &["promote", "--pgdata", &data]);
    }

    /// Copies the data of the server on this port.
    fn copy_from(&self, port: u16, folder: &Path, options: &[&str]) {
        let (port, folder) = (port.to_string(), folder.display().to_string());
        let from = ["--host=127.0.0.1", "--username=postgres", "--port", &port];
        let to = ["--checkpoint=fast", "--no-sync", "--pgdata", &folder];
        self.run("pg_basebackup", &[&from[..], &to, options].concat());
    }

    /// Stops the server in good order and waits until it has ended; connections are cut.
    pub fn stop(&mut self) {
        drop(self.running.take());
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
        self.stop();
        // The next server is refused while one of them has its memory.
        let began = Instant::now();
        while began.elapsed() < SERVER_TIMEOUT
            && ids.iter().any(|id| id.parse().is_ok_and(is_alive))
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        // The file that it left is out of date.
        let _ = std::fs::remove_file(self.path("data/postmaster.pid"));
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

fn is_alive(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
    // The state stands behind the name; Z is for one that has ended and that nobody waited for.
    status.is_ok_and(|status| !status.contains(") Z "))
}
