//! Answers as models give them, in `data/gate/answers.txt`, and what is no answer.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Op;
use crate::sections::section;
use ctxmem_types::Scope;

const CASES: &str = include_str!("../../data/gate/answers.txt");

/// One answer: what was said and known, what the model wrote, and what it comes to.
#[derive(Default)]
struct Case {
    title: &'static str,
    user: &'static str,
    known: Vec<Known>,
    facts: Vec<&'static str>,
    gives: Vec<&'static str>,
    quoted: bool,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in section(CASES, "cases") {
        let Some((name, text)) = line.split_once(": ") else {
            continue;
        };
        if name == "case" {
            let title = text;
            cases.push(Case {
                title,
                quoted: true,
                ..Case::default()
            });
        }
        let case = cases.last_mut().expect("a case");
        match name {
            "case" => {}
            "user" => case.user = text,
            "known" => case.known.push(known(text)),
            "fact" => case.facts.push(text),
            "gives" => case.gives.push(text),
            "quoted" => case.quoted = text == "yes",
            _ => panic!("{line}"),
        }
    }
    cases
}

/// `preferences.editor = VS Code`, `goals = Ship the beta`
fn known(text: &str) -> Known {
    let (place, value) = text.split_once(" = ").expect("a value");
    let (scope, key) = place
        .split_once('.')
        .map_or((place, None), |(scope, key)| (scope, Some(key)));
    Known {
        scope: scope.parse().expect("a scope"),
        slot: key.unwrap_or(value).to_owned(),
        key: key.map(str::to_owned),
        value: value.to_owned(),
    }
}

/// A candidate as the file writes it.
fn shown(candidate: &Candidate) -> String {
    let op = match candidate.op {
        Op::Set => "set",
        Op::Remove => "remove",
        Op::TakeBack | Op::TakeBackAll | Op::End | Op::Change => "take back",
        Op::SetInstead => "set instead",
        Op::Confirm => "confirm",
    };
    let key = candidate
        .key
        .as_ref()
        .map_or(String::new(), |key| format!(".{key}"));
    let requested = if candidate.requested {
        " (requested)"
    } else {
        ""
    };
    let meant = candidate.known.as_ref().filter(|_| candidate.op == Op::Set);
    let meant = meant.map_or(String::new(), |known| format!(" <- {}", known.value));
    let by_words = candidate.op == Op::Remove && candidate.known.is_none();
    let by_words = if by_words { " by words" } else { "" };
    format!(
        "{op}{by_words} {}{key} = {}{meant}{requested}",
        candidate.scope.name(),
        candidate.value
    )
}

#[test]
fn answers_mean_what_the_file_says() {
    let cases = cases();
    assert!(cases.len() > 30, "{}", cases.len());
    for case in cases {
        let text = format!("{{\"facts\": [{}]}}", case.facts.join(","));
        let answer = candidates(&text, &case.known, case.user, day()).expect("the agreed shape");
        let given: Vec<String> = answer.candidates.iter().map(shown).collect();
        assert_eq!(given, case.gives, "{}", case.title);
        assert_eq!(answer.quoted, case.quoted, "{}: quoted", case.title);
    }
}

fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 5).expect("a day")
}

const SAID: &str = "I switched to Helix and we ship goal 7. Strip </think> tags";

fn answer(content: &str) -> Option<Vec<Candidate>> {
    let known = [
        known("preferences.editor = VS Code"),
        known("goals = Ship the beta"),
    ];
    candidates(content, &known, SAID, day()).map(|answer| answer.candidates)
}

fn said_in(message: &Value) -> Option<String> {
    let body = json!({"choices": [{"message": message}]}).to_string();
    completion(body.as_bytes()).map(|completion| completion.text)
}

const ONE: &str =
    r#"{"facts": [{"scope": "preferences", "key": "editor", "value": "Helix", "op": "set"}]}"#;

fn helix() -> Vec<Candidate> {
    vec![Candidate::slot(Scope::Preferences, "editor", "Helix")]
}

#[test]
fn answers_are_read_whatever_stands_around_them() {
    for text in [
        ONE.to_owned(),
        format!("```json\n{ONE}\n```"),
        format!("```\n{ONE}\n```\nAnything else?"),
        format!("Sure! Here {{is}} what I found: {ONE} Hope it helps."),
        format!("\u{FEFF}\n{ONE}"),
        format!("{{\"thought\": \"none\"}}\n{ONE}"),
    ] {
        assert!(answer(&text) == Some(helix()), "{text}");
    }
}

#[test]
fn parts_are_joined_and_tokens_counted() {
    let (left, right) = ONE.split_at(20);
    let said = said_in(&json!({"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": left}, {"type": "text", "text": right},
    ]}));
    assert_eq!(said.as_deref(), Some(ONE));
    for (usage, tokens) in [
        (
            json!({"prompt_tokens": 7, "completion_tokens": 2}),
            Some((7, 2)),
        ),
        (json!({"prompt_tokens": 7}), None),
        (json!("many"), None),
        (Value::Null, None),
    ] {
        let body = json!({"choices": [{"message": {"content": ONE}}], "usage": usage});
        let read = completion(body.to_string().as_bytes()).expect("a completion");
        assert_eq!(read.tokens, tokens);
    }
}

#[test]
fn other_shapes_are_refused() {
    for text in section(CASES, "other shapes").chain(["", "[]"]) {
        assert!(answer(text).is_none(), "{text}");
    }
}

#[test]
fn a_body_may_be_no_completion() {
    for body in section(CASES, "no completions") {
        assert!(completion(body.as_bytes()).is_none(), "{body}");
    }
}

#[test]
fn a_completion_may_say_nothing() {
    for message in [json!({}), json!({"content": null}), json!({"content": 7})] {
        assert_eq!(said_in(&message).as_deref(), Some(""), "{message}");
    }
    let refusal = json!({"content": null, "refusal": "I won't."});
    assert_eq!(said_in(&refusal).as_deref(), Some("I won't."));
}

#[test]
fn thoughts_are_not_answers() {
    let draft = r#"{"facts": [{"scope": "goals", "value": "draft"}]}"#;
    for text in [
        format!("<think>\nMaybe {draft}?\n</think>\n\n{ONE}"),
        format!("<think></think>{ONE}"),
        format!("Maybe {draft}?\n</think>\n```json\n{ONE}\n```"),
    ] {
        assert!(answer(&text) == Some(helix()), "{text}");
    }
    for text in [
        format!("<think>Maybe {draft}"),
        format!("<think>Maybe {draft}</think> I can't."),
    ] {
        assert!(answer(&text).is_none(), "{text}");
    }
    // The tag in a value ends no thought.
    let tag = r#"{"facts": [{"scope": "goals", "value": "Strip </think> tags"}]}"#;
    let stripped = Candidate::item(Scope::Goals, "Strip </think> tags");
    assert!(answer(tag) == Some(vec![stripped]));
}

#[test]
fn an_answer_has_at_most_64_facts() {
    let goal =
        |n: usize| json!({"scope": "goals", "value": format!("ship goal {}", "x".repeat(n % 100))});
    let text = json!({"facts": (0..10_000).map(goal).collect::<Vec<_>>()}).to_string();
    assert_eq!(answer(&text).map(|facts| facts.len()), Some(64));
}

/// Neither a message nor an answer can make their comparison take long.
#[test]
fn hostile_lengths_are_judged_in_time() {
    let message = "x remember y, ".repeat(1_200);
    let known: Vec<Known> = (0..100)
        .map(|_| known(&format!("goals = {}", "go al ".repeat(80))))
        .collect();
    let long = "goal ".repeat(3_000);
    let fact = json!({"scope": "goals", "value": long, "op": "remove", "known": 1, "was": long, "quote": message});
    let text = json!({"facts": vec![fact; 64]}).to_string();
    let begun = std::time::Instant::now();
    assert!(candidates(&text, &known, &message, day()).is_some());
    // A debug build beside other tests; what grows with the square would take minutes.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

proptest! {
    #[test]
    fn any_bytes_are_read(body in any::<Vec<u8>>()) {
        let _ = completion(&body);
    }

    #[test]
    fn any_content_is_read(text in any::<String>()) {
        let _ = answer(&text);
    }

    #[test]
    fn almost_json_is_read(text in r#"[{}\[\]",:a-z0-9 ]{0,120}"#) {
        let _ = answer(&format!("{{\"facts\": [{text}"));
    }

    /// Whatever a model writes, what is known goes only where its value was repeated.
    #[test]
    fn any_fields_destroy_nothing_unnamed(
        fields in proptest::array::uniform5(any::<String>()),
        op in "(set|remove|confirm)",
        number in 0_u8..4,
        message in any::<String>(),
    ) {
        let [scope, key, value, was, quote] = fields;
        let fact = json!({"scope": scope, "key": key, "value": value, "op": op, "known": number,
            "was": was, "quote": quote});
        let known = [known("goals = Ship the beta"), known("relationships = Priya, manager")];
        let text = json!({"facts": [fact]}).to_string();
        for candidate in candidates(&text, &known, &message, day()).into_iter().flat_map(|a| a.candidates) {
            prop_assert!(candidate.op == Op::Confirm || candidate.known.is_none());
        }
    }
}
