//! The examples of the documents, as they are shown there, and the form of the documents themselves:
//! what is shown can be pasted, and links work on GitHub as well as on docs.rs.

#[expect(clippy::unused_async, reason = "its model is a stand-in")]
mod agent;
mod middleware;
mod older_deployment;
mod server;
mod traces;

use std::fs;
use std::path::{Path, PathBuf};

/// The documents of the published crates, which GitHub, docs.rs and the registry show.
const DOCUMENTS: [&str; 13] = [
    "README.md",
    "ctxmem-cache-hints/README.md",
    "ctxmem-client/README.md",
    "ctxmem-rig/README.md",
    "ctxmem-types/README.md",
    "ctxmem-client/docs/background-updates.md",
    "ctxmem-client/docs/cache-hints.md",
    "ctxmem-client/docs/calls.md",
    "ctxmem-client/docs/degradation.md",
    "ctxmem-client/docs/retries.md",
    "ctxmem-client/docs/streams.md",
    "ctxmem-client/docs/testing.md",
    "ctxmem-client/docs/variant-deployments.md",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// The Rust code in a document, block by block.
fn code(document: &str) -> Vec<String> {
    let text = read(document);
    let blocks = text.split("```rust").skip(1).map(|block| {
        let (_, code) = block.split_once('\n').unwrap();
        code.split("```").next().unwrap().to_owned()
    });
    blocks.collect()
}

#[test]
fn no_code_has_lines_that_only_rustdoc_hides() {
    for document in DOCUMENTS {
        for code in code(document) {
            let hidden = code
                .lines()
                .find(|line| *line == "#" || line.starts_with("# "));
            assert_eq!(hidden, None, "{document}");
        }
    }
}

#[test]
fn what_the_page_about_tests_shows_is_what_is_tested() {
    let shown = code("ctxmem-client/docs/testing.md");
    for file in ["agent", "older_deployment", "server"] {
        let tested = read(&format!("tests/client/documented/{file}.rs"));
        assert!(shown.contains(&tested), "{file}");
    }
}

/// What a page shows is the beginning of a file, and the tests of it are the rest.
#[test]
fn what_needs_other_crates_is_shown_as_it_is_tested() {
    for (page, file) in [
        ("calls", "tests/client/documented/middleware.rs"),
        ("calls", "tests/client/documented/traces.rs"),
        (
            "cache-hints",
            "ctxmem-test-async-openai/tests/async_openai/documented.rs",
        ),
    ] {
        let tested = read(file);
        let (tested, _) = tested.split_once("\n// What is shown ends here.").unwrap();
        let shown = code(&format!("ctxmem-client/docs/{page}.md"));
        assert!(shown.iter().any(|code| code == tested), "{page}: {file}");
    }
}

/// Each page of the client is among the documents that are checked here.
#[test]
fn every_page_is_checked() {
    for page in fs::read_dir(root().join("ctxmem-client/docs")).unwrap() {
        let page = page.unwrap().file_name().into_string().unwrap();
        let page = format!("ctxmem-client/docs/{page}");
        assert!(DOCUMENTS.contains(&&*page), "{page}");
    }
}

#[test]
fn the_example_of_the_rig_package_is_the_one_in_its_readme() {
    let example = read("ctxmem-rig/examples/agent.rs");
    let shown = code("ctxmem-rig/README.md").remove(0);
    assert!(example.ends_with(&shown), "{example}");
}

#[test]
fn the_test_in_the_readme_of_the_rig_package_is_run() {
    let tested = read("ctxmem-rig/tests/agent/documented.rs");
    assert!(code("ctxmem-rig/README.md").contains(&tested));
}

#[test]
fn the_first_example_is_the_same_everywhere() {
    let first = code("ctxmem-client/README.md").remove(0);
    assert_eq!(code("README.md"), std::slice::from_ref(&first));
    assert!(first.contains(".run(") && first.contains("fallback()"));
}

/// The targets of links in a document, without those in code.
fn links(document: &str) -> Vec<String> {
    let text = read(document);
    let prose: String = text.split("```").step_by(2).collect();
    prose
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap().to_owned())
        .collect()
}

#[test]
fn links_work_wherever_a_document_is_shown() {
    for document in DOCUMENTS {
        for link in links(document) {
            // The root's is shown on GitHub alone.
            let is_ours = document == "README.md" && !link.contains("://");
            if is_ours {
                let file = link.split('#').next().unwrap();
                assert!(root().join(file).exists(), "{document}: {link}");
                continue;
            }
            if link.starts_with('#') {
                continue;
            }
            assert!(link.starts_with("https://"), "{document}: {link}");
            let in_repository = link
                .strip_prefix("https://github.com/ctxmem/ctxmem/blob/main/")
                .or_else(|| link.strip_prefix("https://github.com/ctxmem/ctxmem/tree/main/"));
            if let Some(file) = in_repository {
                assert!(root().join(file).exists(), "{document}: {link}");
            }
            let item = link.strip_prefix("https://docs.rs/ctxmem-client/latest/ctxmem_client/");
            if let Some(item) = item {
                assert!(is_documented(item), "{document}: {link}");
            }
        }
    }
}

/// Whether the client has the item or page that an address of its documentation names.
fn is_documented(item: &str) -> bool {
    let (page, anchor) = item.split_once('#').unwrap_or((item, ""));
    let declares = |declaration: &str| declared(&root().join("ctxmem-client/src"), declaration);
    let page = if let Some(guide) = page.strip_prefix("guide/") {
        declares(&format!("pub mod {} {{", guide.trim_end_matches('/')))
    } else {
        let file = page.rsplit('/').next().unwrap_or(page);
        let Some((kind, name)) = file
            .strip_suffix(".html")
            .and_then(|file| file.split_once('.'))
        else {
            return false;
        };
        declares(&format!("pub {kind} {name}"))
    };
    let anchor = match anchor.split_once('.') {
        Some(("method", name)) => {
            declares(&format!("fn {name}(")) || declares(&format!("fn {name}<"))
        }
        Some(("variant", name)) => declares(&format!("    {name}")),
        _ => anchor.is_empty(),
    };
    page && anchor
}

fn declared(folder: &Path, declaration: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            declared(&path, declaration)
        } else {
            fs::read_to_string(&path).unwrap().contains(declaration)
        }
    })
}
