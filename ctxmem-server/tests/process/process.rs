//! Running the binary, and talking to the server that it starts.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ctxmem_client::{Client, RetryPolicy, UpdateResponse, UserClient, UserId};
use ctxmem_test_outside::sign_in;
use ctxmem_test_postgres::{Database, empty_database, fresh_database};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};
use tempfile::TempDir;

/// How many servers were started, to tell their output apart.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// How long a process may take to start or to end before the test fails.
pub(crate) const PROCESS_TIMEOUT: Duration = Duration::from_secs(30);

/// The file that says that a command has come to a point of its work. It goes on when the file is removed.
pub(crate) const REACHED: &str = "reached";

/// The number of repetitions: few in a test run, many in `scripts/soak.sh`.
pub(crate) fn count(in_tests: usize, in_soak: usize) -> usize {
    if std::env::var_os("CTXMEM_SOAK").is_some() {
        in_soak
    } else {
        in_tests
    }
}

/// The server that is tested: `CTXMEM_TEST_SERVER` names another one, for what has to be known of the
/// one that is distributed.
pub(crate) fn program() -> String {
    let built = env!("CARGO_BIN_EXE_ctxmem-server");
    std::env::var("CTXMEM_TEST_SERVER").unwrap_or_else(|_| built.to_owned())
}

/// A number that the environment sets.
pub(crate) fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap())
}

/// As many sockets as the system lets this process have.
pub(crate) fn allow_many_sockets() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let all = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, all).unwrap();
}

pub(crate) fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

/// Tells the agent something about a user, which it acknowledges.
pub(crate) async fn tell(client: &Client, name: &str, message: &str) -> UpdateResponse {
    let answer = client.update(&user(name), message, "Noted.").await;
    answer.unwrap()
}

/// Waits until it is so, and answers how long that took.
pub(crate) async fn until(what: &str, is_so: impl AsyncFnMut() -> bool) -> Duration {
    within(PROCESS_TIMEOUT, what, is_so).await
}

/// The same, for no longer than this.
pub(crate) async fn within(
    patience: Duration,
    what: &str,
    mut is_so: impl AsyncFnMut() -> bool,
) -> Duration {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < patience, "not once: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    began.elapsed()
}

#[track_caller]
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[track_caller]
pub(crate) fn assert_lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part:?} is in {text}");
    }
}

/// The arguments of a command: one by one, or as they are typed where none of them holds a space.
pub(crate) trait Args {
    fn list(&self) -> Vec<&str>;
}

impl Args for str {
    fn list(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Args for String {
    fn list(&self) -> Vec<&str> {
        self.as_str().list()
    }
}

impl Args for [&str] {
    fn list(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Args for [&str; N] {
    fn list(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Args for Vec<&str> {
    fn list(&self) -> Vec<&str> {
        self.clone()
    }
}

/// A folder with a database, and the commands that run on it.
pub(crate) struct Home {
    folder: TempDir,
    database_url: Option<String>,
    /// One on Postgres that goes with this value.
    owned: Option<Database>,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            database_url: None,
            owned: None,
        }
    }

    /// A folder with an empty database.
    #[track_caller]
    pub(crate) fn migrated() -> Self {
        let home = Self::new();
        home.json(&["migrate"]);
        home
    }

    pub(crate) async fn migrated_on_postgres() -> Self {
        let prepare = |url: String| async move {
            Self::on(&url).printed("migrate");
        };
        Self::owning(fresh_database(prepare).await)
    }

    /// A folder whose commands run on an empty Postgres database of their own.
    pub(crate) async fn on_postgres() -> Self {
        Self::owning(empty_database().await)
    }

    /// One on each engine.
    pub(crate) async fn on_both() -> [Self; 2] {
        [Self::new(), Self::on_postgres().await]
    }

    fn owning(database: Database) -> Self {
        Self {
            database_url: Some(database.url.clone()),
            owned: Some(database),
            ..Self::new()
        }
    }

    /// A folder whose commands run on this database instead of one in it.
    pub(crate) fn on(database_url: &str) -> Self {
        Self {
            database_url: Some(database_url.to_owned()),
            ..Self::new()
        }
    }

    /// Another one with a copy of this one's database, which nobody uses meanwhile.
    pub(crate) async fn copied(&self) -> Self {
        if let Some(database) = &self.owned {
            return Self::owning(database.copy().await);
        }
        self.json("backup copy.db");
        Self::holding(&self.path("copy.db"))
    }

    /// A folder whose database is a copy of this file and of the one with its keys.
    pub(crate) fn holding(file: &Path) -> Self {
        let home = Self::new();
        for suffix in ["", "-keys"] {
            let from = format!("{}{suffix}", file.display());
            std::fs::copy(from, home.path(&format!("ctxmem.db{suffix}"))).unwrap();
        }
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path("ctxmem.db")
    }

    /// Writes a file in this folder, and answers its path.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }

    /// The address of the database that its commands run on.
    pub(crate) fn url(&self) -> String {
        let in_folder = || format!("sqlite://{}", self.database().display());
        self.database_url.clone().unwrap_or_else(in_folder)
    }

    /// A connection to the database in this folder, which is one on SQLite.
    pub(crate) async fn connect(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.database());
        options.connect().await.unwrap()
    }

    /// What SQLite finds wrong with the database in this folder; "ok" if nothing.
    pub(crate) async fn integrity(&self) -> String {
        let mut connection = self.connect().await;
        let found = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut connection);
        found.await.unwrap()
    }

    /// The binary, in this folder and with an empty environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(program());
        command
            .current_dir(self.folder.path())
            .env_clear()
            .stdin(Stdio::null());
        if let Some(url) = &self.database_url {
            command.env("CTXMEM_DATABASE_URL", url);
        }
        command
    }

    /// Has this command stop at a point of its work, when it has made the file [`REACHED`].
    pub(crate) fn stop_at(&self, command: &mut Command, point: &str) {
        let reached = self.path(REACHED);
        let _ = std::fs::remove_file(&reached);
        command.env(
            "FAILPOINTS",
            format!("{point}=return({})", reached.display()),
        );
    }

    pub(crate) fn run(&self, args: &(impl Args + ?Sized)) -> CommandOutput {
        self.run_with_input(args, "")
    }

    pub(crate) fn run_with_input(&self, args: &(impl Args + ?Sized), input: &str) -> CommandOutput {
        let mut command = self.command();
        command.args(args.list());
        CommandOutput::with_input(&mut command, input).unwrap()
    }

    /// Runs a command that succeeds, and answers what it prints.
    #[track_caller]
    pub(crate) fn printed(&self, args: &(impl Args + ?Sized)) -> String {
        let finished = self.run(args);
        let args = args.list();
        assert!(finished.status.success(), "{args:?}: {}", finished.stderr);
        finished.stdout
    }

    /// Runs a command that prints one JSON object.
    #[track_caller]
    pub(crate) fn json(&self, args: &(impl Args + ?Sized)) -> Value {
        let printed = self.printed(&[&args.list()[..], &["--json"]].concat());
        serde_json::from_str(&printed).unwrap()
    }

    /// Runs a command that prints nothing, ends with this status, and says this among other things. Answers
    /// all that it says.
    #[track_caller]
    pub(crate) fn refused(&self, args: &(impl Args + ?Sized), status: i32, said: &str) -> String {
        let finished = self.run(args);
        let (args, stderr) = (args.list(), finished.stderr);
        assert_eq!(finished.stdout, "", "{args:?}");
        assert_eq!(finished.status.code(), Some(status), "{args:?}: {stderr}");
        assert!(
            stderr.contains(said),
            "{args:?}: {said:?} is not in {stderr}"
        );
        stderr
    }

    /// Starts a server on a free port and waits until it answers.
    pub(crate) async fn serve(&self, args: &(impl Args + ?Sized)) -> ServerProcess {
        self.start(self.serving(args)).await
    }

    /// The same, and it announces itself in words, as it does to people.
    pub(crate) async fn serve_in_words(&self, args: &(impl Args + ?Sized)) -> ServerProcess {
        let mut command = self.command();
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(args.list());
        self.start(command).await
    }

    /// The command that runs a server on a free port.
    pub(crate) fn serving(&self, args: &(impl Args + ?Sized)) -> Command {
        let mut command = self.command();
        command
            .args(["--listen", "127.0.0.1:0", "--json"])
            .args(args.list());
        command
    }

    /// Starts this command and waits until the server answers.
    pub(crate) async fn start(&self, command: Command) -> ServerProcess {
        let started = self.try_start(command).await;
        started.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, or how the server ended instead, and what it wrote.
    pub(crate) async fn try_start(&self, mut command: Command) -> Result<ServerProcess, String> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let stderr = self.path(&format!("stderr-{number}"));
        let file = File::options().create(true).append(true).open(&stderr);
        command.stderr(file.unwrap());
        self.wait_for_start(command, stderr, number).await
    }

    /// Starts this command, which says where its log goes, and waits until the server answers.
    pub(crate) async fn start_with_own_stderr(&self, command: Command) -> ServerProcess {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let none = self.path("stderr-elsewhere");
        File::create(&none).unwrap();
        let started = self.wait_for_start(command, none, number).await;
        started.unwrap_or_else(|error| panic!("{error}"))
    }

    async fn wait_for_start(
        &self,
        mut command: Command,
        stderr: PathBuf,
        number: u32,
    ) -> Result<ServerProcess, String> {
        let stdout = self.path(&format!("stdout-{number}"));
        let child = command
            .stdout(File::create(&stdout).unwrap())
            .spawn()
            .unwrap();
        let mut serving = ServerProcess::new(child, Value::Null, stderr);
        serving.announced = serving.wait_for_line(&stdout).await?;
        Ok(serving)
    }
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Runs a command with this as its input, if it can be started.
    pub(crate) fn with_input(command: &mut Command, input: &str) -> std::io::Result<Self> {
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // It may end before it has read anything, for example by a wrong flag.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ok(Self::of(child.wait_with_output()?))
    }

    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status,
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A running server. It is killed with the test.
pub(crate) struct ServerProcess {
    child: Child,
    /// What it printed when it began to listen.
    pub(crate) announced: Value,
    stderr: PathBuf,
}

impl ServerProcess {
    /// One whose output went elsewhere. It announced this.
    pub(crate) fn new(child: Child, announced: Value, stderr: PathBuf) -> Self {
        Self {
            child,
            announced,
            stderr,
        }
    }

    async fn wait_for_line(&mut self, stdout: &Path) -> Result<Value, String> {
        let began = Instant::now();
        loop {
            let printed = std::fs::read_to_string(stdout).unwrap();
            if printed.ends_with('\n') {
                return Ok(serde_json::from_str(&printed).unwrap_or(Value::String(printed)));
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                return Err(format!("the server ended with {status}: {}", self.stderr()));
            }
            assert!(
                began.elapsed() < PROCESS_TIMEOUT,
                "no server: {}",
                self.stderr()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The session cookie of a user who signs in here.
    pub(crate) async fn sign_in(&self, home: &Home, user: &str) -> String {
        let link = home.json(&["user", "sign-in-link", user]);
        let token = link["url"].as_str().unwrap().split('=').nth(1).unwrap();
        sign_in(self.url(), token).await
    }

    /// A client for a user who signs in here.
    pub(crate) async fn user_client(&self, home: &Home, user: &str) -> UserClient {
        let session = self.sign_in(home, user).await;
        let client = Client::builder().base_url(self.url());
        client.build_user(session).unwrap()
    }

    pub(crate) fn url(&self) -> &str {
        self.announced["url"].as_str().unwrap()
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.url().strip_prefix("http://").unwrap()
    }

    /// The key that the first start printed.
    pub(crate) fn key(&self) -> &str {
        self.announced["api_key"].as_str().unwrap()
    }

    /// The agent of that key.
    pub(crate) fn agent(&self) -> &str {
        self.announced["agent_id"].as_str().unwrap()
    }

    /// A client with a key; by default the one that the first start printed.
    pub(crate) fn client(&self, key: Option<&str>) -> Client {
        let key = key.unwrap_or_else(|| self.key());
        Client::builder()
            .base_url(self.url())
            .api_key(key)
            .retry(RetryPolicy::none())
            .inject_timeout(Duration::from_secs(10))
            .update_timeout(Duration::from_secs(10))
            .build()
            .unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        std::fs::read_to_string(&self.stderr).unwrap()
    }

    /// Waits for a line of the log.
    pub(crate) async fn logs(&self, wanted: &str) {
        let began = Instant::now();
        while !self.stderr().contains(wanted) {
            let (since, log) = (began.elapsed(), self.stderr());
            assert!(since < PROCESS_TIMEOUT, "{wanted:?} is not in {log}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// kill -9.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal by its name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Asks it to stop, waits until it has, and answers its log.
    pub(crate) async fn stop(mut self) -> String {
        self.signal("TERM");
        assert!(self.ended().await.success());
        self.stderr()
    }

    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < PROCESS_TIMEOUT, "it did not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Only this child, and only if it still runs.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// An HTTP client in place of a browser. It does not follow redirects, so that tests see them.
pub(crate) fn browser() -> reqwest::Client {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap()
}
