//! `scripts/recall.sh FOLDER`: how much of what people said is there when it is asked for, over two
//! public data sets, whose files this repository does not hold.
//!
//! Without a model, and without a judge: the server runs as it is delivered, people say what the data
//! have them say, and for each question it is looked up whether the facts on which its answer rests
//! are stored, in the injected block, beside it in `relevant`, or among the first that a search gives.
//! Facts come from the built-in extractor, or, standing in for a model, from what the authors of the
//! data recorded.
//!
//! With a model, the same from end to end: `end_to_end`.

mod end_to_end;
mod evidence;
mod locomo;
mod people;
mod prefeval;
mod report;
mod stub;
#[cfg(test)]
mod tests;
mod told;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use self::evidence::Findings;
use self::people::Person;
use self::stub::Recorded;
use self::told::Told;
use crate::files;
use crate::server::Server;

/// The columns of `LoCoMo`.
const LOCOMO_KINDS: [&str; 4] = ["single-hop", "temporal", "multi-hop", "inference"];

/// How many preferences a user of `PrefEval` states.
const PREFERENCES: [usize; 3] = [20, 60, 130];

/// Budgets of the block, with their flags.
const BUDGETS: [(&str, &[&str]); 2] = [
    ("default budget", &[]),
    ("budget of 4,000", &["--token-budget", "4000"]),
];

/// Where the data are from.
const DATA: &str = "The folder with the data sets, which are for non-commercial use only: \
    git clone https://github.com/snap-research/locomo FOLDER/locomo; \
    git clone https://github.com/amazon-science/PrefEval FOLDER/PrefEval";

/// The data and, if there is one, the model.
#[derive(clap::Args)]
pub(crate) struct Recall {
    #[arg(help = DATA)]
    folder: PathBuf,
    /// The server's binary
    #[arg(long)]
    server: PathBuf,
    /// Only the part for development: five conversations of ten, ten topics of twenty
    #[arg(long)]
    dev: bool,
    /// Only one of the data sets
    #[arg(long)]
    only: Option<DataSet>,
    #[command(flatten)]
    model: end_to_end::ModelArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DataSet {
    Locomo,
    Prefeval,
}

impl Recall {
    fn wants(&self, set: DataSet) -> bool {
        self.only.is_none_or(|only| only == set)
    }

    /// The people of `LoCoMo`, if they are wanted.
    fn locomo(&self) -> Vec<Person> {
        let wanted = self.wants(DataSet::Locomo);
        let read = wanted.then(|| locomo::read(&self.folder, self.dev));
        read.unwrap_or_default()
    }

    /// The people of `PrefEval` who state so many preferences each, if they are wanted.
    fn prefeval(&self, counts: &[usize]) -> Vec<Person> {
        if !self.wants(DataSet::Prefeval) {
            return Vec::new();
        }
        let preferences = prefeval::read(&self.folder, self.dev);
        let people = counts
            .iter()
            .map(|count| prefeval::people(&preferences, *count));
        people.flatten().collect()
    }
}

/// Measures and prints Markdown.
pub(crate) async fn run(recall: Recall) {
    let server = files::or_panic(&recall.server, recall.server.canonicalize());
    let part = if recall.dev {
        ", the part for development"
    } else {
        ""
    };
    println!("# Recall{part}");
    if let Some(model) = recall.model.model() {
        let sets = [
            ("LoCoMo", recall.locomo()),
            ("PrefEval", recall.prefeval(&[60])),
        ];
        return end_to_end::run(&server, &model, &sets).await;
    }
    let kinds = PREFERENCES.map(|count| format!("{count} preferences"));
    let kinds = kinds.each_ref().map(String::as_str);
    for (set, people, kinds, with_all) in [
        ("LoCoMo", recall.locomo(), &LOCOMO_KINDS[..], true),
        ("PrefEval", recall.prefeval(&PREFERENCES), &kinds[..], false),
    ] {
        if people.is_empty() {
            continue;
        }
        let recorded = Recorded::start().await;
        for (extractor, recorded) in [
            ("the built-in extractor", None),
            ("recorded facts standing in for a model", Some(&recorded)),
        ] {
            println!("\n## {set}, {extractor}");
            measure(&server, &people, recorded, kinds, with_all).await;
        }
    }
}

async fn measure(
    binary: &Path,
    people: &[Person],
    recorded: Option<&Recorded>,
    kinds: &[&str],
    with_all: bool,
) {
    let mut flags = vec!["--demo", "off"];
    if let Some(recorded) = recorded {
        flags.extend(["--extractor", "model", "--model-name", "recorded"]);
        flags.extend(["--model-url", &recorded.stub.url]);
    }
    let mut server = Server::in_memory(binary, &flags);
    let mut told = Vec::new();
    let mut agent = server.agent().await;
    for person in people {
        told.push(Told::by(&mut agent, person, recorded).await);
    }
    let mut by_budget = Vec::new();
    for (name, budget) in BUDGETS {
        let flags = [&flags[..], budget].concat();
        server = server.restart(&flags);
        let mut agent = server.agent().await;
        by_budget.push((name, Findings::of(&mut agent, people, &told).await));
    }
    let turns: usize = people.iter().map(|person| person.turns.len()).sum();
    let [evicted, changed, kept] = [
        |told: &Told| told.evicted,
        |told: &Told| told.changed,
        |told: &Told| told.kept,
    ]
    .map(|count| told.iter().map(count).sum::<usize>());
    print!("\n{} users, {turns} turns", people.len());
    if let Some(recorded) = recorded {
        print!(", of which {} went to the model", recorded.stub.asked());
    }
    println!(
        "; {evicted} facts made room for others. Of {changed} updates that changed a block, {kept} left \
         all that was in it where it was."
    );
    report::table(kinds, with_all, &by_budget);
}
