//! House phrases: what only insiders understand stands neither in documents nor in the headers of modules.

use std::fs;
use std::path::{Path, PathBuf};

use super::files;

/// In their lower case.
const DROPPED: [&str; 14] = [
    "as it stands",
    " mend ",
    " mended ",
    "thousand million",
    "take along",
    "take it along",
    "taken along",
    "turned away",
    "is to be ",
    "are to be ",
    "(any more)",
    "it is yours",
    "changes hold",
    "what goes by itself",
];

/// The texts that strangers read first: documents, and the headers of modules.
fn texts(project: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(project).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            paths.extend(files(&path));
        } else if path.is_file() {
            paths.push(path);
        }
    }
    let has = |path: &Path, end: &str| path.extension().is_some_and(|found| found == end);
    paths.retain(|path| has(path, "md") || has(path, "rs"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines();
        let header = lines.filter(|line| has(&path, "md") || line.starts_with("//!"));
        let text = header.collect::<Vec<_>>().join(" ").to_lowercase();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn documents_and_headers_are_said_in_plain_english() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let texts = texts(project);
    assert!(texts.len() > 500, "{}", texts.len());
    let readme = texts
        .iter()
        .find(|(path, _)| *path == project.join("README.md"));
    assert!(readme.is_some_and(|(_, text)| text.contains("memory")));
    for (path, text) in texts {
        for phrase in DROPPED {
            assert!(!text.contains(phrase), "{}: {phrase}", path.display());
        }
    }
}
