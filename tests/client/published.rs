//! The published crates, as the registry shows them: what their manifests and READMEs say.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::documented::read;

const PUBLISHED: [&str; 4] = [
    "ctxmem-types",
    "ctxmem-cache-hints",
    "ctxmem-client",
    "ctxmem-rig",
];

/// What cargo knows of the packages of this workspace.
fn packages() -> Vec<Value> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline"])
        .args(["--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    answer["packages"].as_array().unwrap().clone()
}

fn package(name: &str) -> Value {
    let mut packages = packages().into_iter();
    packages.find(|package| package["name"] == name).unwrap()
}

#[test]
fn every_manifest_says_where_the_source_is() {
    for package in packages() {
        let repository = &package["repository"];
        let name = &package["name"];
        assert_eq!(*repository, "https://github.com/ctxmem/ctxmem", "{name}");
    }
}

#[test]
fn every_published_crate_has_a_changelog() {
    for name in PUBLISHED {
        let changelog = read(&format!("{name}/CHANGELOG.md"));
        assert!(changelog.contains("\n## "), "{name}: no version");
        let readme = read(&format!("{name}/README.md"));
        assert!(readme.contains("CHANGELOG.md"), "{name}");
    }
}

/// A feature of `serde_json` is on for everybody who has the crate among their dependencies.
#[test]
fn no_published_crate_turns_on_features_of_serde_json() {
    for name in PUBLISHED {
        for dependency in package(name)["dependencies"].as_array().unwrap() {
            if dependency["name"] == "serde_json" && dependency["kind"] != "dev" {
                let features = dependency["features"].as_array().unwrap();
                assert!(features.is_empty(), "{name}: {features:?}");
            }
        }
    }
}

#[test]
fn a_readme_says_how_to_begin_and_where_the_rest_is() {
    for name in PUBLISHED {
        let readme = read(&format!("{name}/README.md"));
        let minimum = package(name)["rust_version"].as_str().unwrap().to_owned();
        for expected in [
            "https://docs.rs/ctxmem-client",
            "(https://github.com/ctxmem/ctxmem#readme)",
            &format!("Rust {minimum} or"),
            "patch release never needs a later",
            "\n## Licence\n\nMIT or Apache-2.0",
        ] {
            assert!(readme.contains(expected), "{name}: {expected}");
        }
        let adds = readme.contains(&format!("cargo add {name}"));
        assert!(adds || readme.contains(&format!("\n{name} = \"")), "{name}");
    }
    // Real users get no made-up facts by code that was pasted.
    for document in [
        "README.md",
        "ctxmem-client/README.md",
        "ctxmem-rig/README.md",
    ] {
        assert!(!read(document).contains("with_demo()"), "{document}");
    }
}

#[test]
fn the_clients_readme_lists_every_feature_and_every_kind_of_error() {
    let readme = read("ctxmem-client/README.md");
    let client = package("ctxmem-client");
    for feature in client["features"].as_object().unwrap().keys() {
        let is_listed = feature == "default" || readme.contains(&format!("\n| `{feature}`"));
        assert!(is_listed, "{feature}");
    }
    for kind in [
        "is_unauthorized()",
        "is_forbidden()",
        "is_not_found()",
        "| 400 |",
        "is_rate_limited()",
        "is_retryable()",
        "Error::Decode",
        "Error::Invalid",
    ] {
        assert!(readme.contains(kind), "{kind}");
    }
}

/// What documents tell people to write into their manifests is what this workspace is built with.
#[test]
fn versions_in_documents_are_the_versions_in_use() {
    let workspace = read("Cargo.toml");
    for document in [
        "ctxmem-client/README.md",
        "ctxmem-client/docs/cache-hints.md",
        "ctxmem-client/docs/calls.md",
        "ctxmem-client/docs/testing.md",
        "ctxmem-rig/README.md",
    ] {
        let text = read(document);
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap();
            for line in block.lines() {
                let Some((name, shown)) = line.split_once(" = ") else {
                    continue;
                };
                // Ours have the version of the workspace.
                let wanted = if name.starts_with("ctxmem-") {
                    "version"
                } else {
                    name
                };
                let wanted = format!("{wanted} = ");
                let used = workspace.lines().find(|line| line.starts_with(&wanted));
                let (used, shown) = (version(used.unwrap()), version(shown));
                let agree = used.starts_with(shown) || shown.starts_with(used);
                assert!(agree, "{document}: {name} {shown}, used is {used}");
            }
        }
    }
}

/// The first quoted number of a line.
fn version(line: &str) -> &str {
    let texts = line.split('"').skip(1).step_by(2);
    let mut numbers = texts.filter(|text| text.starts_with(|first: char| first.is_ascii_digit()));
    numbers.next().unwrap()
}

/// The workflow checks what users of the published crates would notice.
#[test]
fn the_workflow_checks_breaks_browsers_and_the_systems_tls() {
    let workflow = read(".github/workflows/ci.yml");
    for expected in [
        "cargo semver-checks",
        "public-api",
        "--target wasm32-unknown-unknown",
        "--no-default-features --features native-tls",
    ] {
        assert!(workflow.contains(expected), "{expected}");
    }
}

/// The package of `ctxmem-rig` has an example, and nothing in it that needs what is not published.
#[test]
fn the_example_in_the_package_builds_from_it() {
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--list", "--offline", "--allow-dirty"])
        .args(["--package", "ctxmem-rig"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let files = String::from_utf8_lossy(&listed.stdout);
    let is_source = |file: &&str| Path::new(file).extension().is_some_and(|end| end == "rs");
    let sources: Vec<&str> = files.lines().filter(is_source).collect();
    assert!(sources.contains(&"examples/agent.rs"), "{listed:?}");
    for file in sources {
        let source = read(&format!("ctxmem-rig/{file}"));
        assert!(!source.contains("ctxmem_test_server"), "{file}");
    }
}
