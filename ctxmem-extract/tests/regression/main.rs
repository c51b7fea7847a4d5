//! Regression tests of the rules on labelled sets, and tests of the scorer and of odd texts.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod plain;
mod soak;
mod wordings;

use chrono::NaiveDate;
use ctxmem_extract::first_stage;
use ctxmem_extract::score::{Counts, Item, Messages, Prediction, Score, parse_lines};
use serde_json::{Value, json};

/// The sets, and what the rules found of each when this was written, rounded down: precision,
/// recall and first-stage recall. They tell when something breaks, not how good the rules are:
/// the author of the rules has read them.
const SETS: [(&str, [f64; 3]); 5] = [
    ("dev", [0.84, 0.44, 0.97]),
    ("a", [0.75, 0.48, 0.98]),
    ("b", [0.86, 0.43, 0.96]),
    ("c", [0.76, 0.41, 0.93]),
    ("d", [0.88, 0.56, 0.94]),
];

/// The items of a set.
fn set(name: &str) -> Vec<Item> {
    let file = format!(
        "{}/tests/regression/{name}.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    parse_lines(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn the_rules_are_as_good_on_the_regression_sets_as_they_were() {
    for (name, [precision, recall, first_stage]) in SETS {
        let items = set(name);
        let predictions: Vec<Prediction> = items
            .iter()
            .map(|item| Prediction::by_rules(item, NaiveDate::default()))
            .collect();
        let score = Score::of(&items, &predictions, None).unwrap();
        let floors = [
            ("precision", score.overall.precision(), precision),
            ("recall", score.overall.recall(), recall),
            (
                "first-stage recall",
                score.first_stage_recall(),
                first_stage,
            ),
            ("skip rate", score.skip_rate(), 0.83),
        ];
        for (figure, is, floor) in floors {
            assert!(
                is.unwrap() >= floor,
                "{name}: {figure} below {floor}\n{score}"
            );
        }
        // Elsewhere what is forbidden is only worthless.
        let harms =
            |item: &&Item| item.kind.starts_with("secret") || item.kind.starts_with("injection");
        let (items, predictions): (Vec<Item>, Vec<Prediction>) = items
            .into_iter()
            .zip(predictions)
            .filter(|(item, _)| harms(&item))
            .unzip();
        let score = Score::of(&items, &predictions, None).unwrap();
        assert_eq!(score.overall.forbidden, 0, "{name}\n{score}");
    }
}

/// What people tell is heard, in whatever kind of message, and little of the rest costs a model's
/// time.
#[test]
fn the_first_stage_hears_what_is_told_and_little_else() {
    let (mut lost, mut told, mut empty, mut kept) = (Vec::new(), 0_usize, 0_u32, Vec::new());
    for line in include_str!("first_stage.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (telling, message) = line.split_once(' ').unwrap();
        let message = message.replace("\\n", "\n").replace("\\\\", "\\");
        let passed = matches!(
            first_stage::judge_message(&message),
            first_stage::Verdict::Extract(_)
        );
        told += usize::from(telling == "+");
        match telling {
            "+" if !passed => lost.push(message),
            "-" => {
                empty += 1;
                kept.extend(passed.then_some(message));
            }
            _ => {}
        }
    }
    assert!(
        lost.len() * 40 <= told,
        "{} of {told}:\n{}",
        lost.len(),
        lost.join("\n")
    );
    assert!(
        kept.len() * 100 <= empty as usize * 15,
        "{} of {empty}:\n{}",
        kept.len(),
        kept.join("\n")
    );
}

// The scorer

fn item(expected: &Value, optional: &Value) -> String {
    json!({"id": "a", "kind": "k", "expected": expected, "optional": optional,
        "memorable": true, "forbidden": ["HUNTER"]})
    .to_string()
}

#[track_caller]
fn counts(items: &str, facts: &Value, max_chars: Option<usize>) -> Counts {
    let prediction = json!({"id": "a", "facts": facts}).to_string();
    let (items, predictions) = (
        parse_lines(items).unwrap(),
        parse_lines(&prediction).unwrap(),
    );
    Score::of(&items, &predictions, max_chars).unwrap().overall
}

#[test]
fn facts_are_right_wrong_or_neither() {
    let set = item(
        &json!([
            {"scope": "goals", "must_contain": ["ship|release", "may"]},
            {"scope": "knowledge", "must_contain": ["docker", "no |not"]},
        ]),
        &json!([{"scope": "history", "must_contain": ["caf\u{e9}"]}]),
    );
    let none = Counts {
        expected: 2,
        ..Counts::default()
    };
    for (facts, expected) in [
        (json!([]), none),
        (
            json!([{"scope": "goals", "value": "RELEASE in May"}]),
            Counts {
                found: 1,
                any_scope: 1,
                right: 1,
                ..none
            },
        ),
        (
            json!([{"scope": "goals", "value": "release"}]),
            Counts { wrong: 1, ..none },
        ),
        (
            json!([{"scope": "history", "value": "Shipped in May"}]),
            Counts {
                any_scope: 1,
                wrong: 1,
                wrong_scope: 1,
                ..none
            },
        ),
        (
            json!([{"scope": "knowledge", "value": "Docker: no"}]),
            Counts {
                found: 1,
                any_scope: 1,
                right: 1,
                ..none
            },
        ),
        (
            json!([{"scope": "history", "value": "opened a Cafe\u{301}"}]),
            Counts { neutral: 1, ..none },
        ),
        (
            json!([{"scope": "history", "value": "hunter2"}]),
            Counts {
                wrong: 1,
                forbidden: 1,
                ..none
            },
        ),
        (
            // Two facts that fit one label are both right; it is found once.
            json!([{"scope": "goals", "value": "ship by May"}, {"scope": "goals", "value": "May release"}]),
            Counts {
                found: 1,
                any_scope: 1,
                right: 2,
                ..none
            },
        ),
    ] {
        assert_eq!(counts(&set, &facts, None), expected, "{facts}");
    }
}

#[test]
fn values_over_the_limit_fit_nothing() {
    let set = item(
        &json!([{"scope": "goals", "must_contain": ["ship"]}]),
        &json!([]),
    );
    let facts = json!([{"scope": "goals", "value": "ship ñ"}]);
    assert_eq!(counts(&set, &facts, Some(6)).right, 1);
    let long = counts(&set, &facts, Some(5));
    assert_eq!((long.right, long.found, long.wrong), (0, 0, 1));
}

#[test]
fn rates_of_the_first_stage() {
    let set = r#"
        {"id": "a", "kind": "k", "expected": [{"scope": "goals", "must_contain": ["x"]}], "forbidden": []}
        {"id": "b", "kind": "k", "expected": [{"scope": "goals", "must_contain": ["x"]}], "forbidden": []}

        {"id": "c", "kind": "k", "expected": [], "forbidden": []}
        {"id": "d", "kind": "k", "expected": [], "forbidden": []}
        {"id": "e", "kind": "k", "expected": [], "forbidden": []}
        {"id": "f", "kind": "k", "expected": [], "forbidden": []}
    "#;
    let predictions = r#"
        {"id": "a", "facts": [], "filtered": true}
        {"id": "b", "facts": []}
        {"id": "c", "facts": [], "filtered": true}
        {"id": "d", "facts": [], "filtered": true}
        {"id": "e", "facts": []}
        {"id": "f", "facts": [{"scope": "goals", "value": "x"}]}
    "#;
    let score = Score::of(
        &parse_lines(set).unwrap(),
        &parse_lines(predictions).unwrap(),
        None,
    )
    .unwrap();
    assert_eq!(score.first_stage_recall(), Some(0.5));
    assert_eq!(score.skip_rate(), Some(0.75));
    let others = Messages {
        all: 4,
        filtered: 2,
        skipped: 3,
    };
    assert_eq!(score.others, others);
}

#[test]
fn predictions_have_to_belong_to_the_set() {
    let set = r#"{"id": "a", "kind": "k", "expected": [], "forbidden": []}"#;
    for (predictions, problem) in [
        ("", "a: no prediction"),
        (
            "{\"id\": \"a\", \"facts\": []}\n{\"id\": \"a\", \"facts\": []}",
            "a: predicted twice",
        ),
        (
            "{\"id\": \"a\", \"facts\": []}\n{\"id\": \"b\", \"facts\": []}",
            "b: not in the set, or twice",
        ),
        (
            r#"{"id": "a", "facts": [{"scope": "cats", "value": "x"}]}"#,
            "a: unknown scope cats",
        ),
    ] {
        let score = Score::of(
            &parse_lines(set).unwrap(),
            &parse_lines(predictions).unwrap(),
            None,
        );
        assert_eq!(score.err().as_deref(), Some(problem));
    }
}
