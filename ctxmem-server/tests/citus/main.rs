//! The binary on a Citus cluster: machines that are away, killed and added, under load.
//! `scripts/citus.sh` runs these tests, where Citus is.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail and print figures like the tests they help"
)]

mod away;
mod kills;
#[path = "../process/load.rs"]
#[expect(dead_code, reason = "the tests of the binary use the rest")]
mod load;
#[path = "../process/model.rs"]
mod model;
#[path = "../process/process.rs"]
#[expect(
    dead_code,
    reason = "the tests of the binary on other databases use the rest"
)]
mod process;
mod rebalancing;
mod revocation;
mod setup;
