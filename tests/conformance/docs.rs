//! The table in the document is the table in the program.

use std::collections::HashSet;

use ctxmem_conformance::{SECTIONS, rules_in_markdown};

#[test]
fn the_document_lists_every_rule() {
    let document = include_str!("../../docs/conformance.md");
    let (_, rest) = document.split_once("<!-- rules -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end of rules -->").unwrap();
    assert_eq!(
        table.trim(),
        rules_in_markdown().trim(),
        "print it anew: cargo run -p ctxmem-conformance -- --rules"
    );
}

#[test]
fn ids_are_unique_and_begin_with_their_section() {
    let mut seen = HashSet::new();
    for section in SECTIONS {
        for rule in section.rules {
            assert!(seen.insert(rule.id), "{}", rule.id);
            let begin = format!("{}.", section.name);
            assert!(rule.id.starts_with(&begin), "{}", rule.id);
        }
    }
}
