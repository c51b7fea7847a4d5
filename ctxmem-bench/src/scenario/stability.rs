//! How much of a user's block an update leaves as it was: the prefix that caches of providers
//! find again.

use super::Bench;
use super::inject::BASE;
use super::labelled_turns::{LabelledTurn, order, turns};
use crate::load::{Wire, float};
use crate::server::Server;

const USERS: usize = 20;

/// What was seen.
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

pub(super) async fn run(bench: &Bench) {
    let server = Server::on_sqlite(&bench.server, &[]);
    let turns = turns();
    let mut wire = server.wire().await;
    // Until the developer's first fact, users without facts are shown a demo.
    server.tell(&mut wire, "ada", "My name is Ada.").await;
    let mut seen = PrefixFigures::default();
    for user in 0..USERS {
        let order = order(user, turns.len(), bench.plan.turns_each);
        let told = order.into_iter().map(|turn| &turns[turn]);
        replay(&server, &mut wire, &format!("user-{user}"), told, &mut seen).await;
    }
    print(&seen, bench.plan.turns_each);
}

/// Injects before and after the update of each turn.
async fn replay<'t>(
    server: &Server,
    wire: &mut Wire,
    user: &str,
    turns: impl Iterator<Item = &'t LabelledTurn>,
    seen: &mut PrefixFigures,
) {
    let mut after: Option<String> = None;
    for turn in turns {
        let before = server.block(wire, user, BASE).await;
        if let Some(after) = after {
            seen.repeated += 1;
            seen.identical += usize::from(after == before);
        }
        let (said, answered) = (&turn.user_message, &turn.agent_response);
        server.learn(wire, user, said, answered).await;
        let now = server.block(wire, user, BASE).await;
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

fn print(seen: &PrefixFigures, each: usize) {
    println!(
        "\n### stability: what an update leaves of the block ({USERS} users, {each} turns each)\n"
    );
    println!("| updates | number | median of what stays | 10th percentile |");
    println!("|---|---|---|---|");
    for (name, shares) in [
        ("that changed the block", &seen.changed),
        ("all", &seen.all),
    ] {
        let [median, low] = [50, 10].map(|share| percentile(shares, share) * 100.0);
        println!("| {name} | {} | {median:.1} % | {low:.1} % |", shares.len());
    }
    println!(
        "\nUpdates before which there was no block, left out: {}. Injects repeated with no update \
         between: {}, of which {} gave the same bytes.",
        seen.without, seen.repeated, seen.identical
    );
}

fn percentile(shares: &[f64], share: usize) -> f64 {
    let mut shares = shares.to_vec();
    shares.sort_by(f64::total_cmp);
    let at = shares.len().saturating_sub(1) * share / 100;
    shares.get(at).copied().unwrap_or(f64::NAN)
}
