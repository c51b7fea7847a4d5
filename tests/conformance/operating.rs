//! Documentation for operators matches the program: messages that
//! `docs/operating/troubleshooting.md` explains, and variables that documents and the files in
//! `deploy/` set.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::docs::{files, papers};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources of the server, with texts that go over several lines in one.
fn sources() -> String {
    let mut joined = String::new();
    for file in files(&root().join("ctxmem-server/src"), ".rs") {
        let mut continues = false;
        for line in fs::read_to_string(file).unwrap().lines() {
            let line = if continues { line.trim_start() } else { line };
            continues = line.ends_with('\\');
            joined.push_str(line.trim_end_matches('\\'));
            if !continues {
                joined.push('\n');
            }
        }
    }
    joined
}

/// The first column of the tables about troubleshooting.
fn symptoms() -> Vec<String> {
    let path = root().join("docs/operating/troubleshooting.md");
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|line| Some(line.split_once(" | ")?.0.to_owned()))
        .collect()
}

/// Whether a message is one of the program; `…` stands for anything. What the system says (with an
/// error number) is not in the sources, nor are names of answers and files.
fn is_said(message: &str, sources: &str) -> bool {
    let pieces = message
        .split('…')
        .map(|piece| piece.trim_matches([' ', ';', ',']));
    pieces
        .filter(|piece| piece.len() > 3)
        .all(|piece| sources.contains(piece))
}

#[test]
fn messages_that_are_explained_are_those_of_the_program() {
    let sources = sources();
    let mut checked = 0;
    for symptom in symptoms() {
        for message in symptom.split('`').skip(1).step_by(2) {
            if !message.contains(' ') || message.contains("os error") {
                continue;
            }
            checked += 1;
            assert!(is_said(message, &sources), "{message}");
        }
    }
    assert!(checked > 30, "only {checked} messages were found");
    assert!(!is_said("there is no such message at …", &sources));
}

/// The names that begin as our variables do.
fn variables(text: &str) -> impl Iterator<Item = String> {
    text.split("CTXMEM_").skip(1).map(|rest| {
        let is_of_name = |char: char| char.is_ascii_uppercase() || char == '_';
        let end = rest.find(|char| !is_of_name(char)).unwrap_or(rest.len());
        rest[..end].to_owned()
    })
}

#[test]
fn variables_that_are_named_are_read_somewhere() {
    let code = [
        "ctxmem-server",
        "ctxmem-client",
        "ctxmem-conformance",
        "ctxmem-mcp",
        "ctxmem-extract",
        "ctxmem-bench",
        "ctxmem-test-postgres",
        "ctxmem-test-server",
        "tests",
    ];
    let read: BTreeSet<String> = code
        .iter()
        .flat_map(|folder| files(&root().join(folder), ".rs"))
        .flat_map(|path| variables(&fs::read_to_string(path).unwrap()).collect::<Vec<_>>())
        .collect();
    let mut named = 0;
    for document in papers()
        .into_iter()
        .chain(files(&root().join("deploy"), ""))
    {
        let Ok(text) = fs::read_to_string(&document) else {
            continue;
        };
        for variable in variables(&text) {
            named += 1;
            let secret = variable.strip_suffix("_FILE").unwrap_or(&variable);
            let is_read = read.contains(&variable) || read.contains(secret);
            assert!(is_read, "{}: CTXMEM_{variable}", document.display());
        }
    }
    assert!(named > 50, "only {named} were found");
}
