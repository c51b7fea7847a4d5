//! `cargo run --package ctxmem-extract --example score -- SET [PREDICTIONS] [--max-chars=N] [--errors]`
//!
//! Prints how well facts of a labelled set were found: by what `ctxmem-server extract` printed,
//! or without PREDICTIONS by the rules. `--errors` lists what was wrong and what was missed.

#![expect(clippy::print_stdout, reason = "a command that prints a table")]

use std::error::Error;
use std::fs::read_to_string;

use chrono::NaiveDate;
use ctxmem_extract::score::{Fact, Item, Prediction, Score, read};
use ctxmem_extract::{Interaction, Op, Prose, Reading, admit, first_stage, rules};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut files, mut max_chars, mut errors) = (Vec::new(), None, false);
    for argument in std::env::args().skip(1) {
        if let Some(limit) = argument.strip_prefix("--max-chars=") {
            max_chars = Some(limit.parse()?);
        } else if argument == "--errors" {
            errors = true;
        } else {
            files.push(argument);
        }
    }
    let set = files.first().ok_or("expected a labelled set")?;
    let items: Vec<Item> = read(&read_to_string(set)?)?;
    let predictions: Vec<Prediction> = match files.get(1) {
        Some(file) => read(&read_to_string(file)?)?,
        None => items.iter().map(by_rules).collect(),
    };
    let score = Score::of(&items, &predictions, max_chars)?;
    if errors {
        score.errors.iter().for_each(|error| println!("{error}"));
    }
    println!("{score}");
    Ok(())
}

/// What the rules find in one interaction.
fn by_rules(item: &Item) -> Prediction {
    let prose = Prose::of(&item.user_message);
    let reading = Reading::of(&prose);
    let filtered = matches!(
        first_stage::judge(&reading),
        first_stage::Verdict::Filtered(_)
    );
    let interaction = Interaction {
        user_message: &item.user_message,
        agent_response: "",
        known: &[],
        today: NaiveDate::from_ymd_opt(2026, 3, 5).unwrap_or_default(),
    };
    let found = if filtered {
        Vec::new()
    } else {
        admit(rules::extract(&reading, &interaction))
    };
    let facts = found.into_iter().filter(|fact| fact.op == Op::Set);
    Prediction {
        id: item.id.clone(),
        facts: facts
            .map(|fact| Fact {
                scope: fact.scope.name().to_owned(),
                value: fact.value,
            })
            .collect(),
        filtered,
    }
}
