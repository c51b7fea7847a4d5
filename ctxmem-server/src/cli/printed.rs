//! Commands to copy that a start prints. They work in any folder, on the same database.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::Common;

/// What each command begins and ends with.
pub(super) struct Commands {
    program: String,
    database: Vec<String>,
    public_url: String,
}

impl Commands {
    /// For a server with these flags that listens here.
    pub(super) fn new(common: &Common, listens: SocketAddr) -> Self {
        let public_url = common.public_url.as_ref();
        Self {
            program: program(),
            database: common.database.flags(),
            public_url: public_url.map_or_else(|| format!("http://{listens}"), ToString::to_string),
        }
    }

    /// A command on the server's database.
    pub(super) fn command(&self, args: &[&str]) -> String {
        let args = args.iter().map(|arg| quoted(arg));
        let words: Vec<String> = [self.program.clone()]
            .into_iter()
            .chain(args)
            .chain(self.database.iter().cloned())
            .collect();
        words.join(" ")
    }

    /// One that prints an address of the server as well.
    pub(super) fn command_with_address(&self, args: &[&str]) -> String {
        let command = self.command(args);
        format!("{command} --public-url {}", quoted(&self.public_url))
    }
}

/// The name with which the program was started, as it is found from any folder.
fn program() -> String {
    let started_as = std::env::args_os().next().unwrap_or_default();
    let name = PathBuf::from(&started_as);
    let is_in_path = name.components().count() == 1;
    if is_in_path {
        return quoted(&name.to_string_lossy());
    }
    quoted(&full(&name))
}

/// A path that means the same in any folder.
pub(super) fn full(path: &Path) -> String {
    let full = std::path::absolute(path);
    let full = full.as_deref().unwrap_or(path);
    full.to_string_lossy().into_owned()
}

/// A word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        for (word, expected) in [
            ("/srv/ctxmem.db", "/srv/ctxmem.db"),
            ("/my files/a", "'/my files/a'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
