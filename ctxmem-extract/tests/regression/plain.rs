//! Plain statements are kept, and what people only talk about is not: `plain.txt`.

use std::fmt::Write as _;

use chrono::NaiveDate;
use ctxmem_extract::{Candidate, Interaction, Op, composed, extract_without_model};

const LINES: &str = include_str!("plain.txt");

/// What is found, as the file writes it.
fn found(message: &str, today: NaiveDate) -> String {
    let message = message.replace('¶', "\n");
    let message = composed(&message);
    let extraction = extract_without_model(&Interaction {
        user_message: &message,
        agent_response: "",
        known: &[],
        today,
    });
    let mut facts: Vec<String> = extraction.facts.iter().map(shown).collect();
    // What is taken back is taken back in all scopes.
    facts.dedup();
    if facts.is_empty() {
        return "none".to_owned();
    }
    facts.join(" ; ")
}

fn shown(fact: &Candidate) -> String {
    let mut text = String::new();
    if fact.op == Op::TakeBack {
        return format!("~ {}", fact.value);
    }
    match fact.op {
        Op::TakeBackAll => return format!("~ all {}", fact.value),
        Op::End => return format!("over: {}", fact.value),
        Op::Change => return format!("changed: {}", fact.value),
        Op::SetInstead => text.push_str("instead: "),
        _ => {}
    }
    text.push_str(fact.scope.name());
    if let Some(slot) = &fact.key {
        let _ = write!(text, ".{slot}");
    }
    if !fact.value.is_empty() {
        let _ = write!(text, " = {}", fact.value);
    }
    text
}

#[test]
fn plain_statements_are_kept_and_nothing_else() {
    let today = NaiveDate::from_ymd_opt(2026, 3, 5).unwrap();
    let lines = LINES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let wrong: Vec<String> = lines
        .filter_map(|line| {
            let (message, expected) = line.split_once(" => ").unwrap_or((line, ""));
            let found = found(message, today);
            (found != expected).then(|| format!("{message} => {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "otherwise now:\n{}", wrong.join("\n"));
}
