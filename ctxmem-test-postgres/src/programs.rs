//! Server programs: where they are installed, and the unprivileged user that runs them.

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How to get the programs of Postgres.
pub(crate) const POSTGRES: &str = "PostgreSQL is needed for this test: install it (Debian, Ubuntu: \
                                   apt-get install postgresql) or set CTXMEM_TEST_POSTGRES_URL";

/// How to get the pooler.
pub(crate) const PGBOUNCER: &str = "PgBouncer is needed for this test: install it (Debian, \
                                    Ubuntu: apt-get install pgbouncer)";

/// The path of a server program. Distributions keep them out of `PATH`.
pub(crate) fn program(name: &str, how_to_get: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|version| Some(version.ok()?.path().join("bin")));
    std::env::split_paths(&path)
        .chain(debian)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .expect(how_to_get)
}

/// The path of a program that comes with Postgres, such as `psql`.
pub fn postgres_program(name: &str) -> PathBuf {
    program(name, POSTGRES)
}

/// An unprivileged user and group: Postgres refuses to run as root. `None` when this process
/// is not root.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
    let id = Command::new("id")
        .arg("-u")
        .output()
        .expect("the program id");
    if id.stdout.trim_ascii() != b"0" {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("/etc/passwd");
    ["postgres", "nobody"]
        .into_iter()
        .find_map(|name| ids(&users, name))
        .map_or_else(
            || panic!("no user postgres or nobody to run Postgres as"),
            Some,
        )
}

fn ids(users: &str, name: &str) -> Option<(u32, u32)> {
    let line = users
        .lines()
        .find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Hands a folder to the unprivileged user.
pub(crate) fn give(folder: &Path, ids: Option<(u32, u32)>) {
    if let Some((user, group)) = ids {
        std::os::unix::fs::chown(folder, Some(user), Some(group)).expect("chown");
    }
}

/// Has a server run in this folder as the unprivileged user: servers refuse to run as root, and
/// look for files in the home folder.
pub(crate) fn disguise(command: &mut Command, folder: &Path, ids: Option<(u32, u32)>) {
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8");
    if let Some((user, group)) = ids {
        command.uid(user).gid(group);
    }
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
