//! Keeps the layers apart: a module imports only the layers below it, and the server does not depend on
//! the client of its own interface.

mod circles;
mod house_phrases;
mod import_graph;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each layer, with the modules of this crate that it may import.
const LAYERS: [(&str, &[&str]); 5] = [
    ("http", &["core", "oidc"]),
    ("core", &["store", "extract"]),
    ("store", &[]),
    ("extract", &[]),
    ("oidc", &[]),
];

/// The modules that no layer may import, because they put the layers together.
const ABOVE: [&str; 9] = [
    "app",
    "cli",
    "config",
    "log_writer",
    "otlp",
    "telemetry",
    "trace_context",
    "without_otlp",
    "App",
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// The code without its unit tests and comments.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules of this crate that a text names by their full path.
fn imports(code: &str) -> Vec<&str> {
    let paths = code.split("crate::").skip(1);
    paths
        .map(|path| {
            path.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap()
        })
        .collect()
}

#[test]
fn a_layer_imports_only_the_layers_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (layer, allowed) in LAYERS {
        let modules = LAYERS.iter().map(|(name, _)| *name).chain(ABOVE);
        let refused: Vec<&str> = modules
            .filter(|name| *name != layer && !allowed.contains(name))
            .collect();
        let files = files(&source.join(layer));
        assert!(files.len() > 1, "{layer}");
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            let text = code(&fs::read_to_string(file).unwrap());
            for import in imports(&text) {
                assert!(
                    !refused.contains(&import),
                    "{} imports {import}",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn an_import_is_found_wherever_it_stands() {
    let text = "use crate::store::Db;\n// crate::app\nlet x: fn(&crate::oidc::Provider);\n#[cfg(test)]\nuse crate::cli;";
    assert_eq!(imports(&code(text)), ["store", "oidc"]);
}

/// The packages that the server is built of, on this system.
fn packages() -> Vec<String> {
    let listed = Command::new(env!("CARGO"))
        .args(["tree", "--package", "ctxmem-server", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{lib}", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.lines().map(ToOwned::to_owned).collect()
}

#[test]
fn the_server_does_not_depend_on_the_client_of_its_interface() {
    let packages = packages();
    let has = |name: &str| packages.iter().any(|package| package == name);
    // What is asked of the memory over MCP is asked without it.
    assert!(has("ctxmem_mcp") && has("ctxmem_types"), "{packages:?}");
    assert!(!has("ctxmem_client"), "{packages:?}");
}
