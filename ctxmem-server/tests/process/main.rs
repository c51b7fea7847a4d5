//! The binary as operators use it: started, asked, stopped and killed.
//!
//! These tests live with the binary because Cargo hands its path to them only.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail and print figures like the tests they help"
)]

mod admin;
mod aftermath;
mod audit;
mod backup;
#[cfg(unix)]
mod backup_verify;
mod database_files;
mod demo;
mod deployment;
#[cfg(unix)]
mod disk;
mod erasure_kill;
mod erasure_points;
mod evidence;
mod failover;
mod first_grant;
mod forwarder;
mod held_request;
mod history;
#[cfg(target_os = "linux")]
mod io_errors;
mod kill;
mod load;
mod logs;
mod lost_answer;
mod mcp;
#[cfg(target_os = "linux")]
mod memory;
mod metrics;
mod metrics_counts;
mod model;
mod operator;
mod operators;
mod outage;
#[cfg(target_os = "linux")]
mod overload;
mod pooler;
mod postgres_copies;
#[cfg(unix)]
mod postgres_disk;
#[cfg(target_os = "linux")]
mod power_cut;
mod process;
mod proxy;
mod quota;
mod reapply;
mod reload;
mod restore_kill;
mod revocation;
mod rotation;
mod row_locks;
mod scrape;
mod serve;
mod settings;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(target_os = "linux")]
mod strace;
mod tls;
mod traces;
mod transfer;
mod transfer_gate;
mod upgrade;
mod warm;
mod wrong_place;
