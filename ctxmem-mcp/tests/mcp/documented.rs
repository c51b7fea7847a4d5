//! The configuration snippets in docs/mcp.md, which people are told to paste.

use std::path::Path;

use serde_json::Value;

/// The blocks of JSON in the document.
fn blocks() -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mcp.md");
    let text = std::fs::read_to_string(file).unwrap();
    let blocks = text.split("```json\n").skip(1).map(|rest| {
        let block = rest.split("```").next().unwrap();
        serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"))
    });
    blocks.collect()
}

/// The objects anywhere in a value under one of these names.
fn under(value: &Value, names: &[&str]) -> Vec<Value> {
    let Value::Object(fields) = value else {
        return Vec::new();
    };
    let found = fields.iter().flat_map(|(name, value)| {
        if names.contains(&name.as_str()) {
            vec![value.clone()]
        } else {
            under(value, names)
        }
    });
    found.collect()
}

#[test]
fn every_block_is_json_and_names_what_is_needed() {
    let blocks = blocks();
    assert!(blocks.len() >= 6, "{}", blocks.len());
    for block in &blocks {
        let environments = under(block, &["env"]);
        for environment in &environments {
            for variable in ["CTXMEM_BASE_URL", "CTXMEM_API_KEY", "CTXMEM_USER_ID"] {
                assert!(environment[variable].is_string(), "{variable}: {block}");
            }
        }
        let headers = under(block, &["headers"]);
        for headers in &headers {
            for header in ["Authorization", "X-CtxMem-User-Id"] {
                assert!(headers[header].is_string(), "{header}: {block}");
            }
        }
        assert!(!environments.is_empty() || !headers.is_empty(), "{block}");
    }
}
