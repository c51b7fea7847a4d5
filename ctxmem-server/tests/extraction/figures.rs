//! The figures of the rules on the labelled set, and the scorer itself.

use serde_json::{Value, json};

use crate::binary::{Folder, SET};
use crate::score::{Counts, Item, Messages, Prediction, Score, read};

/// How much of a figure may rest on values of more than 80 characters.
const LONG_VALUES_MAY_ADD: f64 = 0.02;

/// Sets of other authors. Nobody who wrote rules had read the last one.
const OTHERS: [&str; 4] = [
    "other-a.jsonl",
    "other-b.jsonl",
    "other-c.jsonl",
    "other-d.jsonl",
];

fn predictions() -> Vec<Prediction> {
    predictions_of(SET)
}

fn predictions_of(set: &str) -> Vec<Prediction> {
    let finished = Folder::new().extract(&[set], "");
    assert_eq!((finished.status, finished.stderr.as_str()), (Some(0), ""));
    read(&finished.stdout).unwrap()
}

fn items() -> Vec<Item> {
    read(&std::fs::read_to_string(SET).unwrap()).unwrap()
}

#[test]
fn the_figures_of_the_rules_stay_above_their_floors() {
    let (items, predictions) = (items(), predictions());
    let score = Score::of(&items, &predictions, None).unwrap();
    let floors = [
        ("precision", score.overall.precision(), 0.88),
        ("recall", score.overall.recall(), 0.70),
        ("F1", score.overall.f1(), 0.78),
        ("first-stage recall", score.first_stage_recall(), 0.98),
        ("skip rate", score.skip_rate(), 0.88),
    ];
    for (name, figure, floor) in floors {
        assert!(figure.unwrap() >= floor, "{name} below {floor}\n{score}");
    }
    assert_eq!(score.overall.forbidden, 0, "{score}");
}

/// Lower, and more honest: what the rules find in words that nobody had seen.
#[test]
fn the_rules_hold_on_the_sets_of_others() {
    for name in OTHERS {
        let set = SET.replace("extraction-dev.jsonl", name);
        let items: Vec<Item> = read(&std::fs::read_to_string(&set).unwrap()).unwrap();
        let score = Score::of(&items, &predictions_of(&set), None).unwrap();
        let floors = [
            ("precision", score.overall.precision(), 0.90),
            ("recall", score.overall.recall(), 0.55),
            ("first-stage recall", score.first_stage_recall(), 0.97),
            ("skip rate", score.skip_rate(), 0.88),
        ];
        for (figure, is, floor) in floors {
            assert!(
                is.unwrap() >= floor,
                "{name}: {figure} below {floor}\n{score}"
            );
        }
    }
}

#[test]
fn the_figures_do_not_rest_on_long_values() {
    let (items, predictions) = (items(), predictions());
    let any = Score::of(&items, &predictions, None).unwrap().overall;
    let short = Score::of(&items, &predictions, Some(80)).unwrap().overall;
    for (any, short) in [(any.recall(), short.recall()), (any.f1(), short.f1())] {
        let (any, short) = (any.unwrap(), short.unwrap());
        assert!(
            (any - short).abs() <= LONG_VALUES_MAY_ADD,
            "{any:.3} but {short:.3}"
        );
    }
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
    let (items, predictions) = (read(items).unwrap(), read(&prediction).unwrap());
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
    let score = Score::of(&read(set).unwrap(), &read(predictions).unwrap(), None).unwrap();
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
        let score = Score::of(&read(set).unwrap(), &read(predictions).unwrap(), None);
        assert_eq!(score.err().as_deref(), Some(problem));
    }
}
