//! Metrics of the process, as the system has them.

use std::fs;
use std::time::Duration;

use prometheus::proto::MetricFamily;
use prometheus::{CounterVec, IntGaugeVec};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::metrics::{metrics, set};

const KIB: u64 = 1 << 10;

metrics! {
    struct ProcessMetrics {
        /// Processor time that the process has used. On Unix.
        cpu: CounterVec = "process_cpu_seconds_total";
        /// Memory that the process occupies. On Linux.
        memory: IntGaugeVec = "process_resident_memory_bytes";
        /// File descriptors that are open. On Linux.
        descriptors: IntGaugeVec = "process_open_fds";
        /// File descriptors that may be open. On Unix.
        max_descriptors: IntGaugeVec = "process_max_fds";
    }
}

/// The current values. What the system doesn't say is left out.
pub(crate) fn gather() -> Vec<MetricFamily> {
    let now = ProcessMetrics::default();
    if let Some(used) = cpu_time() {
        let cpu = now.cpu.with_label_values::<&str>(&[]);
        cpu.inc_by(used.as_secs_f64());
    }
    for (gauge, value) in [
        (&now.memory, resident_bytes()),
        (&now.descriptors, open_descriptors()),
        (&now.max_descriptors, max_descriptors()),
    ] {
        if let Some(value) = value {
            set(gauge, [], value);
        }
    }
    now.gather()
}

/// Bytes of memory that the process occupies; `None` where the system has no `/proc`.
fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(KIB)
}

/// How many file descriptors are open; `None` where the system has no `/proc`.
fn open_descriptors() -> Option<u64> {
    const FOLDER: &str = "/proc/self/fd";
    // Since Linux 6.2 it is the size of the folder. To count them takes a microsecond each.
    match fs::metadata(FOLDER).ok()?.len() {
        // One is that of the folder.
        0 => Some((fs::read_dir(FOLDER).ok()?.count() as u64).saturating_sub(1)),
        count => Some(count),
    }
}

fn max_descriptors() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

fn cpu_time() -> Option<Duration> {
    clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
}
