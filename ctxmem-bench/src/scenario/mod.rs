//! The scenarios: what is measured, one file each.

mod backup;
mod builds;
mod cache;
mod citus;
mod conversations;
mod copies;
mod data;
mod erasure;
mod facts;
mod full_memory;
mod growth;
mod inject;
mod labelled_turns;
mod memory;
mod overload;
mod size;
mod skew;
mod soak;
mod stability;
mod update;

use std::path::PathBuf;

use futures_util::future::LocalBoxFuture;

use crate::effort::{Effort, Plan};
use crate::machine;

/// What is to be measured.
#[derive(clap::Args)]
pub(crate) struct Run {
    /// How long it may take
    #[arg(value_enum, default_value = "quick")]
    effort: Effort,
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
}

/// Where scenarios find what they need.
struct Bench {
    plan: Plan,
    server: PathBuf,
    /// Where conversations are that take the place of the labelled turns.
    conversations: Option<PathBuf>,
}

/// Runs the scenarios whose name holds `only`, and prints a table of each.
pub(crate) async fn run(run: Run) {
    let folder = tempfile::tempdir().unwrap();
    // Servers are started in other folders, from where a relative path leads nowhere.
    let find = |binary: PathBuf| {
        binary.canonicalize().unwrap_or_else(|error| {
            panic!(
                "no server at {} ({error}): scripts/bench.sh builds it",
                binary.display()
            )
        })
    };
    let (plan, only) = (Plan::from(run.effort), run.only.as_deref());
    let against = run.against.map(find);
    let bench = Bench {
        plan,
        server: find(run.server),
        conversations: run.conversations,
    };
    println!("# Figures of ctxmem\n");
    machine::describe(folder.path());
    println!(
        "- {} rounds of {} s a target; median (min–max); × is the ratio to the first line, by round",
        plan.rounds,
        plan.turn.as_secs()
    );
    let builds = async {
        if let Some(other) = &against {
            builds::run(&bench, other).await;
        }
    };
    let scenarios: [(&str, LocalBoxFuture<'_, ()>); 14] = [
        ("inject-sqlite", Box::pin(inject::on_sqlite(&bench))),
        ("inject-postgres", Box::pin(inject::on_postgres(&bench))),
        ("inject-memories", Box::pin(full_memory::run(&bench))),
        ("update-sqlite", Box::pin(update::on_sqlite(&bench))),
        ("update-postgres", Box::pin(update::on_postgres(&bench))),
        ("stability", Box::pin(stability::run(&bench))),
        ("cache", Box::pin(cache::run(&bench))),
        ("growth", Box::pin(growth::run(&bench))),
        ("builds", Box::pin(builds)),
        ("erasure", Box::pin(erasure::run(&bench))),
        ("backup", Box::pin(backup::run(&bench))),
        ("memory", Box::pin(memory::run(&bench))),
        ("memory-after-load", Box::pin(memory::after_load(&bench))),
        ("overload", Box::pin(overload::run(&bench))),
    ];
    for (name, scenario) in scenarios {
        if only.is_none_or(|only| name.contains(only)) {
            scenario.await;
        }
    }
    // These take long in full.
    if only == Some("size") {
        size::run(&bench).await;
    }
    if only == Some("citus") {
        citus::run(&bench).await;
    }
    if only == Some("skew") {
        skew::run();
    }
    if only == Some("soak") {
        soak::run(&bench).await;
    }
}
