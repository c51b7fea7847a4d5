//! Migrations and templates are compiled in: a change to them is a change to the binary. So is the
//! commit of a binary that is optimised; others would be compiled anew after each commit.

use std::env::var;
use std::path::Path;
use std::process::Command;

/// What git changes with every commit.
const COMMITS: &str = "../.git/logs/HEAD";

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=templates");
    println!("cargo:rerun-if-env-changed=CTXMEM_COMMIT");
    let version = var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo:rustc-env=CTXMEM_VERSION={version}");
}

/// What `CTXMEM_COMMIT` says, where the sources are there without their history, or git.
fn commit() -> Option<String> {
    if let Ok(commit) = var("CTXMEM_COMMIT") {
        return Some(commit).filter(|commit| !commit.is_empty());
    }
    if var("PROFILE").as_deref() != Ok("release") || !Path::new(COMMITS).exists() {
        return None;
    }
    println!("cargo:rerun-if-changed={COMMITS}");
    let git = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(git.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| git.status.success() && !commit.is_empty())
}
