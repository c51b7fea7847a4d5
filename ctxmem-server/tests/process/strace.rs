//! Commands under strace, which sees their system calls and can make them fail.

use std::process::{Command, Stdio};

/// The command as a child of ours, with strace beside it (`-D`), so that signals reach the command.
/// All threads are traced (`-f`).
pub(crate) fn under_strace(traced: &Command, flags: &[&str]) -> Command {
    let version = Command::new("strace").arg("-V").output();
    assert!(version.is_ok(), "strace is needed: apt-get install strace");
    let mut command = Command::new("strace");
    command
        .current_dir(traced.get_current_dir().unwrap())
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs(
            traced
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::null())
        .args(["-D", "-f"])
        .args(flags)
        .arg(traced.get_program())
        .args(traced.get_args());
    command
}
