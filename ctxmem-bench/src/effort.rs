//! The effort of a run, quick or full, and the durations and sizes that follow from it.

use std::time::Duration;

use clap::ValueEnum;

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Effort {
    /// Some minutes: to see where things stand
    Quick,
    /// Half an hour: for figures that are published
    Full,
}

/// What follows from it.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// How often each target gets its turn.
    pub(crate) rounds: usize,
    pub(crate) turn: Duration,
    /// How many users the large file holds.
    pub(crate) many_users: usize,
    /// How long users are erased beside other load.
    pub(crate) erasing: Duration,
    /// How many turns each user of the stability scenario has.
    pub(crate) turns_each: usize,
    /// How long `soak` takes, which only runs when it is named.
    pub(crate) soak: Duration,
    /// How many connections idle. The server admits 10,000 in all.
    pub(crate) idle_connections: usize,
}

impl From<Effort> for Plan {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Quick => Self {
                rounds: 5,
                turn: Duration::from_secs(2),
                many_users: 100_000,
                erasing: Duration::from_secs(10),
                turns_each: 50,
                soak: Duration::from_mins(6),
                idle_connections: 2_000,
            },
            Effort::Full => Self {
                rounds: 11,
                turn: Duration::from_secs(4),
                many_users: 1_000_000,
                erasing: Duration::from_mins(1),
                turns_each: 1_000,
                soak: Duration::from_hours(1),
                idle_connections: 9_990,
            },
        }
    }
}
