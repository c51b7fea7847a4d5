//! How well tools, habits and skills are found in sentences that no rule was written for.

use crate::rules::read;
use crate::{Op, admit};
use ctxmem_types::Scope;

/// One line a message: `message => scope.key=value; scope=value; -gone`.
const SENTENCES: &str = include_str!("work.txt");

struct Fact {
    place: String,
    value: String,
}

/// What is admitted in the two scopes; a removal has the place `-`.
fn found(message: &str) -> Vec<Fact> {
    admit(read(message, ""))
        .into_iter()
        .filter(|fact| matches!(fact.scope, Scope::Preferences | Scope::Knowledge))
        .map(|fact| Fact {
            place: match (fact.op, fact.key) {
                (Op::Remove, _) => "-".to_owned(),
                (_, Some(key)) => format!("{}.{key}", fact.scope),
                (_, None) => fact.scope.to_string(),
            },
            value: fact.value.to_lowercase(),
        })
        .collect()
}

/// `preferences.editor=Helix` or, where any value will do, `preferences`.
fn holds(fact: &Fact, expected: &str) -> bool {
    if let Some(gone) = expected.strip_prefix('-') {
        return fact.place == "-" && fact.value == gone.to_lowercase();
    }
    let (place, value) = expected.split_once('=').unwrap_or((expected, ""));
    let same = fact.place == place || (value.is_empty() && fact.place.starts_with(place));
    same && fact.value.contains(&value.to_lowercase())
}

#[test]
fn most_facts_are_found_and_few_others() {
    let (mut expected_facts, mut hits, mut right, mut wrong) = (0, 0, 0, 0);
    let mut notes = Vec::new();
    for line in SENTENCES.lines().filter(|line| !line.starts_with('#')) {
        let Some((message, expected)) = line.split_once(" =>") else {
            continue;
        };
        let expected: Vec<&str> = expected
            .split(';')
            .map(str::trim)
            .filter(|fact| !fact.is_empty())
            .collect();
        let found = found(message);
        for fact in &expected {
            expected_facts += 1;
            if found.iter().any(|found| holds(found, fact)) {
                hits += 1;
            } else {
                notes.push(format!("missed {fact}: {message}"));
            }
        }
        for fact in found.iter().filter(|fact| fact.place != "-") {
            if expected.iter().any(|expected| holds(fact, expected)) {
                right += 1;
            } else {
                wrong += 1;
                notes.push(format!("wrong {}={}: {message}", fact.place, fact.value));
            }
        }
    }
    let notes = notes.join("\n");
    println!(
        "recall {hits}/{expected_facts}, precision {right}/{}\n{notes}",
        right + wrong
    );
    assert!(
        hits * 100 >= expected_facts * 75,
        "recall: {hits} of {expected_facts}\n{notes}"
    );
    assert!(
        right * 100 >= (right + wrong) * 93,
        "precision: {wrong} wrong\n{notes}"
    );
}
