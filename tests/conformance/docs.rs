//! The document has the same table of rules as the program, and documents name files and tests that
//! exist.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use ctxmem_conformance::{SECTIONS, rules_in_markdown};

#[test]
fn the_document_lists_every_rule() {
    let document = include_str!("../../docs/conformance.md");
    let (_, rest) = document.split_once("<!-- rules -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end of rules -->").unwrap();
    assert_eq!(
        table.trim(),
        rules_in_markdown().trim(),
        "print it anew: cargo run -p ctxmem-conformance -- --rules"
    );
}

#[test]
fn ids_are_unique_and_begin_with_their_section() {
    let mut seen = HashSet::new();
    for section in SECTIONS {
        for rule in section.rules {
            assert!(seen.insert(rule.id), "{}", rule.id);
            let begin = format!("{}.", section.name);
            assert!(rule.id.starts_with(&begin), "{}", rule.id);
        }
    }
}

/// The files below a folder whose names end so. Hidden folders and those of built files are left out.
pub(crate) fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !path.is_dir() {
            found.extend(name.ends_with(end).then_some(path));
        } else if !name.starts_with('.') && !["target", "node_modules"].contains(&name) {
            found.extend(files(&path, end));
        }
    }
    found
}

/// A document without its code.
pub(crate) fn prose(text: &str) -> String {
    // Every second part stands between fences.
    text.split("```").step_by(2).collect()
}

/// The documents of the repository; those of the published crates are checked in `tests/client`.
pub(crate) fn papers() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut papers = files(&root.join("docs"), ".md");
    papers.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    papers
}

/// Whether a file exists, as `path` or `path::test`, below one of these folders. Names in capitals
/// stand for any name.
fn exists(folders: &[&Path], name: &str) -> bool {
    let (path, function) = name.split_once("::").unwrap_or((name, ""));
    name.contains("NOUN")
        || name.contains("NAME")
        || folders.iter().any(|folder| {
            let text = fs::read_to_string(folder.join(path));
            text.is_ok_and(|text| function.is_empty() || text.contains(&format!("fn {function}()")))
        })
}

#[test]
fn papers_name_files_and_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root, &root.join("ctxmem-server/src")];
    let is_path = |name: &str| {
        let path = name.split("::").next().unwrap_or_default();
        let known = [".rs", ".md", ".sh", ".toml", ".sql", ".html"];
        path.contains('/') && !path.contains([' ', '{']) && known.iter().any(|e| path.ends_with(e))
    };
    let mut named = 0;
    for paper in papers() {
        // Every second part stands between backticks.
        for name in prose(&fs::read_to_string(&paper).unwrap())
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| is_path(name))
        {
            named += 1;
            assert!(exists(&folders, name), "{} names {name}", paper.display());
        }
    }
    assert!(named > 100, "only {named} names were found");
    assert!(!exists(&folders, "tests/conformance/docs.rs::no_such_test"));
    assert!(exists(
        &folders,
        "tests/conformance/docs.rs::papers_name_files_and_tests_that_exist"
    ));
}
