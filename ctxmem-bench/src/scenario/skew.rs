//! Load balance: how evenly users and agents are spread over the machines of a cluster. A simulation, without a server.
//!
//! Users lie where the hash of their key says, so each is on any shard with the same probability. How
//! much they talk is log-normal with σ = 1.5: the busiest hundredth makes a fifth of all turns.
//! Agents follow Zipf's law: the second has half as many turns as the first, the third a third.

use crate::load::float;
use crate::report;

/// What users say in a day on average.
const TURNS_A_DAY: f64 = 10.0;

const SIGMA: f64 = 1.5;

/// An hour in the evening against the mean of the day.
const PEAK: f64 = 3.0;

const SECONDS_A_DAY: f64 = 86_400.0;

/// As many as the largest simulated table has. Those with fewer are made of these.
const FINEST: usize = 512;

const SHARDS: [usize; 3] = [32, 128, FINEST];

const WORKERS: [usize; 4] = [2, 5, 16, 48];

const USERS: [usize; 3] = [100_000, 1_000_000, 100_000_000];

/// How many users, and how many agents they talk to.
const AGENTS: [(usize, usize); 3] = [
    (1_000_000, 1_000),
    (100_000_000, 100_000),
    (1_000_000_000, 1_000_000),
];

pub(super) fn run() {
    println!("\n### skew of users: the busiest shard and worker against the mean (a simulation)\n");
    let workers = WORKERS.map(|workers| format!("of {workers} workers"));
    report::head(&format!(
        "users | shards | busiest shard | {} | busiest user's turns a day",
        workers.join(" | ")
    ));
    for users in USERS {
        let (finest, busiest_user) = turns_by_shard(users);
        for shards in SHARDS {
            let turns = folded(&finest, shards);
            let of_workers = WORKERS.map(|workers| {
                if workers > shards {
                    "–".to_owned()
                } else {
                    format!("{:.3} ×", unevenness(&folded(&turns, workers)))
                }
            });
            println!(
                "| {users} | {shards} | {:.3} × | {} | {busiest_user:.0} |",
                unevenness(&turns),
                of_workers.join(" | ")
            );
        }
    }
    println!("\n### the busiest agent (Zipf's law)\n");
    report::head("users | agents | share of the busiest | its turns a second | in a busy hour");
    for (users, agents) in AGENTS {
        let share = 1.0 / (1..=agents).map(|n| 1.0 / float(n)).sum::<f64>();
        let turns = float(users) * TURNS_A_DAY / SECONDS_A_DAY * share;
        println!(
            "| {users} | {agents} | {:.1} % | {turns:.1} | {:.1} |",
            share * 100.0,
            turns * PEAK
        );
    }
}

/// The turns of a day by shard, and those of the busiest user. The same each time.
fn turns_by_shard(users: usize) -> (Vec<f64>, f64) {
    let mut random = fastrand::Rng::with_seed(1);
    let mut turns = vec![0.0; FINEST];
    let mut busiest: f64 = 0.0;
    for _ in 0..users {
        // The mean of e^(σ z) is e^(σ² / 2).
        let of_user = TURNS_A_DAY
            * SIGMA
                .mul_add(normal(&mut random), -SIGMA * SIGMA / 2.0)
                .exp();
        turns[random.usize(..FINEST)] += of_user;
        busiest = busiest.max(of_user);
    }
    (turns, busiest)
}

/// A number of the standard normal distribution, by Box and Muller.
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// The same on fewer places, which take turns.
fn folded(turns: &[f64], places: usize) -> Vec<f64> {
    let mut folded = vec![0.0; places];
    for (n, turns) in turns.iter().enumerate() {
        folded[n % places] += turns;
    }
    folded
}

/// The greatest against the mean.
fn unevenness(turns: &[f64]) -> f64 {
    let mean = turns.iter().sum::<f64>() / float(turns.len());
    turns.iter().copied().fold(0.0, f64::max) / mean
}
