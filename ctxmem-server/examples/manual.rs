//! Writes the manual pages of `ctxmem-server`, and what shells complete, from the flags themselves:
//! `cargo run --package ctxmem-server --example manual -- FOLDER`. Packages ship them; the server does
//! without the crates that make them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use clap::{Command, ValueEnum as _};
use clap_complete::Shell;
use clap_mangen::Man;

const PROGRAM: &str = "ctxmem-server";

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("expected a folder to write to"));
    };
    write(&folder)
}

/// Writes one page a command, and one script a shell.
fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut command = ctxmem_server::cli::command();
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut command, PROGRAM, folder)?;
    }
    // Each command's help names its parents.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_pages(&command, PROGRAM, folder)
}

/// Writes the page of a command, and those of its subcommands.
fn write_pages(command: &Command, name: &str, folder: &Path) -> io::Result<()> {
    let mut page = fs::File::create(folder.join(format!("{name}.1")))?;
    Man::new(command.clone())
        .title(name.to_uppercase())
        .render(&mut page)?;
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    for subcommand in shown {
        let name = format!("{name}-{}", subcommand.get_name());
        write_pages(subcommand, &name, folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_know_the_commands() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        for script in ["ctxmem-server.bash", "_ctxmem-server", "ctxmem-server.fish"] {
            for word in ["sign-in-link", "rate-limit", "first-grant"] {
                assert!(read(script).contains(word), "{script}: {word}");
            }
        }
        let page = read("ctxmem-server.1");
        assert!(page.contains(".TH CTXMEM-SERVER 1"), "{page}");
        assert!(page.contains("CTXMEM_RATE_LIMIT"), "{page}");
        assert!(read("ctxmem-server-key-rotate.1").contains("SYNOPSIS"));
    }
}
