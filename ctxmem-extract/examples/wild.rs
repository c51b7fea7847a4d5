//! `scripts/wild.sh FILE…`: what the rules find in conversations that nobody labelled.
//!
//! A file holds one JSON object a line with `userMessage`, and `agentResponse` where there is
//! one. Prints how many facts there are in a hundred messages and a random sample of them, each
//! with the message that it comes from, to be judged by people.

#![expect(clippy::cast_precision_loss, reason = "the counts are small")]

use std::error::Error;
use std::fs::read_to_string;
use std::io::{Write, stdout};

use chrono::NaiveDate;
use ctxmem_extract::{Interaction, Op, extract_without_model};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut stdout().lock())
}

fn run(
    arguments: impl IntoIterator<Item = String>,
    output: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut sample = 100;
    let mut seed = 1_u64;
    for argument in arguments {
        if let Some(size) = argument.strip_prefix("--sample=") {
            sample = size.parse()?;
        } else if let Some(start) = argument.strip_prefix("--seed=") {
            seed = start.parse()?;
        } else {
            report(&argument, sample, seed, output)?;
        }
    }
    Ok(())
}

fn report(
    file: &str,
    sample: usize,
    seed: u64,
    output: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let today = NaiveDate::from_ymd_opt(2026, 3, 5).ok_or("no such day")?;
    let (mut messages, mut filtered, mut telling) = (0_usize, 0_usize, 0_usize);
    let mut facts: Vec<(String, String)> = Vec::new();
    for line in read_to_string(file)?
        .lines()
        .filter(|line| !line.trim().is_empty())
    {
        let line: Value = serde_json::from_str(line)?;
        let said = line["userMessage"].as_str().unwrap_or_default();
        messages += 1;
        let extraction = extract_without_model(&Interaction {
            user_message: said,
            agent_response: line["agentResponse"].as_str().unwrap_or_default(),
            known: &[],
            today,
        });
        filtered += usize::from(extraction.filtered.is_some());
        let before = facts.len();
        for fact in extraction
            .facts
            .into_iter()
            .filter(|fact| fact.op == Op::Set)
        {
            let key = fact.key.map(|key| format!(".{key}")).unwrap_or_default();
            facts.push((
                format!("{}{key} = {}", fact.scope, fact.value),
                said.to_owned(),
            ));
        }
        telling += usize::from(facts.len() > before);
    }
    writeln!(
        output,
        "{file}: {messages} messages, {filtered} filtered, {telling} with facts, {} facts, {:.1} in a hundred messages",
        facts.len(),
        facts.len() as f64 * 100.0 / messages.max(1) as f64
    )?;
    for n in shuffled(facts.len(), seed).into_iter().take(sample) {
        let (fact, said) = &facts[n];
        let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = said.chars().take(700).collect();
        writeln!(output, "  {fact}\n      < {said}")?;
    }
    Ok(())
}

/// The numbers below `count` in an order that the seed decides.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for n in (1..count).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(n, usize::try_from(state % (n as u64 + 1)).unwrap_or(0));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_shows_each_fact_with_its_message() -> Result<(), Box<dyn Error>> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/wild.jsonl");
        let arguments = ["--sample=2", "--seed=7", file].map(str::to_owned);
        let mut output = Vec::new();
        run(arguments, &mut output)?;
        let output = String::from_utf8(output)?;
        let lines: Vec<&str> = output.lines().collect();
        let counts = "5 messages, 3 filtered, 2 with facts, 3 facts, 60.0 in a hundred messages";
        assert!(lines[0].ends_with(counts), "{output}");
        // Two facts, each with its message on the next line.
        assert_eq!(lines.len(), 5, "{output}");
        assert!(
            lines[1].contains(" = ") && lines[3].contains(" = "),
            "{output}"
        );
        assert!(
            lines[2].starts_with("      < I'm Ada") || lines[2].contains("allergic"),
            "{output}"
        );
        Ok(())
    }

    #[test]
    fn a_line_that_is_not_json_is_an_error() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/wild.rs").to_owned();
        assert!(run([file], &mut Vec::new()).is_err());
    }
}
