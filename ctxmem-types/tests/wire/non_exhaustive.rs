//! A field that a later version adds to an answer breaks nobody's build.

use std::fs;
use std::path::Path;

/// The public structs with public fields in a source file, each with its attributes.
fn structs(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut attributes = String::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("#[") {
            attributes.push_str(line);
        } else if let Some(rest) = line.strip_prefix("pub struct ")
            && rest.ends_with('{')
        {
            let name = rest.split(['<', ' ']).next().unwrap().to_owned();
            let mut fields = lines.by_ref().take_while(|line| *line != "}");
            if fields.any(|line| line.starts_with("    pub ")) {
                found.push((name, attributes.clone()));
            }
            attributes.clear();
        } else if !line.starts_with("///") {
            attributes.clear();
        }
    }
    found
}

#[test]
fn answers_and_their_parts_can_gain_fields() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        for (name, attributes) in structs(&source) {
            // Requests are made by those who send them.
            if name.ends_with("Request") {
                continue;
            }
            assert!(attributes.contains("#[non_exhaustive]"), "{name}");
            seen.push(name);
        }
    }
    for known in [
        "InjectResponse",
        "CacheHint",
        "UpdateResponse",
        "ErrorBody",
        "Fact",
    ] {
        assert!(seen.iter().any(|name| name == known), "{known}: {seen:?}");
    }
}
