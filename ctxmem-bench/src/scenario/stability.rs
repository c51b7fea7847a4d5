//! Prefix stability: how much of a user's block an update leaves unchanged at its beginning, where
//! the prompt caches of providers match it.

use std::path::Path;

use super::Bench;
use super::conversations::{self, Turn};
use super::inject::BASE;
use super::labelled_turns::{order, turns};
use crate::agent::Agent;
use crate::load::{self, float};
use crate::report;
use crate::server::Server;

const USERS: usize = 20;

#[derive(Default)]
struct PrefixFigures {
    /// For each update with a block before it, the share of that block that stayed.
    all: Vec<f64>,
    /// Those of the updates that changed the block.
    changed: Vec<f64>,
    /// Updates before which there was no block.
    without: usize,
    /// Pairs of injects with no update between them.
    repeated: usize,
    /// Those that gave the same bytes.
    identical: usize,
}

impl PrefixFigures {
    fn add(&mut self, other: &Self) {
        self.all.extend(&other.all);
        self.changed.extend(&other.changed);
        self.without += other.without;
        self.repeated += other.repeated;
        self.identical += other.identical;
    }
}

pub(super) async fn run(bench: &Bench) {
    let server = Server::on_sqlite(&bench.server, &[]);
    let mut agent = server.agent().await;
    // Until the developer's first fact, users without facts are shown a demo.
    agent.tell("ada", "My name is Ada.").await;
    match &bench.conversations {
        Some(place) => over_conversations(&mut agent, place).await,
        None => over_labelled_turns(bench, &mut agent).await,
    }
}

async fn over_labelled_turns(bench: &Bench, agent: &mut Agent) {
    let turns = turns();
    let mut seen = PrefixFigures::default();
    for user in 0..USERS {
        let order = order(user, turns.len(), bench.plan.turns_each);
        let told = order.into_iter().map(|turn| &turns[turn]);
        replay(agent, &format!("user-{user}"), told, &mut seen).await;
    }
    println!(
        "\n### stability: what an update leaves of the block ({USERS} users, {} turns each)\n",
        bench.plan.turns_each
    );
    print_head();
    print_row("that changed the block", &seen.changed);
    print_row("all", &seen.all);
    print_rest(&seen);
}

/// Each conversation is a user's of its own.
async fn over_conversations(agent: &mut Agent, place: &Path) {
    println!("\n### stability: what an update that changes the block leaves of it\n");
    print_head();
    let mut all = PrefixFigures::default();
    for conversation in conversations::read(place) {
        let mut seen = PrefixFigures::default();
        let (name, turns) = (&conversation.name, &conversation.turns);
        replay(agent, name, turns.iter(), &mut seen).await;
        print_row(&format!("{name}, {} turns", turns.len()), &seen.changed);
        all.add(&seen);
    }
    print_row("all conversations", &all.changed);
    print_rest(&all);
}

/// Injects before and after the update of each turn.
async fn replay<'t>(
    agent: &mut Agent,
    user: &str,
    turns: impl Iterator<Item = &'t Turn>,
    seen: &mut PrefixFigures,
) {
    let mut after: Option<String> = None;
    for turn in turns {
        let before = agent.block(user, BASE).await;
        if let Some(after) = after {
            seen.repeated += 1;
            seen.identical += usize::from(after == before);
        }
        let (said, answered) = (&turn.user_message, &turn.agent_response);
        let learned = agent.learn(user, said, answered).await;
        assert!(learned.updated, "{learned:?}");
        let now = agent.block(user, BASE).await;
        if before.is_empty() {
            seen.without += 1;
        } else {
            let share = float(prefix(&before, &now)) / float(before.len());
            seen.all.push(share);
            if now != before {
                seen.changed.push(share);
            }
        }
        after = Some(now);
    }
}

/// The length of what both begin with.
fn prefix(a: &str, b: &str) -> usize {
    let pairs = a.bytes().zip(b.bytes());
    pairs.take_while(|(a, b)| a == b).count()
}

fn print_head() {
    report::head("updates | number | median of what stays | 10th percentile");
}

fn print_row(name: &str, shares: &[f64]) {
    let [median, low] = [50, 10].map(|share| percentile(shares, share));
    println!("| {name} | {} | {median} | {low} |", shares.len());
}

fn print_rest(seen: &PrefixFigures) {
    println!(
        "\nUpdates before which there was no block, left out: {}. Injects repeated with no update \
         between: {}, of which {} gave the same bytes.",
        seen.without, seen.repeated, seen.identical
    );
}

/// In percent; a dash where nothing was seen.
fn percentile(shares: &[f64], share: usize) -> String {
    let mut shares = shares.to_vec();
    shares.sort_by(f64::total_cmp);
    let share = load::percentile(&shares, share);
    share.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}
