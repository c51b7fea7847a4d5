//! Files, stdin, what is wrong with a line, and what is printed where.

use serde_json::json;

use crate::binary::Folder;

const ADA: &str = r#"{"id": "1", "userMessage": "I live in Lisbon.", "agentResponse": "Nice!"}"#;
const THANKS: &str = r#"{"id": "2", "userMessage": "thanks!", "agentResponse": "Sure."}"#;

fn two() -> String {
    format!("{ADA}\n{THANKS}\n")
}

#[test]
fn a_file_and_stdin_with_or_without_a_name_are_read_alike() {
    let folder = Folder::with(&two());
    let expected = [
        json!({
            "id": "1",
            "facts": [{"scope": "general", "key": "location", "value": "Lisbon"}],
            "filtered": false,
        }),
        json!({"id": "2", "facts": [], "filtered": true}),
    ];
    assert_eq!(folder.extract(&["lines.jsonl"], "").lines(), expected);
    assert_eq!(folder.extract(&["-"], &two()).lines(), expected);
    assert_eq!(folder.extract(&[], &two()).lines(), expected);
}

#[test]
fn no_database_is_made() {
    let folder = Folder::with(&two());
    folder.extract(&["lines.jsonl"], "").lines();
    assert_eq!(folder.names(), ["lines.jsonl"]);
}

#[test]
fn without_lines_there_are_no_predictions() {
    for lines in ["", "\n", "\n  \n\t\n"] {
        assert!(Folder::new().extract(&[], lines).lines().is_empty());
    }
}

#[test]
fn empty_lines_and_unknown_fields_are_passed_over() {
    let lines = format!(
        "\n{ADA}\n   \n{}\r\n",
        r#"{"kind": "x", "id": "3", "expected": [{"a": null}], "agentResponse": "", "userMessage": ""}"#
    );
    let found = Folder::new().extract(&[], &lines).lines();
    let ids: Vec<_> = found.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["1", "3"]);
}

#[test]
fn relative_days_are_those_of_the_line() {
    let line = r#"{"id":"1","userMessage":"My exam is due tomorrow.","agentResponse":"","at":"2024-02-28T12:00:00Z"}"#;
    let found = Folder::new().extract(&[], line).lines();
    let value = found[0]["facts"][0]["value"].as_str().unwrap();
    assert!(value.contains("[2024-02-29]"), "{value}");
}

#[test]
fn a_last_line_without_its_end_counts() {
    assert_eq!(Folder::new().extract(&[], ADA).lines().len(), 1);
}

#[test]
fn errors_in_a_line_are_reported_without_its_content() {
    let secret = "Quokka77";
    for (line, problem) in [
        (
            format!(r#"{{"id": "2", "userMessage": 7, "agentResponse": "{secret}"}}"#),
            "line 3: userMessage: expected a string, found a number",
        ),
        (
            format!(r#"{{"id": "2", "userMessage": "{secret}"}}"#),
            "line 3: agentResponse: a required field is missing",
        ),
        (
            format!(r#"{{"id": ["{secret}"], "userMessage": "", "agentResponse": ""}}"#),
            "line 3: id: expected a string, found a list",
        ),
        (
            format!(r#"{{"id": "2", "userMessage": "{secret}"#),
            "line 3: body: expected JSON, broken at line 1",
        ),
        (
            secret.to_owned(),
            "line 3: body: expected JSON, broken at line 1",
        ),
        (format!("[\"{secret}\"]"), "line 3: "),
    ] {
        let lines = format!("{ADA}\n\n{line}\n{THANKS}\n");
        let finished = Folder::new().extract(&[], &lines);
        assert_eq!(finished.status, Some(1), "{line}");
        assert!(
            finished.stderr.starts_with("ctxmem-server: "),
            "{finished:?}"
        );
        assert!(finished.stderr.contains(problem), "{finished:?}");
        assert!(!finished.stderr.contains(secret), "{finished:?}");
        // The lines before it were printed.
        assert_eq!(finished.stdout.lines().count(), 1);
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let folder = Folder::new();
    std::fs::write(folder.path("latin1.jsonl"), b"{\"id\": \"\xe9\"}\n").unwrap();
    let finished = folder.extract(&["latin1.jsonl"], "");
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("latin1.jsonl"), "{finished:?}");
}

#[test]
fn the_reason_of_the_first_stage_is_told_when_asked_for() {
    let found = Folder::new().extract(&["--explain"], &two()).lines();
    assert!(found[0].get("reason").is_none());
    assert_eq!(found[1]["reason"], "small_talk");
    let found = Folder::new().extract(&[], &two()).lines();
    assert!(found[1].get("reason").is_none());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let finished = Folder::new().extract(&["missing.jsonl"], "");
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("missing.jsonl"), "{finished:?}");
}

#[test]
fn wrong_flags_end_with_the_status_of_wrong_usage() {
    for args in [
        &["--no-such-flag"][..],
        &["--extractor", "oracle"],
        &["a.jsonl", "b.jsonl"],
        &["--model-timeout", "0"],
    ] {
        let finished = Folder::new().extract(args, "");
        assert_eq!((finished.status, finished.stdout.as_str()), (Some(2), ""));
        assert!(!finished.stderr.is_empty());
    }
}
