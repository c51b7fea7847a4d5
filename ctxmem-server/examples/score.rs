//! `cargo run --package ctxmem-server --example score -- SET PREDICTIONS [--max-chars N]`
//!
//! Prints how well facts were found. `scripts/eval.sh` makes the predictions and calls this.

#![expect(clippy::print_stdout, reason = "a command that prints a table")]

#[path = "../tests/extraction/score.rs"]
mod score;

use std::error::Error;
use std::fs::read_to_string;
use std::path::PathBuf;

use clap::Parser;

/// Score predictions against a labelled set.
#[derive(Parser)]
struct Args {
    /// The labelled set, one JSON object a line
    set: PathBuf,
    /// What `ctxmem-server extract` printed for it
    predictions: PathBuf,
    /// Longer values match nothing
    #[arg(long, value_name = "N")]
    max_chars: Option<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let items = score::read(&read_to_string(&args.set)?)?;
    let predictions = score::read(&read_to_string(&args.predictions)?)?;
    println!(
        "{}",
        score::Score::of(&items, &predictions, args.max_chars)?
    );
    Ok(())
}
