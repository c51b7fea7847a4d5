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

mod baseline;
mod cpu;
mod effort;
mod load;
mod machine;
mod process;
mod recall;
mod report;
mod request;
mod rounds;
mod scenario;
mod server;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Speed and memory of ctxmem, as ratios to baselines of the same run, and its recall.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the scenarios and print Markdown tables
    Run {
        /// How long it may take
        #[arg(value_enum, default_value = "quick")]
        effort: effort::Effort,
        /// The server's binary, built for release
        #[arg(long)]
        server: PathBuf,
        /// Another build of the server, to be compared with this one
        #[arg(long)]
        against: Option<PathBuf>,
        /// Only scenarios whose name holds this
        #[arg(long)]
        only: Option<String>,
        /// Conversations for the scenario `stability`, in place of the labelled turns: a file, or
        /// a folder of `.jsonl` files. A file is one user's, and has one JSON object a line with
        /// `userMessage` and `agentResponse`
        #[arg(long)]
        conversations: Option<PathBuf>,
    },
    /// Look up how much of what people said is there when it is asked for, and print Markdown tables
    Recall(recall::Recall),
    /// Serve a baseline (what `run` starts)
    Baseline(baseline::Baseline),
}

#[tokio::main]
async fn main() {
    match Cli::parse().command {
        Command::Baseline(baseline) => baseline::serve(baseline).await,
        Command::Recall(recall) => recall::run(recall).await,
        Command::Run {
            effort,
            server,
            against,
            only,
            conversations,
        } => {
            let only = only.as_deref();
            scenario::run(effort.into(), server, against, only, conversations).await;
        }
    }
}
