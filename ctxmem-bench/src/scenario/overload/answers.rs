//! Counts and latencies of the answers that clients got.

use std::time::{Duration, Instant};

use crate::load::{Wire, float, percentile};
use crate::report;

#[derive(Default)]
pub(super) struct Answers {
    served: usize,
    refused: usize,
    /// Of what was served.
    micros: Vec<u128>,
    slowest_refusal: Duration,
    /// For how long they asked.
    time: Duration,
    /// The processor time that the server took meanwhile.
    used: Duration,
}

impl Answers {
    /// Sends a request once, and counts its answer unless it comes too late: as many come late as there are
    /// clients, whatever the server does.
    pub(super) async fn ask(&mut self, wire: &mut Wire, request: &[u8], until: Instant) {
        let asked = Instant::now();
        let (status, _) = wire.exchange_any(request).await;
        let took = asked.elapsed();
        if asked + took > until {
            return;
        }
        match status {
            "200" => {
                self.served += 1;
                self.micros.push(took.as_micros());
            }
            "503" => {
                self.refused += 1;
                self.slowest_refusal = self.slowest_refusal.max(took);
            }
            other => panic!("answered {other}"),
        }
    }

    pub(super) fn of_all(clients: Vec<Self>, time: Duration, used: Duration) -> Self {
        let mut all = Self {
            time,
            used,
            ..Self::default()
        };
        for answers in clients {
            all.served += answers.served;
            all.refused += answers.refused;
            all.micros.extend(answers.micros);
            all.slowest_refusal = all.slowest_refusal.max(answers.slowest_refusal);
        }
        all.micros.sort_unstable();
        all
    }

    /// Of what was served, in microseconds.
    pub(super) fn p99(&self) -> f64 {
        let micros = percentile(&self.micros, 99).unwrap_or_default();
        u32::try_from(micros).map_or(f64::INFINITY, f64::from)
    }

    pub(super) fn served_per_second(&self) -> usize {
        self.served * 1_000 / usize::try_from(self.time.as_millis()).unwrap()
    }

    /// One line of the table of `print_head`.
    pub(super) fn print_line(&self, call: &str, clients: usize, best: &Self) {
        println!(
            "| {call} | {clients} | {} | {:.2} | {:.0} | {:.0} | {:.0} | {} |",
            self.served_per_second(),
            float(self.served_per_second()) / float(best.served_per_second()),
            self.p99() / 1e3,
            self.used.as_secs_f64() * 1e6 / float(self.served),
            float(self.refused) / self.time.as_secs_f64(),
            self.slowest_refusal.as_millis(),
        );
    }
}

pub(super) fn print_head() {
    report::head(
        "call | clients | served a second | × | p99 ms | µs of the server each | refused a second | \
         slowest refusal ms",
    );
}
