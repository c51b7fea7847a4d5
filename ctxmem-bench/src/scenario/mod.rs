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
mod turn;
mod update;

use std::path::PathBuf;

use crate::effort::Plan;
use crate::machine;

/// Where scenarios find what they need.
pub(crate) struct Bench {
    pub(crate) plan: Plan,
    pub(crate) server: PathBuf,
    /// Where conversations are that take the place of the labelled turns.
    pub(crate) conversations: Option<PathBuf>,
}

/// Runs the scenarios whose name holds `only`, and prints a table of each.
pub(crate) async fn run(
    plan: Plan,
    server: PathBuf,
    against: Option<PathBuf>,
    only: Option<&str>,
    conversations: Option<PathBuf>,
) {
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
    let (server, against) = (find(server), against.map(find));
    let bench = Bench {
        plan,
        server,
        conversations,
    };
    println!("# Figures of ctxmem\n");
    machine::describe(folder.path());
    println!(
        "- {} rounds of {} s a target; median (min–max); × is the ratio to the first line, by round",
        plan.rounds,
        plan.turn.as_secs()
    );
    let wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    if wanted("inject-sqlite") {
        inject::on_sqlite(&bench).await;
    }
    if wanted("inject-postgres") {
        inject::on_postgres(&bench).await;
    }
    if wanted("inject-memories") {
        full_memory::run(&bench).await;
    }
    if wanted("update-sqlite") {
        update::on_sqlite(&bench).await;
    }
    if wanted("update-postgres") {
        update::on_postgres(&bench).await;
    }
    if wanted("stability") {
        stability::run(&bench).await;
    }
    if wanted("cache") {
        cache::run(&bench).await;
    }
    if wanted("growth") {
        growth::run(&bench).await;
    }
    if let Some(other) = against
        && wanted("builds")
    {
        builds::run(&bench, &other).await;
    }
    if wanted("erasure") {
        erasure::run(&bench).await;
    }
    if wanted("backup") {
        backup::run(&bench).await;
    }
    if wanted("memory") {
        memory::run(&bench).await;
    }
    if wanted("memory-after-load") {
        memory::after_load(&bench).await;
    }
    if wanted("overload") {
        overload::run(&bench).await;
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
