//! A real `PgBouncer` in front of a cluster.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Cluster;
use crate::programs::{PGBOUNCER, disguise, free_port, give, program, unprivileged};
use crate::supervised::Supervised;

/// How long it may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection pooler that a test has to itself.
pub struct PgBouncer {
    port: u16,
    // It ends before its folder is removed.
    _running: Supervised,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts one in this mode: `session`, `transaction` or `statement`. These settings, such as
    /// `default_pool_size=1`, come besides.
    pub fn start(cluster: &Cluster, mode: &str, settings: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("ctxmem-pool-").tempdir();
        let folder = folder.expect("a temporary folder");
        let (ids, port) = (unprivileged(), free_port());
        let config = folder.path().join("pgbouncer.ini");
        let lines = format!(
            "[databases]\n* = host=127.0.0.1 user=postgres port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n{}\n",
            cluster.port(),
            settings.join("\n")
        );
        std::fs::write(&config, lines).expect("the pooler's settings");
        give(folder.path(), ids);
        let mut command = Supervised::command("TERM", None);
        command.arg(program("pgbouncer", PGBOUNCER)).arg(&config);
        disguise(&mut command, folder.path(), ids);
        let log = folder.path().join("log");
        let running = Supervised::start(command, &log);
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            assert!(began.elapsed() < START_TIMEOUT, "PgBouncer: {log}");
            std::thread::sleep(Duration::from_millis(10));
        }
        Self {
            port,
            _running: running,
            _folder: folder,
        }
    }

    /// The URL of a database on the cluster, by way of the pooler.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }
}
