//! Paths of Chromium and its driver.

use std::path::PathBuf;

const HOW_TO_GET: &str = "Chromium and chromedriver are needed for this test: install them \
                          (Debian: apt-get install chromium chromium-driver; Ubuntu: \
                          snap install chromium)";

pub(super) fn chromium() -> PathBuf {
    let light = "chromium-headless-shell";
    program(&[light, "chromium", "chromium-browser", "google-chrome"])
}

pub(super) fn chromedriver() -> PathBuf {
    program(&["chromedriver"])
}

/// The first of these names that is there.
fn program(names: &[&str]) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/bin".into()]);
    let folders: Vec<PathBuf> = folders.collect();
    let in_folders = |name| folders.iter().map(move |folder| folder.join(name));
    let found = names
        .iter()
        .flat_map(in_folders)
        .find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("no {}: {HOW_TO_GET}", names.join(", ")))
}
