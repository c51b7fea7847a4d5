//! The commands that a first start prints for operators to copy. They work from any folder.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::Common;
use crate::store::full_path;

/// The parts that all printed commands share.
pub(super) struct Commands {
    program: String,
    database: Vec<String>,
    public_url: String,
}

impl Commands {
    /// The commands for a server with these flags that listens at this address.
    pub(super) fn new(common: &Common, listens: SocketAddr) -> Self {
        let public_url = common.public_url.as_ref();
        Self {
            program: program(),
            database: common.database.flags(common.config.as_deref()),
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

    /// A command whose output contains an address of the server.
    pub(super) fn command_with_address(&self, args: &[&str]) -> String {
        let command = self.command(args);
        format!("{command} --public-url {}", quoted(&self.public_url))
    }
}

/// The program as it was started, by its full path unless it was found in PATH.
fn program() -> String {
    let started_as = std::env::args_os().next().unwrap_or_default();
    let name = PathBuf::from(&started_as);
    let is_in_path = name.components().count() == 1;
    if is_in_path {
        return quoted(&name.to_string_lossy());
    }
    quoted(&full_path(&name))
}

/// A word, quoted for a shell where that is needed.
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
