//! The machine on which the figures were taken.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use crate::rounds::Span;

/// Prints what the machine is, and how long it takes to sync 4 KiB in this folder.
pub(crate) fn describe(folder: &Path) {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown", |rest| rest.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let sync = Span::of(syncs(folder));
    println!("- processor: {model}, {cores} cores");
    println!("- Linux {}", kernel.trim());
    println!(
        "- fdatasync of 4 KiB: {:.0} µs ({:.0}–{:.0})",
        sync.median, sync.min, sync.max
    );
}

fn syncs(folder: &Path) -> Vec<f64> {
    let mut file = File::create(folder.join("sync")).unwrap();
    let block = [7_u8; 4096];
    (0..200)
        .map(|_| {
            let begun = Instant::now();
            file.write_all(&block).unwrap();
            file.sync_data().unwrap();
            begun.elapsed().as_secs_f64() * 1e6
        })
        .collect()
}
