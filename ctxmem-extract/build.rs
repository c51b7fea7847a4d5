//! Checks the data that is compiled in: a row or a list that can't be right fails the build.

use std::collections::{HashMap, HashSet};
use std::fs::{read_dir, read_to_string};
use std::path::Path;
use std::process::ExitCode;

#[macro_use]
#[path = "src/named.rs"]
mod named;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/text/class.rs"]
mod class;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/grammar.rs"]
mod grammar;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/rules/kind.rs"]
mod kind;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/language.rs"]
mod language;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/lists/list.rs"]
mod list;

use class::Class;
use grammar::{Element, Mode, Output, Row};
use kind::{Handler, Kind};
use language::Language;
use list::{List, Table};

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

/// Folders in `data/` that belong to no language.
const SHARED_FOLDERS: [&str; 2] = ["gate", "tools"];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=data");
    let mut problems = Vec::new();
    let mut check = |file: &str, found: Vec<String>| {
        problems.extend(
            found
                .into_iter()
                .map(|problem| format!("data/{file}: {problem}")),
        );
    };
    let is_folder = |name: &String| Path::new("data").join(name).is_dir();
    for name in entries("").into_iter().filter(is_folder) {
        if !SHARED_FOLDERS.contains(&name.as_str()) {
            check("", check_folder(&name, &entries(&name)));
        }
    }
    for language in Language::ALL {
        let files = language.files();
        let at = |file: &str| format!("{}/{file}", files.folder);
        check(&at("words.txt"), check_words(files.words));
        check(&at("slots.txt"), check_slots(files.slots));
        check(&at("patterns.txt"), check_patterns(files.patterns));
        let mut names = HashSet::new();
        for (file, text) in files.lists {
            check(&at(file), check_lists(text, &mut names));
        }
        check(&at("dates.txt"), check_dates(&files.lists));
    }
    check(
        "names.txt",
        check_lists(language::NAMES, &mut HashSet::new()),
    );
    for folder in SHARED_FOLDERS {
        for file in entries(folder) {
            let at = format!("{folder}/{file}");
            let Ok(text) = read_to_string(Path::new("data").join(&at)) else {
                check(&at, vec!["can't be read as UTF-8".to_owned()]);
                continue;
            };
            check(
                &at,
                match folder {
                    "tools" => check_tools(&text),
                    _ => check_sections(&text),
                },
            );
        }
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

/// The names in a folder of `data/`.
fn entries(folder: &str) -> Vec<String> {
    let entries = read_dir(Path::new("data").join(folder))
        .into_iter()
        .flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.into_string().ok()).collect()
}

/// A folder is a language that `src/language.rs` names, and all its files are read.
pub(crate) fn check_folder(name: &str, files: &[String]) -> Vec<String> {
    let mut languages = Language::ALL.into_iter().map(Language::files);
    let Some(language) = languages.find(|files| files.folder == name) else {
        return vec![format!("{name}: src/language.rs names no such language")];
    };
    let lists = language.lists.map(|(file, _)| file);
    let read = |file: &str| {
        ["words.txt", "slots.txt", "patterns.txt"].contains(&file) || lists.contains(&file)
    };
    let unread = files.iter().filter(|file| !read(file));
    unread
        .map(|file| format!("{name}/{file}: nobody reads it"))
        .collect()
}

/// Rows: kinds, functions, scopes, slots and labels are known, and no two rows say the same.
pub(crate) fn check_patterns(text: &str) -> Vec<String> {
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
    for output in &row.outputs {
        match output {
            Output::Handler { label, .. } => known(label),
            Output::Fact { slot, text, .. } => {
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
    for output in &row.outputs {
        match output {
            Output::Handler { name, .. } if Handler::named(name).is_none() => {
                at(format!("there is no function {name}"));
            }
            Output::Fact {
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
            Output::Handler { .. } => {}
        }
    }
}

/// The lines of a file that are no comments, each with what stands before a mark and behind it.
fn lines<'a>(text: &'a str, mark: &str) -> Vec<(&'a str, Option<&'a str>)> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| match line.split_once(mark) {
            Some((before, behind)) => (before, Some(behind)),
            None => (line, None),
        })
        .collect()
}

/// Words in lower case, none twice.
fn check_entries<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    for word in words {
        if !seen.insert(word) {
            problems.push(format!("{name}: {word} stands there twice"));
        }
        if word.trim() != word || word.is_empty() || word.to_lowercase() != word {
            problems.push(format!("{name}: '{word}' is not a word in lower case"));
        }
    }
    problems
}

/// Classes, `class: words`.
pub(crate) fn check_words(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut names = HashSet::new();
    for (name, words) in lines(text, ": ") {
        if Class::named(name).is_none() {
            problems.push(format!("there is no class {name}"));
        }
        if !names.insert(name) {
            problems.push(format!("{name} stands there twice"));
        }
        problems.extend(check_entries(name, words.unwrap_or_default().split(", ")));
    }
    problems
}

/// Lists and tables, `name: entries`, and relative days, `phrase = meaning`. No name may be in two
/// files of a language.
pub(crate) fn check_lists<'a>(text: &'a str, names: &mut HashSet<&'a str>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut days = HashSet::new();
    for (name, entries) in lines(text, ": ") {
        let Some(entries) = entries else {
            problems.extend(check_day(name, &mut days));
            continue;
        };
        if !names.insert(name) {
            problems.push(format!("{name} stands there twice"));
        }
        let entries = entries.split(", ");
        if List::named(name).is_some() {
            for entry in entries.clone().filter(|entry| entry.contains('(')) {
                if let Err(problem) = grammar::ways(entry, &[]) {
                    problems.push(format!("{name}: {entry}: {problem}"));
                }
            }
            problems.extend(check_entries(name, entries));
        } else if let Some(table) = Table::named(name) {
            let pairs = entries.clone().any(|entry| entry.contains(" = "));
            if pairs && !entries.clone().all(|entry| entry.contains(" = ")) {
                problems.push(format!("{name}: an entry without ' = '"));
            }
            let keys = entries.map(|entry| entry.split(" = ").next().unwrap_or_default());
            match table {
                Table::Counts => {
                    problems.extend(check_entries(name, keys.flat_map(|key| key.split('|'))));
                }
                _ => problems.extend(check_entries(name, keys)),
            }
        } else {
            problems.push(format!("there is no list {name}"));
        }
    }
    problems
}

/// A relative day, `phrase = unit distance`.
fn check_day<'a>(line: &'a str, seen: &mut HashSet<&'a str>) -> Option<String> {
    let (phrase, meaning) = line.split_once(" = ").unwrap_or_default();
    let units = [
        "day", "days", "week", "weeks", "month", "months", "year", "years", "weekday", "none",
    ];
    let known = meaning
        .split_once(' ')
        .is_some_and(|(unit, distance)| units.contains(&unit) && distance.parse::<i32>().is_ok());
    if phrase.to_lowercase() != phrase || !known {
        Some(format!("can't be read: {line}"))
    } else if !seen.insert(phrase) {
        Some(format!("{phrase} stands there twice"))
    } else {
        None
    }
}

/// A date that is found has to be written in every language.
pub(crate) fn check_dates(files: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    let lists = files.iter().flat_map(|(_, text)| lines(text, ": "));
    let lists: HashMap<&str, &str> = lists
        .filter_map(|(name, entries)| Some((name, entries?)))
        .collect();
    for (name, least) in [
        ("months", 12),
        ("weekdays", 7),
        ("leads", 1),
        ("date_forms", 3),
    ] {
        if lists
            .get(name)
            .map_or(0, |entries| entries.split(", ").count())
            < least
        {
            problems.push(format!("{name} is missing or too short"));
        }
    }
    for form in ["day", "week", "month"] {
        let forms = lists
            .get("date_forms")
            .copied()
            .unwrap_or_default()
            .split(", ");
        if !forms
            .clone()
            .any(|entry| entry.split_once(" = ").is_some_and(|(of, _)| of == form))
        {
            problems.push(format!("date_forms has no {form}"));
        }
    }
    problems
}

/// Slots, `slot | phrases`: of a phrase it has to be clear which slot it names.
pub(crate) fn check_slots(text: &str) -> Vec<String> {
    let rows = lines(text, " | ");
    let slots = check_entries("slots", rows.iter().map(|(slot, _)| *slot));
    let phrases = rows
        .iter()
        .flat_map(|(_, phrases)| phrases.unwrap_or_default().split(", "));
    [slots, check_entries("phrases", phrases)].concat()
}

/// Lists of the gate: `[section]`, and no line of one twice.
pub(crate) fn check_sections(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut section, mut seen) = ("", HashSet::new());
    for line in text.lines().map(str::trim) {
        let name = line
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        section = name.unwrap_or(section);
        // Cases of tests share their lines.
        let skipped = section == "cases" || line.is_empty() || line.starts_with("# ");
        if !skipped && !seen.insert((section, line)) {
            problems.push(format!("[{section}]: {line} stands there twice"));
        }
    }
    problems
}

/// Tools: below a line that says where they belong, no name twice in a file.
pub(crate) fn check_tools(text: &str) -> Vec<String> {
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
