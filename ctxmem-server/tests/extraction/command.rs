//! Files, stdin, what is wrong with a line, and what is printed where.

use serde_json::json;

use crate::binary::{extract, extract_from};
use crate::process::{Args as _, Home, assert_has, assert_lacks};

const ADA: &str = r#"{"id": "1", "userMessage": "I live in Lisbon.", "agentResponse": "Nice!"}"#;
const THANKS: &str = r#"{"id": "2", "userMessage": "thanks!", "agentResponse": "Sure."}"#;

fn two() -> String {
    format!("{ADA}\n{THANKS}\n")
}

/// A folder that holds these lines.
fn folder() -> Home {
    let folder = Home::new();
    std::fs::write(folder.path("lines.jsonl"), two()).unwrap();
    folder
}

#[test]
fn a_file_and_stdin_with_or_without_a_name_are_read_alike() {
    let folder = folder();
    let expected = [
        json!({
            "id": "1",
            "facts": [{"scope": "general", "key": "location", "value": "Lisbon"}],
            "filtered": false,
        }),
        json!({"id": "2", "facts": [], "filtered": true}),
    ];
    assert_eq!(extract(&folder, &["lines.jsonl"], "").lines(), expected);
    assert_eq!(extract(&folder, &["-"], &two()).lines(), expected);
    assert_eq!(extract(&folder, &[], &two()).lines(), expected);
}

#[test]
fn no_database_is_made() {
    let folder = folder();
    extract(&folder, &["lines.jsonl"], "").lines();
    let names = std::fs::read_dir(folder.path(".")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["lines.jsonl"]);
}

#[test]
fn without_lines_there_are_no_predictions() {
    for lines in ["", "\n", "\n  \n\t\n"] {
        assert!(extract_from(lines).lines().is_empty());
    }
}

#[test]
fn empty_lines_and_unknown_fields_are_passed_over() {
    let lines = format!(
        "\n{ADA}\n   \n{}\r\n",
        r#"{"kind": "x", "id": "3", "expected": [{"a": null}], "agentResponse": "", "userMessage": ""}"#
    );
    let found = extract_from(&lines).lines();
    let ids: Vec<_> = found.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["1", "3"]);
}

#[test]
fn relative_days_are_those_of_the_line() {
    let line = r#"{"id":"1","userMessage":"My exam is due tomorrow.","agentResponse":"","at":"2024-02-28T12:00:00Z"}"#;
    let found = extract_from(line).lines();
    let value = found[0]["facts"][0]["value"].as_str().unwrap();
    assert!(value.contains("[2024-02-29]"), "{value}");
}

#[test]
fn a_last_line_without_its_end_counts() {
    assert_eq!(extract_from(ADA).lines().len(), 1);
}

#[test]
fn errors_in_a_line_are_reported_without_its_content() {
    let secret = "Quokka77";
    let number = json!({"id": "2", "userMessage": 7, "agentResponse": secret});
    let missing = json!({"id": "2", "userMessage": secret});
    let list = json!({"id": [secret], "userMessage": "", "agentResponse": ""});
    let broken = format!(r#"{{"id": "2", "userMessage": "{secret}"#);
    for (line, problem) in [
        (
            number.to_string(),
            "userMessage: expected a string, found a number",
        ),
        (
            missing.to_string(),
            "agentResponse: a required field is missing",
        ),
        (list.to_string(), "id: expected a string, found a list"),
        (broken, "body: expected JSON, broken at line 1"),
        (secret.to_owned(), "body: expected JSON, broken at line 1"),
        (json!([secret]).to_string(), ""),
    ] {
        let lines = format!("{ADA}\n\n{line}\n{THANKS}\n");
        let finished = extract_from(&lines);
        assert_eq!(finished.status.code(), Some(1), "{line}");
        let said = &finished.stderr;
        assert!(said.starts_with("ctxmem-server: "), "{said}");
        assert_has(said, &[&format!("line 3: {problem}")]);
        assert_lacks(said, &[secret]);
        // The lines before it were printed.
        assert_eq!(finished.stdout.lines().count(), 1);
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let folder = Home::new();
    std::fs::write(folder.path("latin1.jsonl"), b"{\"id\": \"\xe9\"}\n").unwrap();
    let finished = extract(&folder, &["latin1.jsonl"], "");
    finished.assert_failed("latin1.jsonl");
}

#[test]
fn the_reason_of_the_first_stage_is_told_when_asked_for() {
    let found = extract(&Home::new(), &["--explain"], &two()).lines();
    assert!(found[0].get("reason").is_none());
    assert_eq!(found[1]["reason"], "small_talk");
    let found = extract_from(&two()).lines();
    assert!(found[1].get("reason").is_none());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let finished = extract(&Home::new(), &["missing.jsonl"], "");
    finished.assert_failed("missing.jsonl");
}

#[test]
fn wrong_flags_end_with_the_status_of_wrong_usage() {
    for args in [
        "--no-such-flag",
        "--extractor oracle",
        "a.jsonl b.jsonl",
        "--model-timeout 0",
    ] {
        let said = Home::new().refused(&[&["extract"], &args.list()[..]].concat(), 2, "");
        assert!(!said.is_empty(), "{args}");
    }
}
