//! Savings by a provider's prompt cache, for each way to put memory into a prompt: a simulation of
//! people who talk to an agent over two weeks, with the real blocks of a server.
//!
//! Assumptions, beside those that `providers` and `people` name: one token is four bytes; the
//! request is the system prompt, the turns of this conversation so far and the new message; only
//! input is counted; the provider routes a request to where its prefix is cached.

mod people;
mod prompts;
mod providers;

use self::people::Visit;
use self::prompts::{Memory, Placement};
use self::providers::{PROVIDERS, Paid, PromptCache};
use super::Bench;
use super::labelled_turns::turns;
use crate::load::float;
use crate::report;
use crate::server::Server;

const USERS: usize = 1_000;
const TURNS_EACH: usize = 60;

/// Lengths of the base prompt, in tokens.
const BASES: [usize; 3] = [500, 2_000, 8_000];

pub(super) async fn run(bench: &Bench) {
    let turns = turns();
    let users = if bench.plan.turns_each < 1_000 {
        USERS / 10
    } else {
        USERS
    };
    let server = Server::in_memory(&bench.server, &[]);
    let mut agent = server.agent().await;
    // Until the developer's first fact, users without facts are shown a demo.
    agent.tell("ada", "My name is Ada.").await;
    let mut visits = Vec::new();
    for user in 0..users {
        let said = people::visits(user, TURNS_EACH, &turns);
        visits.extend(prompts::remember(&mut agent, user, said).await);
    }
    visits.sort_by_key(|visit| (visit.at, visit.user));
    println!(
        "\n### cache: what a provider's cache saves ({users} users, {TURNS_EACH} turns each over \
         two weeks)\n"
    );
    report::head(
        "provider | base prompt | memory | input tokens a turn | read from cache | $ per 1,000 turns",
    );
    for provider in &PROVIDERS {
        for base in BASES {
            for (placement, name) in Placement::ALL {
                let paid = simulate(provider, base, placement, &visits);
                let turns = float(visits.len());
                println!(
                    "| {} | {base} | {name} | {:.0} | {:.1} % | {:.2} |",
                    provider.name,
                    paid.input / turns,
                    paid.read / paid.input * 100.0,
                    paid.dollars(provider) / turns * 1_000.0,
                );
            }
        }
    }
}

fn simulate(
    provider: &'static providers::Provider,
    base: usize,
    placement: Placement,
    visits: &[Visit<Memory>],
) -> Paid {
    let base = prompts::base(base);
    let mut cache = PromptCache::of(provider);
    for visit in visits {
        cache.request(visit.at, visit.user, &placement.prompt(&base, visit));
    }
    cache.paid
}
