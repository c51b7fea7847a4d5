//! `scripts/bench.sh [quick|full]`: what ctxmem costs, as ratios to baselines that run in the
//! same minutes on the same machine. `scripts/recall.sh FOLDER` is about what it remembers; see
//! `recall`.
//!
//! Servers run as processes of their own, on loopback and temporary data, so that their CPU
//! time can be told from the driver's. Targets take turns, round by round; what is printed
//! are medians and the span of the rounds. A ratio compares the two targets within a round.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark prints what it found, and fails where it can't"
)]

mod agent;
mod baseline;
mod cpu;
mod effort;
mod files;
mod load;
mod machine;
mod process;
mod recall;
mod report;
mod request;
mod rounds;
mod scenario;
mod server;

use clap::Parser;

/// Speed and memory of ctxmem, as ratios to baselines of the same run, and its recall.
#[derive(Parser)]
enum Command {
    /// Run the scenarios and print Markdown tables
    Run(scenario::Run),
    /// Look up how much of what people said is there when it is asked for, and print Markdown tables
    Recall(recall::Recall),
    /// Serve a baseline (what `run` starts)
    #[command(subcommand)]
    Baseline(baseline::Baseline),
}

#[tokio::main]
async fn main() {
    match Command::parse() {
        Command::Baseline(baseline) => baseline::serve(baseline).await,
        Command::Recall(recall) => recall::run(recall).await,
        Command::Run(run) => scenario::run(run).await,
    }
}
