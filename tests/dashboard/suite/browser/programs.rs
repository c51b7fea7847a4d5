//! Paths of Chromium and its driver.

use std::path::PathBuf;

const HOW_TO_GET: &str = "Chromium and chromedriver are needed for this test: install them \
                          (Debian: apt-get install chromium chromium-driver; Ubuntu: \
                          snap install chromium)";

/// The browser.
pub(super) fn chromium() -> PathBuf {
    program(&[
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ])
}

/// The program that drives it.
pub(super) fn chromedriver() -> PathBuf {
    program(&["chromedriver"])
}

/// The first of these names that is there.
fn program(names: &[&str]) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path)
        .chain(["/usr/bin".into()])
        .collect();
    let files = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let mut files = files.filter(|file| file.is_file());
    files
        .next()
        .unwrap_or_else(|| panic!("no {}: {HOW_TO_GET}", names.join(", ")))
}
