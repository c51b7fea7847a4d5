//! A ctxmem server on temporary data.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::agent::Agent;
use crate::load::Wire;
use crate::process::Process;

/// A server, with the key that its first start printed.
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) key: String,
    home: TempDir,
    binary: PathBuf,
    database_url: String,
}

impl Server {
    /// On SQLite, in a folder of its own, with these flags.
    pub(crate) fn on_sqlite(binary: &Path, flags: &[&str]) -> Self {
        Self::on(binary, "sqlite://ctxmem.db", flags)
    }

    /// On SQLite, in memory if the system has a file system there: what is stored takes no flush.
    pub(crate) fn in_memory(binary: &Path, flags: &[&str]) -> Self {
        let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::start_in(home.unwrap(), binary, "sqlite://ctxmem.db", flags)
    }

    /// On this empty database, with these flags.
    pub(crate) fn on(binary: &Path, database_url: &str, flags: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        Self::start_in(home, binary, database_url, flags)
    }

    fn start_in(home: TempDir, binary: &Path, database_url: &str, flags: &[&str]) -> Self {
        let process = Process::start(command(binary, home.path(), database_url, flags));
        let key = process.said["api_key"].as_str().unwrap().to_owned();
        Self {
            process,
            key,
            home,
            binary: binary.to_owned(),
            database_url: database_url.to_owned(),
        }
    }

    /// Ends the process, and starts it again with these flags.
    pub(crate) fn restart(self, flags: &[&str]) -> Self {
        self.restart_in(flags, |home| home)
    }

    /// The same at another address of its database.
    pub(crate) fn restart_at(mut self, url: &str, flags: &[&str]) -> Self {
        url.clone_into(&mut self.database_url);
        self.restart(flags)
    }

    /// The same on a copy of its files on disk.
    pub(crate) fn restart_on_disk(self, flags: &[&str]) -> Self {
        self.restart_in(flags, |home| {
            let disk = tempfile::tempdir().unwrap();
            for file in std::fs::read_dir(home.path()).unwrap() {
                let file = file.unwrap();
                let copy = disk.path().join(file.file_name());
                std::fs::copy(file.path(), &copy).unwrap();
                File::open(copy).unwrap().sync_all().unwrap();
            }
            disk
        })
    }

    fn restart_in(mut self, flags: &[&str], change: impl FnOnce(TempDir) -> TempDir) -> Self {
        drop(self.process);
        self.home = change(self.home);
        let command = command(&self.binary, self.home.path(), &self.database_url, flags);
        self.process = Process::start(command);
        self
    }

    /// How many bytes the files of its database have.
    pub(crate) fn stored_bytes(&self) -> u64 {
        let files = std::fs::read_dir(self.home.path()).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    }

    /// A file in the folder of its database.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn run(&self, args: &[&str]) {
        let mut command = Command::new(&self.binary);
        command.current_dir(self.home.path()).env_clear().args(args);
        let done = command
            .args(["--database-url", &self.database_url])
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    /// Makes a backup, and removes it. Answers how long it took to make it.
    pub(crate) fn back_up(&self) -> Duration {
        let begun = Instant::now();
        self.run(&["backup", "backup.db"]);
        let took = begun.elapsed();
        for name in ["backup.db", "backup.db-keys"] {
            std::fs::remove_file(self.path(name)).unwrap();
        }
        took
    }

    pub(crate) async fn wire(&self) -> Wire {
        Wire::open(self.process.address()).await
    }

    pub(crate) async fn agent(&self) -> Agent {
        Agent::connect(self.process.address(), &self.key).await
    }
}

/// The command that serves a database in a folder, with these flags.
pub(crate) fn command(binary: &Path, home: &Path, database_url: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command
        .current_dir(home)
        .env_clear()
        // Not a flag: servers from before this limit, which are measured as well, know no such flag.
        .env("CTXMEM_ERASURE_LIMIT", "0")
        .args(["--listen", "127.0.0.1:0", "--json", "--log", "warn"])
        .args(["--rate-limit", "0", "--database-url", database_url])
        .args(flags)
        .stdin(Stdio::null());
    command
}
