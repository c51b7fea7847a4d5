//! Files of data. What can't be read ends the run, with its place.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The value, or a panic that names the file.
pub(crate) fn or_panic<T>(file: &Path, result: Result<T, impl Display>) -> T {
    result.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The files of a folder that end so, by name.
pub(crate) fn in_folder(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = or_panic(folder, fs::read_dir(folder));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|own| own == end));
    files.sort();
    files
}

/// What a file of JSON holds.
pub(crate) fn json<T: DeserializeOwned>(file: &Path) -> T {
    or_panic(
        file,
        serde_json::from_slice(&or_panic(file, fs::read(file))),
    )
}
