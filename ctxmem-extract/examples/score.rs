//! `cargo run --package ctxmem-extract --example score -- SET [PREDICTIONS] [--max-chars=N] [--errors]`
//!
//! Prints how well facts of a labelled set were found: by what `ctxmem-server extract` printed,
//! or without PREDICTIONS by the rules. `--errors` lists what was wrong and what was missed.

#![expect(clippy::print_stdout, reason = "a command that prints a table")]

use std::error::Error;
use std::fs::read_to_string;

use chrono::NaiveDate;
use ctxmem_extract::score::{Item, Prediction, Score, parse_lines};

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
    let today = NaiveDate::from_ymd_opt(2026, 3, 5).ok_or("no such day")?;
    let set = files.first().ok_or("expected a labelled set")?;
    let items: Vec<Item> = parse_lines(&read_to_string(set)?)?;
    let predictions: Vec<Prediction> = match files.get(1) {
        Some(file) => parse_lines(&read_to_string(file)?)?,
        None => items
            .iter()
            .map(|item| Prediction::by_rules(item, today))
            .collect(),
    };
    let score = Score::of(&items, &predictions, max_chars)?;
    if errors {
        score.errors.iter().for_each(|error| println!("{error}"));
    }
    println!("{score}");
    Ok(())
}
