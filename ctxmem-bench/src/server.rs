//! A ctxmem server on temporary data.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::load::Wire;
use crate::process::Process;
use crate::request;

/// A server, with the key that its first start printed.
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) key: String,
    home: TempDir,
    binary: PathBuf,
    database_url: Option<String>,
}

impl Server {
    /// On SQLite, in a folder of its own.
    pub(crate) fn on_sqlite(binary: &Path) -> Self {
        Self::start(binary, None)
    }

    /// On this empty Postgres database.
    pub(crate) fn on_postgres(binary: &Path, url: &str) -> Self {
        Self::start(binary, Some(url.to_owned()))
    }

    fn start(binary: &Path, database_url: Option<String>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let process = Process::start(command(binary, home.path(), database_url.as_deref()));
        let key = process.said["api_key"].as_str().unwrap().to_owned();
        Self {
            process,
            key,
            home,
            binary: binary.to_owned(),
            database_url,
        }
    }

    /// Ends the process and lets something be done to its database; then it starts again.
    pub(crate) async fn restart<F: Future<Output = ()>>(
        self,
        between: impl FnOnce(PathBuf) -> F,
    ) -> Self {
        let Self {
            process,
            key,
            home,
            binary,
            database_url,
        } = self;
        drop(process);
        between(home.path().join("ctxmem.db")).await;
        let process = Process::start(command(&binary, home.path(), database_url.as_deref()));
        Self {
            process,
            key,
            home,
            binary,
            database_url,
        }
    }

    pub(crate) async fn wire(&self) -> Wire {
        Wire::open(self.process.address()).await
    }

    /// Learns from one message.
    pub(crate) async fn tell(&self, wire: &mut Wire, user: &str, message: &str) -> Value {
        let request = request::post("/api/context/update", &self.key, &update(user, message));
        serde_json::from_slice(wire.exchange(&request).await).unwrap()
    }

    /// The prompt of a user.
    pub(crate) async fn inject(&self, wire: &mut Wire, user: &str, base: &str) -> Value {
        let request = request::post("/api/context/inject", &self.key, &inject(user, base));
        serde_json::from_slice(wire.exchange(&request).await).unwrap()
    }
}

fn command(binary: &Path, home: &Path, database_url: Option<&str>) -> Command {
    let mut command = Command::new(binary);
    command
        .current_dir(home)
        .env_clear()
        .args(["--listen", "127.0.0.1:0", "--json", "--log", "warn"])
        .args(["--rate-limit", "0", "--facts-per-list", "0"])
        .args([
            "--database-url",
            database_url.unwrap_or("sqlite://ctxmem.db"),
        ])
        .stdin(Stdio::null());
    command
}

/// The body of an inject.
pub(crate) fn inject(user: &str, base: &str) -> Value {
    json!({ "userId": user, "basePrompt": base })
}

/// The body of an update.
pub(crate) fn update(user: &str, message: &str) -> Value {
    json!({ "userId": user, "userMessage": message, "agentResponse": "Noted." })
}
