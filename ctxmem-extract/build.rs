//! Checks the data that is compiled in: a row or a list that can't be right fails the build.

use std::collections::{HashMap, HashSet};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/rules/grammar.rs"]
mod grammar;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/rules/kind.rs"]
mod kind;

use grammar::{Element, Mode, Row, Told};
use kind::{Handler, Kind};

/// The scopes, and whether a fact of theirs has a slot.
const SCOPES: [(&str, bool); 7] = [
    ("general", true),
    ("communication_style", false),
    ("preferences", true),
    ("knowledge", false),
    ("relationships", false),
    ("history", false),
    ("goals", false),
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rerun-if-changed=src/rules/grammar.rs");
    println!("cargo::rerun-if-changed=src/rules/kind.rs");
    let mut problems = Vec::new();
    for file in files(Path::new("data")) {
        let Ok(text) = read_to_string(&file) else {
            problems.push(format!("{}: can't be read as UTF-8", file.display()));
            continue;
        };
        let own_form = file.parent().is_some_and(|folder| folder.ends_with("gate"));
        let found = match file.file_name().and_then(|name| name.to_str()) {
            // Lists of the gate have sections.
            _ if own_form => Vec::new(),
            Some("patterns.txt") => check_patterns(&text),
            Some("words.txt" | "lists.txt" | "names.txt" | "glue.txt") => check_lists(&text),
            _ if file
                .parent()
                .is_some_and(|folder| folder.ends_with("tools")) =>
            {
                check_tools(&text)
            }
            _ => Vec::new(),
        };
        problems.extend(
            found
                .into_iter()
                .map(|problem| format!("{}: {problem}", file.display())),
        );
    }
    for problem in &problems {
        println!("cargo::error={problem}");
    }
    if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Rows: kinds, functions, scopes, slots and labels are known, and no two rows say the same.
fn check_patterns(text: &str) -> Vec<String> {
    let rows = match grammar::rows(text) {
        Ok(rows) => rows,
        Err(problem) => return vec![problem],
    };
    let mut problems = Vec::new();
    let mut seen: HashMap<(u8, Vec<Element<'_>>), usize> = HashMap::new();
    for row in &rows {
        let mut at = |problem: String| problems.push(format!("line {}: {problem}", row.line));
        for way in &row.ways {
            if let Some(other) = seen.insert((mode(row.mode), by_kind(way)), row.line)
                && other != row.line
            {
                at(format!("says the same as line {other}"));
                break;
            }
        }
        check_row(row, &mut at);
    }
    problems
}

const fn mode(mode: Mode) -> u8 {
    mode as u8
}

/// What captures are called makes no difference to what is found.
fn by_kind<'a>(way: &[Element<'a>]) -> Vec<Element<'a>> {
    way.iter()
        .map(|element| match element {
            Element::Capture { kind, .. } => Element::Capture { label: "", kind },
            other => *other,
        })
        .collect()
}

fn check_row(row: &Row<'_>, at: &mut impl FnMut(String)) {
    let mut labels = HashSet::new();
    for element in row.ways.iter().flatten() {
        match element {
            Element::Capture { label, kind } => {
                labels.insert(*label);
                if Kind::named(kind).is_none() {
                    at(format!("there is no kind {kind}"));
                }
            }
            Element::Word(word) if word.to_lowercase() != *word => {
                at(format!("{word}: words stand in lower case"));
            }
            _ => {}
        }
    }
    let mut known = |label: &str| {
        if !labels.contains(label) {
            at(format!("no capture is called {label}"));
        }
    };
    for told in &row.told {
        match told {
            Told::Handler { label, .. } => known(label),
            Told::Fact { slot, text, .. } => {
                let texts = [Some(*text), *slot];
                for text in texts.into_iter().flatten() {
                    text.split(['{', '}'])
                        .skip(1)
                        .step_by(2)
                        .for_each(&mut known);
                }
            }
        }
    }
    for told in &row.told {
        match told {
            Told::Handler { name, .. } if Handler::named(name).is_none() => {
                at(format!("there is no function {name}"));
            }
            Told::Fact {
                forget,
                scope,
                slot,
                ..
            } => match SCOPES.iter().find(|(known, _)| known == scope) {
                None => at(format!("there is no scope {scope}")),
                Some((_, map)) if *map != slot.is_some() && !*forget => {
                    at(format!(
                        "{scope}: {}",
                        if *map {
                            "a slot is missing"
                        } else {
                            "it has no slots"
                        }
                    ));
                }
                Some(_) => {}
            },
            Told::Handler { .. } => {}
        }
    }
}

/// Lists, `name: words`: in lower case, nothing twice in one.
fn check_lists(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut names = HashSet::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        let Some((name, words)) = line.split_once(": ") else {
            problems.push(format!("no ': ' in {line}"));
            continue;
        };
        if !names.insert(name) {
            problems.push(format!("{name} stands there twice"));
        }
        let mut seen = HashSet::new();
        for word in words.split(", ") {
            if !seen.insert(word) {
                problems.push(format!("{name}: {word} stands there twice"));
            }
            if word.trim() != word || word.is_empty() || word.to_lowercase() != word {
                problems.push(format!("{name}: '{word}' is not a word in lower case"));
            }
        }
    }
    problems
}

/// Tools: below a line that says where they belong, no name twice in a file.
fn check_tools(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    let mut home = false;
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        if let Some(place) = line.strip_prefix("@ ") {
            home = place
                .split_once(' ')
                .is_some_and(|(scope, _)| SCOPES.iter().any(|(known, _)| *known == scope));
            if !home {
                problems.push(format!("{line}: no scope and slot"));
            }
            continue;
        }
        if !home {
            problems.push(format!("{line}: nothing says where it belongs"));
        }
        for name in line.split(['|', ',']) {
            let name = name.trim().trim_start_matches(['!', '~']).to_lowercase();
            if !seen.insert(name.clone()) {
                problems.push(format!("{name} stands there twice"));
            }
        }
    }
    problems
}
