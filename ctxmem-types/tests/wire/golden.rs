//! Reads golden files, and checks that each one is used.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use ctxmem_types::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn text(file: &str) -> String {
    fs::read_to_string(tests().join("golden").join(file))
        .map_err(|error| format!("{file}: {error}"))
        .unwrap()
}

fn read<T: DeserializeOwned>(file: &str) -> T {
    json::from_slice(text(file).as_bytes())
        .map_err(|error| format!("{file}: {error}"))
        .unwrap()
}

fn written<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// Reads a file that is written back byte for byte.
pub(crate) fn exact<T: DeserializeOwned + Serialize>(file: &str) -> T {
    let text = text(file);
    let value: T = json::from_slice(text.as_bytes()).unwrap();
    assert_eq!(
        written(&value),
        text,
        "{file} is not written back as it was"
    );
    let out = out_file(file);
    assert!(!files().contains(&out), "{file} does not need {out}");
    value
}

/// Reads a file that is written back as the `.out.json` next to it, which has the same meaning.
pub(crate) fn rewritten<T>(file: &str) -> T
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let value: T = read(file);
    let out = out_file(file);
    assert_ne!(text(file), text(&out), "{file} does not need {out}");
    assert_eq!(
        written(&value),
        text(&out),
        "{file} is not written as {out}"
    );
    assert_eq!(value, exact(&out), "{file} and {out} differ in meaning");
    value
}

fn out_file(file: &str) -> String {
    file.replace(".json", ".out.json")
}

/// The contents of every golden file.
pub(crate) fn contents() -> Vec<String> {
    files().iter().map(|file| text(file)).collect()
}

/// The names of all golden files, such as `inject/enriched.json`.
fn files() -> BTreeSet<String> {
    let golden = tests().join("golden");
    let mut files = BTreeSet::new();
    let mut folders = vec![golden.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let file = path.strip_prefix(&golden).unwrap();
                files.insert(file.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    files
}

#[test]
fn every_golden_file_is_used_exactly_once() {
    let sources: String = fs::read_dir(tests().join("wire"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let uses = |file: &str| sources.matches(&format!("\"{file}\"")).count();

    let files = files();
    for file in &files {
        if let Some(name) = file.strip_suffix(".out.json") {
            assert_eq!(uses(file), 0, "{file} is used through {name}.json");
            assert!(files.contains(&format!("{name}.json")), "{file} is alone");
        } else {
            assert_eq!(uses(file), 1, "uses of {file}");
        }
    }
}
